/** What holds of one vocabulary and not of the other, what of both on one workload, and what a workload follows by them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { workloadKeysOf } from '../../../lib/annotations/vocabulary.ts';
import { describe, keyOf } from '../../../lib/model/object-ref.ts';
import { STAKATER_KEYS, VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { fc } from '../../laws.ts';
import { deployment, followed, vocabulary } from './defaults.ts';
import {
  ALL,
  type Annotations,
  BOTH,
  type Case,
  CFG,
  excluded,
  hold,
  NATIVE,
  named,
  OTHER,
  SPEC,
  STAKATER,
  TLS,
} from './judged.ts';

const S = STAKATER;
const N = NATIVE;
const MINE = {
  ...STAKATER_KEYS,
  auto: 'example.com/auto',
  match: 'example.com/match',
  secret: 'example.com/reload',
};

const CASES: Record<string, Case> = {
  'stakater: where the workload has no word, those of the template count': {
    template: { [S.auto]: 'true' },
    says: 'auto',
  },
  'stakater: and all of them do': {
    template: { [S.search]: 'true', ...named(S, 'cfg') },
    says: 'named',
  },
  'stakater: excludes of the template too': {
    template: { [S.auto]: 'true', ...excluded(S) },
    says: 'excluded',
  },
  'stakater: one word of the workload, and none of the template counts': {
    own: { [S.typedAuto.ConfigMap]: 'false' },
    template: { [S.auto]: 'true', ...named(S, 'cfg') },
    says: 'not-asked',
  },
  'stakater: a word of the workload for the other kind leaves the template in force': {
    own: { [S.typedAuto.Secret]: 'true' },
    template: { ...named(S, 'cfg') },
    says: 'named',
  },
  'stakater: an empty word of the workload is one': {
    own: { [S.auto]: '' },
    template: { [S.auto]: 'true' },
    says: 'not-asked',
  },
  'stakater: excludes of the workload alone leave the template in force': {
    own: excluded(S, 'other'),
    template: { [S.auto]: 'true' },
    says: 'auto',
  },
  'stakater: and count beside it': {
    own: excluded(S),
    template: { [S.auto]: 'true', ...excluded(S, 'other') },
    says: 'excluded',
  },
  'stakater: excludes of the template do not count beside a word of the workload': {
    own: { [S.auto]: 'true' },
    template: excluded(S),
    says: 'auto',
  },
  'stakater: a native word is none of those': {
    own: named(N, 'other'),
    template: { [S.auto]: 'true' },
    says: 'auto',
  },
  'stakater: the flag for everything yields to the template': {
    template: { [S.auto]: 'false' },
    flags: ALL,
    says: 'not-asked',
  },
  'native: words on the template ask for nothing': {
    template: { [N.auto]: 'true', ...named(N, 'cfg') },
    says: 'not-asked',
  },
  'stakater: an item is an expression': { own: named(S, 'c[a-f]g'), says: 'named' },
  'native: an item is a name': { own: named(N, 'c[a-f]g'), says: 'not-asked' },
  'stakater: exclude goes before an expression': {
    own: { ...named(S, '.*'), ...excluded(S) },
    says: 'excluded',
  },

  'the native word goes first': { own: { [S.auto]: 'true', ...named(N, 'cfg') }, says: 'named' },
  'what one vocabulary does not ask for the other may': {
    own: { [N.search]: 'true', [S.auto]: 'true' },
    says: 'auto',
  },
  'what one vocabulary excludes the other may ask for': {
    own: { [N.auto]: 'true', ...excluded(N), ...named(S, 'cfg') },
    says: 'named',
  },
  'an object that one vocabulary ignores the other may ask for': {
    own: { [N.auto]: 'true' },
    object: { [S.ignore]: 'true' },
    says: 'auto',
  },
  'the mark of one vocabulary is none for the other': {
    own: { [N.search]: 'true' },
    object: { [S.match]: 'true' },
    says: 'not-matched',
  },
  'auto: false of one vocabulary holds for that one': {
    own: { [N.auto]: 'false', [S.auto]: 'true' },
    says: 'auto',
  },
  'the flag for everything yields to either vocabulary': {
    own: { [N.search]: 'true', [S.typedAuto.ConfigMap]: 'false' },
    flags: ALL,
    says: 'not-matched',
  },
  'what a vocabulary that is left out excludes is not excluded': {
    own: { [N.auto]: 'true', ...excluded(N), [S.auto]: 'true' },
    flags: { dialects: ['stakater'] },
    says: 'auto',
  },
  'a vocabulary that is left out asks for nothing': {
    own: { [S.auto]: 'true', ...named(S, 'cfg') },
    template: { [S.auto]: 'true' },
    flags: { dialects: ['collaborne'] },
    says: 'not-asked',
  },
  'a renamed word is read': {
    own: { 'example.com/auto': 'true' },
    flags: { stakaterKeys: MINE },
    says: 'auto',
  },
  'under its old key it is not': {
    own: { [S.auto]: 'true' },
    flags: { stakaterKeys: MINE },
    says: 'not-asked',
  },
  'a renamed list is read': {
    own: { 'example.com/reload': 'tls' },
    of: TLS,
    flags: { stakaterKeys: MINE },
    says: 'named',
  },
  'a renamed mark is read': {
    own: { [S.search]: 'true' },
    object: { 'example.com/match': 'true' },
    flags: { stakaterKeys: MINE },
    says: 'matched',
  },
};

for (const [sentence, row] of Object.entries(CASES)) test(sentence, () => hold(row));

interface Followed {
  readonly own: Annotations;
  readonly flags?: Partial<VocabularyOptions>;
  readonly follows: readonly string[];
}

const FOLLOWED: Record<string, Followed> = {
  'auto follows what the pods refer to': {
    own: { [S.auto]: 'true' },
    follows: ['ConfigMap/cfg', 'Secret/tls'],
  },
  'search follows all that the pods refer to, marked or not': {
    own: { [N.search]: 'true' },
    follows: ['ConfigMap/cfg', 'Secret/tls'],
  },
  'typed auto follows its kind alone': { own: { [N.typedAuto.Secret]: 'true' }, follows: ['Secret/tls'] },
  'names are followed besides': {
    own: { [N.typedAuto.Secret]: 'true', ...named(S, 'other', 'x') },
    follows: ['ConfigMap/other', 'ConfigMap/x', 'Secret/tls'],
  },
  'an object that is asked for in two ways is followed once': {
    own: { [N.auto]: 'true', [S.auto]: 'true', ...named(S, 'cfg'), ...named(N, 'cfg') },
    follows: ['ConfigMap/cfg', 'Secret/tls'],
  },
  'nothing is followed for auto: false': { own: { [S.auto]: 'false' }, follows: [] },
  'an exclude list alone follows nothing': { own: excluded(S), follows: [] },
  'the flag for everything follows what the pods refer to': {
    own: {},
    flags: ALL,
    follows: ['ConfigMap/cfg', 'Secret/tls'],
  },
  'the flag for everything yields kind by kind': {
    own: { [S.typedAuto.ConfigMap]: 'false' },
    flags: ALL,
    follows: ['Secret/tls'],
  },
  'what is of an ignored kind is not followed, however it is asked for': {
    own: { [S.auto]: 'true', ...named(S, 'other'), [N.search]: 'true' },
    flags: { ignoredKinds: ['ConfigMap'], autoReloadAll: true },
    follows: ['Secret/tls'],
  },
};

for (const [sentence, { own, flags = {}, follows }] of Object.entries(FOLLOWED)) {
  test(sentence, () => {
    const vocabularies = vocabulary(flags);
    const workload = deployment(vocabularies, own, { spec: SPEC });
    assert.deepEqual(vocabularies.follows(workload, () => []).map(describe), follows);
  });
}

const KEYS = BOTH.flatMap(workloadKeysOf);
const anyOf = (...keys: string[]): fc.Arbitrary<Annotations> =>
  fc.dictionary(
    fc.constantFrom(...keys),
    fc.constantFrom('true', 'false', '', 'cfg', 'cfg, tls', 'oth.*', '('),
    {
      noNullPrototype: true,
    },
  );
const flags = fc.record({
  autoReloadAll: fc.boolean(),
  ignoredKinds: fc.constantFrom([], ['Secret'] as const),
});

test('law: every object that is asked for is followed, and none that all vocabularies exclude or ignore is asked for', () => {
  const marks = anyOf(...BOTH.flatMap(({ match, ignore }) => [match, ignore]));
  fc.assert(
    fc.property(anyOf(...KEYS), anyOf(...KEYS), marks, flags, (own, template, object, settings) => {
      const vocabularies = vocabulary(settings);
      const workload = deployment(vocabularies, own, { metadata: { annotations: template }, spec: SPEC });
      const known = { ConfigMap: ['cfg', 'other'], Secret: ['tls'], SecretProviderClass: ['vault'] };
      const followed = new Set(vocabularies.follows(workload, (kind) => known[kind]).map(keyOf));
      const refs = [CFG, OTHER, TLS].filter(({ kind }) => !settings.ignoredKinds.some((one) => one === kind));
      for (const ref of refs) {
        const { asks } = vocabularies.judge(workload, ref, object);
        if (asks) assert.ok(followed.has(keyOf(ref)), `${describe(ref)} is asked for and not followed`);
        const isIgnored = BOTH.every(({ ignore }) => object[ignore] === 'true');
        assert.ok(!(asks && isIgnored));
      }
    }),
    { numRuns: 2000 },
  );
});

const OF_ANOTHER_NAMESPACE: Annotations = {
  'reloader.k8s.collaborne.com/configmap': 'other/cfg',
  'configmap.reloader.stakater.com/reload': 'other/cfg',
  'pod-reloader.cs.sap.com/configmaps': 'other/cfg',
  'wave.pusher.com/extra-configmaps': 'other/cfg',
  'wave.pusher.com/update-on-config-change': 'true',
};
for (const name of VOCABULARY_NAMES) {
  test(`an object of another namespace is not followed by ${name}, nor the one of its name here`, () => {
    assert.deepEqual(followed(vocabulary({ dialects: [name] }), OF_ANOTHER_NAMESPACE), []);
  });
}

test('the own namespace may stand in front of a name, also of one that is excluded', () => {
  const follows = { own: named(N, 'ns/cfg'), says: 'named' } as const;
  hold(follows);
  hold({ own: { ...named(N, 'cfg'), ...excluded(N, 'ns/cfg') }, says: 'excluded' });
  hold({ own: { ...named(N, 'cfg'), ...excluded(N, 'other/cfg') }, says: 'named' });
  hold({ own: named(S, 'ns/cfg'), says: 'not-asked' });
});
