/** What becomes of the pods of a workload, by its status alone: what takes a slot in the budget of rollouts. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Rolling, rollingOf, workloadKindOf } from '../../../lib/model/workload-kind.ts';

type Sketch = Pick<RawWorkload, 'spec' | 'status'>;

const DONE = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3 };
const COMPLETE = [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }];
const DAEMONS = {
  observedGeneration: 2,
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  numberReady: 2,
};

const CASES: Readonly<Record<string, readonly [string, Rolling | undefined, Sketch]>> = {
  'a Deployment that is rolled out': ['Deployment', undefined, { spec: { replicas: 3 }, status: DONE }],
  'one whose controller has not seen the template': [
    'Deployment',
    'replacing',
    { spec: { replicas: 3 }, status: { ...DONE, observedGeneration: 1 } },
  ],
  'one with older pods': [
    'Deployment',
    'replacing',
    { spec: { replicas: 3 }, status: { ...DONE, updatedReplicas: 2 } },
  ],
  'one that has still to make pods': [
    'Deployment',
    'replacing',
    { spec: { replicas: 3 }, status: { ...DONE, replicas: 1, updatedReplicas: 1 } },
  ],
  'one whose new pods start': [
    'Deployment',
    'starting',
    { spec: { replicas: 3 }, status: { ...DONE, readyReplicas: 2 } },
  ],
  'one whose rollout was complete before a pod failed': [
    'Deployment',
    undefined,
    { spec: { replicas: 3 }, status: { ...DONE, readyReplicas: 2, conditions: COMPLETE } },
  ],
  'one with older pods, whatever its controller said of the rollout before': [
    'Deployment',
    'replacing',
    { spec: { replicas: 3 }, status: { ...DONE, updatedReplicas: 1, conditions: COMPLETE } },
  ],
  'one without replicas': [
    'Deployment',
    'held',
    { spec: { replicas: 0 }, status: { observedGeneration: 1 } },
  ],
  'one that is paused': ['Deployment', 'held', { spec: { replicas: 3, paused: true }, status: DONE }],
  'a StatefulSet with a partition': [
    'StatefulSet',
    'held',
    { spec: { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } }, status: DONE },
  ],
  'a DaemonSet with older pods': [
    'DaemonSet',
    'replacing',
    { status: { ...DAEMONS, updatedNumberScheduled: 1 } },
  ],
  'a DaemonSet that is rolled out': [
    'DaemonSet',
    undefined,
    { status: { ...DAEMONS, updatedNumberScheduled: 2 } },
  ],
  'a DaemonSet that no node takes': [
    'DaemonSet',
    'held',
    { status: { observedGeneration: 2, desiredNumberScheduled: 0, numberReady: 0 } },
  ],
  'a DaemonSet with OnDelete': [
    'DaemonSet',
    'held',
    { spec: { updateStrategy: { type: 'OnDelete' } }, status: DAEMONS },
  ],
  'a Rollout that awaits its promotion': [
    'Rollout',
    'held',
    { spec: { replicas: 3 }, status: { ...DONE, pauseConditions: [{ reason: 'BlueGreenPause' }] } },
  ],
  'a CronJob': ['CronJob', 'held', {}],
  'a Job': ['Job', 'held', { status: { active: 1 } }],
};

describe('what becomes of the pods of', () => {
  for (const [what, [kind, rolling, sketch]] of Object.entries(CASES))
    test(what, () => {
      const raw = { metadata: { name: 'web', generation: 2 }, ...sketch } as RawWorkload;
      assert.equal(rollingOf(workloadKindOf(kind), raw), rolling);
    });
});
