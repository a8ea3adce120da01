/** A Rollout and the object that has its template are read as one, and the patch goes to that object. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete } from '../../../lib/kubernetes/workloads/referenced-template.ts';
import { WorkloadWriter } from '../../../lib/kubernetes/workloads/workload-writer.ts';
import { RESTARTS } from '../../../lib/model/kinds/argo-rollout.ts';
import type { RollResult } from '../../../lib/model/outcome.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { planOf, type RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import type { Operation } from '../../../lib/model/template-patch.ts';
import { ANNOTATIONS, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { type Answer, answered, ok, refused, type Script, scripted } from './scripted-send.ts';

const ROLLOUT = '/apis/argoproj.io/v1alpha1/namespaces/ns/rollouts/web';
const TEMPLATE = { spec: { containers: [{ name: 'main' }] } };
const KINDS: Readonly<Record<string, readonly [apiVersion: string, path: string, object: object]>> = {
  Deployment: ['apps/v1', '/apis/apps/v1/namespaces/ns/deployments/app', { spec: { template: TEMPLATE } }],
  ReplicaSet: ['apps/v1', '/apis/apps/v1/namespaces/ns/replicasets/app', { spec: { template: TEMPLATE } }],
  PodTemplate: ['v1', '/api/v1/namespaces/ns/podtemplates/app', { template: TEMPLATE }],
};

function rolloutOf(workloadRef: object): RawWorkload {
  const metadata = { name: 'web', namespace: 'ns', resourceVersion: '7', generation: 2 };
  return {
    metadata: { ...metadata, annotations: { both: 'of the Rollout', own: '1' } },
    spec: { workloadRef },
  };
}

function ownerOf(kind: string, stamp?: string): object {
  const [, , object] = KINDS[kind] ?? assert.fail();
  const metadata = {
    name: 'app',
    resourceVersion: '40',
    generation: 3,
    annotations: { both: 'x', theirs: '1' },
  };
  const template = {
    ...TEMPLATE,
    metadata: { annotations: { 'reloader.k8s.collaborne.com/stamps': stamp } },
  };
  if (stamp === undefined) return { metadata, ...object };
  return { metadata, ...('template' in object ? { template } : { spec: { template } }) };
}

function refTo(kind: string): { readonly apiVersion: string; readonly kind: string; readonly name: string } {
  return { apiVersion: KINDS[kind]?.[0] ?? '', kind, name: 'app' };
}

function pathsOf({ requests }: Script): readonly string[] {
  return requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
}

for (const [kind, [, path]] of Object.entries(KINDS)) {
  test(`a Rollout has the template of its ${kind}, the annotations of both, and a generation for each change`, async () => {
    const script = scripted(ok(ownerOf(kind)));
    const raw = await complete(script.send, rolloutOf(refTo(kind)));
    assert.deepEqual(pathsOf(script), [`GET ${path}`]);
    assert.deepEqual(raw.spec?.template, TEMPLATE);
    assert.deepEqual(raw.metadata.annotations, { both: 'of the Rollout', own: '1', theirs: '1' });
    assert.deepEqual([raw.metadata.generation, raw.metadata.resourceVersion], [5, '7']);
    const annotations = { both: 'x', theirs: '1' };
    const ownAnnotations = { both: 'of the Rollout', own: '1' };
    const referenced = {
      kind,
      name: 'app',
      generation: 3,
      resourceVersion: '40',
      annotations,
      ownAnnotations,
    };
    assert.deepEqual(raw.referenced, referenced);
  });
}

test('a Rollout with a template of its own is not completed, and nothing is asked', async () => {
  const script = scripted();
  const raw: RawWorkload = { metadata: { name: 'web', namespace: 'ns' }, spec: { template: TEMPLATE } };
  assert.equal(await complete(script.send, raw), raw);
  assert.equal(script.requests.length, 0);
});

const WITHOUT: Record<string, readonly [ref: object, RegExp, ...answers: Answer[]]> = {
  'does not exist': [refTo('Deployment'), /^there is no Deployment app,/, refused(404)],
  'may not be read': [refTo('PodTemplate'), /^the right to get podtemplates,/, refused(403)],
  'is of another kind': [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'app' }, /names no Deployment/],
  'has no name': [{ apiVersion: 'apps/v1', kind: 'Deployment' }, /names no Deployment/],
  'has the name of a path': [{ ...refTo('Deployment'), name: '../x' }, /names no Deployment/],
};

for (const [sentence, [ref, problem, ...answers]] of Object.entries(WITHOUT)) {
  test(`a Rollout has no template if the object ${sentence}, and tells why`, async () => {
    const script = scripted(...answers);
    const raw = await complete(script.send, rolloutOf(ref));
    assert.equal(raw.spec?.template, undefined);
    assert.match(raw.referenced?.problem ?? '', problem);
    assert.equal(script.left(), 0);
    assert.equal(script.requests.length, answers.length);
  });
}

for (const answer of [
  refused(503),
  refused(429),
  answered(200, '{'),
  answered(404, 'of a proxy'),
  new Error('cut'),
]) {
  test('what is not known to be missing is no missing template', async () => {
    await assert.rejects(complete(scripted(answer).send, rolloutOf(refTo('Deployment'))), {
      name: 'ApiError',
    });
  });
}

async function planFor(kind: string, container = ANNOTATIONS): Promise<RolloutPlan> {
  const raw = await complete(scripted(ok(ownerOf(kind))).send, rolloutOf(refTo(kind)));
  const workload = workloadOf(workloadKindOf('Rollout'), raw, vocabulary({}));
  const variable = 'ConfigMap/cfg';
  const stamp = { digest: 'b'.repeat(40), id: 3 };
  const planned = {
    config: 'ns/ConfigMap/cfg',
    stamp,
    places: [{ variable, container }],
    variables: [variable],
  };
  return planOf(workload, { stamps: [planned], versions: new Map() });
}

const STAMPS = `{"ConfigMap/cfg":"${'b'.repeat(40)}.3"}`;

for (const [kind, [, path]] of Object.entries(KINDS)) {
  test(`the patch goes to the ${kind}, fenced by its generation, and the answer is of both`, async () => {
    const script = scripted(ok(ownerOf(kind, STAMPS)), ok(rolloutOf(refTo(kind))));
    const result = await new WorkloadWriter(script.send).roll(await planFor(kind));
    assert.deepEqual(pathsOf(script), [`PATCH ${path}`, `GET ${ROLLOUT}`]);
    const [{ headers = {}, body = '' } = assert.fail()] = script.requests;
    assert.match(headers['content-type'] ?? '', /json-patch/);
    const [fence, ...others] = JSON.parse(body) as readonly Operation[];
    assert.deepEqual(fence, { op: 'test', path: '/metadata/generation', value: 3 });
    const template = kind === 'PodTemplate' ? '/template' : '/spec/template';
    assert.deepEqual(others.slice(-2), [
      { op: 'add', path: `${template}/metadata`, value: {} },
      {
        op: 'add',
        path: `${template}/metadata/annotations`,
        value: { 'reloader.k8s.collaborne.com/stamps': STAMPS },
      },
    ]);
    assert.equal(others.length, 7, 'it tests no uid: that of the owner is not known');
    assert.ok(result.kind === 'accepted' && result.object !== undefined);
    const view = workloadOf(workloadKindOf('Rollout'), result.object, vocabulary({}));
    assert.deepEqual([view.ref.kind, view.resourceVersion, view.stamps.length], ['Rollout', '7', 2]);
  });
}

const ELSEWHERE = ok(rolloutOf({ ...refTo('Deployment'), name: 'other' }));
const PATCHED = ok(ownerOf('Deployment', STAMPS));
const RESULTS: Record<string, readonly [RollResult<never>['kind'], ...answers: Answer[]]> = {
  'that another client overtakes is a conflict': ['conflict', refused(409)],
  'of an object that is gone is one too: the Rollout may still exist': ['conflict', refused(404)],
  'that is not allowed is rejected': ['rejected', refused(403)],
  'without an answer may be in force': ['unanswered', new Error('cut')],
  'may be in force if the Rollout is not read': ['unanswered', PATCHED, new Error('cut')],
  'may be in force if the Rollout is read later': ['unanswered', PATCHED, refused(429)],
  'may be in force if the Rollout may not be read': ['unanswered', PATCHED, refused(403)],
  'of an object that is not referred to any more is a conflict': ['conflict', PATCHED, ELSEWHERE],
  'of a Rollout that is gone is none': ['gone', PATCHED, refused(404)],
};

for (const [sentence, [kind, ...answers]] of Object.entries(RESULTS)) {
  test(`a patch ${sentence}`, async () => {
    const script = scripted(...answers);
    assert.equal((await new WorkloadWriter(script.send).roll(await planFor('Deployment'))).kind, kind);
    assert.equal(script.left(), 0);
  });
}

test('a restart is a patch of the Rollout, and its answer has the template too', async () => {
  const raw = rolloutOf(refTo('Deployment'));
  const dated = answered(200, JSON.stringify(raw), { date: 'Thu, 01 Jan 2026 00:00:05 GMT' });
  const script = scripted(dated, ok(raw), ok(ownerOf('Deployment')));
  const result = await new WorkloadWriter(script.send).roll(await planFor('Deployment', RESTARTS));
  assert.deepEqual(pathsOf(script).slice(0, 2), [`GET ${ROLLOUT}`, `PATCH ${ROLLOUT}`]);
  const [fence] = JSON.parse(script.requests[1]?.body ?? '[]') as readonly Operation[];
  assert.deepEqual(fence, { op: 'test', path: '/metadata/generation', value: 2 }, 'its own generation');
  assert.ok(result.kind === 'accepted');
  assert.deepEqual(result.object?.spec?.template, TEMPLATE);
});
