/** The budget of rollouts: who begins, who waits and for what, and when a slot ends. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Budget } from '../../../lib/model/settings.ts';
import { RolloutStage } from '../rollout/rollout-stage.ts';
import { settledWith } from '../tracking/world.ts';

const FORBIDDEN = { result: { kind: 'rejected', code: 'forbidden', message: 'no' } } as const;
const FIVE = ['w1', 'w2', 'w3', 'w4', 'w5'];

const patched = ({ patches }: RolloutStage): string[] => patches.map(({ workload }) => workload);

test('no more begin than there are slots, and the next one begins when one is rolled out', async (t) => {
  const stage = new RolloutStage(t, FIVE, { budget: { slots: 2 } });
  stage.change('b');
  await stage.pass(60_000);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
  stage.rollOut('w2');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
  stage.rollOut('w1', 'w3');
  await stage.pass(0);
  stage.rollOut('w4', 'w5');
  await stage.pass(0);
  assert.deepEqual(patched(stage), FIVE);
  assert.ok(FIVE.every((name) => !stage.world.needsRollout(name)));
  assert.deepEqual([stage.controller.slots?.used, stage.blocked], [0, 0]);
});

test('an event of a workload that waits, or its deletion, looks at no other one', async (t) => {
  const names = Array.from({ length: 100 }, (_, index) => `w${index}`);
  const stage = new RolloutStage(t, names, { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  const { slots } = stage.controller;
  assert.ok(slots !== undefined);
  const { workloads } = stage.world.store;
  const looks = t.mock.method(workloads, 'get');
  slots.observed(stage.world.workloadKey('w50'));
  stage.controller.forget(stage.world.workloadKey('w51'));
  assert.ok(looks.mock.callCount() < 20, `${looks.mock.callCount()}`);
  assert.equal(stage.blocked, 98);
});

test('without a budget there are no slots', async (t) => {
  const stage = new RolloutStage(t, FIVE);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual([patched(stage).length, stage.controller.slots], [5, undefined]);
});

test('each says which limit it waits for and how many come before it, and holds up no commit', async (t) => {
  const stage = new RolloutStage(t, FIVE, { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  const none = 'of 1 slot none is free (--max-concurrent-rollouts)';
  assert.deepEqual(
    FIVE.map((name) => stage.why(name)),
    [
      undefined,
      `${none}; it is the next`,
      ...[1, 2, 3].map((n) => `${none}; ${n} workload${n > 1 ? 's' : ''} before it`),
    ],
  );
  assert.deepEqual([stage.isWaiting('w2'), stage.isWaiting('w5')], [false, false]);
  assert.deepEqual([stage.controller.slots?.used, stage.blocked], [1, 4]);
});

test('what changes while a workload waits is in its one rollout', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  for (const content of 'cde') stage.change(content);
  await stage.pass(100);
  stage.rollOut('w1');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
  assert.equal(stage.world.edge('w2').runningDigest, 'e'.repeat(40));
  assert.equal(stage.attempts.at(-1)?.pending.changes, 4);
  await stage.pass(10_000);
  assert.ok(!stage.outcomes.includes('current'), 'they opened no window');
});

test('a workload in a rollout has its slot already: a fix does not wait behind what it fixes', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  stage.change('c');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w1']);
});

test('a change that is taken back while a workload waits leaves nothing to do', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  stage.change('a');
  await stage.pass(2000);
  stage.rollOut('w1');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w1']);
  assert.equal(stage.blocked, 0);
});

test('a slot ends after the progress deadline without progress, and is not taken again', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(600_000);
  assert.deepEqual([patched(stage), stage.overdue], [['w1'], []]);
  await stage.pass(2000);
  assert.deepEqual([patched(stage), stage.overdue], [['w1', 'w2'], ['w1']]);
  stage.apply(stage.world.workload('w1', { updated: 1, ready: 0 }));
  assert.equal(stage.controller.slots?.used, 1);
  stage.rollOut('w2');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
});

test('progress prolongs the deadline, and nothing else does', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.apply(stage.world.workload('w1', { replicas: 2 }));
  stage.change('b');
  await stage.pass(500_000);
  stage.apply(stage.world.workload('w1', { updated: 1 }));
  await stage.pass(500_000);
  stage.apply(stage.world.workload('w1', { manager: 'another' }));
  assert.deepEqual(patched(stage), ['w1']);
  await stage.pass(110_000);
  assert.deepEqual([patched(stage), stage.overdue], [['w1', 'w2'], ['w1']]);
});

test('a change of replicas renews no slot', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.change('b');
  for (let minute = 0; minute < 12; minute += 2) {
    await stage.pass(120_000);
    stage.apply(stage.world.workload('w1', { replicas: 2 + (minute % 4) / 2 }));
  }
  assert.deepEqual(patched(stage), ['w1', 'w2']);
});

test('what has no pods or is paused takes no slot and waits for none', async (t) => {
  const stage = new RolloutStage(t, FIVE, { budget: { slots: 1 } });
  stage.apply(stage.world.workload('w2', { replicas: 0 }));
  stage.apply(stage.world.workload('w3', { paused: true }));
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3']);
  stage.apply(stage.world.workload('w4', { replicas: 0 }));
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2', 'w3', 'w4']);
});

test('rollouts of others count, and leave one slot', async (t) => {
  const stage = new RolloutStage(t, FIVE, { budget: { slots: 3 } });
  const others = ['o1', 'o2', 'o3'];
  for (const name of others)
    stage.apply(stage.world.workload(name, { follows: ['other'], isRolledOut: false, replicas: 2 }));
  assert.equal(stage.controller.slots?.used, 2);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1']);
  stage.rollOut('o1', 'o2');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
});

test('a refusal frees the slot', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { budget: { slots: 1 } });
  stage.faults.push(FORBIDDEN);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
});

test('a conflict does not', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.faults.push({ before: () => stage.world.edit('w1', { replicas: 2 }) });
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(patched(stage), ['w1', 'w1']);
});

test('nor does a lost answer, as long as it is not known what became of the patch', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.faults.push({ isLost: true });
  stage.readFaults.push(...Array(3).fill('gone dark'));
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual([patched(stage), stage.controller.slots?.used], [['w1'], 1]);
  await stage.pass(60_000);
  stage.rollOut('w1');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1', 'w2']);
});

/** A process has begun to roll the first `count` of FIVE, and died; another one observes what it left. */
function takenOver(t: TestContext, count: number, budget: Partial<Budget>): RolloutStage {
  const world = settledWith({}, FIVE);
  world.config('cfg', 'b');
  for (const name of FIVE.slice(0, count)) world.roll(name, false);
  world.write();
  const stage = new RolloutStage(t, [], { budget, world: world.restart() });
  for (const name of FIVE) stage.apply(stage.world.tellWorkload(name));
  for (const name of FIVE.slice(count)) stage.controller.touch(stage.world.workloadKey(name), 1);
  return stage;
}

test('a process that takes over finds the same slots taken', async (t) => {
  const stage = takenOver(t, 2, { slots: 2 });
  assert.equal(stage.controller.slots?.used, 2);
  await stage.pass(2000);
  assert.deepEqual(patched(stage), []);
  stage.rollOut('w1');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w3']);
});

test('a lower budget lets the rollouts in progress end first', async (t) => {
  const stage = takenOver(t, 3, { slots: 1 });
  assert.equal(stage.controller.slots?.used, 3);
  await stage.pass(2000);
  stage.rollOut('w1', 'w2');
  await stage.pass(0);
  assert.deepEqual(patched(stage), []);
  stage.rollOut('w3');
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w4']);
});

test('nothing begins before every workload is listed', async (t) => {
  const stage = new RolloutStage(t, ['w1'], { budget: { slots: 1 } });
  stage.isListed = false;
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual([patched(stage), stage.why('w1')], [[], 'not every workload is listed yet']);
  stage.isListed = true;
  stage.controller.slots?.proceed();
  await stage.pass(0);
  assert.deepEqual(patched(stage), ['w1']);
});

test('the rate lets so many begin at once, and then one in each interval', async (t) => {
  const stage = new RolloutStage(t, FIVE, { budget: { rate: 0.1, burst: 2 } });
  stage.change('b');
  await stage.pass(1000);
  assert.match(stage.why('w3') ?? '', /^the next rollout begins in 10 s \(--rollout-rate\); it is the next$/);
  await stage.pass(60_000);
  assert.deepEqual(
    stage.patches.map(({ atMs }) => atMs),
    [1000, 1000, 11_000, 21_000, 31_000],
  );
});

const PREFIX = 'reloader.k8s.collaborne.com';
for (const [what, asks, marks] of [
  ['are held', {}, { [`${PREFIX}/hold`]: 'true' }],
  // Nothing wakes them when it ends.
  ['are outside their window', { [`${PREFIX}/reload-window`]: '0 0 * * * 1m' }, {}],
] as const)
  test(`the rate is spent by patches alone: those that ${what} before their turn cost the others nothing`, async (t) => {
    const others = ['x1', 'x2', 'x3'];
    const stage = new RolloutStage(t, [...FIVE, ...others], { budget: { rate: 0.02, burst: 1 } });
    stage.world.config('own', 'a');
    for (const name of others) stage.apply(stage.world.workload(name, { follows: ['own'] }));
    for (const name of FIVE) stage.apply(stage.world.workload(name, { asks }));
    stage.change('b');
    stage.change('b', 'own');
    await stage.pass(59_000);
    stage.apply(stage.world.mark('cfg', marks));
    await stage.pass(200_000);
    assert.deepEqual(
      stage.patches.map(({ workload, atMs }) => `${workload} ${atMs}`),
      ['w1 1000', 'w2 51000', 'x1 101000', 'x2 151000', 'x3 201000'],
    );
  });

test('pods that fail long after a rollout are no rollout', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  stage.rollOut('w1', 'w2');
  await stage.pass(0);
  stage.rollOut('w2');
  stage.apply(stage.world.workload('w1', { ready: 0 }));
  assert.equal(stage.controller.slots?.used, 0);
});

test('who waits is out of date for long only if nothing begins', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { budget: { slots: 1 } });
  const since = (name: string): number =>
    stage.controller.slots?.stuckSince(stage.world.workloadKey(name), 0) ?? 0;
  stage.change('b');
  await stage.pass(2000);
  const before = since('w3');
  assert.ok(before > 0);
  await stage.pass(100_000);
  stage.rollOut('w1');
  await stage.pass(0);
  assert.ok(since('w3') >= before + 100_000);
  assert.equal(since('w1'), 0);
});

test('a workload that is deleted frees its slot, and one that waited is forgotten', async (t) => {
  const stage = new RolloutStage(t, ['w1', 'w2', 'w3'], { budget: { slots: 1 } });
  stage.change('b');
  await stage.pass(2000);
  stage.apply(stage.world.noWorkload('w2'));
  stage.apply(stage.world.noWorkload('w1'));
  await stage.pass(0);
  assert.deepEqual([patched(stage), stage.blocked], [['w1', 'w3'], 0]);
});
