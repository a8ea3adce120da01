/** The budget of rollouts on a real API server: what its watch shows, in its order. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { SHORT_LEASE } from '../faults/pair.ts';
import { hasDoubt } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { Crowd } from './crowd.ts';
import { Stage } from './stage.ts';
import { stampsOf } from './workloads.ts';

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
  const uncommitted = await rolledWithoutCommit(stage);
  const second = await stage.reloader({ flags });
  await crowd.allRolled();
  await stage.settled(second);
  assert.equal(crowd.mostInProgress, SLOTS);
  const revisions = await stage.revisions(crowd.apps);
  const wrong = crowd.apps.filter(({ name }, index) => {
    const most = uncommitted.has(name) ? 3 : 2;
    return Number(revisions[index]) < 2 || Number(revisions[index]) > most;
  });
  assert.deepEqual(wrong, [], 'each once, and once more only where the state did not tell of the rollout');
});

/** The Deployments with a stamp that the state does not tell of. */
async function rolledWithoutCommit(stage: Stage): Promise<ReadonlySet<string>> {
  const state = await stage.state();
  const stamped = (await stage.list('deployments')).filter(
    (each) => Object.keys(stampsOf(pick(each, 'spec', 'template'))).length > 0,
  );
  const names = stamped.map((each) => String(pick(each, 'metadata', 'name')));
  return new Set(names.filter((name) => hasDoubt({ mark: state[`ran.Deployment_${name}`] })));
}
