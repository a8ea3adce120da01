/** Clusters with a state, for the tests of `reloader state`. */

import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { observe } from '../../../lib/commands/observation.ts';
import type { Compared } from '../../../lib/commands/state/compare-state.ts';
import { storedState } from '../../../lib/commands/state/stored-state.ts';
import { rolledOut } from './named-causes.ts';
import { follows, type Words, World } from './world.ts';

/** The keys in the state of the ConfigMap `web`, and of the Deployment of that name. */
export const ENTRY = 'default_v1.ConfigMap_web';
export const OVERRIDES = 'default_ran.Deployment_web';
/** The annotation that names that ConfigMap. */
export const NAMED: Words = follows('web');

/** What the state holds; undefined: it does not exist. */
export function dataOf({ sandbox }: World): Readonly<Record<string, string>> | undefined {
  const state = sandbox.get('configmaps', 'reloader', 'reloader-state');
  return state?.['data'] as Record<string, string> | undefined;
}

export function write({ sandbox }: World, data: Readonly<Record<string, string | null>>): void {
  sandbox.patch('configmaps', 'reloader', 'reloader-state', { data });
}

export function well(): World {
  return new World().install(['-A', '--digests=sha1']).configMap().deployment({ annotations: NAMED });
}

export async function reloaderOf({ send }: World): ReturnType<typeof findReloader> {
  return await findReloader(send, { namespace: 'default', settings: [] });
}

/** The answer about all namespaces. */
export async function about<T>(world: World, answer: (compared: Compared) => T, isStuck = false): Promise<T> {
  if (!isStuck) await rolledOut(world);
  const reloader = await reloaderOf(world);
  const { send } = world;
  const stored = await storedState(send, reloader);
  const observation = await observe({ send, options: reloader.options, place: reloader.place });
  const result = answer({ stored, observation, namespaces: undefined, isWhole: true });
  await observation.end();
  world.sandbox.close();
  return result;
}
