/** How the writer patches the pod template of a kind that takes no strategic merge patch. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { answered, ok, refused, scripted } from './scripted-send.ts';

const WEB = { kind: 'Rollout', namespace: 'ns', name: 'web' };
const PATH = '/apis/argoproj.io/v1alpha1/namespaces/ns/rollouts/web';
const LIVE = {
  metadata: { name: 'web', resourceVersion: '7' },
  spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: '1' }] }] } } },
};
const STAMP = { name: 'STAMP', value: 'b.2' };
const IN_VARIABLES: RolloutPlan = {
  workload: WEB,
  body: {},
  stamps: [],
  versions: new Map(),
  resourceVersion: '7',
  template: { spec: { containers: [{ name: 'main', env: [STAMP] }] } },
};
const IN_ANNOTATIONS: RolloutPlan = {
  ...IN_VARIABLES,
  body: { metadata: { resourceVersion: '7' }, spec: { template: { metadata: { annotations: { a: 'b' } } } } },
  template: { metadata: { annotations: { a: 'b' } } },
};

test('annotations are one merge patch', async () => {
  const script = scripted(ok(LIVE));
  assert.equal((await new WorkloadWriter(script.send).roll(IN_ANNOTATIONS)).kind, 'accepted');
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, `PATCH ${PATH}?fieldManager=kubernetes-reloader`);
  assert.equal(request?.headers?.['content-type'], 'application/merge-patch+json');
  assert.deepEqual(JSON.parse(request?.body ?? ''), IN_ANNOTATIONS.body);
});

test('variables are a JSON patch of what was just read, which any other version refuses', async () => {
  const script = scripted(ok(LIVE), ok(LIVE));
  assert.equal((await new WorkloadWriter(script.send).roll(IN_VARIABLES)).kind, 'accepted');
  const [read, write] = script.requests;
  assert.equal(`${read?.method} ${read?.path}`, `GET ${PATH}`);
  assert.equal(write?.headers?.['content-type'], 'application/json-patch+json');
  assert.deepEqual(JSON.parse(write?.body ?? ''), [
    { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    { op: 'add', path: '/spec/template/spec/containers/0/env/0', value: STAMP },
  ]);
});

test('of another version than that of the plan nothing is patched', async () => {
  const script = scripted(ok({ ...LIVE, metadata: { name: 'web', resourceVersion: '8' } }));
  assert.deepEqual(await new WorkloadWriter(script.send).roll(IN_VARIABLES), { kind: 'conflict' });
  assert.equal(script.requests.length, 1);
});

test('what cannot be read is not patched, and is tried again later', async () => {
  const gone = scripted(refused(404));
  assert.deepEqual(await new WorkloadWriter(gone.send).roll(IN_VARIABLES), { kind: 'gone' });
  for (const answer of [refused(503), refused(403), answered(200, '{'), new Error('cut')]) {
    const script = scripted(answer);
    assert.equal((await new WorkloadWriter(script.send).roll(IN_VARIABLES)).kind, 'throttled');
    assert.equal(script.requests.length, 1);
  }
});
