/** Workloads of kinds that only the settings name: what their status says, and what can be a pod template. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { customKind } from '../../../lib/model/kinds/custom-kind.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { followerOf, markKeyOf } from '../../../lib/model/state-entry.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { addWorkloadKind, isRolledOut, progressOf, templateOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';

const KIND = customKind({
  group: 'acme-corp.example',
  version: 'v1',
  resource: 'apps',
  templatePath: ['pods', 'template'],
});
addWorkloadKind(KIND);

function raw(spec: unknown, status?: unknown): RawWorkload {
  return { metadata: { name: 'web', generation: 4 }, spec, status } as RawWorkload;
}

const ready = (status: string, type = 'Ready') => ({ type, status });

const ROLLED: Record<string, readonly [is: boolean, status: unknown]> = {
  'is not without a status': [false, undefined],
  'is not without an observed generation': [false, { conditions: [ready('True')] }],
  'is not of an older generation': [false, { observedGeneration: 3, conditions: [ready('True')] }],
  'is not with a hash in its place': [false, { observedGeneration: '6c9d', conditions: [ready('True')] }],
  'is when it is ready': [true, { observedGeneration: 4, conditions: [ready('True')] }],
  'is when the generation is a text': [true, { observedGeneration: '4', conditions: [ready('True')] }],
  'is not when it is not ready': [false, { observedGeneration: 4, conditions: [ready('Unknown')] }],
  'is when it is available, and knows no Ready': [
    true,
    { observedGeneration: 4, conditions: [ready('True', 'Available')] },
  ],
  'is not when it is available, but not ready': [
    false,
    { observedGeneration: 4, conditions: [ready('True', 'Available'), ready('False')] },
  ],
  'is not with neither condition': [false, { observedGeneration: 4, conditions: [ready('True', 'Other')] }],
  'is not where conditions are no list': [false, { observedGeneration: 4, conditions: { Ready: 'True' } }],
  'is not where a condition is null': [false, { observedGeneration: 4, conditions: [null] }],
};

describe('whether it is rolled out: it', () => {
  for (const [name, [is, status]] of Object.entries(ROLLED))
    test(name, () => assert.equal(isRolledOut(KIND, raw({}, status)), is));
});

test('its progress counts replicas where the status has them', () => {
  assert.equal(progressOf(KIND, raw({}, { observedGeneration: 4, replicas: 3, updatedReplicas: 1 })), -1);
  assert.equal(progressOf(KIND, raw({}, { observedGeneration: 4 })), 0);
  assert.equal(progressOf(KIND, raw({}, { replicas: 3 })), Number.NEGATIVE_INFINITY);
});

const TEMPLATES: Record<string, readonly [is: boolean, spec: unknown]> = {
  'with containers': [true, { pods: { template: { spec: { containers: [{ name: 'a', env: [] }] } } } }],
  'with metadata alone': [true, { pods: { template: { metadata: { annotations: { a: 'b' } } } } }],
  'nowhere, without a spec': [false, null],
  'nowhere, on half the way': [false, { pods: {} }],
  'not in a text': [false, { pods: 'template' }],
  'not with containers by name': [false, { pods: { template: { spec: { containers: { a: {} } } } } }],
  'not with containers without names': [false, { pods: { template: { spec: { containers: [{}] } } } }],
  'not with null for a list': [false, { pods: { template: { spec: { containers: null } } } }],
  'not with null for a container': [false, { pods: { template: { spec: { containers: [null] } } } }],
  'not with variables by name': [
    false,
    { pods: { template: { spec: { containers: [{ name: 'a', env: { A: 'b' } }] } } } },
  ],
  'not with a number for an annotation': [
    false,
    { pods: { template: { metadata: { annotations: { a: 1 } } } } },
  ],
};

describe('its pod template is', () => {
  for (const [name, [is, spec]] of Object.entries(TEMPLATES))
    test(name, () => assert.equal(templateOf(KIND, raw(spec)) !== undefined, is));
});

test('it refers to an object by its pod template alone, not by another field of its own', () => {
  const containers = [{ name: 'app', envFrom: [{ configMapRef: { name: 'read' } }] }];
  const other = {
    configMap: 'web',
    configMapRef: { name: 'web' },
    envFrom: [{ secretRef: { name: 'web' } }],
  };
  const spec = { ...other, pods: { ...other, template: { spec: { containers } } } };
  const { references } = workloadOf(KIND, raw(spec), vocabulary());
  assert.deepEqual(
    references.map(({ name }) => name),
    ['read'],
  );
});

test('a mark of the state names its workloads', () => {
  const ref = { kind: KIND.kind, namespace: 'shop', name: 'web.v1' };
  assert.equal(markKeyOf(ref), 'apps.acme-corp.example/web.v1');
  assert.deepEqual(followerOf(markKeyOf(ref), 'shop'), ref);
});

test('where the path leads to no template, a finding names the path and the flag', () => {
  const annotations = { 'reloader.k8s.collaborne.com/configmap': 'web' };
  const words = vocabulary();
  const view = workloadOf(KIND, { metadata: { name: 'web', annotations }, spec: {} }, words);
  const [finding, ...others] = words.mistakesOf(view);
  assert.deepEqual([view.lacksTemplate, finding?.reason, others], [true, 'unserved', []]);
  assert.match(finding?.message ?? '', /no pod template at spec\.pods\.template, so nothing is stamped/);
});
