/** Workloads that are rolled by evictions: which pods go, when, and what is known while they do. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pod, PodClient, PodsReading, WriteResult } from '../../../lib/model/outcome.ts';
import { annotate, waitsFor } from '../blockers/gate-words.ts';
import { RolloutStage } from './rollout-stage.ts';

/** When the object of the tests was written, in seconds. */
const CHANGED = 1000;

/** The pods of one workload, and what is done to them. */
class Pods implements PodClient {
  pods: Pod[];
  readonly evicted: string[] = [];
  /** Answers to the next evictions in place of what is done. */
  readonly answers: WriteResult<unknown>[] = [];
  reading: PodsReading | undefined;
  /** Called after each eviction. */
  after: () => void = () => {};
  /** How long each eviction takes. */
  slowMs = 0;
  lists = 0;

  constructor(...createdAt: number[]) {
    this.pods = createdAt.map((at, index) => podOf(`web-${index}`, at));
  }

  readonly podsOf: PodClient['podsOf'] = () => {
    this.lists += 1;
    const { pods } = this;
    return Promise.resolve(this.reading ?? { kind: 'listed', pods, desired: undefined });
  };

  readonly evict: PodClient['evict'] = async (_, { name, uid }) => {
    if (this.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, this.slowMs));
    const answer = this.answers.shift();
    if (answer !== undefined && answer.kind !== 'accepted') return answer;
    this.evicted.push(name);
    this.pods = this.pods.filter((pod) => pod.uid !== uid);
    this.pods.push({ ...podOf(name, CHANGED + 100), uid: `${uid}+` });
    this.after();
    return { kind: 'accepted', object: {} };
  };

  /** The replacement of a pod does not become ready, or is ready at last. */
  ready(name: string, isReady: boolean): void {
    this.pods = this.pods.map((pod) => (pod.name === name ? { ...pod, isReady } : pod));
  }
}

function podOf(name: string, createdAt: number): Pod {
  return { name, uid: name, createdAt, isReady: true, isLeaving: false };
}

function stageWith(t: TestContext, pods: Pods, maxEvictions = 1, slots = 0): RolloutStage {
  const settings = { flags: { strategy: 'evict' }, pods, maxEvictions, random: () => 0.5 } as const;
  const ofSlots = slots > 0 ? { ...settings, budget: { slots } } : settings;
  const stage = new RolloutStage(t, slots > 0 ? ['web', 'api'] : ['web'], ofSlots);
  pods.after = () => stage.world.write();
  return stage;
}

/** The object changes to `content`, at a known time, and the state is written as soon as an attempt wants that. */
async function changed(stage: RolloutStage, content: string, seconds = CHANGED): Promise<void> {
  stage.change(content);
  const config = [...stage.world.store.configs.values()][0];
  assert.ok(config);
  config.lastWrite = seconds;
  config.isUndated = false;
  await stage.pass(1100);
  stage.world.write();
}

test('pods that are older than the change are evicted one by one, the oldest first, and no stamp is written', async (t) => {
  const pods = new Pods(900, 800, CHANGED + 50);
  const stage = stageWith(t, pods);
  const waits: boolean[] = [];
  pods.after = () => void waits.push(stage.isWaiting('web'));
  await changed(stage, 'b');
  await stage.pass(20_000);
  assert.deepEqual(pods.evicted, ['web-1', 'web-0']);
  assert.deepEqual(waits, [false, false], 'no commit waits');
  assert.equal(stage.outcomes.at(-1), 'rolled');
  assert.deepEqual(stage.patches, []);
  assert.equal(stage.world.needsRollout('web'), false);
  assert.equal(stage.world.edge('web').runningDigest, 'b'.repeat(40));
});

test('nothing is evicted before the state marks it', async (t) => {
  const pods = new Pods(900);
  let isWritten = false;
  const marks = { isMarked: () => isWritten, mark: () => Promise.resolve(isWritten) };
  const stage = new RolloutStage(t, ['web'], { flags: { strategy: 'evict' }, pods, marks });
  await changed(stage, 'b');
  assert.deepEqual([pods.evicted, stage.outcomes], [[], ['unavailable']]);
  isWritten = true;
  await stage.pass(20_000);
  assert.deepEqual([pods.evicted, stage.outcomes.at(-1)], [['web-0'], 'rolled']);
});

test('an attempt whose evictions are slow ends before it counts as stuck, and the next one goes on', async (t) => {
  const pods = new Pods(...Array.from({ length: 10 }, (_, index) => 800 + index));
  pods.slowMs = 20_000;
  for (const { name } of pods.pods) pods.ready(name, false);
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  await stage.pass(240_000);
  const times = stage.attempts.map(({ atMs }) => atMs);
  for (const [index, at] of times.entries()) assert.ok(at - (times[index - 1] ?? 0) <= 60_000, times.join());
  assert.equal(pods.evicted.length, 10);
  assert.equal(stage.outcomes.at(-1), 'rolled');
});

test('a pod of the same second counts as older, and one whose time is not known', async (t) => {
  const pods = new Pods(CHANGED, CHANGED + 1, CHANGED + 2);
  pods.pods.push({ ...podOf('late', 0), createdAt: undefined });
  const stage = stageWith(t, pods, 9);
  await changed(stage, 'b');
  await stage.pass(20_000);
  assert.deepEqual(pods.evicted.toSorted(), ['late', 'web-0', 'web-1']);
});

test('a write without a time of its own makes every pod older', async (t) => {
  const pods = new Pods(CHANGED + 50);
  const stage = stageWith(t, pods);
  stage.change('b');
  await stage.pass(1100);
  stage.world.write();
  await stage.pass(20_000);
  assert.deepEqual(pods.evicted, ['web-0']);
});

test('where no pod is older nothing is evicted', async (t) => {
  const pods = new Pods(CHANGED + 50);
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  assert.deepEqual([pods.evicted, stage.outcomes], [[], ['current']]);
  assert.equal(stage.world.needsRollout('web'), false);
});

for (const [max, first] of [
  [1, 1],
  [2, 2],
] as const) {
  test(`the next pod waits until fewer than ${max} are not ready`, async (t) => {
    const pods = new Pods(900, 901, 902, 903);
    const stage = stageWith(t, pods, max);
    pods.after = () => {
      pods.ready(pods.evicted.at(-1) ?? '', false);
    };
    await changed(stage, 'b');
    await stage.pass(200_000);
    assert.equal(pods.evicted.length, first);
    pods.ready('web-0', true);
    await stage.pass(120_000);
    assert.equal(pods.evicted.length, first + 1);
    assert.equal(stage.isWaiting('web'), false, 'no commit waits');
  });
}

test('an older pod that is not ready goes at once', async (t) => {
  const pods = new Pods(900, 901, 902);
  pods.ready('web-1', false);
  pods.ready('web-2', false);
  const stage = stageWith(t, pods);
  pods.after = () => pods.ready(pods.evicted.at(-1) ?? '', false);
  await changed(stage, 'b');
  await stage.pass(10_000);
  assert.deepEqual(pods.evicted, ['web-1', 'web-2']);
});

test('missing pods count as not ready', async (t) => {
  const pods = new Pods(900);
  const stage = stageWith(t, pods);
  pods.reading = { kind: 'listed', pods: pods.pods, desired: 2 };
  await changed(stage, 'b');
  await stage.pass(60_000);
  assert.deepEqual(pods.evicted, []);
});

test('a workload that does not say how many pods it wants, wants the most that it had until the progress deadline', async (t) => {
  const pods = new Pods(900, 901, 902);
  const stage = stageWith(t, pods);
  pods.after = () => {
    pods.pods = pods.pods.filter(({ createdAt = 0 }) => createdAt < CHANGED);
  };
  await changed(stage, 'b');
  await stage.pass(500_000);
  assert.deepEqual(pods.evicted, ['web-0']);
  await stage.pass(200_000);
  assert.deepEqual(pods.evicted, ['web-0', 'web-1']);
});

test('a budget is waited for, with few requests', async (t) => {
  const pods = new Pods(900);
  for (let n = 0; n < 10; n += 1) pods.answers.push({ kind: 'throttled', message: 'budget' });
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  await stage.pass(60_000);
  assert.deepEqual(pods.evicted, []);
  const reason = stage.waitOf('web');
  assert.ok(reason?.reason === 'evicting' && /^0 of 1 older pod evicted: budget/.test(reason.message));
  await stage.pass(600_000);
  assert.deepEqual(pods.evicted, ['web-0']);
});

test('evictions are at a standstill once no pod went for as long as the progress deadline, with few lists', async (t) => {
  const pods = new Pods(900, 901);
  const stage = stageWith(t, pods);
  pods.after = () => pods.ready('web-0', false);
  await changed(stage, 'b');
  await stage.pass(590_000);
  assert.ok(stage.attempts.every(({ isStalled }) => !isStalled));
  await stage.pass(610_000);
  assert.ok(stage.attempts.some(({ isStalled }) => isStalled));
  assert.ok(pods.lists < 80, `${pods.lists}`);
  const since = stage.attempts.length;
  pods.ready('web-0', true);
  await stage.pass(120_000);
  assert.ok(stage.attempts.slice(since).every(({ isStalled }) => !isStalled));
  assert.equal(stage.outcomes.at(-1), 'rolled');
});

test('in a budget of rollouts the workload takes one slot, which ends after its deadline if nothing moves', async (t) => {
  const pods = new Pods(900, 901);
  for (let n = 0; n < 200; n += 1) pods.answers.push({ kind: 'throttled', message: 'budget' });
  const stage = stageWith(t, pods, 1, 1);
  await changed(stage, 'b');
  await stage.pass(500_000);
  assert.equal(stage.why('api'), 'of 1 slot none is free (--max-concurrent-rollouts); it is the next');
  assert.deepEqual([stage.controller.slots?.used, stage.overdue], [1, []]);
  await stage.pass(110_000);
  assert.deepEqual([stage.why('api'), stage.overdue], [undefined, ['web']]);
  pods.answers.length = 0;
  await stage.pass(120_000);
  assert.deepEqual(
    stage.attempts.flatMap(({ type, workload }) => (type === 'rolled' ? [workload] : [])).sort(),
    ['api', 'web'],
  );
  assert.equal(stage.controller.slots?.used, 0);
});

for (const [why, reading, message] of [
  ['without the right', { message: 'no', isForbidden: true }, /list pods and to create pods\/eviction/],
  ['where no pod is known to be its own', { message: 'none', isUnreached: true }, /^none$/],
] as const)
  test(`${why} it stays out of date, is refused, and says why`, async (t) => {
    const pods = new Pods(900);
    pods.reading = { kind: 'failed', ...reading };
    const stage = stageWith(t, pods);
    await changed(stage, 'b');
    assert.deepEqual(stage.outcomes, ['refused']);
    const reason = stage.waitOf('web');
    assert.match(reason?.message ?? '', message);
  });

test('without the right to evict as well', async (t) => {
  const pods = new Pods(900);
  for (let n = 0; n < 9; n += 1) pods.answers.push({ kind: 'rejected', code: 'forbidden', message: 'no' });
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  await stage.pass(20_000);
  assert.ok(stage.outcomes.includes('refused'));
  const reason = stage.waitOf('web');
  assert.match(reason?.message ?? '', /list pods and to create pods\/eviction/);
});

test('a lost answer: the uid tells whether the pod is gone', async (t) => {
  const pods = new Pods(900);
  pods.answers.push({ kind: 'unanswered', message: 'lost' });
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  await stage.pass(2000);
  pods.pods = [podOf('web-0', CHANGED + 60)].map((pod) => ({ ...pod, uid: 'another' }));
  await stage.pass(60_000);
  assert.deepEqual([pods.evicted, stage.outcomes.at(-1)], [[], 'rolled']);
});

test('A→B→A: pods that were evicted for B go as well', async (t) => {
  const pods = new Pods(900, 901);
  const stage = stageWith(t, pods);
  await changed(stage, 'b');
  assert.deepEqual(pods.evicted, ['web-0']);
  await changed(stage, 'a', CHANGED + 500);
  await stage.pass(60_000);
  assert.deepEqual(pods.evicted.toSorted(), ['web-0', 'web-0', 'web-1']);
  assert.equal(stage.world.needsRollout('web'), false);
});

test('an opt-out between two evictions ends them', async (t) => {
  const pods = new Pods(900, 901, 902);
  const stage = stageWith(t, pods, 3);
  pods.after = () => stage.apply(stage.world.workload('web', { follows: [] }));
  await changed(stage, 'b');
  await stage.pass(60_000);
  assert.deepEqual(pods.evicted, ['web-0']);
});

test('an approval lasts until no older pod is left, and as nothing is written, for the same content', async (t) => {
  const pods = new Pods(800, 900);
  const stage = stageWith(t, pods);
  annotate(stage, { approval: 'required' });
  await changed(stage, 'b');
  await stage.pass(600_000);
  assert.deepEqual([waitsFor(stage), pods.evicted], ['approval', []]);
  const { token = '' } = stage.waitOf('web') ?? {};
  annotate(stage, { approval: 'required', approved: token });
  await stage.pass(600_000);
  assert.deepEqual([stage.patches, pods.evicted], [[], ['web-0', 'web-1']]);
  assert.equal(stage.world.needsRollout('web'), false);
});
