/** At whose pods is looked, and when. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pod, PodClient, PodsReading } from '../../../lib/model/outcome.ts';
import { PodFailures } from '../../../lib/rollout/pod-failures.ts';
import type { WorkloadRecord } from '../../../lib/store/records.ts';
import { mockTime } from '../../mock-time.ts';
import { World } from '../tracking/world.ts';

const POD: Pod = { name: 'p', uid: 'p', createdAt: 0, isReady: false, isLeaving: false };
const listed = (...pods: Pod[]): PodsReading => ({ kind: 'listed', pods, desired: 1 });
const FORBIDDEN: PodsReading = { kind: 'failed', message: 'no', isForbidden: true };

/** Workloads in a rollout, and the names of those that were looked at and found to fail. */
class Scene {
  readonly world = new World();
  readonly looks: string[] = [];
  readonly found: string[] = [];
  reading: PodsReading = listed(POD);
  readonly failures: PodFailures;
  readonly #t: TestContext;

  constructor(t: TestContext) {
    mockTime(t);
    this.#t = t;
    this.world.config('cfg', 'a', { initial: true });
    const pods: Pick<PodClient, 'podsOf'> = {
      podsOf: async ({ name }) => {
        this.looks.push(name);
        return this.reading;
      },
    };
    const onFound = (key: string): unknown => this.found.push(key.split('/')[2] ?? '');
    this.failures = new PodFailures(pods as PodClient, this.world.store, onFound);
    t.after(() => this.failures.close());
  }

  suspect(...names: string[]): WorkloadRecord[] {
    return names.map((name) => {
      this.world.workload(name, { follows: ['cfg'], isRolledOut: false }, { initial: true });
      const key = this.world.workloadKey(name);
      const record = this.world.store.workloads.get(key);
      assert.ok(record);
      this.failures.suspect(key);
      return record;
    });
  }

  async pass(ms: number): Promise<void> {
    this.#t.mock.timers.tick(ms);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
}

test('three workloads have their turn every ten seconds, as long as they start', async (t) => {
  const scene = new Scene(t);
  scene.suspect('a', 'b', 'c', 'd');
  await scene.pass(9_999);
  assert.deepEqual(scene.looks, []);
  await scene.pass(1);
  assert.deepEqual(scene.looks, ['a', 'b', 'c']);
  await scene.pass(10_000);
  assert.deepEqual(scene.looks.slice(3), ['d', 'a', 'b']);
  assert.deepEqual(scene.found, []);
});

test('those that are rolled out by then take no turn', async (t) => {
  const scene = new Scene(t);
  for (const record of scene.suspect('a', 'b', 'c', 'd'))
    record.workload = { ...record.workload, isRolledOut: true };
  scene.suspect('e');
  scene.reading = listed(POD, { ...POD, failure: 'container main: CrashLoopBackOff' });
  await scene.pass(10_000);
  assert.deepEqual([scene.looks, scene.found], [['e'], ['e']]);
});

test('what fails is known until the next rollout, and is not looked at again', async (t) => {
  const scene = new Scene(t);
  const [record] = scene.suspect('a');
  assert.ok(record);
  scene.reading = listed({ ...POD, failure: 'crash', isLeaving: true }, { ...POD, failure: 'crash' });
  await scene.pass(10_000);
  assert.equal(scene.failures.of(record), 'crash');
  await scene.pass(60_000);
  assert.deepEqual(scene.looks, ['a']);
  record.workload = { ...record.workload, generation: record.workload.generation + 1 };
  assert.equal(scene.failures.of(record), undefined);
});

test('without the right to list pods the next look is after ten minutes', async (t) => {
  const scene = new Scene(t);
  scene.suspect('a');
  scene.reading = FORBIDDEN;
  await scene.pass(10_000);
  await scene.pass(599_999);
  assert.equal(scene.looks.length, 1);
  await scene.pass(1);
  assert.equal(scene.looks.length, 2);
});

test('a workload that stops following while its pods start is not looked at again', async (t) => {
  const scene = new Scene(t);
  scene.suspect('a');
  await scene.pass(10_000);
  scene.world.workload('a', { follows: [], isRolledOut: false });
  await scene.pass(60_000);
  assert.deepEqual(scene.looks, ['a']);
});

test('a workload that is gone is not looked at again', async (t) => {
  const scene = new Scene(t);
  scene.suspect('a');
  scene.reading = { kind: 'gone' };
  await scene.pass(60_000);
  await scene.pass(60_000);
  assert.equal(scene.looks.length, 1);
});
