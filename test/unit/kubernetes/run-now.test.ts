/** The three requests of a run: in their order, and what it means where they end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import { runOf } from '../../../lib/model/kinds/jobs.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { type Answer, ok, refused, scripted } from './scripted-send.ts';

const WORKLOAD = { kind: 'CronJob', namespace: 'ns', name: 'report' };
const OPERATIONS = [{ op: 'test', path: '/metadata/generation', value: 1 }] as const;
const PLAN: RolloutPlan = {
  workload: WORKLOAD,
  operations: OPERATIONS,
  stamps: [],
  versions: new Map(),
  resourceVersion: '7',
  template: { annotations: {}, variables: [] },
};
const STAMPED = {
  metadata: { name: 'report', namespace: 'ns', uid: 'u', generation: 2 },
  spec: { jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
};
const PATCH = 'PATCH /apis/batch/v1/namespaces/ns/cronjobs/report?fieldManager=kubernetes-reloader';
const DRY = `${PATCH}&dryRun=All`;
const CREATE = 'POST /apis/batch/v1/namespaces/ns/jobs?fieldManager=kubernetes-reloader';
const TAKEN = refused(409, { reason: 'AlreadyExists' });
const RUN = runOf(STAMPED, PLAN);
const STARTED = ok({ ...RUN, metadata: { ...RUN.metadata, uid: 'v' } });
const DONE = { kind: 'accepted', object: STAMPED };
const LOST = new Error('ECONNRESET');

const CASES: Record<string, { answers: readonly Answer[]; asks: readonly string[]; result: object }> = {
  'the patch is tried, the run is started, the patch is made': {
    answers: [ok(STAMPED), STARTED, ok(STAMPED)],
    asks: [DRY, CREATE, PATCH],
    result: DONE,
  },
  'a run that is there already is the one': {
    answers: [ok(STAMPED), TAKEN, ok(STAMPED)],
    asks: [DRY, CREATE, PATCH],
    result: DONE,
  },
  'a patch that would be refused starts nothing': {
    answers: [refused(403)],
    asks: [DRY],
    result: { kind: 'rejected', code: 'forbidden', message: 'message of 403' },
  },
  'a CronJob that somebody changed starts nothing': {
    answers: [refused(409)],
    asks: [DRY],
    result: { kind: 'conflict' },
  },
  'a run that is refused has not begun, and nothing is stamped': {
    answers: [ok(STAMPED), refused(403)],
    asks: [DRY, CREATE],
    result: { kind: 'rejected', code: 'forbidden', message: 'message of 403' },
  },
  'a run may have begun whose answer is lost': {
    answers: [ok(STAMPED), LOST],
    asks: [DRY, CREATE],
    result: { kind: 'unanswered', message: 'ECONNRESET', mayHaveRun: true },
  },
  ...Object.fromEntries(
    [{}, { metadata: { ...RUN.metadata, name: 'another', uid: 'v' } }, { metadata: RUN.metadata }].map(
      (answer) => [
        `a run may have begun that is answered with ${JSON.stringify(answer)}, and nothing is stamped`,
        {
          answers: [ok(STAMPED), ok(answer), refused(500)],
          asks: [DRY, CREATE],
          result: {
            kind: 'unanswered',
            message: `the answer to the creation of Job/${RUN.metadata.name} is not that Job`,
            mayHaveRun: true,
          },
        },
      ],
    ),
  ),
  'a run has begun whose stamp meets a conflict': {
    answers: [ok(STAMPED), STARTED, refused(409)],
    asks: [DRY, CREATE, PATCH],
    result: { kind: 'conflict', mayHaveRun: true },
  },
};

for (const [sentence, { answers, asks, result }] of Object.entries(CASES)) {
  test(sentence, async () => {
    const script = scripted(...answers);
    assert.deepEqual(await new WorkloadWriter(script.send).roll(PLAN), result);
    assert.deepEqual(
      script.requests.map(({ method, path }) => `${method} ${path}`),
      asks,
    );
    for (const { method, body } of script.requests)
      if (method === 'PATCH') assert.deepEqual(JSON.parse(body ?? ''), OPERATIONS);
  });
}
