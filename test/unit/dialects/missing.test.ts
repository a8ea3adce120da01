/** What is said of an object that a workload names and that is not there, or not watched. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { deployment, vocabulary } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const MORE = 'example.com/configs';
const HELM = 'helm.sh/release.v1';

interface Case {
  readonly annotations: Record<string, string>;
  /** `Kind/name`. */
  readonly missing?: string;
  readonly leftOutType?: string;
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
  { annotations, missing = 'ConfigMap/wbe', leftOutType, similar = [], told },
] of Object.entries(CASES)) {
  test(`an object ${sentence}`, () => {
    const absence = { ref: refOf(missing), leftOutType, similar: similar.map(refOf) };
    assert.deepEqual(DIALECT.noticeOfAbsence(absence, deployment(DIALECT, annotations)), {
      reason: leftOutType === undefined ? 'missing' : 'left-out',
      about: missing,
      message: told,
    });
  });
}
