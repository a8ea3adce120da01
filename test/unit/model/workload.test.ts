import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  RawContainer,
  RawEnvVar,
  RawManagedFields,
  RawWorkload,
} from '../../../lib/model/raw-objects.ts';
import { invariantOf, type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';

const VOCABULARY = {
  isPolicyAnnotation: (key: string): boolean => key.startsWith('policy/'),
  isUnknownAnnotation: (key: string): boolean => key.startsWith('polcy/'),
  isPolicyLabel: () => false,
  isTemplatePolicyAnnotation: (key: string): boolean => key === 'policy/both',
  isStampVariable: (name: string): boolean => name.startsWith('STAMP_'),
  isKeyScoped: () => false,
  isMarkAnnotation: (key: string): boolean => key === 'mark',
};
const OWN: RawEnvVar = { name: 'OWN', value: '1' };
const STAMP: RawEnvVar = { name: 'STAMP_A', value: 'x.1' };

function raw(...containers: readonly RawContainer[]): RawWorkload {
  return { metadata: { name: 'web', namespace: 'ns' }, spec: { template: { spec: { containers } } } };
}

function view(workload: RawWorkload): Workload {
  return workloadOf(workloadKindOf('Deployment'), workload, VOCABULARY);
}

const digest = (...containers: readonly RawContainer[]): string => view(raw(...containers)).templateDigest;

const EQUAL: Record<string, readonly [string, string]> = {
  'a mark in a container without variables': [digest({ name: 'c' }), digest({ name: 'c', env: [STAMP] })],
  'an empty list of variables': [digest({ name: 'c' }), digest({ name: 'c', env: [] })],
  'a stamp beside a variable of an external writer': [
    digest({ name: 'c', env: [OWN] }),
    digest({ name: 'c', env: [OWN, STAMP] }),
  ],
  'a stamp before a variable of an external writer': [
    digest({ name: 'c', env: [OWN] }),
    digest({ name: 'c', env: [STAMP, OWN] }),
  ],
  'another value of a mark': [
    digest({ name: 'c', env: [STAMP] }),
    digest({ name: 'c', env: [{ ...STAMP, value: 'y.2' }] }),
  ],
  'a mark in another container': [
    digest({ name: 'c', env: [STAMP] }, { name: 'd' }),
    digest({ name: 'c' }, { name: 'd', env: [STAMP] }),
  ],
};

for (const [sentence, [before, after]] of Object.entries(EQUAL)) {
  test(`an external writer changed nothing: ${sentence}`, () => assert.equal(before, after));
}

const image = (text: string): RawContainer => ({ ...{ name: 'c', image: text } });
const DIFFERENT: Record<string, readonly [string, string]> = {
  'another image': [digest(image('v1')), digest(image('v2'))],
  'another value of a variable of an external writer': [
    digest({ name: 'c', env: [OWN] }),
    digest({ name: 'c', env: [{ ...OWN, value: '2' }] }),
  ],
  'a removed variable of an external writer': [digest({ name: 'c', env: [OWN] }), digest({ name: 'c' })],
  'a variable in another container': [
    digest({ name: 'c', env: [OWN] }, { name: 'd' }),
    digest({ name: 'c' }, { name: 'd', env: [OWN] }),
  ],
  'a container renamed': [digest({ name: 'c' }), digest({ name: 'd' })],
  'a container more': [digest({ name: 'c' }), digest({ name: 'c' }, { name: 'd' })],
  'an annotation of the template': [
    digest({ name: 'c' }),
    view({
      metadata: { name: 'web' },
      spec: { template: { metadata: { annotations: { a: '1' } }, spec: { containers: [{ name: 'c' }] } } },
    }).templateDigest,
  ],
};

for (const [sentence, [before, after]] of Object.entries(DIFFERENT)) {
  test(`an external writer changed the template: ${sentence}`, () => assert.notEqual(before, after));
}

test('what is outside the template is no change of it', () => {
  const before = raw({ name: 'c' });
  const after: RawWorkload = {
    ...before,
    metadata: { ...before.metadata, generation: 9, annotations: { 'policy/x': 'y' } },
    spec: { ...before.spec, replicas: 7, paused: true },
    status: { replicas: 7 },
  };
  assert.equal(view(before).templateDigest, view(after).templateDigest);
});

test('a template in another form has the same invariant, another image or annotation has not', () => {
  const invariant = (container: RawContainer, annotations = {}): string =>
    invariantOf(
      view({
        metadata: { name: 'web' },
        spec: { template: { metadata: { annotations }, spec: { containers: [container] } } },
      }).templateDigest,
    );
  const former = invariant({ name: 'c', image: 'a:1' });
  assert.equal(invariant({ name: 'c', image: 'a:1', resources: { claims: [] } }), former);
  assert.notEqual(invariant({ name: 'c', image: 'a:2' }), former);
  assert.notEqual(invariant({ name: 'c', image: 'a:1' }, { restartedAt: 'now' }), former);
});

test('the view keeps what decisions need', () => {
  const { templateDigest, ...rest } = view({
    metadata: {
      name: 'web',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2025-12-31T00:00:00Z',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      annotations: { 'policy/a': '1', other: '2', 'polcy/b': '3', 'deployment.kubernetes.io/revision': '4' },
    },
    spec: {
      replicas: 2,
      template: {
        metadata: { annotations: { 'policy/c': '4', other: '5', 'polcy/d': '6' } },
        spec: { containers: [{ name: 'c' }, { name: 'd', env: [OWN, STAMP] }] },
      },
    },
    status: { observedGeneration: 2 },
  });
  assert.match(templateDigest, /^[^.]{27}\.[^.]{27}$/);
  assert.deepEqual(rest, {
    ref: { kind: 'Deployment', namespace: 'ns', name: 'web' },
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    replicas: 2,
    isRolledOut: false,
    isComplete: false,
    progress: Number.NEGATIVE_INFINITY,
    rolling: 'replacing',
    revision: '4',
    progressDeadlineMs: 600_000,
    hold: undefined,
    declines: undefined,
    isCopy: false,
    isLeftAlone: true,
    isPaused: false,
    annotations: { 'policy/a': '1' },
    labels: {},
    templateAnnotations: {},
    references: [],
    unknownAnnotations: [
      { key: 'polcy/b', on: 'workload' },
      { key: 'policy/c', on: 'template' },
    ],
    containers: ['c', 'd'],
    lacks: ['/spec/containers/0/env'],
    stamps: [{ container: 'd', variable: 'STAMP_A', value: 'x.1', index: 1 }],
    lastManager: undefined,
  });
});

test('a mark without a value is one with an empty value', () => {
  assert.deepEqual(view(raw({ name: 'c', env: [{ name: 'STAMP_A' }] })).stamps, [
    { container: 'c', variable: 'STAMP_A', value: '', index: 0 },
  ]);
});

test('the view keeps which maps and lists a patch has to create, once for all workloads that lack the same', () => {
  const lacks = (template: object, annotations?: Record<string, string>): readonly string[] | undefined =>
    view({ metadata: { name: 'web', ...(annotations && { annotations }) }, spec: { template } }).lacks;
  const containers = [{ name: 'c' }, { name: 'd', env: [] }];
  assert.deepEqual(lacks({ spec: { containers } }), ['own', '/metadata', '/spec/containers/0/env']);
  assert.deepEqual(lacks({ metadata: {}, spec: { containers: [] } }, {}), ['/metadata/annotations']);
  assert.equal(lacks({ metadata: { annotations: {} }, spec: {} }, {}), undefined);
});

const MANAGERS: Record<
  string,
  { readonly fields: readonly RawManagedFields[]; readonly last: string | undefined }
> = {
  'no manager is known': { fields: [], last: undefined },
  'the latest write counts': {
    fields: [
      { manager: 'helm', time: '2026-01-02T00:00:00Z' },
      { manager: 'kubectl', time: '2026-01-01T00:00:00Z' },
    ],
    last: 'helm',
  },
  'a write to the status does not': {
    fields: [
      { manager: 'helm', time: '2026-01-01T00:00:00Z' },
      { manager: 'controller', time: '2026-01-02T00:00:00Z', subresource: 'status' },
    ],
    last: 'helm',
  },
  'of one second the later in the list': {
    fields: [
      { manager: 'helm', time: '2026-01-01T00:00:00Z' },
      { manager: 'argocd', time: '2026-01-01T00:00:00Z' },
    ],
    last: 'argocd',
  },
};

for (const [sentence, { fields, last }] of Object.entries(MANAGERS)) {
  test(`who wrote last: ${sentence}`, () => {
    assert.equal(view({ metadata: { name: 'web', managedFields: fields } }).lastManager, last);
  });
}
