/** A Rollout that was aborted is patched by no one but the person who lets it go on. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ASKS_RESTART, aborted, between, healthy, settledRollout } from '../tracking/rollout-world.ts';
import { RolloutStage } from './rollout-stage.ts';

const AWAITS = { phase: 'Paused', pauseConditions: [{ reason: 'BlueGreenPause' }] };

async function afterAbort(t: TestContext) {
  const world = settledRollout();
  const stage = new RolloutStage(t, [], { world });
  stage.change('b');
  await stage.pass(2000);
  stage.apply(world.is(between('h1', 'h2')));
  stage.apply(world.is(aborted('h1', 'h2')));
  await stage.pass(2000);
  return { stage, world };
}

test('nothing is patched while it is aborted, whatever changes', async (t) => {
  const { stage, world } = await afterAbort(t);
  assert.deepEqual(stage.outcomes, ['rolled', 'failed']);
  const pending = stage.controller.waitOf(world.workloadKey('web'));
  assert.equal(pending?.reason, 'failed');
  assert.match(pending.message, /kubectl argo rollouts retry rollout web/);
  assert.equal(stage.isWaiting('web'), false, 'a commit does not wait for a person');
  stage.change('c');
  stage.apply(world.workload('web', { image: 'v2' }));
  await stage.pass(3_600_000);
  assert.equal(stage.patches.length, 1);
  stage.apply(world.is(healthy('h3')));
  await stage.pass(20_000);
  assert.equal(stage.patches.length, 2, 'the person has changed the template');
});

test('a retry that completes spares a rollout, however long it awaits its promotion', async (t) => {
  const { stage, world } = await afterAbort(t);
  stage.apply(world.is(between('h1', 'h2')));
  await stage.pass(2000);
  stage.apply(world.is(between('h1', 'h2', AWAITS)));
  await stage.pass(2 * 3_600_000);
  stage.apply(world.is(healthy('h2')));
  await stage.pass(20_000);
  assert.equal(stage.patches.length, 1);
  assert.equal(world.needsRollout('web'), false);
});

test('a retry that makes no progress is rolled over', async (t) => {
  const { stage, world } = await afterAbort(t);
  stage.apply(world.is(between('h1', 'h2')));
  await stage.pass(700_000);
  assert.equal(stage.patches.length, 2);
});

test('an undo ends the wait', async (t) => {
  const { stage, world } = await afterAbort(t);
  stage.apply(world.workload('web', { stamps: {} }));
  stage.apply(world.is(healthy('h1')));
  await stage.pass(20_000);
  assert.equal(stage.patches.length, 2);
});

test('a restart needs no end of an abort', async (t) => {
  const world = settledRollout(ASKS_RESTART);
  const stage = new RolloutStage(t, [], { world });
  stage.apply(world.is(aborted('h1', 'h2')));
  stage.change('b');
  await stage.pass(20_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
});
