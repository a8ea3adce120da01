/** Where somebody is told in place of a patch: what is told once is done, whatever becomes of the workload. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { acceptRollout } from '../../../lib/tracking/rollout-decision.ts';
import { d } from './sketch.ts';
import { settled, type World } from './world.ts';

/** A world in which these run `a` of `cfg`, and nobody is rolled. */
function told(...workloads: string[]): World {
  const world = settled('web', ...workloads);
  world.settings.onlyTells = true;
  return world;
}

/** Whoever is told has taken it. */
function take(world: World, plan: RolloutPlan): void {
  acceptRollout(world.store, new Effects(), plan, undefined, { from: world.now, to: world.now });
}

function restarted(world: World): World {
  const next = world.restart();
  next.settings.onlyTells = true;
  return next;
}

const stampOf = ({ stamps: [owed] }: RolloutPlan): string => `${owed?.stamp.digest[0]}.${owed?.stamp.id}`;

describe('what was told is done', () => {
  test('although the template has no stamp', () => {
    const world = told();
    world.config('cfg', 'b');
    take(world, world.send('web'));
    assert.equal(world.edge('web').runningDigest, d('b'));
    assert.equal(world.needsRollout('web'), false);
  });

  const restarts: Record<string, (world: World) => void> = {
    'after it was told and before that is written': (world) => {
      take(world, world.send('web'));
      world.workload('web', { image: 'v2', isRolledOut: false });
      world.workload('web', { isRolledOut: true });
    },
    'while it is being told': (world) => {
      const plan = world.send('web');
      world.workload('web', { image: 'v2', isRolledOut: false });
      take(world, plan);
      world.workload('web', { isRolledOut: true });
    },
    'after that was written': (world) => {
      take(world, world.send('web'));
      world.write();
      world.workload('web', { image: 'v2', isRolledOut: false });
      world.workload('web', { isRolledOut: true });
    },
  };
  for (const [when, act] of Object.entries(restarts)) {
    test(`although the workload is rolled by whoever was told, ${when}`, () => {
      const world = told();
      world.config('cfg', 'b');
      act(world);
      assert.equal(world.needsRollout('web'), false);
      world.write();
      assert.equal(restarted(world).needsRollout('web'), false);
    });
  }

  test('also after a restart, once it is written; of whom nobody was told yet is owed', () => {
    const world = told('api');
    world.config('cfg', 'b');
    take(world, world.send('web'));
    world.write();
    const next = restarted(world);
    assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [false, true]);
  });
});

describe('what is told again', () => {
  test('is the next change and a change back, each as another rollout, restarts or not', () => {
    let world = told();
    const stamps = ['b', 'a', 'b', 'a'].map((content) => {
      world.config('cfg', content);
      const plan = world.send('web');
      take(world, plan);
      world.write();
      if (content === 'a') world = restarted(world);
      return stampOf(plan);
    });
    assert.equal(new Set(stamps).size, 4);
  });
});
