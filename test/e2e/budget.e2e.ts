/** The budget of rollouts on a real API server: what its watch shows, in its order. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { linesOf } from '../../lib/kubernetes/json-call.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { SHORT_LEASE } from '../faults/pair.ts';
import { type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { isRolledOut, stampsOf, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const SLOTS = 5;
const LONGEST_LINE = 1_000_000;
const APPS = Array.from({ length: 60 }, (_, index) =>
  web(`app-${index}`, { follows: { ConfigMap: ['bundle'] }, replicas: 1 }),
);

/** Follows the Deployments of a stage: which are rolled out, and the most that were not at one time. */
class Crowd implements Disposable {
  readonly inProgress = new Set<string>();
  readonly stamped = new Set<string>();
  most = 0;
  readonly #end = new AbortController();

  constructor(stage: Stage, resourceVersion: string) {
    void this.#watch(stage.path(`deployments?watch=1&resourceVersion=${resourceVersion}`));
  }

  async #watch(path: string): Promise<void> {
    try {
      const { body } = await cluster.send({ method: 'GET', path, signal: this.#end.signal });
      for await (const line of linesOf(body, LONGEST_LINE))
        this.#see(objectOf((JSON.parse(line) as JsonObject)['object']));
    } catch {
      // its end
    }
  }

  #see(deployment: JsonObject): void {
    const name = String(pick(deployment, 'metadata', 'name'));
    if (isRolledOut(deployment)) this.inProgress.delete(name);
    else this.inProgress.add(name);
    if (Object.keys(stampsOf(pick(deployment, 'spec', 'template'))).length > 0) this.stamped.add(name);
    this.most = Math.max(this.most, this.inProgress.size);
  }

  [Symbol.dispose](): void {
    this.#end.abort();
  }
}

test('60 Deployments follow one ConfigMap: five at a time are rolled, also over a death', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('bundle', 'A');
  await Promise.all(APPS.map((app) => stage.create(app)));
  const flags = [`--max-concurrent-rollouts=${SLOTS}`, ...SHORT_LEASE];
  const first = await stage.reloader({ flags });
  const { metadata } = await stage.expect('GET', 'deployments');
  using crowd = new Crowd(stage, String(pick(metadata, 'resourceVersion')));
  await stage.put('bundle', 'B');
  await stage.until('a third has begun', () => crowd.stamped.size >= APPS.length / 3);
  await first.kill();
  assert.ok(crowd.stamped.size < APPS.length, 'there is something left to do');
  const second = await stage.reloader({ flags });
  await stage.until(
    'all are rolled',
    () => crowd.stamped.size === APPS.length && crowd.inProgress.size === 0,
  );
  await stage.settled(second);
  assert.equal(crowd.most, SLOTS);
  assert.deepEqual(new Set(await stage.revisions(APPS)), new Set([2]), 'each once');
});
