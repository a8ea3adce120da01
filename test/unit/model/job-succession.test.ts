import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  copyNameOf,
  copyOf,
  isCopyOf,
  type JobPair,
  nextStep,
  replacedBy,
  type SuccessionStep,
  successorOf,
} from '../../../lib/model/kinds/jobs.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { APPROVED_ANNOTATION } from '../../../lib/model/workload.ts';

const GENERATED = {
  'controller-uid': 'u',
  'job-name': 'work',
  'batch.kubernetes.io/controller-uid': 'u',
  'batch.kubernetes.io/job-name': 'work',
};
const JOB: RawWorkload = {
  metadata: {
    name: 'work',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '7',
    labels: { team: 'a' },
    annotations: { own: '1' },
    ownerReferences: [{ kind: 'Release', blockOwnerDeletion: true }],
    generation: 1,
  },
  spec: {
    completions: 3,
    suspend: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
    template: {
      metadata: { labels: { app: 'work', ...GENERATED } },
      spec: {
        containers: [
          {
            name: 'app',
            env: [
              { name: 'OWN', value: '1' },
              { name: 'OLD', value: 'a.1' },
            ],
          },
        ],
      },
    },
  },
  status: { active: 1 },
};
const variables = [
  { container: 'app', variable: 'STAMP', value: 'b.2' },
  { container: 'app', variable: 'OLD', value: undefined },
];
const PLAN: RolloutPlan = {
  workload: { kind: 'Job', namespace: 'ns', name: 'work' },
  resourceVersion: '7',
  operations: [],
  template: { annotations: {}, variables },
  stamps: [],
  versions: new Map(),
};
const COPY: RawWorkload = copyOf(JOB, PLAN);

const STEPS: Record<string, { pair: JobPair; next: SuccessionStep }> = {
  'without a copy nothing is done': { pair: { job: JOB, copy: undefined }, next: 'done' },
  'nor where nothing is left': { pair: { job: undefined, copy: undefined }, next: 'done' },
  'the copy being there, the old one goes': { pair: { job: JOB, copy: COPY }, next: 'delete-job' },
  'the old one being gone, the new one is created': {
    pair: { job: undefined, copy: COPY },
    next: 'create-job',
  },
  'the new one being there, the copy goes': {
    pair: { job: { metadata: { ...JOB.metadata, uid: 'v' } }, copy: COPY },
    next: 'delete-copy',
  },
  'an old one that was changed stays, and the copy goes': {
    pair: { job: { metadata: { ...JOB.metadata, resourceVersion: '8' } }, copy: COPY },
    next: 'delete-copy',
  },
};

describe('of a Job that is created anew', () => {
  for (const [sentence, { pair, next }] of Object.entries(STEPS))
    test(sentence, () => assert.equal(nextStep(pair), next));
});

test('the copy is suspended, has the stamps, and says what it is a copy of', () => {
  const { metadata, spec } = COPY;
  assert.equal(metadata.name, 'work-reload');
  assert.deepEqual(replacedBy(COPY), { name: 'work', uid: 'u', resourceVersion: '7' });
  assert.equal(spec?.suspend, true);
  assert.deepEqual(spec?.template?.spec?.containers?.[0]?.env, [
    { name: 'STAMP', value: 'b.2' },
    { name: 'OWN', value: '1' },
  ]);
});

test('the new one has what a person wrote of the old one, the stamps, and nothing that the API server wrote', () => {
  assert.deepEqual(successorOf({ ...COPY, status: { active: 0 } }, 'work'), {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'work',
      namespace: 'ns',
      labels: { team: 'a' },
      annotations: { own: '1' },
      ownerReferences: [{ kind: 'Release' }],
    },
    spec: {
      completions: 3,
      suspend: false,
      template: {
        metadata: { labels: { app: 'work' } },
        spec: { containers: [{ name: 'app', env: COPY.spec?.template?.spec?.containers?.[0]?.env }] },
      },
    },
  });
});

test('an approval is on the copy, which is as the old one, and not on the new one', () => {
  const annotations = { own: '1', [APPROVED_ANNOTATION]: 'abc' };
  const job = { ...JOB, metadata: { ...JOB.metadata, annotations } };
  const copy = copyOf(job, PLAN);
  const words = { isStampVariable: () => true, isMarkAnnotation: () => false };
  assert.ok(isCopyOf(copy, job, words));
  assert.deepEqual(successorOf(copy, 'work').metadata.annotations, { own: '1' });
});

describe('a copy is one of ours', () => {
  const words = {
    isStampVariable: (name: string) => name === 'STAMP' || name === 'OLD',
    isMarkAnnotation: () => false,
  };
  const spec = COPY.spec ?? {};
  const template = spec.template ?? {};
  const images = [{ name: 'app', image: 'another:1' }];
  const others: Record<string, { copy: RawWorkload; isOurs: boolean }> = {
    'that was just made': { copy: COPY, isOurs: true },
    'as the API server keeps it': {
      copy: {
        ...COPY,
        metadata: { ...COPY.metadata, uid: 'v', resourceVersion: '9', generation: 1 },
        spec: {
          ...spec,
          selector: {},
          template: { ...template, metadata: { labels: { app: 'work', 'job-name': 'work-reload' } } },
        },
        status: { active: 0 },
      },
      isOurs: true,
    },
    'that another client resumed': { copy: { ...COPY, spec: { ...spec, suspend: false } }, isOurs: true },
    'not with another container': {
      copy: { ...COPY, spec: { ...spec, template: { ...template, spec: { containers: images } } } },
      isOurs: false,
    },
    'not with another label': {
      copy: { ...COPY, metadata: { ...COPY.metadata, labels: { team: 'b' } } },
      isOurs: false,
    },
    'not with an annotation more': {
      copy: {
        ...COPY,
        metadata: { ...COPY.metadata, annotations: { ...COPY.metadata.annotations, more: '1' } },
      },
      isOurs: false,
    },
    'not with another field of the spec': {
      copy: { ...COPY, spec: { ...spec, completions: 4 } },
      isOurs: false,
    },
  };
  for (const [which, { copy, isOurs }] of Object.entries(others))
    test(which, () => assert.equal(isCopyOf(copy, JOB, words), isOurs));
});

test('a selector that a person wrote is kept, with the labels that it selects', () => {
  const manual: RawWorkload = { ...JOB, spec: { ...JOB.spec, manualSelector: true } };
  const { spec } = successorOf(copyOf(manual, PLAN), 'work');
  assert.deepEqual(spec?.selector, JOB.spec?.selector);
  assert.deepEqual(spec?.template?.metadata?.labels, { app: 'work', ...GENERATED });
});

test('a Job of another client is no placeholder', () => {
  const annotated = (text: string, name = 'work-reload'): RawWorkload => ({
    metadata: { name, annotations: { 'reloader.k8s.collaborne.com/replaces': text } },
  });
  const right = JSON.stringify({ name: 'work', uid: 'u', resourceVersion: '7' });
  assert.ok(replacedBy(annotated(right)));
  for (const other of [
    annotated('yes'),
    annotated('null'),
    annotated('{"name":"work"}'),
    annotated(right, 'x'),
  ])
    assert.equal(replacedBy(other), undefined);
  assert.equal(replacedBy({ metadata: { name: 'work-reload' } }), undefined);
});

test('the name of a copy is one that a Job may have, another one for each Job', () => {
  const names = ['a'.repeat(56), 'a'.repeat(57), 'a'.repeat(62), 'a'.repeat(63)].map(copyNameOf);
  assert.equal(new Set(names).size, 4);
  assert.ok(names.every((name) => name.length <= 63 && name.endsWith('-reload')));
});
