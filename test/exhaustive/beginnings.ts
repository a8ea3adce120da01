/** Where histories begin. */

import { NO_STATE } from '../../lib/model/sharded-state.ts';
import { appear, rolloutStep } from './cluster.ts';
import { drain } from './judge.ts';
import type { World } from './world.ts';

/** Nothing but the ConfigMap with content a, and w1 with pods that read it; no reloader has ever run. */
export function untouched(comparable: boolean): World {
  const stream = { hasListed: false, queue: [], sign: undefined };
  const world: World = {
    comparable,
    clock: 1,
    arrivals: 0,
    content: 'a',
    lastContent: 'a',
    configVersion: 1,
    deployments: {},
    configs: { ...stream },
    workloads: { ...stream },
    persisted: NO_STATE,
    process: undefined,
    hasDied: false,
  };
  addWorkload(world, 'w1');
  return world;
}

/** The same with `w2` beside it, and a reloader that has come to rest. */
export function atRest(comparable: boolean, withW2 = true): World {
  const world = untouched(comparable);
  if (withW2) addWorkload(world, 'w2');
  drain(world);
  return world;
}

function addWorkload(world: World, name: 'w1' | 'w2'): void {
  appear(world, name, undefined);
  rolloutStep(world, name);
  rolloutStep(world, name);
}
