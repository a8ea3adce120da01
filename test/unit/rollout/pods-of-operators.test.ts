/** Pods that are workloads of their own: which of them go, whose turn it is, and what a later process knows. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pod, PodClient, WriteResult } from '../../../lib/model/outcome.ts';
import { type PodWorld, settledPods } from '../tracking/pod-world.ts';
import { RolloutStage } from './rollout-stage.ts';

/** When the pods of the tests were created, and when the object was written, in seconds. */
const BORN = 900;
const CHANGED = 1000;
const NAMES = ['web-0', 'web-1', 'web-2'];

/** The operator, and the pods as a server lists them. A pod that is evicted is gone until the operator acts. */
class Operator implements PodClient {
  readonly world: PodWorld;
  readonly away = new Set<string>();
  readonly evicted: string[] = [];
  /** Answers to the next evictions in place of what is done. */
  readonly answers: WriteResult<unknown>[] = [];
  /** How many pods were away at once. */
  mostAway = 0;
  /** Evictions are answered only when this has resolved. */
  until: Promise<void> | undefined;
  /** They take effect only when this has resolved. */
  before: Promise<void> | undefined;

  constructor(world: PodWorld) {
    this.world = world;
  }

  readonly podsOf: PodClient['podsOf'] = ({ name }, uid) => {
    const pods = [...this.world.live].filter(([each]) => !this.away.has(each));
    const isThere = pods.some(([each, live]) => each === name && live.uid === uid);
    if (!isThere) return Promise.resolve({ kind: 'gone' });
    return Promise.resolve({
      kind: 'listed',
      pods: pods.map(([each, { uid: own, isRolledOut: isReady }]): Pod => {
        return { name: each, uid: own, createdAt: this.world.created.get(each), isReady, isLeaving: false };
      }),
      desired: undefined,
    });
  };

  readonly evict: PodClient['evict'] = async (_, { name }) => {
    const answer = this.answers.shift();
    if (answer !== undefined) return answer;
    this.evicted.push(name);
    await this.before;
    this.away.add(name);
    this.mostAway = Math.max(this.mostAway, this.away.size);
    await this.until;
    return { kind: 'accepted', object: {} };
  };
}

interface Scene {
  readonly stage: RolloutStage;
  readonly world: PodWorld;
  readonly operator: Operator;
  /** The operator creates what is away, and the stream tells. */
  readonly replace: (seconds?: number, isReady?: boolean) => void;
}

function sceneOf(t: TestContext, world = settledPods(NAMES, BORN), maxEvictions = 1): Scene {
  const operator = new Operator(world);
  const settings = { world, pods: operator, maxEvictions, random: () => 0.5 };
  const stage = new RolloutStage(t, [], settings);
  const replace = (seconds = CHANGED + 100, isReady = true): void => {
    for (const name of operator.away) {
      stage.apply(world.noWorkload(name));
      stage.apply(world.born(name, seconds, isReady));
    }
    operator.away.clear();
  };
  return { stage, world, operator, replace };
}

function writtenAt({ store }: PodWorld, seconds: number): void {
  const [config] = [...store.configs.values()];
  assert.ok(config);
  config.lastWrite = seconds;
  config.isUndated = false;
}

async function changed({ stage, world }: Scene, content: string, seconds = CHANGED): Promise<void> {
  stage.change(content);
  writtenAt(world, seconds);
  await stage.pass(1100);
  world.write();
}

/** Time passes, and the operator acts now and then. */
async function replaced({ stage, replace }: Scene): Promise<void> {
  for (let n = 0; n < 12; n += 1) {
    await stage.pass(20_000);
    replace();
  }
}

const isOver = ({ world }: Scene): boolean => NAMES.every((name) => !world.needsRollout(name));

test('each older pod goes once, one at a time, and no pod that took its place', async (t) => {
  const scene = sceneOf(t);
  const { stage, operator } = scene;
  await changed(scene, 'b');
  await replaced(scene);
  assert.deepEqual(operator.evicted.toSorted(), NAMES);
  assert.equal(operator.mostAway, 1);
  assert.ok(isOver(scene));
  assert.deepEqual(stage.patches, []);
  assert.equal(stage.outcomes.filter((type) => type === 'done').length, 3);
});

for (const [max, away] of [
  [1, 1],
  [2, 2],
  [9, 3],
] as const) {
  test(`of ${NAMES.length} pods ${away} may be away at once where ${max} may`, async (t) => {
    const scene = sceneOf(t, undefined, max);
    await changed(scene, 'b');
    await scene.stage.pass(120_000);
    assert.equal(scene.operator.mostAway, away);
  });
}

test('of attempts that saw the same pods one evicts, also while its answer is on the way', async (t) => {
  const scene = sceneOf(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.operator.until = promise;
  await changed(scene, 'b');
  await scene.stage.pass(5000);
  assert.deepEqual([scene.operator.evicted.length, scene.operator.mostAway], [1, 1]);
  resolve();
  await scene.stage.pass(60_000);
  assert.equal(scene.operator.mostAway, 1);
});

test('a look at the pods while another one is being evicted lets none go', async (t) => {
  const scene = sceneOf(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.operator.before = promise;
  await changed(scene, 'b');
  await scene.stage.pass(60_000);
  assert.equal(scene.operator.evicted.length, 1);
  resolve();
  await replaced(scene);
  assert.deepEqual(scene.operator.evicted.toSorted(), NAMES);
  assert.equal(scene.operator.mostAway, 1);
});

test('the next one waits until the pod in its place is ready', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  await scene.stage.pass(10_000);
  scene.replace(CHANGED + 100, false);
  await scene.stage.pass(120_000);
  assert.equal(scene.operator.evicted.length, 1);
  const [ready] = scene.operator.evicted;
  scene.stage.apply(scene.world.workload(ready ?? '', { isRolledOut: true }));
  await scene.stage.pass(120_000);
  assert.equal(scene.operator.evicted.length, 2);
});

test('an operator that wants fewer pods now is believed after the progress deadline', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  await scene.stage.pass(10_000);
  const [first] = scene.operator.evicted;
  scene.stage.apply(scene.world.noWorkload(first ?? ''));
  scene.operator.away.clear();
  await scene.stage.pass(500_000);
  assert.equal(scene.operator.evicted.length, 1);
  await scene.stage.pass(200_000);
  assert.equal(scene.operator.evicted.length, 2);
});

test('a budget is waited for', async (t) => {
  const scene = sceneOf(t);
  for (let n = 0; n < 6; n += 1) scene.operator.answers.push({ kind: 'throttled', message: 'budget' });
  await changed(scene, 'b');
  await scene.stage.pass(600_000);
  assert.equal(scene.operator.evicted.length, 1);
});

test('what waits for its turn is at no standstill while others go', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  for (let n = 0; n < NAMES.length; n += 1) {
    await scene.stage.pass(400_000);
    scene.replace();
  }
  assert.equal(scene.operator.evicted.length, NAMES.length);
  assert.ok(scene.stage.attempts.every(({ isStalled }) => !isStalled));
});

test('no turn comes while the operator does not act, which is a standstill', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  await scene.stage.pass(10_000);
  scene.replace(CHANGED + 100, false);
  await scene.stage.pass(700_000);
  assert.ok(scene.stage.attempts.some(({ isStalled }) => isStalled));
});

test('a pod that is deleted before its turn leaves no debt to the one of its name', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  const { world, stage } = scene;
  const name = NAMES.find((each) => world.needsRollout(each)) ?? '';
  stage.apply(world.noWorkload(name));
  stage.apply(world.born(name, CHANGED + 100));
  assert.equal(world.needsRollout(name), false);
});

test('a pod that changed back before its turn stays', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  await scene.stage.pass(10_000);
  const [first] = scene.operator.evicted;
  scene.replace();
  await changed(scene, 'a', CHANGED + 500);
  await scene.stage.pass(60_000);
  scene.replace(CHANGED + 600);
  await scene.stage.pass(120_000);
  assert.deepEqual(scene.operator.evicted, [first, first], 'only the pod that has read b');
  assert.ok(isOver(scene));
});

test('a refused eviction loses nothing', async (t) => {
  const scene = sceneOf(t);
  scene.operator.answers.push({ kind: 'unanswered', message: 'lost' }, { kind: 'conflict' });
  await changed(scene, 'b');
  await replaced(scene);
  assert.deepEqual(scene.operator.evicted.toSorted(), NAMES);
  assert.ok(isOver(scene));
});

test('a process that is killed in between goes on with the older pods alone', async (t) => {
  const scene = sceneOf(t);
  await changed(scene, 'b');
  await scene.stage.pass(2000);
  assert.equal(scene.operator.evicted.length, 1);
  scene.replace();
  scene.world.write();
  const next = scene.world.restart() as PodWorld;
  writtenAt(next, CHANGED);
  const [first = ''] = scene.operator.evicted;
  assert.deepEqual(
    NAMES.map((name) => next.needsRollout(name)),
    NAMES.map((name) => name !== first),
  );
});

test('what changed while no process ran is rolled out to older pods, and to no younger one', async (t) => {
  const world = settledPods(NAMES, BORN);
  world.write();
  world.contents.set('cfg', { content: 'b', version: 50 });
  world.now = 50;
  world.created.set('web-1', CHANGED + 100);
  world.edit('web-1', { uid: 'another' });
  const next = world.restart() as PodWorld;
  next.store.persisted.writtenAt = BORN + 1;
  writtenAt(next, CHANGED);
  const scene = sceneOf(t, next);
  for (const name of NAMES) scene.stage.controller.touch(next.workloadKey(name), 1);
  await replaced(scene);
  assert.deepEqual(scene.operator.evicted.toSorted(), ['web-0', 'web-2']);
  assert.ok(isOver(scene));
});

test('the entry of an object stays while no pod follows it', async (t) => {
  const world = settledPods(['web-0'], BORN);
  const scene = sceneOf(t, world);
  await changed(scene, 'b');
  await scene.stage.pass(5000);
  scene.stage.apply(world.noWorkload('web-0'));
  world.write();
  assert.match(String(world.written['v1.ConfigMap_cfg']), /^b\./);
  assert.equal(world.store.workloads.size, 0);
});

test('a Pod without a controller is no workload, and has no successor that is one', async (t) => {
  const world = settledPods(NAMES, BORN);
  world.isNaked = true;
  const scene = sceneOf(t, world);
  for (const name of NAMES) scene.stage.apply(world.tellWorkload(name));
  for (const name of NAMES) scene.stage.apply(world.born(name, BORN + 1));
  assert.equal(world.store.workloads.size, 0);
  await changed(scene, 'b');
  await scene.stage.pass(60_000);
  assert.deepEqual(scene.operator.evicted, []);
});
