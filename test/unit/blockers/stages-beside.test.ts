/** Stages beside everything else that decides about rollouts. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Reloader } from '../../../lib/app/reloader.ts';
import { snapshotOf } from '../../../lib/app/status.ts';
import { parseStages } from '../../../lib/model/settings.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import type { Sketch } from '../tracking/sketch.ts';

const SOAK_MS = 30_000;
const MINUTE_MS = 60_000;
const FOUR = ['w1', 'w2', 'w3', 'w4'];
const staging = { stages: parseStages('1,3') ?? [], soakMs: SOAK_MS };

type Settings = ConstructorParameters<typeof RolloutStage>[2];

const patched = ({ patches }: RolloutStage): string[] => patches.map(({ workload }) => workload);

/** The first stage of the content `b` has begun. */
async function begun(t: TestContext, settings: Settings = {}): Promise<RolloutStage> {
  const stage = new RolloutStage(t, FOUR, { staging, ...settings });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1']);
  return stage;
}

/** Its second stage has begun: `w2` and `w3` are being rolled. */
async function inStage2(t: TestContext, settings: Settings = {}): Promise<RolloutStage> {
  const stage = await begun(t, settings);
  stage.rollOut('w1');
  await stage.pass(SOAK_MS + 1000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
  return stage;
}

function edit(stage: RolloutStage, name: string, sketch: Sketch): void {
  stage.apply(stage.world.workload(name, sketch));
  stage.controller.wake(stage.world.workloadKey(name));
}

test('a budget lets no more begin than it has room for, in a stage as well', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging, budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  stage.rollOut('w1');
  await stage.pass(SOAK_MS + 1000);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
  stage.rollOut('w2');
  await stage.pass(1000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3'], 'the rest of a stage waits for no soak');
});

test('a second change in stage 2 begins at its first stage, and brings both', async (t) => {
  const stage = await inStage2(t);
  stage.rollOut('w2');
  stage.change('c');
  await stage.pass(MINUTE_MS);
  assert.deepEqual(patched(stage).slice(3), ['w1']);
  stage.rollOut('w1', 'w3');
  await stage.pass(MINUTE_MS);
  stage.rollOut('w2', 'w3');
  await stage.pass(MINUTE_MS);
  stage.rollOut('w4');
  assert.ok(FOUR.every((name) => stage.world.edge(name).runningDigest === 'c'.repeat(40)));
  assert.equal(patched(stage).filter((name) => name === 'w4').length, 1);
});

test('the change back in stage 2 rolls those alone that have begun', async (t) => {
  const stage = await inStage2(t);
  stage.rollOut('w2', 'w3');
  stage.change('a');
  for (let minute = 0; minute < 6; minute += 1) {
    await stage.pass(MINUTE_MS);
    stage.rollOut('w1', 'w2', 'w3');
  }
  assert.deepEqual(patched(stage).slice(3).toSorted(), ['w1', 'w2', 'w3']);
  assert.ok(FOUR.every((name) => !stage.world.needsRollout(name)));
});

test('an opt-out in stage 2 is waited for no more', async (t) => {
  const stage = await inStage2(t);
  stage.rollOut('w2');
  edit(stage, 'w3', { follows: [] });
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), FOUR);
});

test('a deletion in stage 2 is waited for no more', async (t) => {
  const stage = await inStage2(t);
  stage.rollOut('w2');
  stage.apply(stage.world.noWorkload('w3'));
  stage.controller.forget(stage.world.workloadKey('w3'));
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), FOUR);
});

test('a take-over in stage 2 goes on with it, after a soak of its own', async (t) => {
  const before = await inStage2(t);
  before.rollOut('w2', 'w3');
  before.world.write();
  const stage = new RolloutStage(t, [], { staging, before, world: before.world.restart() });
  for (const key of stage.world.store.workloads.keys()) stage.controller.touch(key, 1);
  await stage.pass(SOAK_MS - 5000);
  assert.deepEqual(patched(stage), []);
  await stage.pass(10_000);
  assert.deepEqual(patched(stage), ['w4']);
});

test('an autoscaler does not stop a stage, nor begins its soak anew while all pods are ready', async (t) => {
  const stage = await begun(t);
  stage.rollOut('w1');
  for (let replicas = 2; replicas < 8; replicas += 1) {
    await stage.pass(SOAK_MS / 6);
    edit(stage, 'w1', { replicas });
  }
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
});

test('an autoscaler that takes all pods away in stage 2 is waited for no more', async (t) => {
  const stage = await inStage2(t);
  stage.rollOut('w2');
  edit(stage, 'w3', { replicas: 0 });
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), FOUR);
});

test('a pause of ours is waited for: its end brings the pods that tell', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging });
  const paused = {
    'deployment.reloader.stakater.com/pause-period': '5m',
    'deployment.reloader.stakater.com/paused-at': '2026-11-25T12:00:00Z',
  };
  stage.change('b');
  await stage.pass(2000);
  edit(stage, 'w1', { paused: true, asks: paused });
  await stage.pass(5 * MINUTE_MS);
  assert.deepEqual(patched(stage), ['w1']);
  edit(stage, 'w1', { paused: false, asks: {}, isRolledOut: true });
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
});

test('workloads whose pods are evicted come after the last stage', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging });
  edit(stage, 'w1', { asks: { 'reloader.k8s.collaborne.com/reload-strategy': 'evict' } });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w2']);
});

test('keys of one object are one change: workloads that follow different keys share its stages', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging, flags: { keyScoped: true } });
  stage.change('b');
  await stage.pass(2000);
  assert.equal(patched(stage).length, 1);
});

test('a workload that is rolled too often is waited for in its stage', async (t) => {
  const limit = { rollouts: 1, withinMs: 3_600_000 };
  const stage = new RolloutStage(t, FOUR, { staging, flags: { pace: { minIntervalMs: 0, limit } } });
  for (const content of 'bcde') {
    stage.change(content);
    await stage.pass(MINUTE_MS);
    stage.rollOut('w1');
  }
  await stage.pass(30 * MINUTE_MS);
  stage.rollOut('w1');
  await stage.pass(SOAK_MS + 2000);
  assert.ok(['w2', 'w3'].every((name) => patched(stage).includes(name)));
});

test('an object that changes more often than a stage takes shows how long the others have waited', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging });
  const controllers = { rollouts: stage.controller, committer: { known: { bytes: 0, count: 1 } } };
  const reloader = { store: stage.world.store, leads: true, controllers } as unknown as Reloader;
  for (let half = 1; half <= 240; half += 1) {
    stage.change(half % 2 === 0 ? 'b' : 'c');
    await stage.pass(SOAK_MS);
    stage.rollOut('w1');
    const { leader, waiting } = snapshotOf(reloader, monotonicMs());
    const age = leader?.reloader_oldest_staged_workload_age_seconds ?? 0;
    assert.deepEqual([waiting['stage'], Math.ceil(age / 30)], [3, half]);
  }
  assert.deepEqual(new Set(patched(stage)), new Set(['w1']));
});

test('what is only told to a webhook has no stages', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging });
  Object.assign(stage.world.settings, { onlyTells: true });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), FOUR);
});

test('a dry run reports every workload, one after the other', async (t) => {
  const stage = new RolloutStage(t, FOUR, { staging });
  for (const _ of FOUR) stage.faults.push({ isDry: true });
  stage.change('b');
  await stage.pass(MINUTE_MS);
  assert.deepEqual(patched(stage), FOUR);
});

test('one workload alone is never halted: that would keep the content from no other', async (t) => {
  const stage = new RolloutStage(t, ['w1'], { staging });
  stage.change('b');
  await stage.pass(2000);
  edit(stage, 'w1', { failure: 'ProgressDeadlineExceeded' });
  await stage.pass(MINUTE_MS);
  assert.equal(stage.news.length, 0);
});

test('one that was not healthy before an earlier change counts from its next patch on', async (t) => {
  const template = { spec: { containers: [{ name: 'main' }] } };
  const stage = new RolloutStage(t, ['w1', 'w2'], { staging });
  edit(stage, 'w1', { template, isRolledOut: false, failure: 'ProgressDeadlineExceeded' });
  stage.change('b');
  await stage.pass(2000);
  stage.rollOut('w2');
  await stage.pass(SOAK_MS + 1000);
  assert.deepEqual(patched(stage), ['w2', 'w1']);
  edit(stage, 'w1', { isRolledOut: true, failure: undefined });
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.faults.push({ until: promise });
  stage.change('c');
  await stage.pass(MINUTE_MS);
  stage.controller.stages?.proceed();
  await stage.pass(MINUTE_MS);
  assert.deepEqual(patched(stage).slice(2), ['w1'], 'its patch is under way');
  resolve();
  await stage.pass(1000);
});

test('a workload that is refused backs off for ever longer', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { staging, random: () => 0.5 });
  const refusal = { result: { kind: 'rejected', code: 'forbidden', message: 'no' } } as const;
  stage.change('b');
  await stage.pass(2000);
  stage.rollOut('w1');
  stage.faults.push(...Array.from({ length: 100 }, () => refusal));
  await stage.pass(60 * MINUTE_MS);
  const refused = stage.outcomes.filter((type) => type === 'refused').length;
  assert.ok(refused > 5 && refused < 40, String(refused));
});
