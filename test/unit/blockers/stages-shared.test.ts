/** Changes of several objects that share workloads: none waits for another. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Stages } from '../../../lib/blockers/stages.ts';
import { parseStages } from '../../../lib/model/settings.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import type { Sketch } from '../tracking/sketch.ts';

const SOAK_MS = 30_000;
const MINUTE_MS = 60_000;
const staging = { stages: parseStages('1,100%') ?? [], soakMs: SOAK_MS };

const patched = ({ patches }: RolloutStage): string[] => patches.map(({ workload }) => workload);

function edit(stage: RolloutStage, name: string, sketch: Sketch): void {
  stage.apply(stage.world.workload(name, sketch));
  stage.controller.wake(stage.world.workloadKey(name));
}

/** `bad` is halted by `a`; `shared` follow it and `cfg`, as `own` do that. */
async function halted(
  t: TestContext,
  shared: readonly string[],
  own: readonly string[],
): Promise<RolloutStage> {
  const stage = new RolloutStage(t, ['a', ...shared, ...own], { staging });
  stage.world.config('bad', 'a');
  edit(stage, 'a', { follows: ['bad'] });
  for (const name of shared) edit(stage, name, { follows: ['cfg', 'bad'] });
  stage.change('b', 'bad');
  await stage.pass(2000);
  edit(stage, 'a', { failure: 'ProgressDeadlineExceeded' });
  await stage.pass(1000);
  assert.deepEqual(patched(stage), ['a']);
  return stage;
}

test('a halt of one object delays no other one', async (t) => {
  const stage = await halted(t, ['b'], ['c', 'd']);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['a', 'c']);
  stage.rollOut('c');
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), ['a', 'c', 'd']);
  assert.equal(stage.waitOf('b')?.reason, 'halt');
});

test('who waits for a halt is not tried again and again', async (t) => {
  const stage = await halted(t, ['s1', 's2', 's3'], ['c']);
  stage.change('b');
  await stage.pass(MINUTE_MS);
  const { check } = Stages.prototype;
  let checks = 0;
  t.mock.method(Stages.prototype, 'check', function (this: Stages, ...about: Parameters<typeof check>) {
    checks += 1;
    return check.apply(this, about);
  });
  await stage.pass(10 * MINUTE_MS);
  assert.ok(checks < 50, `${checks} checks`);
});

test('another object may mend what halted the first one', async (t) => {
  const names = ['w1', 'w2', 'w3'];
  const stage = new RolloutStage(t, names, { staging });
  stage.world.config('flags', 'a');
  for (const name of names) edit(stage, name, { follows: ['cfg', 'flags'] });
  stage.change('b');
  await stage.pass(2000);
  edit(stage, 'w1', { failure: 'ProgressDeadlineExceeded' });
  await stage.pass(MINUTE_MS);
  stage.change('b', 'flags');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w1']);
  edit(stage, 'w1', { failure: undefined, isRolledOut: true });
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage), ['w1', 'w1', 'w2', 'w3']);
});

test('a follower that waits for another object is passed over', async (t) => {
  const stage = new RolloutStage(t, ['a', 'b', 'c', 'd'], { staging });
  stage.world.config('slow', 'a');
  edit(stage, 'a', { follows: ['slow'] });
  edit(stage, 'b', { follows: ['slow', 'cfg'] });
  stage.change('b', 'slow');
  await stage.pass(2000);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['a', 'c']);
  stage.rollOut('a', 'c');
  await stage.pass(SOAK_MS + 2000);
  assert.deepEqual(patched(stage).slice(2).toSorted(), ['b', 'd']);
});

test('the cost of a change is linear in its followers', async (t) => {
  const reads: number[] = [];
  for (const count of [20, 80])
    await t.test(`${count} of them`, async (own) => {
      const names = Array.from({ length: count }, (_, at) => `w${at}`);
      const stage = new RolloutStage(own, names, { staging });
      const counted = own.mock.method(stage.world.store, 'edgesOf');
      stage.change('b');
      await stage.pass(5000);
      reads.push(counted.mock.callCount());
    });
  const [some = 0, more = 0] = reads;
  assert.ok(more <= some + 5, reads.join());
});
