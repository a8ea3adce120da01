/** Kinds whose pods no template reaches: which objects are workloads, where their references stand, and when all their pods run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawMetadata, RawOwner, RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { isRolledOut, workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const AUTO = { [`${NATIVE}/auto`]: 'true' };
const LABELS = { [`${NATIVE}/reload-strategy`]: 'evict' };
const CONTAINERS = [{ name: 'app', envFrom: [{ configMapRef: { name: 'web' } }] }];
const words = vocabulary({});

const owner = (apiVersion: string, kind: string, controller = true): RawOwner => ({
  apiVersion,
  kind,
  uid: `the ${kind}`,
  controller,
});
const APP = owner('acme.example/v1', 'App');

function view(
  kind: string,
  metadata: Partial<RawMetadata> = {},
  status: RawWorkload['status'] = {},
): Workload {
  const pod = { containers: CONTAINERS };
  const spec = (kind === 'Pod' ? pod : { template: { spec: pod } }) as NonNullable<RawWorkload['spec']>;
  const about = { name: 'web', namespace: 'ns', annotations: AUTO, labels: LABELS, ...metadata };
  return workloadOf(workloadKindOf(kind), { metadata: about, spec, status }, words);
}

for (const kind of ['ReplicaSet', 'ReplicationController', 'Pod'])
  test(`a ${kind} follows what its pods read, and its strategy is evict, whatever an annotation says`, () => {
    const annotations = { ...AUTO, [`${NATIVE}/reload-strategy`]: 'env-vars' };
    const workload = view(kind, { annotations, ownerReferences: [APP] });
    assert.deepEqual(
      words.follows(workload, () => []),
      [{ kind: 'ConfigMap', namespace: 'ns', name: 'web' }],
    );
    assert.equal(words.strategyOf(workload), 'evict');
    const messages = words.mistakesOf(workload).map(({ message }) => message);
    assert.deepEqual(messages, [
      `"env-vars" of ${NATIVE}/reload-strategy is no strategy of a ${kind}; write evict`,
    ]);
  });

const EVICTING = vocabulary({ strategy: 'evict' });

for (const kind of ['Job', 'CronJob'])
  test(`the pods of a ${kind} are never evicted, whatever an annotation or the flag says`, () => {
    const annotations = { ...AUTO, [`${NATIVE}/reload-strategy`]: 'evict' };
    const asking = view(kind, { annotations });
    assert.equal(words.strategyOf(asking), 'env-vars');
    assert.equal(EVICTING.strategyOf(asking), 'env-vars');
    assert.equal(EVICTING.strategyOf(view(kind)), 'env-vars');
    const said = `"evict" of ${NATIVE}/reload-strategy is no strategy of a ${kind}; write env-vars or annotations`;
    assert.ok(words.mistakesOf(asking).some(({ message }) => message === said));
  });

for (const kind of ['Deployment', 'StatefulSet', 'DaemonSet', 'Rollout', 'DeploymentConfig'])
  test(`the pods of a ${kind} are evicted by an annotation or the flag`, () => {
    const annotations = { ...AUTO, [`${NATIVE}/reload-strategy`]: 'evict' };
    assert.equal(words.strategyOf(view(kind, { annotations })), 'evict');
    assert.equal(EVICTING.strategyOf(view(kind)), 'evict');
    assert.equal(words.strategyOf(view(kind)), 'env-vars');
  });

const OWNERS: readonly (readonly [string, RawOwner | undefined, boolean])[] = [
  ['ReplicaSet', undefined, false],
  ['ReplicaSet', APP, false],
  ['ReplicaSet', owner('apps/v1', 'Deployment', false), false],
  ['ReplicaSet', owner('apps/v1', 'Deployment'), true],
  ['ReplicaSet', owner('argoproj.io/v1alpha1', 'Rollout'), true],
  ['ReplicationController', undefined, false],
  ['ReplicationController', owner('apps.openshift.io/v1', 'DeploymentConfig'), true],
  ['Pod', APP, false],
  ['Pod', owner('acme.example/v1', 'StatefulSet'), false],
  ['Pod', owner('v1', 'Node'), false],
  ['Pod', owner('v1', 'ReplicationController'), true],
  ['Pod', owner('apps/v1', 'ReplicaSet'), true],
  ['Pod', owner('apps/v1', 'StatefulSet'), true],
  ['Pod', owner('batch/v1', 'Job'), true],
];

for (const [kind, of, isLeftAlone] of OWNERS)
  test(`a ${kind} of ${of === undefined ? 'no owner' : JSON.stringify(of)}: left alone ${isLeftAlone}`, () => {
    const ownerReferences = of === undefined ? [] : [of];
    assert.equal(view(kind, { ownerReferences }).isLeftAlone, isLeftAlone);
  });

test('a Deployment is left alone for no owner', () => {
  assert.equal(view('Deployment', { ownerReferences: [owner('apps/v1', 'Deployment')] }).isLeftAlone, false);
});

test('a Pod is left alone that has lost its label, is being deleted, or has ended', () => {
  const ownerReferences = [APP];
  assert.equal(view('Pod', { ownerReferences, labels: {} }).isLeftAlone, true);
  assert.equal(view('Pod', { ownerReferences, deletionTimestamp: '2026-01-01T00:00:00Z' }).isLeftAlone, true);
  for (const [phase, is] of Object.entries({ Running: false, Pending: false, Succeeded: true, Failed: true }))
    assert.equal(view('Pod', { ownerReferences }, { phase }).isLeftAlone, is, phase);
});

test('a Pod without a controller is a finding, with a remedy', () => {
  assert.deepEqual(words.mistakesOf(view('Pod', { ownerReferences: [APP] })), []);
  const [finding, ...more] = words.mistakesOf(
    view('Pod', { ownerReferences: [owner('acme.example/v1', 'App', false)] }),
  );
  assert.deepEqual([finding?.reason, more], ['unserved', []]);
  assert.match(
    finding?.message ?? '',
    /never evicted; let a controller such as a Deployment run it, or take/,
  );
});

test('what a Pod is, but for its spec, is no part of its template', () => {
  const digest = ({ templateDigest }: Workload): string => templateDigest;
  const one = view('Pod', { resourceVersion: '1' }, { phase: 'Pending' });
  assert.equal(digest(one), digest(view('Pod', { resourceVersion: '2' }, { phase: 'Running' })));
});

const RUNNING: readonly (readonly [string, RawWorkload['status'], boolean])[] = [
  ['ReplicaSet', { observedGeneration: 1, replicas: 2, readyReplicas: 2 }, true],
  ['ReplicaSet', { observedGeneration: 0, replicas: 2, readyReplicas: 2 }, false],
  ['ReplicaSet', { observedGeneration: 1, replicas: 2, readyReplicas: 1 }, false],
  ['ReplicationController', { observedGeneration: 1, replicas: 3, readyReplicas: 3 }, false],
  ['Pod', { conditions: [{ type: 'Ready', status: 'True' }] }, true],
  ['Pod', { conditions: [{ type: 'Ready', status: 'False' }] }, false],
  ['Pod', {}, false],
];

for (const [kind, status, is] of RUNNING)
  test(`a ${kind} with ${JSON.stringify(status)}: all its pods run ${is}`, () => {
    const raw = {
      metadata: { name: 'web', generation: 1 },
      spec: { replicas: 2 },
      ...(status && { status }),
    };
    assert.equal(isRolledOut(workloadKindOf(kind), raw), is);
  });
