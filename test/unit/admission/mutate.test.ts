import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Case, testCases } from './cases.ts';
import * as papers from './papers.ts';
import {
  A,
  B,
  C,
  deployment,
  envOf,
  knowing,
  LAST,
  request,
  STAMPS,
  stored,
  variable,
  WEB,
} from './papers.ts';

const X = variable('X', '1');
const Y = variable('Y', '2');
const web = (value: string) => variable(WEB, value);
/** B is current. */
const SETTLED = knowing({ web: B });
/** The same, with stamps in annotations, and the text of one. */
const IN_ANNOTATIONS = knowing({ web: B }, { flags: { strategy: 'annotations' } });
const TOLD = JSON.stringify({
  type: 'CONFIGMAP',
  name: 'web',
  namespace: 'ns',
  hash: B,
  containerRefs: ['main'],
  observedAt: 7,
  stamps: { 'ConfigMap/web': `${B}.2` },
});
const stampsOf = (web: string, api: string): string =>
  JSON.stringify({ stamps: { 'ConfigMap/web': web, 'ConfigMap/api': api } });
/** C is current. */
const OPEN = knowing({ web: C });

const UPDATES: Record<string, Case> = {
  'an update that lacks nothing but the stamp becomes the live template, so that no pod starts anew': {
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [X] }),
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`), X] }),
  },
  'so does that of a kind that a cluster may lack': {
    known: knowing({ web: B }, { isServed: (kind) => kind === 'Rollout' }),
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [X] }),
    facts: { kind: 'Rollout' },
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`), X] }),
  },
  'the stamp comes back to the very place where it was': {
    live: deployment({ env: [X, web(`${B}.2`), Y] }),
    update: deployment({ env: [X, Y] }),
    result: 'kept',
    becomes: deployment({ env: [X, web(`${B}.2`), Y] }),
  },
  'it comes back where the update has no variables at all': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment(),
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`)] }),
  },
  'a stamp of a former content comes back as it was, for the same pods': {
    known: OPEN,
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [X] }),
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`), X] }),
  },
  'an older stamp, of an exported manifest, is replaced by the live one': {
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [web(`${A}.1`), X] }),
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`), X] }),
  },
  'a bare digest is older than any stamp': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [web(A)] }),
    result: 'kept',
    becomes: deployment({ env: [web(`${B}.2`)] }),
  },
  'a stamp with an equal id stays': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [web(`${A}.2`)] }),
    result: 'complete',
  },
  'a stamp with a higher id stays': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [web(`${A}.9`)] }),
    result: 'complete',
  },
  'a higher id under another name of the object counts too': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [variable(papers.STAKATER_WEB, `${A}.9`)] }),
    result: 'complete',
  },
  'an update that has the stamp goes through as it is': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [web(`${B}.2`)], image: 'app:2' }),
    result: 'complete',
  },
  'an update of a template that was never stamped goes through as it is': {
    live: deployment({ env: [X] }),
    update: deployment({ env: [X], image: 'app:2' }),
    result: 'complete',
  },
  'a new template gets a stamp of the current content, with the id of the one that it replaces': {
    known: OPEN,
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [X], image: 'app:2' }),
    result: 'renewed',
    becomes: deployment({ env: [web(`${C}.2`), X], image: 'app:2' }),
  },
  'where the content is the same that is the stamp that it had': {
    live: deployment({ env: [web(`${B}.2`), X] }),
    update: deployment({ env: [X], image: 'app:2' }),
    result: 'renewed',
    becomes: deployment({ env: [web(`${B}.2`), X], image: 'app:2' }),
  },
  'a new template with an older stamp gets a new one': {
    known: OPEN,
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ env: [web(`${A}.1`)], image: 'app:2' }),
    result: 'renewed',
    becomes: deployment({ env: [web(`${C}.2`)], image: 'app:2' }),
  },
  'a new template gets no stamp of an object that is not there': {
    known: knowing({}),
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ image: 'app:2' }),
    result: 'complete',
  },
  'a stamp of an object that is followed no more does not come back': {
    live: deployment({ env: [web(`${B}.2`), variable('_RELOADER_CONFIGMAP_OLD', `${A}.1`)] }),
    update: deployment({ env: [web(`${B}.2`)] }),
    result: 'complete',
  },
  'nor does any on a workload that follows nothing any more': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment({ follows: '' }),
    result: 'unclaimed',
  },
  'a client without a field manager that is not kubectl is an external writer like any other': {
    live: deployment({ env: [web(`${B}.2`)] }),
    update: managed(deployment(), 'argocd-controller'),
    facts: { fieldManager: undefined },
    result: 'kept',
    becomes: managed(deployment({ env: [web(`${B}.2`)] }), 'argocd-controller'),
  },
  'the annotation with the stamps comes back to the letter': {
    live: deployment({ templateAnnotations: { [STAMPS]: `{ "ConfigMap/web": "${B}.2" }`, [LAST]: '{}' } }),
    update: deployment(),
    result: 'kept',
    becomes: deployment({ templateAnnotations: { [STAMPS]: `{ "ConfigMap/web": "${B}.2" }`, [LAST]: '{}' } }),
  },
  'so does the one that tells of the source, beside which nothing is written': {
    live: deployment({ templateAnnotations: { [LAST]: `{ "stamps": { "ConfigMap/web": "${B}.2" } }` } }),
    update: deployment({ templateAnnotations: { [LAST]: `{"stamps":{"ConfigMap/web":"${A}.1"}}` } }),
    result: 'kept',
    becomes: deployment({ templateAnnotations: { [LAST]: `{ "stamps": { "ConfigMap/web": "${B}.2" } }` } }),
  },
  'one with a newer stamp of another object has new pods, and loses none': {
    known: knowing({ web: B, api: C }, { flags: { strategy: 'annotations' } }),
    live: deployment({ follows: 'web, api', templateAnnotations: { [LAST]: stampsOf(`${B}.2`, `${A}.1`) } }),
    update: deployment({
      follows: 'web, api',
      templateAnnotations: { [LAST]: stampsOf(`${A}.1`, `${C}.9`) },
    }),
    result: 'renewed',
    becomes: deployment({
      follows: 'web, api',
      templateAnnotations: {
        [LAST]: JSON.stringify({
          ...JSON.parse(TOLD),
          stamps: { 'ConfigMap/api': `${C}.9`, 'ConfigMap/web': `${B}.2` },
        }),
      },
    }),
  },
  'one that another writer made has new pods, and is written anew': {
    known: IN_ANNOTATIONS,
    live: deployment({ templateAnnotations: { [LAST]: `{"stamps":{"ConfigMap/web":"${B}.2"}}` } }),
    update: deployment({
      templateAnnotations: { [LAST]: `{"name":"x","stamps":{"ConfigMap/web":"${A}.1"}}`, own: 'a' },
    }),
    result: 'renewed',
    becomes: deployment({
      templateAnnotations: { [LAST]: TOLD, own: 'a' },
    }),
  },
  'an older annotation with stamps is brought up to date beside those of the external writer': {
    live: deployment({ templateAnnotations: { [STAMPS]: `{"ConfigMap/web":"${B}.2"}`, own: 'a' } }),
    update: deployment({ templateAnnotations: { [STAMPS]: `{"ConfigMap/web":"${A}.1"}`, own: 'a' } }),
    result: 'kept',
    becomes: deployment({ templateAnnotations: { [STAMPS]: `{"ConfigMap/web":"${B}.2"}`, own: 'a' } }),
  },
  'of several objects only those that lack their stamps get them': {
    known: knowing({ web: B, api: C }),
    live: deployment({
      follows: 'web, api',
      env: [web(`${B}.2`), variable('_RELOADER_CONFIGMAP_API', `${C}.7`)],
    }),
    update: deployment({ follows: 'web, api', env: [web(`${B}.2`)], image: 'app:2' }),
    result: 'renewed',
    becomes: deployment({
      follows: 'web, api',
      env: [web(`${B}.2`), variable('_RELOADER_CONFIGMAP_API', `${C}.7`)],
      image: 'app:2',
    }),
  },
};

const CREATIONS: Record<string, Case> = {
  'a new workload has the current digest, and an id that no rollout has': {
    update: deployment({ env: [X] }),
    result: 'stamped',
    becomes: deployment({ env: [web(`${B}.1`), X] }),
  },
  'where it has no variables it gets the list too': {
    update: deployment(),
    result: 'stamped',
    becomes: deployment({ env: [web(`${B}.1`)] }),
  },
  'with annotations it is stamped in the one that tells of the source': {
    known: IN_ANNOTATIONS,
    update: deployment({ templateAnnotations: { own: 'a' } }),
    result: 'stamped',
    becomes: deployment({ templateAnnotations: { own: 'a', [LAST]: TOLD.replace(`${B}.2`, `${B}.1`) } }),
  },
  'a copied stamp of the current content stays': {
    update: deployment({ env: [web(`${B}.7`)] }),
    result: 'complete',
  },
  'another one is brought up to date': {
    update: deployment({ env: [X, web(`${A}.7`)] }),
    result: 'stamped',
    becomes: deployment({ env: [X, web(`${B}.7`)] }),
  },
  'one that follows what is not there gets nothing': {
    known: knowing({}),
    update: deployment(),
    result: 'complete',
  },
  'one that follows nothing gets nothing': { update: deployment({ follows: '' }), result: 'unclaimed' },
};

/** The same with its last field manager. */
function managed(raw: RawWorkload, manager: string): RawWorkload {
  const managedFields = [
    { manager: 'helm', time: '2026-01-01T00:00:00Z' },
    { manager, time: '2026-01-01T00:00:01Z' },
    { manager: 'kube-controller-manager', time: '2026-01-01T00:00:02Z', subresource: 'status' },
  ];
  return { ...raw, metadata: { ...raw.metadata, managedFields } };
}

const PASSED: Record<string, Case> = {
  'our own write': { update: deployment(), facts: { fieldManager: 'kubernetes-reloader' }, result: 'own' },
  'a Rollout that refers to the pod template of a Deployment': {
    known: knowing({ web: B }, { isServed: () => true }),
    update: {
      ...deployment({ annotations: { 'reloader.k8s.collaborne.com/reload-strategy': 'annotations' } }),
      spec: {},
    },
    facts: { kind: 'Rollout' },
    result: 'unclaimed',
  },
  'a kind that is not stamped': { update: deployment(), facts: { kind: 'ReplicaSet' }, result: 'unclaimed' },
  'a write before the workloads of the namespace are listed': {
    known: knowing({ web: B }, { isListed: (_, kind) => kind !== 'Deployment' }),
    update: deployment(),
    result: 'unknown',
  },
  'a write before the objects that it follows are listed': {
    known: knowing({ web: B }, { isListed: (_, kind) => kind !== 'ConfigMap' }),
    live: deployment({ env: [web(`${B}.2`)] }),
    update: deployment(),
    result: 'unknown',
  },
};

describe('an update', () => testCases(UPDATES, SETTLED));
describe('a new workload', () => testCases(CREATIONS, SETTLED));
describe('these go through as they are:', () => testCases(PASSED, SETTLED));

test('a container that was renamed leaves its stamp to the first one', () => {
  const renamed = deployment({ env: [X] });
  const live = deployment({ env: [X, web(`${B}.2`)] });
  const [container] = live.spec?.template?.spec?.containers ?? [];
  const before = {
    ...live,
    spec: { template: { spec: { containers: [{ ...container, name: 'other' }] } } },
  };
  const { result, object } = stored(SETTLED, request(renamed, before));
  assert.deepEqual([result, envOf(object)], ['renewed', [web(`${B}.2`), X]]);
});

test('a new object without a name or a namespace of its own is stamped', () => {
  const { metadata, ...rest } = deployment();
  const { name, namespace, ...unnamed } = metadata;
  const object = { metadata: { ...unnamed, generateName: 'web-' }, ...rest } as unknown as RawWorkload;
  assert.equal(stored(SETTLED, request(object)).result, 'stamped');
});
