/** The rule by name of docs/guides/gitops.md ignores every name that a rollout writes into a pod template, and nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStampVariable } from '../lib/annotations/stamp-variables.ts';
import {
  nativeVocabulary,
  SAP_VOCABULARY,
  stakaterVocabulary,
  WAVE_VOCABULARY,
} from '../lib/annotations/vocabulary.ts';
import { STAKATER_KEYS } from '../lib/model/settings.ts';
import { STAMPS_ANNOTATION } from '../lib/model/workload.ts';
import { withoutNames } from './e2e/ignore-rules.ts';
import type { JsonObject } from './sandbox/json.ts';

const VOCABULARIES = [
  nativeVocabulary({ ConfigMap: [], Secret: [] }),
  stakaterVocabulary(STAKATER_KEYS),
  SAP_VOCABULARY,
  WAVE_VOCABULARY,
];
const ANNOTATIONS = VOCABULARIES.flatMap(({ lastReloadedFrom, hash = '' }) => [
  lastReloadedFrom,
  hash,
]).filter((name) => name !== '');
const VARIABLES = [
  '_RELOADER_CONFIGMAP_WEB',
  '_RELOADER_SECRET_A_B',
  '_RELOADER_SECRETPROVIDERCLASS_DB',
  'STAKATER_WEB_CONFIGMAP',
  'STAKATER_DB_SECRETPROVIDERCLASS',
];

function workload(variables: readonly string[], annotations: readonly string[]): JsonObject {
  const env = ['MODE', ...variables].map((name) => ({ name, value: 'one' }));
  const names = ['example.org/mode', ...annotations];
  return {
    metadata: { name: 'web', annotations: { [STAMPS_ANNOTATION]: 'not of the pod template' } },
    spec: {
      template: {
        metadata: { annotations: Object.fromEntries(names.map((name) => [name, 'one'])) },
        spec: { containers: [{ name: 'app', env }, { name: 'sidecar' }] },
      },
    },
  };
}

test('the rule by name leaves nothing of a rollout, and everything else', async () => {
  assert.ok(VARIABLES.every(isStampVariable));
  const annotations = [STAMPS_ANNOTATION, ...ANNOTATIONS];
  const live = workload(VARIABLES, annotations);
  const predicted = workload([], []);
  const compared = await withoutNames({ live, predicted });
  assert.deepEqual(compared, { live: predicted, predicted });
});
