import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { isStampVariable, stampVariablesOf } from '../../../lib/annotations/stamp-variables.ts';
import { Vocabularies, type VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { type ConfigKind, type ConfigRef, describe, keyOf } from '../../../lib/model/object-ref.ts';
import { fc } from '../../laws.ts';
import { refs } from '../model/refs.ts';
import { followed, PLAIN } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const MORE: VocabularyOptions = {
  ...PLAIN,
  alternativeAnnotations: {
    ConfigMap: ['example.com/configs', 'example.com/more'],
    Secret: ['example.com/secrets'],
  },
  ignoredKinds: [],
};
const IGNORING: VocabularyOptions = { ...PLAIN, ignoredKinds: ['Secret'] };

interface Case {
  readonly annotations: Record<string, string>;
  readonly options?: VocabularyOptions;
  readonly refs?: readonly string[];
}

const CASES: Record<string, Case> = {
  'no annotation asks for nothing': { annotations: { unrelated: 'cfg' } },
  'a list is split at commas and trimmed': {
    annotations: { [CONFIGMAP]: ' cfg ,other\t,\n third' },
    refs: ['ConfigMap/cfg', 'ConfigMap/other', 'ConfigMap/third'],
  },
  'empty items and an empty list ask for nothing': { annotations: { [CONFIGMAP]: ',, ,', [SECRET]: '' } },
  'a name that is listed twice is followed once': {
    annotations: { [CONFIGMAP]: 'cfg,cfg' },
    refs: ['ConfigMap/cfg'],
  },
  'a ConfigMap and a Secret of one name are two objects': {
    annotations: { [CONFIGMAP]: 'cfg', [SECRET]: 'cfg' },
    refs: ['ConfigMap/cfg', 'Secret/cfg'],
  },
  'the lists of alternative annotations are merged with the native one': {
    options: MORE,
    annotations: {
      'example.com/more': 'c',
      [CONFIGMAP]: 'a',
      'example.com/configs': 'b, a',
      'example.com/secrets': 's',
    },
    refs: ['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c', 'Secret/s'],
  },
  'an alternative annotation without its flag is not read': { annotations: { 'example.com/configs': 'b' } },
  'an ignored kind is not followed': {
    options: IGNORING,
    annotations: { [CONFIGMAP]: 'cfg', [SECRET]: 'tls,NOT A NAME' },
    refs: ['ConfigMap/cfg'],
  },
  'what cannot be a name is left out, and the rest is followed': {
    annotations: { [CONFIGMAP]: 'cfg, My_Cfg,-a,a-,a..b,a/b/c, a b', [SECRET]: 'a.b-c.d' },
    refs: ['ConfigMap/cfg', 'Secret/a.b-c.d'],
  },
  'a name of 253 characters is one, a longer one is not': {
    annotations: { [CONFIGMAP]: `${'a'.repeat(253)},${'b'.repeat(254)}` },
    refs: [`ConfigMap/${'a'.repeat(253)}`],
  },
};

for (const [sentence, { annotations, options = PLAIN, refs: expected = [] }] of Object.entries(CASES)) {
  test(sentence, () => {
    const asked = followed(new Vocabularies(options), annotations);
    assert.deepEqual(asked.map(describe), expected);
    assert.ok(asked.every(({ namespace }) => namespace === 'ns'));
  });
}

test('policy is read from the native annotations and the alternative ones only', () => {
  const { isPolicyAnnotation } = new Vocabularies(MORE);
  assert.ok([CONFIGMAP, SECRET, 'example.com/more', 'example.com/secrets'].every(isPolicyAnnotation));
  assert.ok(!['reloader.k8s.collaborne.com/state-version', 'example.com', ''].some(isPolicyAnnotation));
});

const config = (name: string, kind: ConfigKind = 'ConfigMap'): ConfigRef => ({ kind, namespace: 'ns', name });
const own = (plain: string, name: string): string =>
  `${plain}_${createHash('sha1').update(name).digest('hex').slice(0, 6).toUpperCase()}`;
const AB = '_RELOADER_CONFIGMAP_A_B';
const [DASH, DOT] = [own(AB, 'a-b'), own(AB, 'a.b')];

const VARIABLES: Record<
  string,
  { of: readonly ConfigRef[]; ref: ConfigRef; written: string; read: readonly string[] }
> = {
  'a name becomes capital, and what is no letter or digit one underscore': {
    of: [config('my-cfg.v1')],
    ref: config('my-cfg.v1'),
    written: '_RELOADER_CONFIGMAP_MY_CFG_V1',
    read: ['_RELOADER_CONFIGMAP_MY_CFG_V1', own('_RELOADER_CONFIGMAP_MY_CFG_V1', 'my-cfg.v1')],
  },
  'a Secret has its own prefix': {
    of: [config('tls', 'Secret')],
    ref: config('tls', 'Secret'),
    written: '_RELOADER_SECRET_TLS',
    read: ['_RELOADER_SECRET_TLS', own('_RELOADER_SECRET_TLS', 'tls')],
  },
  'alone, a-b writes the plain variable and reads what a collision left': {
    of: [config('a-b'), config('x')],
    ref: config('a-b'),
    written: AB,
    read: [AB, DASH],
  },
  'beside a.b, a-b writes and reads its own variable: the plain one belongs to neither': {
    of: [config('a-b'), config('a.b')],
    ref: config('a-b'),
    written: DASH,
    read: [DASH],
  },
  'and so does a.b': { of: [config('a-b'), config('a.b')], ref: config('a.b'), written: DOT, read: [DOT] },
  'a Secret of the same name does not collide': {
    of: [config('a-b'), config('a.b', 'Secret')],
    ref: config('a-b'),
    written: AB,
    read: [AB, DASH],
  },
};

for (const [sentence, { of, ref, written, read }] of Object.entries(VARIABLES)) {
  test(sentence, () => {
    const variables = stampVariablesOf(of).get(keyOf(ref));
    assert.equal(variables?.written.collaborne, written);
    const own = variables.read.filter((variable) => variable.startsWith('_RELOADER_'));
    assert.deepEqual(own, read);
  });
}

test('law: every variable is a stamp of ours and a valid name, and no two objects write or read the same', () => {
  const ofOneNamespace = fc.uniqueArray(
    refs.map((ref) => ({ ...ref, namespace: 'ns' })),
    { selector: keyOf },
  );
  fc.assert(
    fc.property(ofOneNamespace, (all) => {
      const variables = stampVariablesOf(all);
      assert.equal(variables.size, all.length);
      const read = [...variables.values()].flatMap((of) => of.read);
      assert.equal(new Set(read).size, read.length);
      for (const { written, read: own } of variables.values())
        assert.ok(Object.values(written).every((variable) => own.includes(variable)));
      for (const name of read.filter((variable) => !variable.includes('/'))) {
        assert.match(name, /^(_RELOADER_(CONFIGMAP|SECRET)_[A-Z0-9_]+|STAKATER_[A-Z0-9_]+)$/);
        assert.ok(isStampVariable(name));
      }
    }),
  );
});

test('other variables belong to external writers', () => {
  assert.ok(!['RELOADER_PORT', '_RELOADER_', '_RELOADER_X', 'X_RELOADER_SECRET_A'].some(isStampVariable));
});
