/** What a start believes of pods that a hold keeps beside those of our stamp. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNKNOWN } from '../../../lib/model/edge.ts';
import { World } from './world.ts';

/** A Deployment is stamped for `b` while it is paused: all pods have read `a`. */
function stampedAtPause(): World {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.workload('web', { paused: true });
  world.config('cfg', 'b');
  world.roll('web', false);
  world.write();
  return world;
}

const COMMITTED = { 'v1.ConfigMap_cfg': 'b.1' };
const WHILE_STAMPED = { 'v1.ConfigMap_cfg': 'b.1?Deployment/web=2' };

test('a pause leaves the change committed, and rolls nothing again after a restart', () => {
  const world = stampedAtPause();
  assert.deepEqual(world.written, WHILE_STAMPED);
  const next = world.restart();
  assert.equal(next.needsRollout('web'), false);
  assert.equal(next.plan(), undefined, 'it is written once');
});

test('a stamp that is removed in the pause while no reloader runs is missed at the start', () => {
  const world = stampedAtPause();
  world.edit('web', { stamps: {} });
  const next = world.restart();
  assert.equal(next.edge('web').runningDigest, UNKNOWN);
  assert.equal(next.needsRollout('web'), true);
});

test('a second change in the pause is recorded for its own stamp', () => {
  const world = stampedAtPause();
  world.config('cfg', 'c');
  world.roll('web', false);
  world.write();
  assert.match(world.written['v1.ConfigMap_cfg'] ?? '', /\?Deployment\/web=3$/);
  world.edit('web', { stamps: { cfg: 'b.2' } });
  assert.equal(world.restart().needsRollout('web'), true, 'the stamp of the first one is back');
});

test('the end of the rollout makes no write due: its mark is removed by the next write, and by the last one', () => {
  const world = stampedAtPause();
  world.workload('web', { paused: false, isRolledOut: true });
  assert.equal(world.plan(), undefined);
  assert.equal(world.restart().needsRollout('web'), false);
  world.write({ isLast: true });
  assert.deepEqual(world.written, COMMITTED);
  world.config('cfg', 'c');
  world.roll('web', false);
  world.write();
  world.workload('web', { isRolledOut: true });
  world.config('cfg', 'd');
  world.roll('web');
  world.write();
  assert.deepEqual(world.written, { 'v1.ConfigMap_cfg': 'd.1' });
});

test('an undo during our rollout, while no reloader runs, brings back pods that a start rolls', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.roll('web', false);
  world.write();
  world.edit('web', { stamps: {} });
  assert.equal(world.restart().needsRollout('web'), true);
});
