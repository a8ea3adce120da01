import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { holdOnPods, isRolledOut, WORKLOAD_KINDS, workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';

type Spec = NonNullable<RawWorkload['spec']>;
type Status = NonNullable<RawWorkload['status']>;
interface Case {
  readonly spec?: Spec;
  readonly status?: Status;
  readonly generation?: number;
  readonly is: boolean;
}

const THREE: Spec = { replicas: 3 };
const ALL: Status = { observedGeneration: 4, replicas: 3, updatedReplicas: 3, readyReplicas: 3 };
const DEPLOYMENT: Record<string, Case> = {
  'has rolled out when all pods are new, ready and alone': { is: true },
  'has not while its controller has not seen the spec': { generation: 5, is: false },
  'has not without any status': { status: {}, is: false },
  'has not while it is paused': { spec: { ...THREE, paused: true }, is: false },
  'has not while pods of before are left': { status: { ...ALL, replicas: 4 }, is: false },
  'has not while new pods are missing': { status: { ...ALL, updatedReplicas: 2 }, is: false },
  'has not while a pod is not ready': { status: { ...ALL, readyReplicas: 2 }, is: false },
  'has not while it is scaled up': { spec: { replicas: 4 }, is: false },
  'has not while it is scaled down': { spec: { replicas: 2 }, is: false },
  'has with no replicas at all': { spec: { replicas: 0 }, status: { observedGeneration: 4 }, is: true },
  'wants one replica unless told': {
    spec: {},
    status: { observedGeneration: 4, replicas: 1, updatedReplicas: 1, readyReplicas: 1 },
    is: true,
  },
};

const SAME: Status = { ...ALL, currentReplicas: 3, currentRevision: 'r2', updateRevision: 'r2' };
const STATEFUL_SET: Record<string, Case> = {
  'has rolled out when all pods are of the one revision': { status: SAME, is: true },
  'has not while its controller has not seen the spec': { status: SAME, generation: 5, is: false },
  'has not while two revisions are there': { status: { ...SAME, currentRevision: 'r1' }, is: false },
  'has not while pods are missing': { status: { ...SAME, updatedReplicas: 2 }, is: false },
  'has not while a pod is not ready': { status: { ...SAME, readyReplicas: 2 }, is: false },
  'never has with OnDelete': {
    spec: { ...THREE, updateStrategy: { type: 'OnDelete' } },
    status: SAME,
    is: false,
  },
  'never has with a partition': {
    spec: { ...THREE, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
    status: SAME,
    is: false,
  },
  'has with a partition of 0': {
    spec: { ...THREE, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
    status: SAME,
    is: true,
  },
  'has not while it is scaled': { spec: { replicas: 4 }, status: SAME, is: false },
  'has with no replicas at all': {
    spec: { replicas: 0 },
    status: { observedGeneration: 4, currentRevision: 'r2', updateRevision: 'r2' },
    is: true,
  },
};

const NODES: Status = {
  observedGeneration: 4,
  desiredNumberScheduled: 3,
  currentNumberScheduled: 3,
  updatedNumberScheduled: 3,
  numberReady: 3,
};
const DAEMON_SET: Record<string, Case> = {
  'has rolled out when every node has the new pod': { status: NODES, is: true },
  'has not while its controller has not seen the spec': { status: NODES, generation: 5, is: false },
  'has not while nodes have the old pod': { status: { ...NODES, updatedNumberScheduled: 2 }, is: false },
  'has not while nodes have none': { status: { ...NODES, currentNumberScheduled: 2 }, is: false },
  'has not while a pod is not ready': { status: { ...NODES, numberReady: 2 }, is: false },
  'never has with OnDelete': { spec: { updateStrategy: { type: 'OnDelete' } }, status: NODES, is: false },
  'has without a node for it': { status: { observedGeneration: 4 }, is: true },
};

for (const [kind, cases] of Object.entries({
  Deployment: DEPLOYMENT,
  StatefulSet: STATEFUL_SET,
  DaemonSet: DAEMON_SET,
})) {
  for (const [sentence, { spec = THREE, status = ALL, generation = 4, is }] of Object.entries(cases)) {
    test(`a ${kind} ${sentence}`, () => {
      const raw = { metadata: { name: 'w', generation }, spec, status };
      assert.equal(isRolledOut(workloadKindOf(kind), raw), is);
    });
  }
}

const paused: Spec = { paused: true };
const onDelete: Spec = { updateStrategy: { type: 'OnDelete' } };
const partition = (number: number): Spec => ({ updateStrategy: { rollingUpdate: { partition: number } } });
const OLD: Status = { observedGeneration: 4, replicas: 3, updatedReplicas: 1 };
const NEW: Status = { observedGeneration: 4, replicas: 3, updatedReplicas: 3 };
const HELD: Record<string, { kind: string; spec: Spec; status: Status; hold?: object }> = {
  'a Deployment that is paused keeps its old pods': {
    kind: 'Deployment',
    spec: paused,
    status: OLD,
    hold: { type: 'paused' },
  },
  'a Deployment that is not replaces them': { kind: 'Deployment', spec: {}, status: OLD },
  'a Deployment that is paused may not have seen its template yet': {
    kind: 'Deployment',
    spec: paused,
    status: { ...NEW, observedGeneration: 3 },
    hold: { type: 'paused' },
  },
  'a Deployment that is paused without an old pod keeps none': {
    kind: 'Deployment',
    spec: paused,
    status: NEW,
  },
  'a StatefulSet with OnDelete keeps its old pods': {
    kind: 'StatefulSet',
    spec: onDelete,
    status: OLD,
    hold: { type: 'on-delete' },
  },
  'a StatefulSet with OnDelete whose pods were all deleted keeps none': {
    kind: 'StatefulSet',
    spec: onDelete,
    status: NEW,
  },
  'a StatefulSet with a partition keeps the pods below it': {
    kind: 'StatefulSet',
    spec: partition(2),
    status: OLD,
    hold: { type: 'partition', partition: 2 },
  },
  'a StatefulSet with a partition of 0 replaces them': {
    kind: 'StatefulSet',
    spec: partition(0),
    status: OLD,
  },
  'a DaemonSet with OnDelete keeps its old pods': {
    kind: 'DaemonSet',
    spec: onDelete,
    status: { observedGeneration: 4, currentNumberScheduled: 3 },
    hold: { type: 'on-delete' },
  },
  'a DaemonSet with OnDelete whose pods were all deleted keeps none': {
    kind: 'DaemonSet',
    spec: onDelete,
    status: { observedGeneration: 4, currentNumberScheduled: 3, updatedNumberScheduled: 3 },
  },
  'a DaemonSet without it replaces them': {
    kind: 'DaemonSet',
    spec: { updateStrategy: { type: 'RollingUpdate' } },
    status: { observedGeneration: 4, currentNumberScheduled: 3 },
  },
};

for (const [sentence, { kind, spec, status, hold }] of Object.entries(HELD)) {
  test(sentence, () => {
    const raw = { metadata: { name: 'w', generation: 4 }, spec, status };
    assert.deepEqual(holdOnPods(workloadKindOf(kind), raw), hold);
  });
}

const TWO: Status = { ...SAME, currentRevision: 'r1' };
const { updatedReplicas: _, ...NONE_NEW } = TWO;
/** Where a person decides when pods are replaced, by kind, spec and status: whether every pod is of the present template, and ready. */
const COMPLETE_IF_HELD: Record<string, readonly [kind: string, spec: Spec, status: Status, is?: true]> = {
  'a StatefulSet with OnDelete': ['StatefulSet', onDelete, SAME, true],
  'a StatefulSet with OnDelete whose pods were all deleted': ['StatefulSet', onDelete, TWO, true],
  'a StatefulSet with OnDelete that has one old pod': [
    'StatefulSet',
    onDelete,
    { ...TWO, updatedReplicas: 2 },
  ],
  'a StatefulSet with OnDelete that has old pods alone': ['StatefulSet', onDelete, NONE_NEW],
  'a StatefulSet with OnDelete of which a pod is not ready': [
    'StatefulSet',
    onDelete,
    { ...TWO, readyReplicas: 2 },
  ],
  'a StatefulSet with a partition': ['StatefulSet', partition(2), SAME, true],
  'a StatefulSet with a partition, and an old pod': [
    'StatefulSet',
    partition(2),
    { ...TWO, updatedReplicas: 1 },
  ],
  'a DaemonSet with OnDelete': ['DaemonSet', onDelete, NODES, true],
  'a DaemonSet with OnDelete that has an old pod': [
    'DaemonSet',
    onDelete,
    { ...NODES, updatedNumberScheduled: 2 },
  ],
  'a DaemonSet with OnDelete whose spec is not seen yet': [
    'DaemonSet',
    onDelete,
    { ...NODES, observedGeneration: 3 },
  ],
  'a Deployment that is paused': ['Deployment', paused, ALL, true],
  'a Deployment that is not': ['Deployment', {}, ALL, true],
};

for (const [name, [kind, spec, status, is]] of Object.entries(COMPLETE_IF_HELD))
  test(`${name} is complete, held or not: ${is === true}`, () => {
    const raw = { metadata: { name: 'w', generation: 4 }, spec: { ...THREE, ...spec }, status };
    const { isComplete, isRolledOut: isDone } = workloadOf(workloadKindOf(kind), raw, vocabulary({}));
    assert.deepEqual([isComplete, isDone], [is === true, kind === 'Deployment' && spec.paused !== true]);
  });

test('a CronJob has no pods that could be left behind, and declines while it is suspended', () => {
  const kind = workloadKindOf('CronJob');
  const raw = (spec: Spec): RawWorkload => ({ metadata: { name: 'w', generation: 4 }, spec });
  assert.equal(isRolledOut(kind, raw({})), true);
  assert.equal(holdOnPods(kind, raw({ suspend: true })), undefined);
  assert.equal(kind.declines?.(raw({})), undefined);
  assert.equal(kind.declines?.(raw({ suspend: false })), undefined);
  assert.equal(kind.declines?.(raw({ suspend: true })), 'suspended');
});

const COMPLETE = [{ type: 'Complete', status: 'True' }];
const JOBS: Record<string, { spec?: Spec; status?: Status; is: boolean }> = {
  'a Job that has no pod yet is not rolled out': { is: false },
  'a Job whose pods are not ready is not': { status: { active: 2, ready: 1 }, is: false },
  'a Job that has pods to come is not': {
    spec: { completions: 3 },
    status: { active: 1, ready: 1, succeeded: 1 },
    is: false,
  },
  'a Job whose last pods are ready is': {
    spec: { completions: 2 },
    status: { active: 1, ready: 1, succeeded: 1 },
    is: true,
  },
  'a Job that has finished is': { spec: { completions: 3 }, status: { conditions: COMPLETE }, is: true },
  'a Job that is about to finish is not': {
    status: { conditions: [{ type: 'Complete', status: 'False' }] },
    is: false,
  },
};

for (const [sentence, { spec = {}, status = {}, is }] of Object.entries(JOBS))
  test(sentence, () =>
    assert.equal(isRolledOut(workloadKindOf('Job'), { metadata: { name: 'w' }, spec, status }), is),
  );

test('a Job declines while it is suspended, else once it has finished', () => {
  const { declines } = workloadKindOf('Job');
  const metadata = { name: 'w' };
  const failed = [{ type: 'Failed', status: 'True' }];
  assert.equal(declines?.({ metadata, spec: {} }), undefined);
  assert.equal(declines?.({ metadata, spec: { suspend: true } }), 'suspended');
  assert.equal(
    declines?.({ metadata, spec: { suspend: true }, status: { conditions: COMPLETE } }),
    'suspended',
  );
  assert.equal(declines?.({ metadata, status: { conditions: failed } }), 'finished');
});

test('each kind has one row', () => {
  const kinds = WORKLOAD_KINDS.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job']);
  assert.deepEqual(
    kinds.map((kind) => workloadKindOf(kind).kind),
    kinds,
  );
  assert.throws(() => workloadKindOf('Node'), /no such workload kind: Node/);
});
