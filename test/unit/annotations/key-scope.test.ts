/** What a workload follows of an object whose keys its pods read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stampVariablesOf } from '../../../lib/annotations/stamp-variables.ts';
import { describe } from '../../../lib/model/object-ref.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { deployment, vocabulary } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
/** Reads the key `a` of `cfg`, and all of `all`. */
const TEMPLATE: RawPodTemplate = {
  spec: {
    containers: [
      {
        name: 'app',
        env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cfg', key: 'a' } } }],
        envFrom: [{ configMapRef: { name: 'all' } }],
      },
    ],
  },
};

interface Case {
  readonly flag?: boolean;
  readonly says: Readonly<Record<string, string>>;
  readonly follows: readonly string[];
}

const WHOLE = ['ConfigMap/cfg', 'ConfigMap/all'];
const KEYS = ['ConfigMap/cfg (key a)', 'ConfigMap/all'];

const CASES: Readonly<Record<string, Case>> = {
  'without the flag and the annotation whole objects': { says: { auto: 'true' }, follows: WHOLE },
  'with the flag the keys that are read': { flag: true, says: { auto: 'true' }, follows: KEYS },
  'with the annotation too': { says: { auto: 'true', 'key-scoped': 'true' }, follows: KEYS },
  'the annotation goes before the flag': {
    flag: true,
    says: { auto: 'true', 'key-scoped': 'false' },
    follows: WHOLE,
  },
  'what is neither true nor false does not count': {
    flag: true,
    says: { auto: 'true', 'key-scoped': 'False' },
    follows: KEYS,
  },
  'an object that is named and read is followed as it is read': {
    flag: true,
    says: { configmap: 'cfg' },
    follows: ['ConfigMap/cfg (key a)'],
  },
  'an object that is named and not read is followed whole': {
    flag: true,
    says: { configmap: 'other' },
    follows: ['ConfigMap/other'],
  },
};

for (const [sentence, { flag = false, says, follows }] of Object.entries(CASES)) {
  test(sentence, () => {
    const vocabularies = vocabulary({ keyScoped: flag });
    const workload = deployment(vocabularies, prefixed(says), TEMPLATE);
    assert.deepEqual(vocabularies.follows(workload, () => []).map(describe), follows);
  });
}

for (const value of ['', 'yes', 'TRUE', '1']) {
  test(`"${value}" is no answer, which people are told`, () => {
    const vocabularies = vocabulary();
    const [finding] = vocabularies.mistakesOf(deployment(vocabularies, prefixed({ 'key-scoped': value })));
    assert.equal(finding?.reason, 'malformed');
    assert.match(
      finding?.message ?? '',
      /is neither true nor false and does not count; write .*key-scoped: "true"$/,
    );
  });
}

test('both answers are understood, and the annotation is one of ours', () => {
  const vocabularies = vocabulary();
  for (const value of ['true', 'false']) {
    assert.deepEqual(
      vocabularies.mistakesOf(deployment(vocabularies, prefixed({ 'key-scoped': value }))),
      [],
    );
  }
  assert.ok(vocabularies.isPolicyAnnotation(`${PREFIX}/key-scoped`));
});

test('the variable is the same whichever keys are read', () => {
  const ref = { kind: 'ConfigMap', namespace: 'ns', name: 'cfg' } as const;
  const [whole] = [...stampVariablesOf([ref]).values()];
  const [scoped] = [...stampVariablesOf([{ ...ref, keys: ['a'] }]).values()];
  assert.deepEqual(scoped, whole);
});

function prefixed(says: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(says).map(([word, value]) => [`${PREFIX}/${word}`, value]));
}
