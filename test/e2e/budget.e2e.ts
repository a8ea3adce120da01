/** The budget of rollouts on a real API server: what its watch shows, in its order. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { SHORT_LEASE } from '../faults/pair.ts';
import { Crowd } from './crowd.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const SLOTS = 5;
const APPS = 60;

test('60 Deployments follow one ConfigMap: five at a time are rolled, also over a death', async () => {
  await using stage = await Stage.open(cluster);
  using crowd = await Crowd.create(stage, APPS);
  const flags = [`--max-concurrent-rollouts=${SLOTS}`, ...SHORT_LEASE];
  const first = await stage.reloader({ flags });
  await stage.put('bundle', 'B');
  await stage.until('a third has begun', () => crowd.begun.length >= APPS / 3);
  await first.kill();
  assert.ok(crowd.begun.length < APPS, 'there is something left to do');
  const second = await stage.reloader({ flags });
  await crowd.allRolled();
  await stage.settled(second);
  assert.equal(crowd.mostInProgress, SLOTS);
  assert.deepEqual(new Set(await stage.revisions(crowd.apps)), new Set([2]), 'each once');
});
