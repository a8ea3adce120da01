/** When a Rollout is rolled out, and what holds its pods. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hold, whenTaken } from '../../../lib/model/hold.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { holdOnPods, isRolledOut, workloadKindOf } from '../../../lib/model/workload-kind.ts';

type Spec = NonNullable<RawWorkload['spec']>;
type Status = NonNullable<RawWorkload['status']>;

const ROLLOUT = workloadKindOf('Rollout');
const HEALTHY: Status = {
  observedGeneration: '4',
  phase: 'Healthy',
  stableRS: 'h2',
  currentPodHash: 'h2',
  replicas: 2,
  updatedReplicas: 2,
};
const BETWEEN: Status = { ...HEALTHY, phase: 'Paused', stableRS: 'h1', replicas: 3, updatedReplicas: 1 };
const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;

function raw(spec: Spec, status: Status): RawWorkload {
  return { metadata: { name: 'web', generation: 4 }, spec, status };
}

const ROLLED: Record<string, readonly [is: boolean, status: Status, spec?: Spec]> = {
  'has rolled out when it is healthy and has the pods of one template': [true, HEALTHY],
  'has with no replicas at all': [
    true,
    { observedGeneration: '4', phase: 'Healthy', stableRS: 'h2', currentPodHash: 'h2' },
  ],
  'has not while its controller has not seen the spec': [false, { ...HEALTHY, observedGeneration: '3' }],
  'has not where a controller writes a hash': [false, { ...HEALTHY, observedGeneration: '6c9d5f7b8' }],
  'has not without any status': [false, {}],
  'has not while old pods end, although the hashes are equal': [
    false,
    { ...HEALTHY, phase: 'Progressing', replicas: 3 },
  ],
  'has not while an undo can bring the old pods back': [false, { ...HEALTHY, replicas: 4 }],
  'has not before its promotion': [false, BETWEEN],
  'has not while it is paused': [false, { ...HEALTHY, phase: 'Paused' }, { paused: true }],
  'has not while it restarts': [false, HEALTHY, { restartAt: at(6) }],
  'has not while it restarts once more': [false, { ...HEALTHY, restartedAt: at(5) }, { restartAt: at(6) }],
  'has once it has restarted': [true, { ...HEALTHY, restartedAt: at(6) }, { restartAt: at(6) }],
  'has, in whatever form the moment is written': [
    true,
    { ...HEALTHY, restartedAt: at(6) },
    { restartAt: '2026-01-01T01:00:06.5+01:00' },
  ],
  'never has where the moment cannot be read': [
    false,
    { ...HEALTHY, restartedAt: 'soon' },
    { restartAt: 'soon' },
  ],
};

for (const [sentence, [is, status, spec = {}]] of Object.entries(ROLLED)) {
  test(`a Rollout ${sentence}`, () => assert.equal(isRolledOut(ROLLOUT, raw(spec, status)), is));
}

const pausedBy = (reason: string): Status => ({
  ...BETWEEN,
  currentStepIndex: 1,
  pauseConditions: [{ reason }],
});
const steps = (pause: object): Spec => ({ strategy: { canary: { steps: [{}, { pause }] } } });
const blueGreen = (autoPromotionSeconds: number): Spec => ({
  strategy: { blueGreen: { autoPromotionSeconds } },
});
const AWAITS: Hold = { type: 'awaits-promotion' };

const HELD: Record<string, readonly [hold: Hold | undefined, status: Status, spec?: Spec]> = {
  'that replaces its pods has none': [undefined, { ...BETWEEN, phase: 'Progressing' }],
  'that is paused': [{ type: 'paused' }, BETWEEN, { paused: true }],
  'that is paused without an old pod has none': [undefined, HEALTHY, { paused: true }],
  'that waits at a step without an end': [AWAITS, pausedBy('CanaryPauseStep'), steps({})],
  'that waits at a step for a while has none': [
    undefined,
    pausedBy('CanaryPauseStep'),
    steps({ duration: '1h' }),
  ],
  'that waits between blue and green': [AWAITS, pausedBy('BlueGreenPause'), {}],
  'that switches by itself has none': [undefined, pausedBy('BlueGreenPause'), blueGreen(30)],
  'whose analysis is inconclusive': [AWAITS, pausedBy('InconclusiveAnalysisRun'), steps({ duration: '1h' })],
  'that was aborted': [{ type: 'aborted', revision: 'h1' }, { ...BETWEEN, abort: true }, { paused: true }],
  'that was aborted, while its pod is away': [
    { type: 'aborted', revision: 'h1' },
    { ...BETWEEN, abort: true, replicas: 0, updatedReplicas: 0 },
  ],
  'that was aborted and has no replicas': [
    undefined,
    { ...BETWEEN, abort: true, replicas: 0, updatedReplicas: 0 },
    { replicas: 0 },
  ],
  'that goes on after an abort has none': [undefined, { ...BETWEEN, phase: 'Progressing', abort: false }],
  'that failed without an abort has none': [undefined, { ...BETWEEN, phase: 'Degraded' }],
};

for (const [sentence, [hold, status, spec = {}]] of Object.entries(HELD)) {
  test(`the hold of a Rollout ${sentence}`, () => {
    assert.deepEqual(holdOnPods(ROLLOUT, raw(spec, status)), hold);
  });
}

test('each hold names the command that ends it', () => {
  const ref = { kind: 'Rollout', namespace: 'ns', name: 'web' };
  const commands = (['paused', 'awaits-promotion', 'aborted'] as const).map((type) =>
    whenTaken(type === 'aborted' ? { type, revision: 'h1' } : { type }, ref)
      .split('after ')
      .at(-1),
  );
  const promote = 'kubectl argo rollouts promote web';
  assert.deepEqual(commands, [promote, promote, 'kubectl argo rollouts retry rollout web']);
});
