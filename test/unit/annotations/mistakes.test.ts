/** What people get wrong in annotations, and what they are told. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Vocabularies, type VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { Finding } from '../../../lib/model/finding.ts';
import { customKind } from '../../../lib/model/kinds/custom-kind.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { addWorkloadKind, workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { PLAIN } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const CONFIGMAP = `${PREFIX}/configmap`;
const SECRET = `${PREFIX}/secret`;
const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const MORE: VocabularyOptions = {
  ...PLAIN,
  alternativeAnnotations: { ConfigMap: ['example.com/configs'], Secret: [] },
};

interface Case {
  readonly options?: VocabularyOptions;
  readonly own?: Record<string, string>;
  readonly template?: Record<string, string>;
  readonly labels?: Record<string, string>;
  /** Reason and message of each. */
  readonly told?: readonly (readonly [Finding['reason'], string])[];
}

const EVERY: VocabularyOptions = { ...PLAIN, dialects: VOCABULARY_NAMES };
const STAKATER = 'reloader.stakater.com';
const SAP = 'pod-reloader.cs.sap.com';
const WAVE = 'wave.pusher.com';

/** What is told of `key` on the pod template. */
function misplaced(key: string): readonly [Finding['reason'], string] {
  return [
    'misplaced',
    `${key} is on the pod template, where it has no effect; write it on the workload itself`,
  ];
}

const CASES: Record<string, Case> = {
  'what is right is not spoken of': { own: { [CONFIGMAP]: 'web, api', [SECRET]: 'tls', other: 'x' } },
  'items that cannot be names are named': {
    own: { [CONFIGMAP]: 'ok, a b ,-x-' },
    told: [
      [
        'malformed',
        `"a b", "-x-" of ${CONFIGMAP} cannot be the name of an object; list names, separated by commas`,
      ],
    ],
  },
  'a choice of strategy is named where there is none': {
    own: { 'reloader.stakater.com/rollout-strategy': 'restart' },
    told: [
      [
        'unserved',
        'reloader.stakater.com/rollout-strategy has no effect here: only a Rollout of Argo has a choice',
      ],
    ],
  },
  'where nothing can be made of it, it says what is expected': {
    own: { [SECRET]: '***' },
    told: [
      ['malformed', `"***" of ${SECRET} cannot be the name of an object; list names, separated by commas`],
    ],
  },
  'an item without end is cut': {
    own: { [SECRET]: `${'é'.repeat(70)}` },
    told: [
      [
        'malformed',
        `"${'é'.repeat(60)}" of ${SECRET} cannot be the name of an object; list names, separated by commas`,
      ],
    ],
  },
  'an annotation on the pod template belongs on the workload': {
    template: { [CONFIGMAP]: 'web,api', other: 'x' },
    told: [misplaced(CONFIGMAP)],
  },
  'on both it is right': { own: { [CONFIGMAP]: 'web' }, template: { [CONFIGMAP]: 'web' } },
  'on the template for Secrets and on the workload for ConfigMaps it is not': {
    own: { [CONFIGMAP]: 'web' },
    template: { [SECRET]: 'tls' },
    told: [misplaced(SECRET)],
  },
  'a mistyped key is mended': {
    own: { [CONFIGMAP]: 'web', [`${PREFIX}/configmaps`]: 'api, web' },
    told: [['mistyped', `the annotation ${PREFIX}/configmaps has no effect; write ${CONFIGMAP}`]],
  },
  'a mistyped first part is mended': {
    own: { 'reloader.k8s.colaborne.com/secret': 'tls' },
    told: [['mistyped', `the annotation reloader.k8s.colaborne.com/secret has no effect; write ${SECRET}`]],
  },
  'the kind of a class in one word is mended': {
    own: { [`${PREFIX}/secretproviderclass`]: 'vault' },
    told: [
      [
        'mistyped',
        `the annotation ${PREFIX}/secretproviderclass has no effect; write ${PREFIX}/secret-provider-class`,
      ],
    ],
  },
  'a word that is far from all others names those that there are': {
    own: { [`${PREFIX}/replicas`]: '3' },
    told: [
      [
        'mistyped',
        `the annotation ${PREFIX}/replicas has no effect; there are ${CONFIGMAP} and ${SECRET} and ${PREFIX}/secret-provider-class`,
      ],
    ],
  },
  'a key of one’s own can be mistyped too': {
    options: MORE,
    own: { 'example.com/config': 'web' },
    told: [['mistyped', 'the annotation example.com/config has no effect; write example.com/configs']],
  },
  'whatever the pod template has is named': {
    options: EVERY,
    template: {
      [`${PREFIX}/rollout-limit`]: '20/1h',
      [`${PREFIX}/auto`]: 'T',
      [PERIOD]: '1h30m',
      [`${WAVE}/extra-configmaps`]: 'other/cfg',
    },
    told: [
      misplaced(`${PREFIX}/rollout-limit`),
      misplaced(`${PREFIX}/auto`),
      misplaced(PERIOD),
      misplaced(`${WAVE}/extra-configmaps`),
    ],
  },
  'a mistyped switch is named, whatever the right one says': {
    own: { [`${PREFIX}/auto`]: 'false', [`${PREFIX}/autos`]: 'T' },
    told: [['mistyped', `the annotation ${PREFIX}/autos has no effect; write ${PREFIX}/auto`]],
  },
  'a value that does not fit the right key is not repeated': {
    own: { [`${PREFIX}/reloadWindow`]: 'soon', 'deployment.reloader.stakater.com/paused': '5' },
    told: [
      ['mistyped', `the annotation ${PREFIX}/reloadWindow has no effect; write ${PREFIX}/reload-window`],
      ['mistyped', `the annotation deployment.reloader.stakater.com/paused has no effect; write ${PERIOD}`],
    ],
  },
  'a period that is no duration is none': {
    own: { [PERIOD]: '5 minutes' },
    told: [
      [
        'malformed',
        `"5 minutes" of ${PERIOD} is no duration, so nothing waits for it; write such as 30s, 5m or 1h30m, at most 24 days`,
      ],
    ],
  },
  'nor is a negative one': {
    own: { [PERIOD]: '-5m' },
    told: [
      [
        'malformed',
        `"-5m" of ${PERIOD} is no duration, so nothing waits for it; write such as 30s, 5m or 1h30m, at most 24 days`,
      ],
    ],
  },
  'a period that can be read is right': { own: { [PERIOD]: '1h30m' } },
  'wave means one spelling of true': {
    options: EVERY,
    own: { [`${WAVE}/update-on-config-change`]: 'yes' },
    told: [
      [
        'malformed',
        `"yes" of ${WAVE}/update-on-config-change is neither true nor false and counts as false; write ${WAVE}/update-on-config-change: "true"`,
      ],
    ],
  },
  'what is of another namespace has to be copied': {
    own: { [CONFIGMAP]: 'ns/web, shop/ca, club/ca' },
    told: [
      [
        'malformed',
        `"shop/ca", "club/ca" of ${CONFIGMAP} cannot be followed, since only objects of the own namespace are; copy the object there, as reflector or External Secrets do, and list its name`,
      ],
    ],
  },
  'so it is in a list of SAP': {
    options: EVERY,
    own: { [`${SAP}/configmaps`]: 'shop/web, ns/tls' },
    told: [
      [
        'malformed',
        `"shop/web" of ${SAP}/configmaps cannot be followed, since only objects of the own namespace are; copy the object there, as reflector or External Secrets do, and list its name`,
      ],
    ],
  },
  'and in one of wave, beside what is no name at all': {
    options: EVERY,
    own: { [`${WAVE}/update-on-config-change`]: 'true', [`${WAVE}/extra-secrets`]: 'ns/tls, shop/ca, a/b/c' },
    told: [
      [
        'malformed',
        `"shop/ca" of ${WAVE}/extra-secrets cannot be followed, since only objects of the own namespace are; copy the object there, as reflector or External Secrets do, and list its name`,
      ],
      [
        'malformed',
        `"a/b/c" of ${WAVE}/extra-secrets cannot be the name of an object; list names, separated by commas`,
      ],
    ],
  },
  'a kind in front of a name is no namespace': {
    own: { [CONFIGMAP]: 'configmap/web' },
    told: [
      [
        'malformed',
        `"configmap/web" of ${CONFIGMAP} cannot be the name of an object; list names, separated by commas`,
      ],
    ],
  },
  'the hashes of SAP and wave stand on pod templates by right': {
    options: EVERY,
    template: { [`${SAP}/config-hash`]: 'x', [`${WAVE}/config-hash`]: 'x' },
  },
  'it has no effect where its vocabulary is not in use': {
    options: { ...PLAIN, dialects: ['collaborne'] },
    own: { [PERIOD]: 'soon' },
  },
  'words about classes have no effect where no stream shows these, on the workload and on its template': {
    options: { ...PLAIN, shows: (_, kind) => kind !== 'SecretProviderClass' },
    own: { [`${PREFIX}/secret-provider-class`]: 'vault', [CONFIGMAP]: 'web' },
    template: { 'secretproviderclass.reloader.stakater.com/auto': 'true' },
    told: [`${PREFIX}/secret-provider-class`, 'secretproviderclass.reloader.stakater.com/auto'].map((key) => [
      'unserved',
      `${key} has no effect now: no SecretProviderClass is watched: either --enable-csi-integration is false, or the API server does not serve them, or the rights to list and watch them are missing`,
    ]),
  },
  'an annotation among the labels belongs among the annotations': {
    labels: { [`${STAKATER}/auto`]: 'true', app: 'web' },
    told: [
      [
        'misplaced',
        `${STAKATER}/auto is among the labels, where it has no effect; write it as an annotation on the workload itself`,
      ],
    ],
  },
  'in both places it is right, and so is what is read among the labels': {
    options: EVERY,
    own: { [`${STAKATER}/auto`]: 'true' },
    labels: { [`${STAKATER}/auto`]: 'true', [`${SAP}/ignored`]: 'true' },
  },
  'a word of objects has no effect on a workload': {
    own: { [`${STAKATER}/match`]: 'true' },
    told: [
      [
        'misplaced',
        `${STAKATER}/match is read on ConfigMaps and Secrets, and has no effect on a workload; write it on the object, or take it away`,
      ],
    ],
  },
  'a mistyped word of objects is mended there': {
    own: { [`${PREFIX}/urgentt`]: 'true' },
    told: [
      ['mistyped', `the annotation ${PREFIX}/urgentt has no effect; write on the object ${PREFIX}/urgent`],
    ],
  },
  'an invented word of another vocabulary names its lists': {
    own: { [`${STAKATER}/triggerNow`]: 'true' },
    told: [
      [
        'mistyped',
        `the annotation ${STAKATER}/triggerNow has no effect; there are configmap.${STAKATER}/reload and secret.${STAKATER}/reload and secretproviderclass.${STAKATER}/reload`,
      ],
    ],
  },
  'names in lists of what is excluded are checked too': {
    own: { [`configmaps.exclude.${STAKATER}/reload`]: 'my_config', [`${PREFIX}/exclude-secret`]: 'tls' },
    told: [
      [
        'malformed',
        `"my_config" of configmaps.exclude.${STAKATER}/reload cannot be the name of an object; list names, separated by commas`,
      ],
    ],
  },
  'a kind that is not watched has no mistakes': {
    options: { ...PLAIN, ignoredKinds: ['Secret'] },
    own: { [SECRET]: '***' },
    template: { [SECRET]: 'tls' },
  },
};

for (const [sentence, { options = PLAIN, own = {}, template = {}, labels = {}, told = [] }] of Object.entries(
  CASES,
)) {
  test(sentence, () => {
    const vocabularies = new Vocabularies(options);
    const raw = {
      metadata: { name: 'web', namespace: 'ns', annotations: own, labels },
      spec: { template: { metadata: { annotations: template } } },
    };
    const findings = vocabularies.mistakesOf(workloadOf(workloadKindOf('Deployment'), raw, vocabularies));
    assert.deepEqual(
      findings.map(({ reason, message }) => [reason, message]),
      told,
    );
  });
}

describe('a controller that updates pods in place restarts nothing for a stamp in an annotation:', () => {
  const strategy = { 'reloader.k8s.collaborne.com/reload-strategy': 'annotations' };
  const kind = customKind({
    group: 'apps.kruise.io',
    version: 'v1alpha1',
    resource: 'clonesets',
    templatePath: ['template'],
  });
  addWorkloadKind(kind);
  const rows: readonly [updateStrategy: object, own: Record<string, string>, isTold: boolean][] = [
    [{ type: 'InPlaceIfPossible' }, { [CONFIGMAP]: 'web', ...strategy }, true],
    [{ type: 'InPlaceOnly' }, { [CONFIGMAP]: 'web', ...strategy }, true],
    [{ rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' } }, { [CONFIGMAP]: 'web', ...strategy }, true],
    [
      { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } },
      { [CONFIGMAP]: 'web', ...strategy },
      true,
    ],
    [{ type: 'ReCreate' }, { [CONFIGMAP]: 'web', ...strategy }, false],
    [{ type: 'InPlaceIfPossible', rollingUpdate: null }, { [CONFIGMAP]: 'web' }, false],
    [{ type: 'InPlaceIfPossible' }, {}, false],
  ];
  for (const [updateStrategy, own, isTold] of rows)
    test(JSON.stringify([updateStrategy, own]), () => {
      const vocabularies = new Vocabularies(PLAIN);
      const metadata = { name: 'web', namespace: 'home', annotations: own };
      const spec = { updateStrategy, template: { spec: { containers: [{ name: 'app' }] } } };
      const told = vocabularies.mistakesOf(workloadOf(kind, { metadata, spec }, vocabularies));
      assert.deepEqual(
        told.map(({ reason }) => reason),
        isTold ? ['pods-not-replaced'] : [],
      );
    });
});
