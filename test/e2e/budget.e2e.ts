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
  const marked = await stage.marked(crowd.apps);
  const live = await Promise.all(crowd.apps.map((each) => stage.stamps(each)));
  const second = await stage.reloader({ flags });
  await crowd.allRolled();
  await stage.settled(second);
  assert.equal(crowd.mostInProgress, SLOTS);
  const revisions = await stage.revisions(crowd.apps);
  const wrong = crowd.apps.filter(({ name }, index) => {
    const isStamped = Object.keys(live[index] ?? {}).length > 0;
    const most = isStamped && marked.has(name) ? 3 : 2;
    return Number(revisions[index]) < 2 || Number(revisions[index]) > most;
  });
  assert.deepEqual(wrong, [], 'each once, and once more only where the state did not tell of the rollout');
});
