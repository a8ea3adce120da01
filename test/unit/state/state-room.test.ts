/** A ConfigMap of the state that is full: one mark stands for all, and an object without room for an entry waits. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FULL_BYTES } from '../../../lib/model/shards.ts';
import { StatePlan } from '../../../lib/state/state-write.ts';
import { OPEN_GATE, World } from '../tracking/world.ts';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';

/** A stage whose only ConfigMap has no room for a mark; web and api follow cfg, web alone has rolled for its change. */
async function fullStage(t: TestContext): Promise<CommitterStage> {
  const used = 2 * (CFG.length + 42) + 'note'.length;
  const note = 'x'.repeat(FULL_BYTES - used);
  const stage = new CommitterStage(t, { [CFG]: 'a.1', [TLS]: 'a.1', note }, OURS);
  stage.listed('cfg', 'a', 'web', 'api').listed('tls', 'a', 'tls');
  stage.world.config('cfg', 'b');
  stage.world.roll('web');
  stage.request('cfg');
  await stage.pass(2000);
  return stage;
}

/** What it says but for the note. */
function said(stage: CommitterStage): Record<string, string> {
  const { note: _, ...data } = stage.data ?? {};
  return data;
}

test('one mark stands for all followers, which a start rolls, and that is said once', async (t) => {
  const stage = await fullStage(t);
  for (let i = 0; i < 5; i += 1) {
    stage.committer.relist();
    await stage.pass(1000);
  }
  assert.deepEqual(said(stage), { [CFG]: 'b.1?*', [TLS]: 'a.1' });
  assert.deepEqual(stage.reasons, ['state-full']);
  assert.match(stage.journal.decisions[0]?.message ?? '', /^reloader-state: A state ConfigMap is full/);
  const next = stage.world.restart();
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [true, true]);
});

test('what needs no mark is committed beside it, and a new object gets its baseline elsewhere', async (t) => {
  const stage = await fullStage(t);
  stage.world.config('tls', 'b');
  stage.world.roll('tls');
  stage.listed('new', 'a', 'of-new');
  stage.request('new', 'tls');
  await stage.pass(2000);
  assert.deepEqual(said(stage), { [CFG]: 'b.1?*', [TLS]: 'b.1' });
  assert.deepEqual(stage.dataOf(1), { 'v1.ConfigMap_new': 'a.1' });
});

test('the mark goes once nobody is behind', async (t) => {
  const stage = await fullStage(t);
  stage.world.roll('api');
  stage.request('cfg');
  await stage.pass(2000);
  assert.deepEqual(said(stage), { [CFG]: 'b.1', [TLS]: 'a.1' });
});

test('a first entry without room is not written, and its marks are not waited for', () => {
  const world = new World();
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  const candidates = [world.configKey('cfg')];
  const plan = (bytes: number) =>
    new StatePlan(world.store, {
      configs: candidates,
      gate: OPEN_GATE,
      place: () => 0,
      room: () => bytes,
    });
  const needed = CFG.length + 42;
  assert.deepEqual(
    [...plan(needed - 1).withoutRoom, ...plan(needed - 1).pending.keys()],
    [...candidates, ...candidates],
  );
  assert.equal(plan(needed - 1).writes.length, 0);
  assert.deepEqual([plan(needed).writes.length, plan(needed).full.size], [1, 0]);
});

test('the mark for all goes once there is room, also where a kind may never be listed', () => {
  const world = new World({ [CFG]: 'b.1?*' });
  world.config('cfg', 'b', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.roll('web');
  const isSynced = (_namespace: string, _kind: string, leftOut?: string): boolean => leftOut === 'forbidden';
  assert.deepEqual(world.plan(undefined, { ...OPEN_GATE, isSynced })?.data[CFG], `${'b'.repeat(40)}.1`);
});

for (const [length, marks] of [
  [3, 10_000],
  [250, 1],
] as const) {
  test(`10,000 followers with names of ${length} letters and more are ${marks} marks`, () => {
    const world = new World({ [CFG]: 'a.1' });
    world.config('cfg', 'a', { initial: true });
    for (let index = 0; index < 10_000; index += 1)
      world.workload(`${'w'.repeat(length)}${index}`, { follows: ['cfg'] }, { initial: true });
    world.config('cfg', 'b');
    const request = { configs: [world.configKey('cfg')], gate: OPEN_GATE, place: () => 0 };
    const [write] = new StatePlan(world.store, { ...request, room: () => FULL_BYTES }).writes;
    const text = write?.data[CFG] ?? '';
    assert.equal(text.split('?').length - 1, marks);
    assert.ok(text.length < FULL_BYTES);
  });
}
