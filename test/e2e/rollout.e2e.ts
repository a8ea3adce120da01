/** A change of content is one new ReplicaSet, whose pods run. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { variablesOf } from '../sandbox/api-rules.ts';
import { pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

test('a change rolls the pods of a Deployment once', async () => {
  await using stage = await Stage.open(cluster);
  await stage.put('web', { key: 'one' });
  await stage.deploy('web', ['web']);
  const reloader = await stage.reloader();
  assert.equal((await stage.replicaSets('web')).length, 1, 'a first start rolls nothing');

  await stage.put('web', { key: 'two' });
  await stage.rolledOut('web', 2);
  await stage.settled(reloader);

  const replicaSets = await stage.replicaSets('web');
  assert.deepEqual(replicaSets.map((each) => pick(each, 'spec', 'replicas')).sort(), [0, 2]);
  const stamps = (await stage.list('pods?labelSelector=app%3Dweb')).map((pod) =>
    variablesOf({ spec: { template: pod } }),
  );
  assert.equal(stamps.length, 2);
  for (const each of stamps) assert.match(String(each['_RELOADER_CONFIGMAP_WEB']), /^[0-9a-f]{40}\.2$/);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  if (cluster instanceof ControlPlane) {
    const asked = (await cluster.audit()).filter(({ userAgent }) =>
      userAgent.startsWith('kubernetes-reloader/'),
    );
    const patches = asked.filter(({ verb, resource }) => verb === 'patch' && resource === 'deployments');
    assert.deepEqual(
      patches.map(({ name, code }) => [name, code]),
      [['web', 200]],
    );
  }
});
