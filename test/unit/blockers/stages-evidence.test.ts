/** What shows that a content is good or bad, and what shows nothing. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseStages } from '../../../lib/model/settings.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import type { Sketch } from '../tracking/sketch.ts';

const SOAK_MS = 30_000;
const MINUTE_MS = 60_000;
const DEADLINE_MS = 10 * MINUTE_MS;
const THREE = ['w1', 'w2', 'w3'];
const HOLD = { 'reloader.k8s.collaborne.com/hold': 'true' };
const staging = { stages: parseStages('1,100%') ?? [], soakMs: SOAK_MS };

const patched = ({ patches }: RolloutStage): string[] => patches.map(({ workload }) => workload);
const haltedBy = ({ news }: RolloutStage): string[] =>
  news.flatMap((one) => (one.type === 'halted' ? [one.workload.name] : []));

function edit(stage: RolloutStage, name: string, sketch: Sketch): void {
  stage.apply(stage.world.workload(name, sketch));
  stage.controller.wake(stage.world.workloadKey(name));
}

/** `w1` has the content `b`, and its pods are not ready yet. */
async function begun(t: TestContext, names: readonly string[] = THREE): Promise<RolloutStage> {
  const stage = new RolloutStage(t, names, { staging });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1']);
  return stage;
}

/** Another process with the same world, and the state as it was written. */
function restart(t: TestContext, before: RolloutStage): RolloutStage {
  before.world.write();
  const next = new RolloutStage(t, [], { staging, world: before.world.restart(), before });
  for (const key of next.world.store.workloads.keys()) next.controller.touch(key, 1);
  return next;
}

for (const awayMs of [5000, 0])
  test(`a workload that is ready again and again, and away for ${awayMs} ms, fails at its deadline`, async (t) => {
    const stage = await begun(t);
    for (let ms = 0; ms < DEADLINE_MS + 2 * SOAK_MS; ms += 25_000) {
      edit(stage, 'w1', { isRolledOut: true, ready: undefined });
      await stage.pass(25_000 - awayMs);
      edit(stage, 'w1', { ready: 0 });
      await stage.pass(awayMs);
    }
    assert.deepEqual([patched(stage), haltedBy(stage)], [['w1'], ['w1']]);
  });

for (const isRestarted of [false, true])
  test(`who stayed ready for the soak halts that content no more${isRestarted ? ', nor after a restart' : ''}`, async (t) => {
    let stage = new RolloutStage(t, [...THREE, 'held'], { staging });
    edit(stage, 'held', { asks: HOLD });
    stage.change('b');
    for (const name of THREE) {
      await stage.pass(SOAK_MS + 2000);
      stage.rollOut(name);
    }
    await stage.pass(SOAK_MS + 2000);
    assert.deepEqual(patched(stage), THREE);
    if (isRestarted) stage = restart(t, stage);
    edit(stage, 'w2', { isRolledOut: false, failure: 'ProgressDeadlineExceeded' });
    await stage.pass(2 * DEADLINE_MS);
    assert.deepEqual(haltedBy(stage), []);
  });

for (const [what, sketch] of [
  ['paused', { paused: true }],
  ['scaled to zero', { replicas: 0 }],
] as const)
  test(`after a soak the next one begins in the place of one that was ${what}, and the content is not blamed`, async (t) => {
    const stage = await begun(t);
    edit(stage, 'w1', sketch);
    await stage.pass(SOAK_MS - 1000);
    assert.deepEqual(patched(stage), ['w1']);
    await stage.pass(2000);
    assert.deepEqual(patched(stage), ['w1', 'w2']);
    await stage.pass(DEADLINE_MS / 2);
    assert.deepEqual([patched(stage), haltedBy(stage)], [['w1', 'w2'], []]);
  });

test('the next one begins in the place of one that was undone, which comes last', async (t) => {
  const stage = await begun(t);
  edit(stage, 'w1', { stamps: {}, isRolledOut: true });
  await stage.pass(MINUTE_MS);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
  stage.rollOut('w2');
  await stage.pass(SOAK_MS + 2000);
  stage.rollOut('w3');
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3', 'w1']);
});

for (const isRestarted of [false, true])
  test(`one that stood still before its turn shows nothing${isRestarted ? ', nor in a new process' : ''}`, async (t) => {
    let stage = new RolloutStage(t, THREE, { staging });
    edit(stage, 'w1', { image: 'broken', isRolledOut: false });
    await stage.pass(2 * DEADLINE_MS);
    if (isRestarted) stage = restart(t, stage);
    for (const content of 'bc') {
      const before = patched(stage).length;
      stage.change(content);
      for (let minute = 0; minute < 3; minute += 1) {
        await stage.pass(MINUTE_MS);
        stage.rollOut('w2', 'w3');
      }
      await stage.pass(2 * DEADLINE_MS);
      assert.deepEqual(patched(stage).slice(before), ['w2', 'w3', 'w1']);
    }
    assert.deepEqual(haltedBy(stage), []);
  });

test('a change is halted where no follower can show anything, until a person lets it go on', async (t) => {
  const stage = new RolloutStage(t, THREE, { staging });
  for (const name of THREE) edit(stage, name, { paused: true });
  stage.change('b');
  await stage.pass(MINUTE_MS);
  assert.deepEqual(patched(stage), []);
  assert.match(stage.waitOf('w2')?.message ?? '', /none of the workloads that follow it can show/);
  assert.equal(stage.news.length, 1);
  stage.apply(stage.world.mark('cfg', { 'reloader.k8s.collaborne.com/resume': '0a' }));
  for (const name of THREE) stage.controller.wake(stage.world.workloadKey(name));
  await stage.pass(1000);
  assert.deepEqual(patched(stage), THREE);
});

test('such a halt ends once a follower can show something', async (t) => {
  const stage = new RolloutStage(t, THREE, { staging });
  for (const name of THREE) edit(stage, name, { paused: true });
  stage.change('b');
  await stage.pass(MINUTE_MS);
  edit(stage, 'w2', { paused: false, isRolledOut: true });
  await stage.pass(1000);
  assert.deepEqual(patched(stage), ['w2']);
});

test('workloads without pods are rolled although none can show anything', async (t) => {
  const stage = new RolloutStage(t, THREE, { staging });
  for (const name of THREE) edit(stage, name, { replicas: 0 });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), THREE);
});

test('who stops following an object in its stage is waited for no more, whatever else it follows', async (t) => {
  const stage = new RolloutStage(t, THREE, { staging });
  stage.world.config('other', 'a');
  edit(stage, 'w1', { follows: ['cfg', 'other'] });
  stage.change('b');
  await stage.pass(2000);
  edit(stage, 'w1', { follows: ['other'] });
  await stage.pass(1000);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
});
