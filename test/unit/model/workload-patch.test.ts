/** The one form of patch: its tests by what was read, its changes against the template that is meant, and what it refuses. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RawPodTemplate, RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type PlannedStamp, planOf, type RolloutDraft } from '../../../lib/model/rollout-plan.ts';
import { merged } from '../../../lib/model/template-patch.ts';
import { ANNOTATIONS, type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { pauseEnd } from '../../../lib/model/workload-patch.ts';
import { fc } from '../../laws.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../../sandbox/json.ts';
import { jsonPatch } from '../../sandbox/json-patch.ts';
import { StatusError } from '../../sandbox/status-error.ts';
import { vocabulary } from '../annotations/defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const VARIABLE = '_RELOADER_CONFIGMAP_CFG';
const OTHER_VARIABLE = 'STAKATER_CFG_CONFIGMAP';
const OLD = `${'a'.repeat(40)}.1`;
const NEW = `${'b'.repeat(40)}.2`;
const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';

const stampIn = (container: string | undefined): PlannedStamp => ({
  config: 'ns/ConfigMap/cfg',
  stamp: { digest: 'b'.repeat(40), id: 2 },
  places: [{ variable: container === ANNOTATIONS ? 'ConfigMap/cfg' : VARIABLE, container }],
  variables: [VARIABLE, OTHER_VARIABLE, 'ConfigMap/cfg'],
});

interface Told {
  readonly kind?: string;
  readonly template?: RawPodTemplate;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly generation?: number | undefined;
  readonly paused?: boolean;
}

const TEMPLATE: RawPodTemplate = { metadata: {}, spec: { containers: [{ name: 'side' }, { name: 'main' }] } };

function rawOf({ kind = 'Deployment', template = TEMPLATE, annotations, generation = 4, paused }: Told) {
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  const raw: RawWorkload = {
    metadata: { name: 'web', namespace: 'ns', uid: 'u', generation, ...(annotations && { annotations }) },
    spec: { ...spec, ...(paused === undefined ? {} : { paused }) },
  };
  return raw;
}

const viewOf = (told: Told): Workload =>
  workloadOf(workloadKindOf(told.kind ?? 'Deployment'), rawOf(told), vocabulary());

function operationsOf(told: Told, draft: Partial<RolloutDraft> = {}) {
  return planOf(viewOf(told), { stamps: [stampIn('main')], versions: new Map(), ...draft }).operations;
}

/** The object after the patch. */
function after(told: Told, draft: Partial<RolloutDraft>, raw = rawOf(told)): JsonObject {
  return jsonPatch(raw as unknown as JsonObject, operationsOf(told, draft) as Json);
}

const test_ = (path: string, value: unknown): object => ({ op: 'test', path, value });
const gates = (values: Readonly<Record<string, string>> = {}): readonly object[] =>
  ['hold', 'approval', 'approved', 'notify-only'].map((key) =>
    test_(`/metadata/annotations/${PREFIX}~1${key}`, values[key] ?? null),
  );
const UID = test_('/metadata/uid', 'u');
const NO_ANNOTATIONS = test_('/metadata/annotations', null);
const MAIN = '/spec/template/spec/containers/1';
const CREATES = [test_(`${MAIN}/name`, 'main'), test_(`${MAIN}/env`, null)];
const FRESH = { name: VARIABLE, value: NEW };

const CASES: Record<string, { told: Told; draft?: Partial<RolloutDraft>; operations: readonly object[] }> = {
  'tests the generation, and creates the list of variables': {
    told: {},
    operations: [
      test_('/metadata/generation', 4),
      ...CREATES,
      UID,
      NO_ANNOTATIONS,
      { op: 'add', path: `${MAIN}/env`, value: [FRESH] },
    ],
  },
  'tests what a person may have decided as it was read': {
    told: { annotations: { [`${PREFIX}/approval`]: 'required', [`${PREFIX}/approved`]: '', x: 'y' } },
    draft: { triggers: [`${PREFIX}/approved`, `${PREFIX}/gone`] },
    operations: [
      test_('/metadata/generation', 4),
      ...CREATES,
      UID,
      ...gates({ approval: 'required', approved: '' }),
      { op: 'remove', path: `/metadata/annotations/${PREFIX}~1approved` },
      { op: 'add', path: `${MAIN}/env`, value: [FRESH] },
    ],
  },
  'begins a pause': {
    told: { annotations: {} },
    draft: { pause: { paused: true, annotations: { [PAUSED_AT]: 'noon' } } },
    operations: [
      test_('/metadata/generation', 4),
      ...CREATES,
      UID,
      ...gates(),
      { op: 'add', path: `/metadata/annotations/${PAUSED_AT.replace('/', '~1')}`, value: 'noon' },
      { op: 'add', path: '/spec/paused', value: true },
      { op: 'add', path: `${MAIN}/env`, value: [FRESH] },
    ],
  },
  'beside a busy writer tests the names of what it touches': {
    told: {
      annotations: {},
      template: {
        metadata: {},
        spec: { containers: [{ name: 'side' }, { name: 'main', env: [{ name: 'A' }, { name: VARIABLE }] }] },
      },
    },
    draft: { testsTemplate: true, annotations: { 'a/b': 'c' } },
    operations: [
      test_('/spec/template/metadata/annotations', null),
      test_(`${MAIN}/name`, 'main'),
      test_(`${MAIN}/env/1/name`, VARIABLE),
      UID,
      ...gates(),
      { op: 'add', path: '/spec/template/metadata/annotations', value: { 'a/b': 'c' } },
      { op: 'replace', path: `${MAIN}/env/1`, value: FRESH },
    ],
  },
  'beside a busy writer, and where objects have no generation, tests that a list is missing': {
    told: { annotations: {}, generation: 0 },
    operations: [...CREATES, UID, ...gates(), { op: 'add', path: `${MAIN}/env`, value: [FRESH] }],
  },
  'of a CronJob goes into the template of its Jobs, whose metadata it may have to create': {
    told: { kind: 'CronJob', annotations: {}, template: { spec: { containers: [{ name: 'main' }] } } },
    draft: { stamps: [stampIn(ANNOTATIONS)] },
    operations: [
      test_('/metadata/generation', 4),
      test_('/spec/jobTemplate/spec/template/metadata', null),
      UID,
      ...gates(),
      { op: 'add', path: '/spec/jobTemplate/spec/template/metadata', value: {} },
      {
        op: 'add',
        path: '/spec/jobTemplate/spec/template/metadata/annotations',
        value: { [`${PREFIX}/stamps`]: `{"ConfigMap/cfg":"${NEW}"}` },
      },
    ],
  },
};

for (const [sentence, { told, draft = {}, operations }] of Object.entries(CASES)) {
  test(`the patch ${sentence}`, () => assert.deepEqual(operationsOf(told, draft), operations));
}

const variable = fc.constantFrom(
  { name: 'A', value: '1' },
  { name: 'B', value: '2' },
  { name: VARIABLE, value: OLD },
  { name: OTHER_VARIABLE, value: OLD },
);
const env = fc.option(fc.array(variable), { nil: undefined });
const annotations = fc.option(
  fc.dictionary(fc.constantFrom('plain', 'with/slash', 'with~tilde', `${PREFIX}/stamps`), fc.constant('{}')),
  { nil: undefined },
);
const metadata = fc.option(fc.record({ annotations }), { nil: undefined });
const template = fc.record({ metadata, containers: fc.tuple(env, env) }).map(
  ({ metadata: own, containers }): RawPodTemplate => ({
    ...(own && { metadata: own.annotations === undefined ? {} : { annotations: own.annotations } }),
    spec: {
      containers: ['side', 'main'].map((name, index) => {
        const list = containers[index];
        return { name, ...(list && { env: list }) };
      }),
    },
  }),
);
const stamp = fc.constantFrom(ANNOTATIONS, 'side', 'main', undefined).map(stampIn);

function variablesIn(object: Json, isOurs: boolean): readonly (readonly string[])[] {
  return objectsOf(pick(object, 'spec', 'containers')).map((container) =>
    objectsOf(container['env'])
      .filter(({ name }) => (name === VARIABLE || name === OTHER_VARIABLE) === isOurs)
      .map(({ name, value }) => `${String(name)}=${String(value)}`),
  );
}

test('law: it makes what is meant, and leaves every other variable where it is', () => {
  fc.assert(
    fc.property(template, annotations, stamp, fc.boolean(), (pods, own, each, testsTemplate) => {
      const told = { template: pods, annotations: own };
      const draft = { stamps: [each], testsTemplate };
      const patched = pick(after(told, draft), 'spec', 'template') ?? {};
      const before = pods as unknown as JsonObject;
      assert.deepEqual(variablesIn(patched, false), variablesIn(before, false));
      const plan = planOf(viewOf(told), { versions: new Map(), ...draft });
      const wanted = merged(pods, plan.template) as unknown as JsonObject;
      assert.deepEqual(
        pick(patched, 'metadata', 'annotations') ?? {},
        pick(wanted, 'metadata', 'annotations') ?? {},
      );
      const isDouble = variablesIn(before, true).some((all) => new Set(all).size < all.length);
      if (!isDouble) assert.deepEqual(variablesIn(patched, true), variablesIn(wanted, true));
      assert.ok(
        variablesIn(patched, true).every((all) => all.every((text) => text !== `${VARIABLE}=${OLD}`)),
      );
    }),
  );
});

describe('the patch is refused', () => {
  const env_ = [
    { name: 'A', value: '1' },
    { name: VARIABLE, value: OLD },
  ];
  const told: Told = {
    annotations: { x: 'y' },
    template: { metadata: {}, spec: { containers: [{ name: 'side' }, { name: 'main', env: env_ }] } },
  };
  const seen = objectOf(rawOf(told) as unknown as Json);
  const withTemplate = (containers: readonly object[]): JsonObject => ({
    ...seen,
    spec: { template: { metadata: {}, spec: { containers } } } as unknown as JsonObject,
  });
  const withMetadata = (more: JsonObject): JsonObject => ({
    ...seen,
    metadata: { ...objectOf(seen['metadata']), ...more },
  });
  const LATER: Record<string, { is: JsonObject; testsTemplate: boolean; isTaken?: boolean }> = {
    'for another generation': { is: withMetadata({ generation: 5 }), testsTemplate: false },
    'beside a busy writer for no other generation': {
      is: withMetadata({ generation: 5 }),
      testsTemplate: true,
      isTaken: true,
    },
    'for another object of the name': { is: withMetadata({ uid: 'v' }), testsTemplate: false },
    'for one that is held now': {
      is: withMetadata({ annotations: { x: 'y', [`${PREFIX}/hold`]: 'true' } }),
      testsTemplate: true,
    },
    'for one without annotations now': { is: withMetadata({ annotations: null }), testsTemplate: true },
    'for other containers': { is: withTemplate([{ name: 'main', env: env_ }]), testsTemplate: true },
    'for another order of containers': {
      is: withTemplate([{ name: 'main', env: env_ }, { name: 'side' }]),
      testsTemplate: true,
    },
    'for another order of variables': {
      is: withTemplate([{ name: 'side' }, { name: 'main', env: env_.toReversed() }]),
      testsTemplate: true,
    },
  };
  for (const [sentence, { is, testsTemplate, isTaken = false }] of Object.entries(LATER)) {
    test(sentence, () => {
      const patch = (): JsonObject => jsonPatch(is, operationsOf(told, { testsTemplate }) as Json);
      if (isTaken) patch();
      else assert.throws(patch, StatusError);
    });
  }
});

test('the end of a pause depends on what it removes alone, and removes only what is there', () => {
  const told = { annotations: { [PAUSED_AT]: 'noon' }, paused: true };
  const path = `/metadata/annotations/${PAUSED_AT.replace('/', '~1')}`;
  const change = { annotations: { [PAUSED_AT]: null, gone: null }, paused: null };
  assert.deepEqual(pauseEnd(viewOf(told), change), [
    UID,
    test_(path, 'noon'),
    test_('/metadata/annotations/gone', null),
    { op: 'remove', path },
    { op: 'remove', path: '/spec/paused' },
  ]);
});
