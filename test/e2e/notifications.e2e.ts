/** A webhook that rolls in our place, as Kubernetes' own tools do it. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { Receiver } from '../integration/receiver.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

test('a webhook that restarts the workload is told once of each change, and nothing is stamped', async () => {
  await using stage = await Stage.open(cluster);
  await using receiver = await Receiver.start();
  const web = await stage.createPair();
  receiver.usual = (response) => {
    // `rollout restart` refuses a second time within one second.
    const restarted = stage.kubectl(['set', 'env', 'deployment/web', `TOLD=${receiver.bodies.length}`]);
    void restarted.then(
      () => response.end(),
      () => response.writeHead(500).end(),
    );
  };
  const flags = ['--webhook-url', `http://${receiver.host}/roll`];
  const first = await stage.reloader({ flags });
  await stage.putAll(web, 'B');
  await stage.until('it is told', () => receiver.bodies.length === 1);
  await stage.settled(first);
  await stage.rolledOut(web);
  assert.equal(await stage.revision(web), 2);
  await first.stop();
  const second = await stage.reloader({ flags });
  await stage.putAll(web, 'C');
  await stage.until('it is told of the next change', () => receiver.bodies.length > 1);
  await stage.settled(second);
  await stage.rolledOut(web);
  assert.deepEqual([receiver.bodies.length, await stage.revision(web)], [2, 3]);
  assert.deepEqual(await stage.stamps(web), {});
});
