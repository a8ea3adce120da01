/** What is said of an object that a workload names and that is not there, or not watched. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { deployment, vocabulary } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const MORE = 'example.com/configs';
const THEIRS = 'configmap.reloader.stakater.com/reload';
const THEIR_SECRET = 'secret.reloader.stakater.com/reload';
const HELM = 'helm.sh/release.v1';

interface Case {
  readonly annotations?: Record<string, string>;
  readonly template?: Record<string, string>;
  /** `Kind/name`. */
  readonly missing?: string;
  readonly leftOutType?: string;
  readonly isUnselected?: true;
  readonly selector?: string;
  readonly similar?: readonly string[];
  readonly told: string;
}

const GONE = 'does not exist: nothing is rolled for it';

const CASES: Record<string, Case> = {
  'alone in its annotation, where nothing is like it': {
    annotations: { [CONFIGMAP]: 'wbe' },
    told: `ConfigMap/wbe ${GONE}; create it, or remove ${CONFIGMAP}`,
  },
  'beside others, where nothing is like it': {
    annotations: { [CONFIGMAP]: 'api, wbe, db' },
    told: `ConfigMap/wbe ${GONE}; create it, or write ${CONFIGMAP}: "api, db"`,
  },
  'named twice': {
    annotations: { [CONFIGMAP]: 'api, wbe', [MORE]: 'wbe' },
    told: `ConfigMap/wbe ${GONE}; create it, or write ${CONFIGMAP}: "api" and remove ${MORE}`,
  },
  'beside one of almost the same name': {
    annotations: { [CONFIGMAP]: 'api, wbe', [SECRET]: 'web' },
    similar: ['ConfigMap/web'],
    told: `ConfigMap/wbe ${GONE}; if it is ConfigMap/web, write ${CONFIGMAP}: "api, web"`,
  },
  'like one that is followed already': {
    annotations: { [CONFIGMAP]: 'web, wbe' },
    similar: ['ConfigMap/web'],
    told: `ConfigMap/wbe ${GONE}; create it, or write ${CONFIGMAP}: "web"`,
  },
  'that is there as another kind': {
    annotations: { [CONFIGMAP]: 'tls, web' },
    missing: 'ConfigMap/tls',
    similar: ['Secret/tls', 'ConfigMap/tlx'],
    told: `ConfigMap/tls ${GONE}; if it is Secret/tls, write ${SECRET}: "tls" and write ${CONFIGMAP}: "web"`,
  },
  'that is there as another kind, alone': {
    annotations: { [SECRET]: 'web', [CONFIGMAP]: 'api' },
    missing: 'Secret/web',
    similar: ['ConfigMap/web'],
    told: `Secret/web ${GONE}; if it is ConfigMap/web, write ${CONFIGMAP}: "api, web" and remove ${SECRET}`,
  },
  'among the expressions of Stakater Reloader': {
    annotations: { [THEIRS]: 'wbe, web-.*' },
    told: `ConfigMap/wbe ${GONE}; create it, or write ${THEIRS}: "web-.*"`,
  },
  'among them, beside one of almost the same name': {
    annotations: { [THEIRS]: 'wbe' },
    similar: ['ConfigMap/web'],
    told: `ConfigMap/wbe ${GONE}; if it is ConfigMap/web, write ${THEIRS}: "web"`,
  },
  'among them, that is there as another kind': {
    annotations: { [THEIRS]: 'wbe', [CONFIGMAP]: 'api' },
    similar: ['Secret/wbe'],
    told: `ConfigMap/wbe ${GONE}; if it is Secret/wbe, write ${THEIR_SECRET}: "wbe" and remove ${THEIRS}`,
  },
  'among them, on the pod template': {
    template: { [THEIRS]: 'wbe, api' },
    told: `ConfigMap/wbe ${GONE}; create it, or write ${THEIRS}: "api"`,
  },
  'named in both vocabularies': {
    annotations: { [CONFIGMAP]: 'wbe', [THEIRS]: 'wbe' },
    told: `ConfigMap/wbe ${GONE}; create it, or remove ${CONFIGMAP} and remove ${THEIRS}`,
  },
  'that is there without the labels that are watched': {
    annotations: { [CONFIGMAP]: 'api, wbe' },
    isUnselected: true,
    selector: 'team=a',
    told: `ConfigMap/wbe does not have the labels that are watched (team=a): nothing is rolled for it; label it, or write ${CONFIGMAP}: "api"`,
  },
  'that would not be heard of without the labels that are watched': {
    annotations: { [CONFIGMAP]: 'wbe' },
    selector: 'team=a',
    told: `ConfigMap/wbe does not exist, at least not with the labels that are watched (team=a): nothing is rolled for it; create it, or remove ${CONFIGMAP}`,
  },
  'that is of a type that is not watched': {
    annotations: { [SECRET]: 'release, tls' },
    missing: 'Secret/release',
    leftOutType: HELM,
    similar: ['Secret/releases'],
    told: `Secret/release is of the type ${HELM}, which is not watched: nothing is rolled for it; write ${SECRET}: "tls"`,
  },
};

function refOf(text: string): ConfigRef {
  const [kind, name = ''] = text.split('/');
  return { kind: kind === 'Secret' ? 'Secret' : 'ConfigMap', namespace: 'ns', name };
}

const DIALECT = vocabulary({ alternativeAnnotations: { ConfigMap: [MORE], Secret: [] } });

for (const [
  sentence,
  {
    annotations = {},
    template = {},
    missing = 'ConfigMap/wbe',
    leftOutType,
    isUnselected = false,
    selector,
    similar = [],
    told,
  },
] of Object.entries(CASES)) {
  test(`an object ${sentence}`, () => {
    const ref = refOf(missing);
    const missingObject = { ref, leftOutType, isUnselected, selector, similar: similar.map(refOf) };
    const workload = deployment(DIALECT, annotations, { metadata: { annotations: template } });
    const reason = isUnselected
      ? 'unselected-object'
      : leftOutType === undefined
        ? 'missing'
        : 'secret-not-watched';
    assert.deepEqual(DIALECT.findingsOfMissingObjects([missingObject], workload), [
      { reason, about: missing, message: told },
    ]);
  });
}

test('nothing is said of an object that is only referred to, or only matched by an expression', () => {
  const template = { spec: { containers: [{ name: 'main', envFrom: [{ configMapRef: { name: 'wbe' } }] }] } };
  const annotations = { 'reloader.stakater.com/auto': 'true', [THEIRS]: 'wb.' };
  const nothing = { leftOutType: undefined, isUnselected: false, selector: undefined, similar: [] };
  const missingObject = { ref: refOf('ConfigMap/wbe'), ...nothing };
  assert.deepEqual(
    DIALECT.findingsOfMissingObjects([missingObject], deployment(DIALECT, annotations, template)),
    [],
  );
});

const NOT_THERE = { leftOutType: undefined, isUnselected: false, selector: undefined, similar: [] } as const;

test('one finding names several missing objects, and another one those of another sort', () => {
  const annotations = { [CONFIGMAP]: 'api, wbe, dbx', [SECRET]: 'release, chart, tls' };
  const missingObjects = [
    { ...NOT_THERE, ref: refOf('ConfigMap/wbe'), similar: [refOf('ConfigMap/web')] },
    { ...NOT_THERE, ref: refOf('ConfigMap/dbx') },
    { ...NOT_THERE, ref: refOf('Secret/release'), leftOutType: HELM },
    { ...NOT_THERE, ref: refOf('Secret/chart'), leftOutType: HELM },
    { ...NOT_THERE, ref: refOf('ConfigMap/api'), isState: true },
  ];
  const about = 'ConfigMap/wbe, ConfigMap/dbx';
  const secrets = 'Secret/release, Secret/chart';
  assert.deepEqual(DIALECT.findingsOfMissingObjects(missingObjects, deployment(DIALECT, annotations)), [
    {
      reason: 'missing',
      about,
      covers: about.split(', '),
      message:
        'ConfigMap/wbe (is it ConfigMap/web?), ConfigMap/dbx do not exist: nothing is rolled for them; create them, or take them out of the annotation',
    },
    {
      reason: 'secret-not-watched',
      about: secrets,
      covers: secrets.split(', '),
      message: `${secrets} are of types that are not watched: nothing is rolled for them; take them out of the annotation`,
    },
    {
      reason: 'state-named',
      about: 'ConfigMap/api',
      message: `a reloader keeps its state in ConfigMap/api: nothing is rolled for it; write ${CONFIGMAP}: "wbe, dbx"`,
    },
  ]);
});

test('the findings stay short for any number of missing objects and any length of the list', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `name-that-is-not-there-${index}`);
  const workload = deployment(DIALECT, { [CONFIGMAP]: names.join() });
  const missingObjects = names.map((name) => ({ ...NOT_THERE, ref: refOf(`ConfigMap/${name}`) }));
  const [all] = DIALECT.findingsOfMissingObjects(missingObjects, workload);
  assert.match(all?.message ?? '', /-0, .*-9 and 990 more do not exist/);
  const [one] = DIALECT.findingsOfMissingObjects(missingObjects.slice(0, 1), workload);
  assert.match(one?.message ?? '', /; create it, or take name-that-is-not-there-0 out of .*\/configmap$/);
  const similar = [refOf('ConfigMap/web')];
  const [meant] = DIALECT.findingsOfMissingObjects(
    missingObjects.slice(0, 1).map((missingObject) => ({ ...missingObject, similar })),
    workload,
  );
  assert.match(meant?.message ?? '', /; if it is ConfigMap\/web, write web in .*\/configmap$/);
  for (const { message } of [all, one, meant].filter((finding) => finding !== undefined))
    assert.ok(message.length < 1_000);
});
