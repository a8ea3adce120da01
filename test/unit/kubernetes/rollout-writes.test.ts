/** How a Rollout, a custom resource, is patched: by JSON patch, by merge patch, or by a restart. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import { RESTARTS } from '../../../lib/model/kinds/restarts.ts';
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
  const stamp = { digest: B, sequence: 3 };
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

test('a variable is set by a JSON patch of the version that was planned for', async () => {
  const plan = planFor({ variable: 'CFG', container: 'main' });
  const { result, sent } = await rolled(plan, ok(RAW), ok(RAW));
  assert.equal(result.kind, 'accepted');
  assert.deepEqual(
    sent.map(([method, path, type]) => [method, path, type]),
    [
      ['GET', PATH, ''],
      ['PATCH', PATH, 'json-patch+json'],
    ],
  );
  const operations = sent[1]?.[3] as readonly { readonly path: string }[];
  assert.deepEqual(operations[0], { op: 'replace', path: '/metadata/resourceVersion', value: '7' });
  assert.ok(operations.slice(1).every(({ path }) => path.startsWith('/spec/template/spec/containers/1/env')));
});

test('a later version is a conflict before anything is sent', async () => {
  const later = { ...RAW, metadata: { ...RAW.metadata, resourceVersion: '8' } };
  const { result, sent } = await rolled(planFor({ variable: 'CFG' }), ok(later));
  assert.deepEqual([result, sent.length], [{ kind: 'conflict' }, 1]);
});

test('annotations of the template are set by a merge patch', async () => {
  const { sent } = await rolled(planFor({ variable: 'ConfigMap/cfg', container: ANNOTATIONS }), ok(RAW));
  const template = {
    metadata: { annotations: { 'reloader.k8s.collaborne.com/stamps': `{"ConfigMap/cfg":"${B}.3"}` } },
  };
  const body = { metadata: { resourceVersion: '7' }, spec: { template } };
  assert.deepEqual(sent, [['PATCH', PATH, 'merge-patch+json', body]]);
});

test('a restart is after the second of an answer, and its record comes by the same patch', async () => {
  const { result, sent } = await rolled(planFor(RESTART), DATED, ok(RAW));
  assert.equal(result.kind, 'accepted');
  const moment = '2026-01-01T00:00:06Z';
  const body = {
    metadata: {
      resourceVersion: '7',
      annotations: {
        'reloader.k8s.collaborne.com/stamps': `{"ConfigMap/cfg":"${B}.3"}`,
        'reloader.k8s.collaborne.com/restarted-at': moment,
      },
    },
    spec: { restartAt: moment },
  };
  assert.deepEqual(sent, [
    ['GET', PATH, '', null],
    ['PATCH', PATH, 'merge-patch+json', body],
  ]);
});

const NO_DATE = 'an answer of the API server has no Date, by which pods are restarted';
const FAILING: Record<string, readonly [result: WriteResult<never>, requests: number, ...answers: Answer[]]> =
  {
    'that another client overtakes is a conflict': [{ kind: 'conflict' }, 2, DATED, refused(409)],
    'of what is gone is none': [{ kind: 'gone' }, 1, refused(404)],
    'is not sent without a date': [{ kind: 'throttled', message: NO_DATE }, 1, ok(RAW)],
    'is not sent if the date is not answered': [
      { kind: 'throttled', message: 'cut', ...{ code: 'unanswered' } },
      1,
      new Error('cut'),
    ],
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
