/** The bystander tells who had the Lease when, and which rollout brought nothing new. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../../lib/model/digest.ts';
import type { WorkloadParts } from '../../e2e/workloads.ts';
import { manifestOf, web } from '../../e2e/workloads.ts';
import { Witness } from '../../faults/witness.ts';
import { until } from '../../integration/reloader-process.ts';
import type { JsonObject } from '../../sandbox/json.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';

const NAMESPACE = 'default';
const WEB: WorkloadParts = web('web');
const CONTENTS = ['A', 'B', 'C'];

/** Sends a merge patch to a sandbox; answers the version. */
type Patch = (pathname: string, body: JsonObject) => Promise<number>;

async function withWitness(act: (witness: Witness, patch: Patch) => Promise<void>): Promise<void> {
  const sandbox = createSandbox();
  sandbox.create('leases', {
    metadata: { namespace: NAMESPACE, name: 'lock' },
    spec: { holderIdentity: 'a' },
  });
  sandbox.create('configmaps', { metadata: { namespace: NAMESPACE, name: 'web' }, data: { key: 'A' } });
  const { metadata, ...manifest } = manifestOf(WEB);
  sandbox.create('deployments', {
    ...manifest,
    metadata: { ...(metadata as JsonObject), name: 'web', namespace: NAMESPACE },
  });
  using _end = { [Symbol.dispose]: () => sandbox.close() };
  await using witness = await Witness.open(sandbox.handle, NAMESPACE);
  const headers = { 'content-type': 'application/merge-patch+json' };
  await act(witness, async (pathname, body) => {
    const response = await sandbox.handle({
      method: 'PATCH',
      path: pathname,
      headers,
      body: JSON.stringify(body),
    });
    let text = '';
    for await (const piece of response.body) text += piece;
    assert.equal(response.status, 200, text);
    return Number((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  });
}

test('who held the Lease at a version', async () => {
  await withWitness(async (witness, patch) => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/lock`;
    const free = await patch(path, { spec: { holderIdentity: '' } });
    const taken = await patch(path, { spec: { holderIdentity: 'b' } });
    await until('it is seen', () => witness.holder === 'b');
    assert.deepEqual(
      [free - 1, free, taken, taken + 1].map((each) => witness.holderAt(each)),
      ['a', '', 'b', 'b'],
    );
  });
});

const ROLLOUTS: Readonly<Record<string, { readonly stamps: readonly string[]; readonly needless: number }>> =
  {
    'each newer': { stamps: ['B.1', 'C.2'], needless: 0 },
    'one left out': { stamps: ['C.1'], needless: 0 },
    'the same again': { stamps: ['B.1', 'B.2'], needless: 1 },
    'the first again': { stamps: ['A.1'], needless: 1 },
    'back, and on': { stamps: ['C.1', 'B.2', 'C.3'], needless: 1 },
  };
for (const [what, { stamps, needless }] of Object.entries(ROLLOUTS))
  test(`rollouts, ${what}: ${needless} needless`, async () => {
    await withWitness(async (witness, patch) => {
      for (const key of CONTENTS)
        await patch(`/api/v1/namespaces/${NAMESPACE}/configmaps/web`, { data: { key } });
      for (const stamp of stamps) {
        const [key = '', count] = stamp.split('.');
        const digest = digestOf('ConfigMap', { metadata: { name: 'web' }, data: { key } });
        const env = [{ name: '_RELOADER_CONFIGMAP_WEB', value: `${digest}.${count}` }];
        const containers = [{ name: 'app', image: 'pause', env }];
        const pathname = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/web`;
        await patch(pathname, { spec: { template: { spec: { containers } } } });
      }
      await until('all are seen', () => witness.rollouts(WEB) === stamps.length);
      assert.equal(witness.needless(WEB).length, needless);
    });
  });
