/** A ConfigMap that changes for ever beside a real API server: fewer and fewer rollouts, and the last content comes. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { pick, stringOf } from '../sandbox/json.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const BETWEEN_CHANGES_MS = 300;
const ROLLOUTS = 6;

/** Changes `ConfigMap/web` again and again, until told to end. */
async function flap(stage: Stage, end: AbortSignal): Promise<number> {
  let changes = 0;
  while (!end.aborted) {
    await stage.put('web', `content ${changes}`);
    changes += 1;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_CHANGES_MS));
  }
  return changes;
}

test('a workload that is rolled beyond its limit waits longer for each rollout, which is said once, and ends with the last content', async () => {
  await using stage = await Stage.open(cluster);
  const web = await stage.createPair();
  const reloader = await stage.reloader({ flags: ['--rollout-limit', '3/10m'] });
  const end = new AbortController();
  const flapping = flap(stage, end.signal);
  try {
    await stage.until('it was rolled beyond its limit', async () => (await stage.revision(web)) > ROLLOUTS);
  } finally {
    end.abort();
  }
  const changes = await flapping;
  const before = await stage.stamps(web);
  await stage.put('web', 'the last');
  await stage.stampedAfter(web, before);
  await stage.settled(reloader);
  await stage.rolledOut(web);
  const rollouts = (await stage.revision(web)) - 1;
  assert.ok(rollouts >= ROLLOUTS && rollouts < changes / 2, `${rollouts} rollouts for ${changes} changes`);
  const stamps = await stage.stamps(web);
  for (const ofPod of await stage.podStamps(web)) assert.deepEqual(ofPod, stamps);
  const events = await stage.list('events');
  const warnings = events.filter((event) => event['reason'] === 'RolloutsSlowed');
  const messages = warnings.map((event) => stringOf(pick(event, 'message')) ?? '');
  const says = /: rolled more than 3 times within 10m: its next rollout comes at 20\S+Z$/;
  assert.ok(messages.some((text) => says.test(text)));
  assert.equal(await reloader.metric('reloader_slowed_workloads'), 1);
});
