import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { RolloutStage } from './rollout-stage.ts';

const FORBIDDEN = { result: { kind: 'rejected', code: 'forbidden', message: 'no' } } as const;
test('a window beyond the default maximum wait blocks no commit', async (t) => {
  const stage = new RolloutStage(t, ['web'], { maxWaitMs: 600_000 });
  for (let n = 0; n < 20; n += 1) {
    stage.change('bcdef'[n % 5] ?? '');
    await stage.pass(500);
  }
  assert.equal(stage.patches.length, 0);
  assert.equal(stage.isWaiting('web'), false);
});
test('nor does one that a workload asks for: neither at its beginning nor later', async (t) => {
  const stage = new RolloutStage(t, ['web'], { flags: { pausePeriodMs: 60_000 } });
  stage.change('b');
  assert.equal(stage.isWaiting('web'), false);
  await stage.pass(30_000);
  stage.change('c');
  await stage.pass(29_000);
  assert.deepEqual([stage.patches, stage.isWaiting('web')], [[], false]);
  await stage.pass(2000);
  assert.equal(stage.patches[0]?.atMs, 60_000);
});
test('a window that is asked for is never shorter than the others, and holds up a commit like them', async (t) => {
  const stage = new RolloutStage(t, ['web'], { flags: { pausePeriodMs: 5000 }, maxWaitMs: 8000 });
  for (let n = 0; n < 8; n += 1) {
    stage.change('bcdef'[n % 5] ?? '');
    assert.equal(stage.isWaiting('web'), n < 6);
    await stage.pass(1000);
  }
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: 8000 }]);
});
test('people are told when the first change was by the time of day', async (t) => {
  const stage = new RolloutStage(t, ['web'], { flags: { strategy: 'annotations' } });
  let annotations: object | undefined;
  const before = () => {
    annotations = stage.world.record('web').inFlight?.annotations;
  };
  stage.faults.push({ before });
  await stage.pass(9000);
  stage.change('b');
  await stage.pass(1000);
  assert.match(JSON.stringify(annotations), /observedAt\\":9}/);
});
for (let depth = 0; depth < 14; depth += 1) {
  test(`a change that arrives while an attempt settles is not lost (${depth} microtasks in)`, async (t) => {
    const stage = new RolloutStage(t);
    stage.faults.push(FORBIDDEN);
    stage.change('b');
    await stage.pass(1000); // refused: backoff of 5 s
    stage.change('a'); // owes nothing
    const chain = async () => {
      for (let i = 0; i < depth; i += 1) await Promise.resolve();
      stage.change('c');
    };
    setTimeout(() => {
      void chain();
    }, 5000 - 0);
    await stage.pass(30_000);
    assert.equal(stage.world.needsRollout('web'), false, stage.outcomes.join());
  });
}
test('a contested workload that waits for a worker is not patched before its pause is over', async (t) => {
  const stage = new RolloutStage(t, ['api', 'web'], { concurrency: 1, quietMs: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.faults.push({ until: promise });
  stage.change('b');
  stage.controller.contest(stage.world.workloadKey('web'), 1);
  resolve();
  await stage.pass(1000);
  assert.deepEqual(
    stage.patches.map((p) => p.workload),
    ['api'],
  );
});

test('a workload whose stamp was taken back waits a second even where there is no window', async (t) => {
  const stage = new RolloutStage(t, ['web', 'api'], { quietMs: 0 });
  stage.world.config('cfg', 'b');
  stage.world.record('web').takeBacks = 1;
  for (const name of ['web', 'api']) stage.controller.touch(stage.world.workloadKey(name), 1);
  await stage.pass(999);
  assert.deepEqual(stage.patches, [{ workload: 'api', atMs: 0 }]);
  await stage.pass(1);
  assert.deepEqual(stage.patches.slice(1), [{ workload: 'web', atMs: 1000 }]);
});

test('a lost answer to a patch that was taken back meanwhile: it is rolled again', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ isLost: true });
  stage.readFaults.push('away');
  stage.change('b');
  await stage.pass(1000);
  stage.world.edit('web', { stamps: {}, image: 'v2' });
  await stage.pass(60_000);
  assert.equal(stage.patches.length, 2);
});

test('so it is where the first look shows what took it back', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ isLost: true, after: () => stage.world.edit('web', { stamps: {}, image: 'v2' }) });
  stage.change('b');
  await stage.pass(60_000);
  assert.equal(stage.patches.length, 2);
});

test('a patch that is applied late is not taken for the next one with the same content', async (t) => {
  const stage = new RolloutStage(t);
  let late: RolloutPlan | undefined;
  stage.faults.push({
    before: () => {
      late = stage.world.record('web').inFlight;
    },
    result: { kind: 'unanswered', message: 'timeout' },
  });
  stage.change('b');
  await stage.pass(1000);
  stage.change('c');
  assert.ok(late !== undefined);
  // Its pods start with c, and the watch lags.
  stage.world.land(late);
  const generation = stage.world.live.get('web')?.generation ?? 0;
  stage.change('b');
  await stage.pass(20_000);
  assert.ok((stage.world.live.get('web')?.generation ?? 0) > generation);
});

test('a defect where an outcome is told ends nothing: it is logged, and tried again until all is settled', async (t) => {
  const stage = new RolloutStage(t);
  stage.defects.push('rolled');
  stage.change('b');
  await stage.pass(20_000);
  assert.deepEqual(stage.outcomes, ['current']);
  assert.equal(stage.patches.length, 1);
  assert.equal(stage.errors.length, 1);
});
