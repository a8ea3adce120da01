/** The rules for Rollouts: restarts and their record, aborts, promotions, and rollouts of external writers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNKNOWN } from '../../../lib/model/edge.ts';
import {
  ASKS_RESTART,
  aborted,
  between,
  healthy,
  type RolloutWorld,
  settledRollout,
} from './rollout-world.ts';
import { d } from './sketch.ts';

const AWAITS = { phase: 'Paused', pauseConditions: [{ reason: 'BlueGreenPause' }] };

/** The state while pods of the template before are still there: only the stamp proves that they are not all there is. */
const WHILE_STAMPED = { 'v1.ConfigMap_cfg': 'b.1?Rollout/web=2' };

/** A patch of ours is applied for `content`, and its pods come. */
function rolling(content = 'b'): RolloutWorld {
  const world = settledRollout();
  world.config('cfg', content);
  world.answer(land(world));
  world.is(between('h1', 'h2'));
  return world;
}

function land(world: RolloutWorld) {
  const plan = world.send('web');
  world.land(plan);
  return plan;
}

function running(world: RolloutWorld): string | undefined {
  return world.edge('web').runningDigest;
}

/** The types of what the last observation asks the rollouts to do. */
function asked(effects: ReturnType<RolloutWorld['is']>): readonly string[] {
  const types = ['changed', 'retry-now'] as const;
  return types.filter((type) => effects.enqueuedFor(type).length > 0);
}

test('a promotion that takes a day leaves the change committed, and is seen by a new process', () => {
  const world = rolling();
  world.is(between('h1', 'h2', AWAITS));
  assert.deepEqual(world.record('web').workload.hold, { type: 'awaits-promotion' });
  world.write();
  assert.deepEqual(world.written, WHILE_STAMPED);
  const next = world.restart();
  assert.equal(next.needsRollout('web'), false);
  assert.equal(next.edge('web').rolloutInProgress, true);
  assert.equal(next.plan(), undefined);
  next.is(healthy('h2'));
  assert.equal(next.edge('web').rolloutInProgress, false);
  next.write({ isLast: true });
  assert.deepEqual(next.written, { 'v1.ConfigMap_cfg': 'b.1' });
});

test('an undo that brings old pods back while no reloader runs is seen at the start', () => {
  const world = rolling();
  world.write();
  world.edit('web', { stamps: {} });
  const next = world.restart();
  assert.equal(running(next), UNKNOWN);
  assert.equal(next.needsRollout('web'), true);
});

test('a change before the promotion is patched like any other', () => {
  const world = rolling();
  world.is(between('h1', 'h2', AWAITS));
  world.config('cfg', 'c');
  assert.equal(world.needsRollout('web'), true);
  world.answer(land(world));
  assert.equal(running(world), d('c'));
});

test('after an abort nothing is known of the pods, also by the state', () => {
  const world = rolling();
  world.write();
  assert.deepEqual(asked(world.is(aborted('h1', 'h2'))), ['changed']);
  assert.equal(running(world), UNKNOWN);
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1?Rollout/web' });
  assert.equal(running(world.restart()), UNKNOWN);
});

test('an abort that nobody has seen before the end of the process is seen at the start', () => {
  const world = rolling();
  world.write();
  const { restart } = world;
  world.tellWorkload = () => assert.fail('the process has died');
  assert.throws(() => world.is(aborted('h1', 'h2')));
  const next = restart.call(world);
  assert.equal(running(next), UNKNOWN);
  assert.equal(next.needsRollout('web'), true);
});

test('once it is retried and complete, nothing is left to roll', () => {
  const world = rolling();
  world.is(aborted('h1', 'h2'));
  world.is(between('h1', 'h2', { abort: false }));
  world.is(between('h1', 'h2', { ...AWAITS, abort: false }));
  assert.equal(world.needsRollout('web'), true, 'old pods are left');
  assert.deepEqual(asked(world.is({ ...healthy('h2'), abort: false })), ['retry-now']);
  assert.deepEqual([running(world), world.needsRollout('web')], [d('b'), false]);
});

test('what changes in between is rolled after the retry', () => {
  const world = rolling();
  world.is(aborted('h1', 'h2'));
  world.config('cfg', 'c');
  world.is(between('h1', 'h2', { abort: false }));
  world.is(healthy('h2'));
  assert.equal(world.needsRollout('web'), true);
});

test('an undo of what was aborted brings back pods of before, and is rolled', () => {
  const world = rolling();
  world.is(aborted('h1', 'h2'));
  world.workload('web', { stamps: {} });
  world.is(healthy('h1'));
  assert.deepEqual([running(world), world.needsRollout('web')], [UNKNOWN, true]);
});

test('another template after an abort is rolled in doubt', () => {
  const world = rolling();
  world.is(aborted('h1', 'h2'));
  world.workload('web', { image: 'v2' });
  world.is(healthy('h3'));
  assert.equal(world.needsRollout('web'), true);
});

test('a stable template that was never completed absorbs nothing', () => {
  const world = rolling();
  world.is(aborted('h1', 'h2'));
  world.is(healthy('h1'));
  assert.equal(world.needsRollout('web'), true, 'the revision is the one before the patch');
});

test('the abort of what a person rolled leaves the belief alone', () => {
  const world = settledRollout();
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.is(between('h1', 'h2'));
  world.is(aborted('h1', 'h2'));
  assert.deepEqual([running(world), world.needsRollout('web')], [d('a'), false]);
});

test('a restart is recorded beside the template, and rolls nothing again after a start or a lost answer', () => {
  const world = settledRollout(ASKS_RESTART);
  world.config('cfg', 'b');
  const plan = land(world);
  assert.equal(plan.isRestart, true);
  world.tellWorkload('web');
  assert.equal(world.record('web').inFlight, undefined, 'the stream shows it before the answer');
  assert.equal(world.edge('web').rolloutInProgress, true);
  world.write();
  assert.match(world.written['v1.ConfigMap_cfg'] ?? '', /\?Rollout\/web=2$/);
  assert.equal(world.restart().needsRollout('web'), false);
  world.restarted('h1');
  assert.equal(world.edge('web').rolloutInProgress, false);
  world.write({ isLast: true });
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'b.1' });
  assert.equal(world.restart().needsRollout('web'), false);
});

test('a restart that is taken back before it is done is asked for again', () => {
  const world = settledRollout(ASKS_RESTART);
  world.config('cfg', 'b');
  world.answer(land(world));
  world.restartAt(undefined);
  assert.deepEqual([running(world), world.needsRollout('web')], [UNKNOWN, true]);
});

test('a restart that is taken back after it is done and committed rolls nothing', () => {
  const world = settledRollout(ASKS_RESTART);
  world.config('cfg', 'b');
  world.answer(land(world));
  world.restarted('h1');
  world.write();
  world.restartAt(undefined);
  assert.equal(world.needsRollout('web'), false);
  assert.equal(world.restart().needsRollout('web'), false);
});

test('to choose the other strategy rolls nothing, and each counts the stamps of the other', () => {
  const world = settledRollout(ASKS_RESTART);
  world.config('cfg', 'b');
  world.answer(land(world));
  world.restarted('h1');
  const { [Object.keys(ASKS_RESTART)[0] ?? '']: _, ...record } = world.live.get('web')?.asks ?? {};
  world.workload('web', { asks: record });
  assert.equal(world.needsRollout('web'), false);
  world.config('cfg', 'c');
  const plan = world.send('web');
  assert.equal(plan.isRestart, undefined);
  assert.equal(plan.stamps[0]?.stamp.id, 3);
  world.land(plan);
  world.answer(plan);
  world.is(between('h1', 'h2'));
  world.restarted('h2');
  world.workload('web', { asks: { ...record, ...ASKS_RESTART } });
  assert.equal(world.needsRollout('web'), false);
  world.write();
  assert.equal(world.restart().needsRollout('web'), false);
  world.config('cfg', 'd');
  const again = world.send('web');
  assert.deepEqual([again.isRestart, again.stamps[0]?.stamp.id], [true, 4]);
});

test('a restart goes on through an abort', () => {
  const world = settledRollout(ASKS_RESTART);
  world.config('cfg', 'b');
  world.answer(land(world));
  world.is(aborted('h1', 'h2'));
  assert.deepEqual([running(world), world.needsRollout('web')], [d('b'), false]);
});

test('the rollout of an external writer brings the change, also where it awaits a promotion', () => {
  const world = settledRollout();
  world.config('cfg', 'b');
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.is(between('h1', 'h2'));
  world.is(between('h1', 'h2', AWAITS));
  assert.notEqual(world.record('web').externalRollout, undefined);
  world.is(healthy('h2'));
  assert.deepEqual([running(world), world.needsRollout('web')], [d('b'), false]);
});

test('an undo in the middle of it keeps pods of before, and is rolled', () => {
  const world = settledRollout();
  world.config('cfg', 'b');
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.is(between('h1', 'h2'));
  world.workload('web', { image: 'v1', isRolledOut: false });
  world.is(healthy('h1'));
  assert.equal(world.needsRollout('web'), true);
});

test('while an undo can bring old pods back, a new template proves nothing of them', () => {
  const world = settledRollout();
  world.is({ ...healthy('h1'), replicas: 4 });
  world.config('cfg', 'b');
  world.workload('web', { image: 'v2', isRolledOut: false });
  assert.equal(world.record('web').externalRollout, undefined);
});
