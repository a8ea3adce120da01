/** The adapters that make one request and translate one answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptObject } from '../../../lib/kubernetes/kept-object.ts';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import type { WriteResult } from '../../../lib/model/outcome.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { type Answer, answered, ok, refused, scripted } from './scripted-send.ts';

const WEB = { kind: 'StatefulSet', namespace: 'ns', name: 'web' };
const WEB_PATH = '/apis/apps/v1/namespaces/ns/statefulsets/web';
const STATE = { kind: 'ConfigMap' as const, namespace: 'ns', name: 'reloader-state' };
const STATE_PATH = '/api/v1/namespaces/ns/configmaps/reloader-state';
const OPERATIONS = [
  { op: 'test', path: '/metadata/annotations/a', value: 'x<y&z' },
  { op: 'add', path: '/spec/paused', value: true },
] as const;
const PLAN: RolloutPlan = {
  workload: WEB,
  operations: OPERATIONS,
  stamps: [],
  versions: new Map(),
  resourceVersion: '7',
  template: { annotations: {}, variables: [] },
};
const RAW_STATE = {
  metadata: { name: 'reloader-state', uid: 'u', resourceVersion: '8', annotations: { v: '1' } },
  data: { k: 'd.1' },
};
const SNAPSHOT = { resourceVersion: '8', annotations: { v: '1' }, data: { k: 'd.1' } };

const REFUSALS: Record<string, readonly [answer: Answer, result: WriteResult<never>]> = {
  'a 400 is rejected': [refused(400), rejected('invalid', 400)],
  'a 401 is unanswered: who we are may be known again soon': [
    refused(401),
    unanswered('message of 401: check the token or certificate'),
  ],
  'a 403 is rejected': [refused(403), rejected('forbidden', 403)],
  'a 404 is gone': [refused(404), { kind: 'gone' }],
  "a proxy's 404 is not gone": [
    answered(404, 'page not found'),
    unanswered('the server answered 404: page not found'),
  ],
  'a 409 is a conflict': [refused(409), { kind: 'conflict' }],
  'a 413 is rejected': [refused(413), rejected('invalid', 413)],
  'a 415 is rejected': [refused(415), rejected('invalid', 415)],
  'a 422 with causes is rejected': [refused(422, { details: { causes: [{}] } }), rejected('invalid', 422)],
  'a 429 is throttled': [
    refused(429, {}, { 'retry-after': '2' }),
    { kind: 'throttled', message: 'message of 429', retryAfterMs: 2_000 },
  ],
  'a 500 is unanswered: it may have taken effect': [refused(500), unanswered('message of 500')],
  'a 503 may tell when to come back': [
    refused(503, { details: { retryAfterSeconds: 5 } }),
    { kind: 'unanswered', message: 'message of 503', retryAfterMs: 5_000 },
  ],
  'a cut connection is unanswered': [new Error('ECONNRESET'), unanswered('ECONNRESET')],
  'an answer that cannot be read is unanswered': [
    answered(200, '{"kind":'),
    unanswered('the answer is not JSON'),
  ],
};

function rejected(code: 'forbidden' | 'invalid', status: number): WriteResult<never> {
  return { kind: 'rejected', code, message: `message of ${status}` };
}

function unanswered(message: string): WriteResult<never> {
  return { kind: 'unanswered', message };
}

for (const [sentence, [answer, result]] of Object.entries(REFUSALS)) {
  test(`of a write: ${sentence}`, async () => {
    assert.deepEqual(await new WorkloadWriter(scripted(answer).send).roll(PLAN), result);
    const state = new KeptObject(scripted(answer).send, STATE);
    assert.deepEqual(await state.patch({ resourceVersion: '7', data: {}, annotations: {} }), result);
  });
}

test('a test that fails is a conflict, which the state does not know', async () => {
  const unmet = refused(422, { details: {} });
  const message = 'message of 422';
  assert.deepEqual(await new WorkloadWriter(scripted(unmet).send).roll(PLAN), { kind: 'conflict', message });
  const state = new KeptObject(scripted(refused(422, { details: {} })).send, STATE);
  const change = { resourceVersion: '7', data: {}, annotations: {} };
  assert.deepEqual(await state.patch(change), rejected('invalid', 422));
});

test('a workload is patched by one JSON patch, under our field manager', async () => {
  const script = scripted(ok({ metadata: { name: 'web', resourceVersion: '8' } }));
  const result = await new WorkloadWriter(script.send).roll(PLAN);
  assert.deepEqual(result, { kind: 'accepted', object: { metadata: { name: 'web', resourceVersion: '8' } } });
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, `PATCH ${WEB_PATH}?fieldManager=kubernetes-reloader`);
  assert.equal(request?.headers?.['content-type'], 'application/json-patch+json');
  assert.deepEqual(JSON.parse(request?.body ?? ''), OPERATIONS);
  assert.match(request?.body ?? '', /x\\u003cy\\u0026z/, 'a test compares the text that Go would write');
});

test('a workload is read without a cache; only a 404 means that it is gone', async () => {
  const script = scripted(ok({ metadata: { name: 'web' } }), refused(404), refused(500), new Error('x'));
  const writer = new WorkloadWriter(script.send);
  assert.deepEqual(await writer.get(WEB), { kind: 'found', object: { metadata: { name: 'web' } } });
  assert.deepEqual(await writer.get(WEB), { kind: 'absent' });
  assert.deepEqual(await writer.get(WEB), { kind: 'failed', code: 'unavailable', message: 'message of 500' });
  assert.deepEqual(await writer.get(WEB), { kind: 'failed', code: 'unanswered', message: 'x' });
  assert.equal(script.requests[0]?.path, WEB_PATH);
});

test('a kind that is not in the table is a bug that shows', async () => {
  const result = await new WorkloadWriter(scripted().send).get({ ...WEB, kind: 'Cron' });
  assert.deepEqual(result, { kind: 'failed', code: 'unanswered', message: 'no such workload kind: Cron' });
});

test('the state is found, absent, or not known', async () => {
  const unknown = [answered(404, 'page not found'), refused(403), refused(503), new Error('x'), ok({})];
  const script = scripted(ok(RAW_STATE), refused(404), ...unknown);
  const store = new KeptObject(script.send, STATE);
  assert.deepEqual(await store.read(), { kind: 'found', object: SNAPSHOT });
  assert.deepEqual(await store.read(), { kind: 'absent' });
  for (const answer of unknown) {
    const reading = await store.read();
    assert.equal(reading.kind, 'failed');
    assert.equal('isForbidden' in reading, answer === unknown[1]);
  }
  assert.equal(script.requests[0]?.path, STATE_PATH);
});

test('a state without data or annotations is an empty one', async () => {
  const script = scripted(ok({ metadata: { name: 's', uid: 'u', resourceVersion: '8' } }));
  const reading = await new KeptObject(script.send, STATE).read();
  assert.deepEqual(reading, {
    kind: 'found',
    object: { resourceVersion: '8', data: {}, annotations: {} },
  });
});

test('the state is created without data, by server-side apply, so that it takes nobody’s data away', async () => {
  const script = scripted(ok(RAW_STATE));
  const result = await new KeptObject(script.send, STATE).create();
  assert.deepEqual(result, { kind: 'accepted', object: SNAPSHOT });
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, `PATCH ${STATE_PATH}?fieldManager=kubernetes-reloader`);
  assert.equal(request?.headers?.['content-type'], 'application/apply-patch+yaml');
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'reloader-state',
      namespace: 'ns',
      labels: { 'app.kubernetes.io/managed-by': 'kubernetes-reloader' },
    },
  });
});

test('the state is patched by merge, fenced by its version', async () => {
  const script = scripted(ok(RAW_STATE));
  const change = { resourceVersion: '7', data: { k: 'd.1', old: null }, annotations: { v: '1' } };
  assert.deepEqual(await new KeptObject(script.send, STATE).patch(change), {
    kind: 'accepted',
    object: SNAPSHOT,
  });
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, `PATCH ${STATE_PATH}?fieldManager=kubernetes-reloader`);
  assert.equal(request?.headers?.['content-type'], 'application/merge-patch+json');
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    metadata: { resourceVersion: '7', annotations: { v: '1' } },
    data: { k: 'd.1', old: null },
  });
});
