/** `reloader plan` ends with an answer, whatever kinds the manifests have. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import type { Manifest } from '../../../lib/commands/manifests/documents.ts';
import { plan, planAgainst } from '../../../lib/commands/manifests/plan.ts';
import type { RawObject } from '../../../lib/model/raw-objects.ts';
import { podOf, World } from './world.ts';

/** Every kind that Kubernetes serves by itself, and those of others that the program knows, by apiVersion. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  v1: [
    ...['Binding', 'ConfigMap', 'Endpoints', 'Event', 'LimitRange', 'Namespace', 'Node', 'PersistentVolume'],
    ...['PersistentVolumeClaim', 'Pod', 'PodTemplate', 'ReplicationController', 'ResourceQuota', 'Secret'],
    ...['Service', 'ServiceAccount'],
  ],
  'apps/v1': ['ControllerRevision', 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'],
  'batch/v1': ['CronJob', 'Job'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'policy/v1': ['PodDisruptionBudget'],
  'networking.k8s.io/v1': ['Ingress', 'IngressClass', 'NetworkPolicy'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  'storage.k8s.io/v1': ['CSIDriver', 'CSINode', 'CSIStorageCapacity', 'StorageClass', 'VolumeAttachment'],
  'scheduling.k8s.io/v1': ['PriorityClass'],
  'node.k8s.io/v1': ['RuntimeClass'],
  'coordination.k8s.io/v1': ['Lease'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'events.k8s.io/v1': ['Event'],
  'certificates.k8s.io/v1': ['CertificateSigningRequest'],
  'admissionregistration.k8s.io/v1': [
    ...['MutatingWebhookConfiguration', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apiregistration.k8s.io/v1': ['APIService'],
  'flowcontrol.apiserver.k8s.io/v1': ['FlowSchema', 'PriorityLevelConfiguration'],
  'argoproj.io/v1alpha1': ['Rollout'],
  'apps.openshift.io/v1': ['DeploymentConfig'],
  'secrets-store.csi.x-k8s.io/v1': ['SecretProviderClass', 'SecretProviderClassPodStatus'],
  'example.com/v1': ['Gadget'],
};

/** By kind, one object; `content` differs from one version of it to the next. */
function oneOfEach(content: string): readonly Manifest[] {
  return Object.entries(KINDS).flatMap(([apiVersion, kinds]) =>
    kinds.map((kind) => {
      const spec = podOf(['web'], { image: content });
      const template = { metadata: { labels: { app: 'web' } }, spec };
      const isCronJob = kind === 'CronJob';
      const object = {
        apiVersion,
        kind,
        metadata: { name: 'web', labels: { content } },
        ...(kind === 'ConfigMap' || kind === 'Secret' ? { data: { content } } : {}),
        spec: isCronJob ? { schedule: '@daily', jobTemplate: { spec: { template } } } : { ...spec, template },
      };
      return { file: '-', apiVersion, kind, object: object as RawObject, lineOf: () => 1 };
    }),
  );
}

const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'the flags that are usual': [],
  'the kinds that are rolled by flags alone': ['--cronjob-reload=run-now', '--job-reload=recreate'],
  'a selector of namespaces': ['--namespace-selector=content=a'],
  'the annotations of namespaces': ['--namespace-annotations'],
  'namespaces that are ignored': ['--namespaces-to-ignore=default'],
  'fewer objects': ['--resources-to-ignore=secrets'],
};

/** The kinds of objects that a plan shows: a class has no keys. */
function shownOf(change: string): readonly string[] {
  return ['ConfigMap', 'Secret', ...(change === 'changed' ? [] : ['SecretProviderClass'])];
}

describe('a plan of one object of every kind has an end with', { concurrency: 3 }, () => {
  for (const [name, flags] of Object.entries(FLAGS))
    for (const [change, to, from] of [
      ['created', oneOfEach('a'), []],
      ['unchanged', oneOfEach('a'), oneOfEach('a')],
      ['changed', oneOfEach('b'), oneOfEach('a')],
      ['deleted', [], oneOfEach('a')],
    ] as const)
      test(`${name}: ${change}`, async () => {
        const { objects, unknown } = await planAgainst(to, from, 'default', flags);
        assert.deepEqual(
          objects.map(({ object, change: is }) => `${object.kind} ${is}`).sort(),
          change === 'unchanged' || name === 'namespaces that are ignored'
            ? []
            : shownOf(change).map((kind) => `${kind} ${change}`),
        );
        assert.deepEqual(unknown, []);
      });

  test('a cluster', async () => {
    const world = new World().install();
    const reloader = await findReloader(world.send, { namespace: 'default', settings: [] });
    const target = { send: world.send, namespace: 'default', reloader, isEverywhere: false };
    const { objects, unknown } = await plan(target, oneOfEach('a'), []);
    world.sandbox.close();
    assert.deepEqual(objects.map(({ object }) => object.kind).sort(), ['ConfigMap', 'Secret']);
    assert.deepEqual(unknown, []);
  });
});

test('a Namespace that is there already does not change', async () => {
  const known = oneOfEach('a').filter(({ kind }) => kind === 'Namespace');
  const flags = ['--namespace-selector=content=a'];
  const { objects, rollouts } = await planAgainst(known, known, 'default', flags);
  assert.deepEqual([objects, rollouts], [[], []]);
});
