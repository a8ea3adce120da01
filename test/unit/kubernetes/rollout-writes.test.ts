/** How a Rollout is patched, and how it is restarted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import { RESTARTS } from '../../../lib/model/kinds/argo-rollout.ts';
import type { WriteResult } from '../../../lib/model/outcome.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Place, planOf, type RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { ANNOTATIONS, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { type Answer, answered, ok, refused, scripted } from './scripted-send.ts';

const B = 'b'.repeat(40);
const PATH = '/apis/argoproj.io/v1alpha1/namespaces/ns/rollouts/web';
const RAW: RawWorkload = {
  metadata: { name: 'web', namespace: 'ns', resourceVersion: '7', annotations: { kept: 'yes' } },
  spec: {
    template: {
      spec: { containers: [{ name: 'side' }, { name: 'main', env: [{ name: 'OWN', value: '1' }] }] },
    },
  },
};
const DATED = answered(200, JSON.stringify(RAW), { date: 'Thu, 01 Jan 2026 00:00:05 GMT' });
const RESTART: Place = { variable: 'ConfigMap/cfg', container: RESTARTS };

function planFor(place: Place): RolloutPlan {
  const workload = workloadOf(workloadKindOf('Rollout'), RAW, vocabulary({}));
  const stamp = { digest: B, id: 3 };
  const planned = { config: 'ns/ConfigMap/cfg', stamp, places: [place], variables: [place.variable] };
  return planOf(workload, { stamps: [planned], versions: new Map() });
}

async function rolled(plan: RolloutPlan, ...answers: Answer[]) {
  const script = scripted(...answers);
  const result: WriteResult<RawWorkload> = await new WorkloadWriter(script.send).roll(plan);
  const sent = script.requests.map(({ method, path, headers = {}, body = 'null' }) => {
    const [type = ''] = (headers['content-type'] ?? '').replace('application/', '').split(';');
    return [method, path.split('?')[0], type, JSON.parse(body) as unknown] as const;
  });
  return { result, sent };
}

test('a patch is one request, whatever it sets', async () => {
  for (const place of [
    { variable: 'CFG', container: 'main' },
    { variable: 'ConfigMap/cfg', container: ANNOTATIONS },
  ]) {
    const plan = planFor(place);
    const { result, sent } = await rolled(plan, ok(RAW));
    assert.equal(result.kind, 'accepted');
    assert.deepEqual(sent, [['PATCH', PATH, 'json-patch+json', plan.operations]]);
  }
});

test('a restart is after the second of an answer, and its record comes by the same patch', async () => {
  const plan = planFor(RESTART);
  const { result, sent } = await rolled(plan, DATED, ok(RAW));
  assert.equal(result.kind, 'accepted');
  const moment = '2026-01-01T00:00:06Z';
  assert.deepEqual(sent, [
    ['GET', PATH, '', null],
    [
      ...['PATCH', PATH, 'json-patch+json'],
      [
        ...plan.operations,
        { op: 'add', path: '/metadata/annotations/reloader.k8s.collaborne.com~1restarted-at', value: moment },
        { op: 'add', path: '/spec/restartAt', value: moment },
      ],
    ],
  ]);
});

const NO_DATE = 'an answer of the API server has no Date, by which pods are restarted';
const FAILING: Record<string, readonly [result: WriteResult<never>, requests: number, ...answers: Answer[]]> =
  {
    'that another client overtakes is a conflict': [{ kind: 'conflict' }, 2, DATED, refused(409)],
    'of what is gone is none': [{ kind: 'gone' }, 1, refused(404)],
    'is not sent without a date': [{ kind: 'throttled', message: NO_DATE }, 1, ok(RAW)],
    'is not sent if the date is not answered': [{ kind: 'throttled', message: 'cut' }, 1, new Error('cut')],
    'may be in force if its answer is lost': [
      { kind: 'unanswered', message: 'cut' },
      2,
      DATED,
      new Error('cut'),
    ],
  };

for (const [sentence, [result, requests, ...answers]] of Object.entries(FAILING)) {
  test(`a restart ${sentence}`, async () => {
    const { result: actual, sent } = await rolled(planFor(RESTART), ...answers);
    assert.deepEqual([actual, sent.length], [result, requests]);
  });
}
