/** The table of triggers of DeploymentConfigs: what each patch leads to, and when its pods have it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hold, whenTaken } from '../../../lib/model/hold.ts';
import { STAMPED_AFTER_ANNOTATION } from '../../../lib/model/kinds/deployment-config.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { planOf } from '../../../lib/model/rollout-plan.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { changesOf } from '../tracking/sketch.ts';

type Spec = NonNullable<RawWorkload['spec']>;
type Status = NonNullable<RawWorkload['status']>;

const KIND = workloadKindOf('DeploymentConfig');
const TEMPLATE = { spec: { containers: [{ name: 'app' }] } };
const progressing = (status: string, reason: string): NonNullable<Status['conditions']> => [
  { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
  { type: 'Progressing', status, reason },
];
const DONE: Status = {
  observedGeneration: 4,
  latestVersion: 3,
  replicas: 2,
  updatedReplicas: 2,
  readyReplicas: 2,
  conditions: progressing('True', 'NewReplicationControllerAvailable'),
};

interface Case {
  readonly spec?: Spec;
  readonly status?: Status;
  /** The version at our last patch. */
  readonly stampedAfter?: string;
}

function viewOf({ spec = {}, status = DONE, stampedAfter }: Case): Workload {
  const annotations = stampedAfter === undefined ? {} : { [STAMPED_AFTER_ANNOTATION]: stampedAfter };
  const metadata = { name: 'web', namespace: 'default', generation: 4, resourceVersion: '7', annotations };
  const raw = { metadata, spec: { replicas: 2, template: TEMPLATE, ...spec }, status };
  return workloadOf(KIND, raw, vocabulary());
}

const CHANGE = { type: 'ConfigChange' };
const IMAGE = { type: 'ImageChange', imageChangeParams: { automatic: true } };
const MANUAL: Hold = { type: 'manual' };

/** What is so after our patch was observed, and before a version above it. */
const TRIGGERS: Record<string, { spec: Spec; hold?: Hold }> = {
  'without triggers a change rolls': { spec: {} },
  'with null for triggers a change rolls': { spec: { triggers: null } },
  'with ConfigChange a change rolls': { spec: { triggers: [CHANGE] } },
  'with ConfigChange and ImageChange a change rolls': { spec: { triggers: [IMAGE, CHANGE] } },
  'with ImageChange alone a change waits for an image': {
    spec: { triggers: [IMAGE] },
    hold: MANUAL,
  },
  'with an empty list of triggers a change waits for a person': {
    spec: { triggers: [] },
    hold: MANUAL,
  },
  'a paused one rolls nothing': { spec: { paused: true }, hold: { type: 'paused' } },
  'a paused one without triggers is to be resumed first': {
    spec: { paused: true, triggers: [] },
    hold: { type: 'paused' },
  },
};

for (const [sentence, { spec, hold }] of Object.entries(TRIGGERS)) {
  test(sentence, () => {
    const view = viewOf({ spec, stampedAfter: '3' });
    assert.deepEqual(view.hold, hold);
    assert.ok(!view.isRolledOut, 'its pods are of the version before the patch');
    assert.equal(view.progress, -2, 'all of them are old');
    if (hold?.type === 'paused') return;
    const next = viewOf({ spec, stampedAfter: '2' });
    assert.deepEqual([next.hold, next.isRolledOut], [undefined, true]);
  });
}

const ROLLED_OUT: Record<string, Case & { readonly is: boolean }> = {
  'has rolled out when the latest version is available': { is: true },
  'has when its version is above that of our patch': { stampedAfter: '2', is: true },
  'has not while its version is that of our patch': { stampedAfter: '3', is: false },
  'has when it was restored with the annotation of another life': { stampedAfter: '40', is: true },
  'has not while its controller has not seen the spec': {
    status: { ...DONE, observedGeneration: 3 },
    is: false,
  },
  'has not while its new deployment runs': {
    status: { ...DONE, conditions: progressing('True', 'ReplicationControllerUpdated') },
    is: false,
  },
  'has not without conditions': { status: { ...DONE, conditions: [] }, is: false },
  'has not while pods of before are left': { status: { ...DONE, replicas: 3 }, is: false },
  'has not while new pods are missing': { status: { ...DONE, updatedReplicas: 1 }, is: false },
  'has not while a pod is not ready': { status: { ...DONE, readyReplicas: 1 }, is: false },
  'has not while it is scaled': { spec: { replicas: 3 }, is: false },
  'has not while it waits for a person without a patch of ours': { spec: { triggers: [] }, is: false },
};

for (const [sentence, { is, ...about }] of Object.entries(ROLLED_OUT)) {
  test(`a DeploymentConfig ${sentence}`, () => {
    const { isRolledOut, isComplete } = viewOf(about);
    assert.deepEqual([isRolledOut, isComplete], [is, is]);
  });
}

const BACK: Status = { ...DONE, updatedReplicas: 0 };
const FAILED: Record<string, Case & { readonly hold: Hold | undefined }> = {
  'a deployment that took too long has failed': {
    status: { ...BACK, conditions: progressing('False', 'ProgressDeadlineExceeded') },
    hold: { type: 'failed' },
  },
  'a cancelled deployment has failed': {
    status: { ...BACK, conditions: progressing('False', 'RolloutCancelled') },
    stampedAfter: '2',
    hold: { type: 'failed' },
  },
  'the failure of a version before our patch is past': {
    status: { ...BACK, conditions: progressing('False', 'RolloutCancelled') },
    stampedAfter: '3',
    hold: undefined,
  },
  'a failure that may be of the spec before is past': {
    status: { ...BACK, observedGeneration: 3, conditions: progressing('False', 'RolloutCancelled') },
    hold: undefined,
  },
  'a deployment that makes progress has not failed': {
    status: { ...BACK, conditions: progressing('Unknown', 'ProgressDeadlineExceeded') },
    hold: undefined,
  },
};

for (const [sentence, { hold, ...about }] of Object.entries(FAILED)) {
  test(sentence, () => {
    const view = viewOf(about);
    assert.deepEqual(view.hold, hold);
    assert.ok(!view.isRolledOut);
  });
}

test('a patch keeps the version that it found', () => {
  const keptBy = (about: Case): unknown => {
    const plan = planOf(viewOf(about), { stamps: [], versions: new Map() });
    return changesOf(plan).annotations;
  };
  assert.deepEqual(keptBy({ stampedAfter: '1' }), { [STAMPED_AFTER_ANNOTATION]: '3' });
  assert.deepEqual(keptBy({ status: {} }), { [STAMPED_AFTER_ANNOTATION]: '0' });
});

test('what a person can do is named for the tool that does it', () => {
  const ref = { kind: 'DeploymentConfig', namespace: 'default', name: 'web' };
  assert.match(whenTaken({ type: 'paused' }, ref), /oc rollout resume dc\/web$/);
  assert.match(whenTaken(MANUAL, ref), /oc rollout latest dc\/web$/);
  assert.match(whenTaken({ type: 'failed' }, ref), /oc rollout retry dc\/web /);
  assert.match(
    whenTaken({ type: 'paused' }, { ...ref, kind: 'Deployment' }),
    /kubectl rollout resume deployment\/web$/,
  );
});

test('without a template it follows nothing, and its annotation is told to have no effect', () => {
  const raw: RawWorkload = {
    metadata: { name: 'web', annotations: { 'reloader.k8s.collaborne.com/configmap': 'web' } },
    spec: { template: null },
  };
  const words = vocabulary();
  const view = workloadOf(KIND, raw, words);
  assert.equal(view.lacksTemplate, true);
  const [finding, ...others] = words.mistakesOf(view);
  assert.deepEqual([finding?.reason, others], ['unserved', []]);
  assert.match(finding?.message ?? '', /no pod template at spec\.template, so nothing/);
});

test('the annotation of our patches is no mistake of a person', () => {
  const words = vocabulary();
  assert.ok(!words.isUnknownAnnotation(STAMPED_AFTER_ANNOTATION));
  assert.ok(words.isUnknownAnnotation(`${STAMPED_AFTER_ANNOTATION}s`));
});
