/** Where histories begin. */

import { NO_STATE } from '../../lib/model/shards.ts';
import { appear, rolloutStep } from './cluster.ts';
import { drain } from './judge.ts';
import { nowhere } from './process.ts';
import type { World } from './world.ts';

/** Nothing but the ConfigMap with content a, and w1 with pods that read it; no reloader has ever run. `term`: of the last one. */
export function untouched(comparable: boolean, term?: number): World {
  const world: World = {
    comparable,
    clock: 1,
    arrivals: 0,
    content: 'a',
    lastContent: 'a',
    configVersion: 1,
    deployments: {},
    ...nowhere(),
    stored: NO_STATE,
    term,
    former: undefined,
    lastId: 0,
    hasDied: false,
  };
  addWorkload(world, 'w1');
  return world;
}

/** The same with `w2` beside it, and a reloader that has come to rest. */
export function atRest(comparable: boolean, withW2 = true, term?: number): World {
  const world = untouched(comparable, term);
  if (withW2) addWorkload(world, 'w2');
  drain(world);
  return world;
}

function addWorkload(world: World, name: 'w1' | 'w2'): void {
  appear(world, name, undefined);
  rolloutStep(world, name);
  rolloutStep(world, name);
}
