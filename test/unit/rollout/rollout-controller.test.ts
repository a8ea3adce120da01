/** The rollout controller: when it patches, and the one switch that decides what each answer leads to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../state/committer-stage.ts';
import { RolloutStage } from './rollout-stage.ts';

const FORBIDDEN = { result: { kind: 'rejected', code: 'forbidden', message: 'no' } } as const;
const HELD = { 'reloader.k8s.collaborne.com/hold': 'true' };
const INVALID = { result: { kind: 'rejected', code: 'invalid', message: 'bad' } } as const;

test('an accepted patch is the end of it', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  await stage.pass(20_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
  assert.deepEqual(stage.patches, [{ workload: 'web', atMs: 1000 }]);
  assert.equal(stage.world.needsRollout('web'), false);
  assert.equal(stage.waitOf('web'), undefined);
});

test('ten changes in a window are one patch of the last content', async (t) => {
  const stage = new RolloutStage(t);
  for (const content of 'bcdefbcdef') {
    stage.change(content);
    await stage.pass(500);
  }
  await stage.pass(20_000);
  assert.equal(stage.patches.length, 1);
  assert.equal(stage.world.edge('web').runningDigest, 'f'.repeat(40));
  assert.equal(stage.attempts[0]?.pending.changes, 10);
});

test('A→B→A within a window leaves nothing to do', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  stage.change('a');
  await stage.pass(20_000);
  assert.deepEqual(stage.outcomes, ['current']);
  assert.deepEqual(stage.patches, []);
});

test('a source that changes all the time is rolled out after the maximum wait', async (t) => {
  const stage = new RolloutStage(t);
  for (let change = 0; change < 20; change += 1) {
    stage.change('bcdef'[change % 5] ?? '');
    await stage.pass(500);
  }
  assert.equal(stage.patches[0]?.atMs, 6000);
});

test('a conflict is decided again at once, from a fresh look', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ before: () => stage.world.edit('web', { replicas: 2 }) });
  stage.change('b');
  await stage.pass(1000);
  assert.deepEqual(stage.outcomes, ['conflict', 'rolled']);
  assert.equal(stage.reads, 1);
  assert.equal(stage.patches.length, 2);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('while a conflict is being resolved the workload counts as waiting', async (t) => {
  const stage = new RolloutStage(t, ['web'], { random: () => 1 });
  for (let n = 0; n < 8; n += 1) stage.faults.push({ result: { kind: 'conflict' } });
  stage.change('b');
  await stage.pass(1000);
  for (let step = 0; stage.outcomes.at(-1) === 'conflict' && step < 400; step += 1) {
    assert.ok(stage.isWaiting('web'));
    await stage.pass(50);
  }
  assert.equal(stage.outcomes.at(-1), 'rolled');
});

test('a workload that is gone is not patched again, and its record is tried later until its stream tells', async (t) => {
  const stage = new RolloutStage(t);
  stage.world.live.delete('web');
  stage.change('b');
  await stage.pass(1000);
  assert.deepEqual(stage.outcomes, ['gone']);
  assert.equal(stage.isWaiting('web'), false, 'it blocks no commit');
  stage.apply(stage.world.tellWorkload('web'));
  await stage.pass(120_000);
  assert.equal(stage.patches.length, 1);
});

test('the same plan refused twice on fresh data is a refusal; once is not, it may have been stale', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push(INVALID, {}, INVALID, INVALID);
  for (const content of 'bc') {
    stage.change(content);
    await stage.pass(1000);
  }
  assert.deepEqual(stage.outcomes, ['conflict', 'rolled', 'conflict', 'refused']);
  assert.equal(stage.reads, 2);
  assert.equal(stage.isWaiting('web'), false);
  assert.ok(stage.world.needsRollout('web'), 'no error settles a workload');
});

test('a refusal is retried for ever, with pauses that grow up to five minutes', async (t) => {
  const stage = new RolloutStage(t, ['web'], { random: () => 1 });
  stage.faults.push(...Array(12).fill(FORBIDDEN));
  stage.change('b');
  await stage.pass(1000);
  const pauses = () => stage.attempts.map(({ nextTryMs }) => nextTryMs);
  for (let round = 0; round < 12; round += 1) await stage.pass(Math.min(pauses().at(-1) ?? 0, 300_000));
  assert.deepEqual(pauses().slice(0, 4), [10_000, 20_000, 40_000, 80_000]);
  assert.deepEqual(pauses().slice(-3), [300_000, 300_000, undefined]);
  assert.equal(stage.outcomes.at(-1), 'rolled');
});

test('a refusal of one workload does not touch its siblings', async (t) => {
  const stage = new RolloutStage(t, ['web', 'api']);
  stage.faults.push(FORBIDDEN);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(stage.outcomes.sort(), ['refused', 'rolled']);
  assert.deepEqual([stage.world.needsRollout('web'), stage.world.needsRollout('api')], [true, false]);
});

test('changes during a backoff do not shorten it, and are rolled out together when it ends', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push(FORBIDDEN);
  stage.change('b');
  await stage.pass(1000);
  for (const content of 'cdef') {
    stage.change(content);
    await stage.pass(1000);
  }
  assert.equal(stage.patches.length, 1);
  await stage.pass(1000);
  assert.deepEqual(stage.outcomes, ['refused', 'rolled']);
  assert.deepEqual(
    stage.patches.map(({ atMs }) => atMs),
    [1000, 6000],
  );
  assert.equal(stage.world.edge('web').runningDigest, 'f'.repeat(40));
});

test('an owner who changes the workload ends its backoff, after a quiet period', async (t) => {
  const stage = new RolloutStage(t, ['web'], { random: () => 1 });
  for (let n = 0; n < 6; n += 1) stage.faults.push(FORBIDDEN);
  stage.change('b');
  await stage.pass(400_000);
  stage.faults.length = 0;
  const before = stage.patches.length;
  stage.apply(stage.world.workload('web', { image: 'v2' }));
  await stage.pass(1000);
  assert.equal(stage.patches.length, before + 1);
  assert.equal(stage.outcomes.at(-1), 'rolled');
});

test('after a spur the pauses begin small again', async (t) => {
  const stage = new RolloutStage(t, ['web'], { random: () => 1 });
  stage.faults.push(FORBIDDEN, FORBIDDEN, FORBIDDEN);
  stage.change('b');
  await stage.pass(12_000);
  stage.controller.retryNow(stage.world.workloadKey('web'));
  await stage.pass(1000);
  assert.deepEqual(
    stage.attempts.map(({ nextTryMs }) => nextTryMs),
    [10_000, 20_000, 10_000],
  );
});

/** What blocks web for a while, and ends that; an annotation raises the generation of a Deployment. */
const BLOCKS: Readonly<Record<string, (stage: RolloutStage, isBlocked: boolean) => void>> = {
  'a hold of the object': (stage, isBlocked) => {
    stage.apply(stage.world.mark('cfg', isBlocked ? HELD : {}));
    stage.controller.wake(stage.world.workloadKey('web'));
  },
  'a hold of the workload': (stage, isBlocked) =>
    stage.apply(stage.world.workload('web', { asks: isBlocked ? HELD : {}, replicas: 3 })),
  'the budget of rollouts': (stage, isBlocked) => {
    stage.isListed = !isBlocked;
    stage.controller.slots?.proceed();
  },
  'another content': (stage, isBlocked) => stage.change(isBlocked ? 'c' : 'b'),
};

for (const [block, set] of Object.entries(BLOCKS))
  test(`no attempt comes before the backoff of the last one: ${block}`, async (t) => {
    const stage = new RolloutStage(t, ['web'], { random: () => 1, budget: { slots: 1 } });
    stage.apply(stage.world.workload('web', { replicas: 3 }));
    stage.faults.push(...Array(20).fill(FORBIDDEN));
    stage.change('b');
    await stage.pass(2000);
    for (let round = 0; round < 30; round += 1) {
      set(stage, round % 2 === 0);
      await stage.pass(4000);
    }
    const pauses = stage.attempts.filter(({ type }) => type === 'refused').map(({ nextTryMs }) => nextTryMs);
    assert.deepEqual(pauses, [10_000, 20_000, 40_000, 80_000]);
  });

test('a throttled patch waits as long as it is told', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ result: { kind: 'throttled', message: 'slow down', retryAfterMs: 9000 } });
  stage.change('b');
  await stage.pass(9900);
  assert.deepEqual(stage.outcomes, ['unavailable']);
  await stage.pass(100);
  assert.deepEqual(stage.outcomes, ['unavailable', 'rolled']);
});

test('a lost answer to a patch in force is done without a second one', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ isLost: true });
  stage.change('b');
  await stage.pass(60_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
  assert.equal(stage.patches.length, 1);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('a lost answer to a patch that is not in force is tried again later', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ result: { kind: 'unanswered', message: 'reset' } });
  stage.change('b');
  await stage.pass(1400);
  assert.deepEqual(stage.outcomes, ['unavailable']);
  await stage.pass(200);
  assert.deepEqual(stage.outcomes, ['unavailable', 'rolled']);
});

test('what may have been started for a change is owed until its stamp stands, though the change is taken back', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ before: () => stage.change('a'), result: { kind: 'conflict', mayHaveRun: true } });
  stage.change('b');
  await stage.pass(3000);
  assert.deepEqual(stage.outcomes, ['conflict', 'rolled']);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('an answer that comes after the stream has told of the stamp casts no doubt', async (t) => {
  const stage = new RolloutStage(t);
  const told = (): void => {
    const { inFlight } = stage.world.record('web');
    assert.ok(inFlight !== undefined);
    stage.world.land(inFlight);
    stage.apply(stage.world.tellWorkload('web'));
  };
  stage.faults.push({ before: told, result: { kind: 'conflict', mayHaveRun: true } });
  stage.change('b');
  await stage.pass(60_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
  assert.equal(stage.patches.length, 1);
});

test('until it is known what became of a patch, nobody plans anew', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ isLost: true });
  stage.readFaults.push('away', 'away', 'away');
  stage.change('b');
  await stage.pass(1000);
  const plan = stage.world.record('web').inFlight;
  assert.ok(plan !== undefined);
  await stage.pass(1000);
  assert.equal(stage.world.record('web').inFlight, plan);
  await stage.pass(20_000);
  assert.deepEqual(stage.outcomes, ['unavailable', 'unavailable', 'unavailable', 'rolled']);
  assert.equal(stage.patches.length, 1);
});

test('a patch that is accepted without its stamp is a refusal', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ isStripped: true });
  stage.change('b');
  await stage.pass(1000);
  assert.deepEqual(stage.outcomes, ['refused']);
  assert.ok(stage.world.needsRollout('web'));
});

test('a contested workload counts as refused and is tried again after the pause', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  stage.controller.contest(stage.world.workloadKey('web'), 1);
  await stage.pass(4900);
  assert.deepEqual(stage.outcomes, ['refused']);
  assert.equal(stage.patches.length, 0);
  await stage.pass(100);
  assert.deepEqual(stage.outcomes, ['refused', 'rolled']);
});

test('a workload whose stamp was taken back ten times is not patched, holds up no commit, and is spurred by news', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  stage.world.record('web').takeBacks = 10;
  await stage.pass(3_600_000);
  assert.deepEqual([new Set(stage.outcomes), stage.patches], [new Set(['reverted']), []]);
  const key = stage.world.workloadKey('web');
  assert.equal(stage.controller.waitOf(key)?.reason, 'reverted');
  assert.ok(stage.world.needsRollout('web') && !stage.isWaiting('web'));
  stage.world.record('web').takeBacks = 0;
  stage.controller.retryNow(key);
  await stage.pass(1000);
  assert.deepEqual(stage.outcomes.slice(-2), ['reverted', 'rolled']);
});

test('a workload that is rolled too often waits twice as long each time, and ten minutes at the longest', async (t) => {
  const stage = new RolloutStage(t, ['web'], {
    flags: { pace: { minIntervalMs: 0, limit: { rollouts: 2, withinMs: 3_600_000 } } },
  });
  for (let round = 0; round < 10; round += 1) {
    stage.change(round % 2 === 0 ? 'b' : 'c');
    for (let second = 0; stage.patches.length === round && second < 610; second += 1) await stage.pass(1000);
  }
  const times = stage.patches.map(({ atMs }) => Math.round(atMs / 1000));
  const between = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  assert.deepEqual(between, [1, 1, 12, 24, 48, 96, 192, 384, 600]);
});

test('a minimum interval is waited for, unless what changes is urgent', async (t) => {
  const stage = new RolloutStage(t, ['web'], {
    flags: { pace: { minIntervalMs: 60_000, limit: undefined } },
  });
  for (const content of ['b', 'c']) {
    stage.change(content);
    await stage.pass(5000);
  }
  assert.equal(stage.patches.length, 1);
  assert.match(
    stage.waitOf('web')?.message ?? '',
    /^it was rolled a moment ago: its next rollout comes at \d{4}-.*Z$/,
  );
  await stage.pass(52_000);
  assert.equal(stage.patches.length, 2);
  stage.apply(stage.world.config('cfg', 'd', { marks: { 'reloader.k8s.collaborne.com/urgent': 'true' } }));
  await stage.pass(5000);
  assert.equal(stage.patches.length, 3);
});

test('a change while the patch is on its way is rolled out after it', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ before: () => stage.change('c') });
  stage.change('b');
  await stage.pass(1000);
  assert.ok(stage.isWaiting('web'));
  await stage.pass(1000);
  assert.equal(stage.world.edge('web').runningDigest, 'c'.repeat(40));
  assert.equal(stage.patches.length, 2);
});

const FAN = Array.from({ length: 10 }, (_, index) => `w${index}`);

test('the patches of one fan-out start in the same turn, up to the limit', async (t) => {
  const stage = new RolloutStage(t, FAN, { concurrency: 4, quietMs: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const _ of FAN) stage.faults.push({ until: promise });
  stage.change('b');
  await settle();
  assert.equal(stage.patches.length, 4);
  resolve();
  await stage.pass(100);
  assert.equal(stage.patches.length, 10);
  assert.equal(stage.mostUnderWay, 4);
});

test('never two patches of one workload at once', async (t) => {
  const stage = new RolloutStage(t, ['web'], { quietMs: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.faults.push({ until: promise });
  for (const content of 'bcd') {
    stage.change(content);
    await stage.pass(50);
  }
  assert.equal(stage.patches.length, 1);
  resolve();
  await stage.pass(1000);
  assert.equal(stage.mostUnderWay, 1);
  assert.equal(stage.world.edge('web').runningDigest, 'd'.repeat(40));
});

test('closing waits for the patches under way and starts none', async (t) => {
  const stage = new RolloutStage(t, ['web', 'api'], { concurrency: 1, quietMs: 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.faults.push({ until: promise });
  stage.change('b');
  let isClosed = false;
  const closed = stage.controller.close().then(() => {
    isClosed = true;
  });
  await stage.pass(1000);
  assert.equal(isClosed, false);
  resolve();
  await closed;
  await stage.pass(60_000);
  assert.deepEqual(stage.outcomes, ['rolled']);
  assert.equal(stage.patches.length, 1);
});

test('a workload that is forgotten is not rolled', async (t) => {
  const stage = new RolloutStage(t);
  stage.change('b');
  stage.apply(stage.world.noWorkload('web'));
  await stage.pass(20_000);
  assert.deepEqual(stage.patches, []);
  assert.equal(stage.controller.pendingChangesOf(stage.world.workloadKey('web')), undefined);
});
