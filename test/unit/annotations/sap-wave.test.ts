/** What the words of SAP's pod-reloader and of wave ask for, alone and beside others, and the hash that they are stamped with. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configHashOf, type FollowedContent } from '../../../lib/annotations/stamp-variables.ts';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { type ConfigRef, describe, keyOf } from '../../../lib/model/object-ref.ts';
import type { PolicyReason } from '../../../lib/model/reasons.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { fc } from '../../laws.ts';
import { refs } from '../model/refs.ts';
import { vocabulary } from './defaults.ts';
import { CFG, SPEC, TLS } from './judged.ts';

const CONFIGMAPS = 'pod-reloader.cs.sap.com/configmaps';
const SECRETS = 'pod-reloader.cs.sap.com/secrets';
const IGNORED = 'pod-reloader.cs.sap.com/ignored';
const DISABLED = 'pod-reloader.cs.sap.com/disabled';
const SAP_HASH = 'pod-reloader.cs.sap.com/config-hash';
const UPDATE = 'wave.pusher.com/update-on-config-change';
const EXTRA = 'wave.pusher.com/extra-configmaps';
const EXTRA_SECRETS = 'wave.pusher.com/extra-secrets';
const WAVE_HASH = 'wave.pusher.com/config-hash';
const NATIVE = 'reloader.k8s.collaborne.com/configmap';
const WAVES = { [UPDATE]: 'true' };

/** The words of SAP, those of wave, and all others. */
const EVERY: Partial<VocabularyOptions> = { dialects: VOCABULARY_NAMES };
const MORE: ConfigRef = { kind: 'ConfigMap', namespace: 'ns', name: 'more' };

interface Case {
  readonly own?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly flags?: Partial<VocabularyOptions>;
  readonly of?: ConfigRef;
  readonly says: PolicyReason;
  /** All that it follows. */
  readonly follows: readonly string[];
}

function workload(flags: Partial<VocabularyOptions>, { own = {}, labels = {} }: Partial<Case>): Workload {
  const metadata = { name: 'web', namespace: 'ns', annotations: own, labels };
  const raw = { metadata, spec: { template: { spec: SPEC } } };
  return workloadOf(workloadKindOf('Deployment'), raw, vocabulary(flags));
}

const READ = ['ConfigMap/cfg', 'Secret/tls'];
const CASES: Record<string, Case> = {
  'sap: a ConfigMap that is named': {
    own: { [CONFIGMAPS]: 'cfg' },
    says: 'named',
    follows: ['ConfigMap/cfg'],
  },
  'sap: a Secret that is named': {
    own: { [SECRETS]: 'tls' },
    of: TLS,
    says: 'named',
    follows: ['Secret/tls'],
  },
  'sap: spaces around names do not count': {
    own: { [CONFIGMAPS]: ' a , cfg ,' },
    says: 'named',
    follows: ['ConfigMap/a', 'ConfigMap/cfg'],
  },
  'sap: what is only referred to is not asked for': {
    own: { [SECRETS]: 'tls' },
    says: 'not-asked',
    follows: ['Secret/tls'],
  },
  'sap: a label that ignores it': {
    own: { [CONFIGMAPS]: 'cfg' },
    labels: { [IGNORED]: 'true' },
    says: 'disabled',
    follows: ['ConfigMap/cfg'],
  },
  'sap: a label that disables it': {
    own: { [CONFIGMAPS]: 'cfg' },
    labels: { [DISABLED]: 'true' },
    says: 'disabled',
    follows: ['ConfigMap/cfg'],
  },
  'sap: only the word true does': {
    own: { [CONFIGMAPS]: 'cfg' },
    labels: { [IGNORED]: 'yes', [DISABLED]: 'false' },
    says: 'named',
    follows: ['ConfigMap/cfg'],
  },
  'sap: as an annotation it says nothing': {
    own: { [CONFIGMAPS]: 'cfg', [IGNORED]: 'true' },
    says: 'named',
    follows: ['ConfigMap/cfg'],
  },
  'sap: the label refuses what only a flag asks for': {
    labels: { [IGNORED]: 'true' },
    flags: { autoReloadAll: true },
    says: 'disabled',
    follows: READ,
  },
  'sap: another vocabulary may ask all the same': {
    own: { [CONFIGMAPS]: 'cfg', [NATIVE]: 'cfg' },
    labels: { [IGNORED]: 'true' },
    says: 'named',
    follows: ['ConfigMap/cfg'],
  },
  'wave: all that is referred to': { own: WAVES, says: 'auto', follows: READ },
  'wave: only by the word true': { own: { [UPDATE]: 'True' }, says: 'not-asked', follows: [] },
  'wave: 1 is no such word': { own: { [UPDATE]: '1' }, says: 'not-asked', follows: [] },
  'wave: an extra object': {
    own: { ...WAVES, [EXTRA]: 'more' },
    of: MORE,
    says: 'named',
    follows: ['ConfigMap/more', ...READ],
  },
  'wave: an extra Secret': {
    own: { ...WAVES, [EXTRA_SECRETS]: 'more, tls' },
    of: TLS,
    says: 'named',
    follows: ['ConfigMap/cfg', 'Secret/more', 'Secret/tls'],
  },
  'wave: one of another namespace is not followed, and all else is': {
    own: { ...WAVES, [EXTRA]: 'shop/more, club/tls, own' },
    of: MORE,
    says: 'not-asked',
    follows: ['ConfigMap/own', ...READ],
  },
  'wave: its own namespace may be said': {
    own: { ...WAVES, [EXTRA]: 'ns/more' },
    of: MORE,
    says: 'named',
    follows: ['ConfigMap/more', ...READ],
  },
  'wave: what cannot be a name is left out': {
    own: { ...WAVES, [EXTRA]: 'a/b/c, A, /x, x/, shop/a_b, so.so/x' },
    says: 'auto',
    follows: READ,
  },
  'wave: extra objects alone ask for nothing': {
    own: { [EXTRA]: 'cfg, shop/more' },
    says: 'not-asked',
    follows: [],
  },
  'wave: its word is one about everything': {
    own: { [UPDATE]: 'false' },
    flags: { autoReloadAll: true },
    says: 'not-asked',
    follows: [],
  },
  'each names one object, and both are followed': {
    own: { [CONFIGMAPS]: 'cfg', [NATIVE]: 'other' },
    says: 'named',
    follows: ['ConfigMap/cfg', 'ConfigMap/other'],
  },
  'neither is read where it is not in use': {
    own: { ...WAVES, [CONFIGMAPS]: 'cfg' },
    flags: { dialects: ['collaborne', 'stakater'] },
    says: 'not-asked',
    follows: [],
  },
};

for (const [sentence, { of = CFG, says, follows, flags = {}, ...parts }] of Object.entries(CASES)) {
  test(sentence, () => {
    const vocabularies = vocabulary({ ...EVERY, ...flags });
    const web = workload({ ...EVERY, ...flags }, parts);
    assert.equal(vocabularies.judge(web, of, {}).because, says);
    const followed = vocabularies.follows(web, () => []).map(describe);
    assert.deepEqual([...followed].sort(), [...follows].sort());
  });
}

const content = (ref: ConfigRef, digest?: string): FollowedContent => ({ ref, annotations: {}, digest });
const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

test('the hash is of what each vocabulary asks for, and of nothing where one asks for nothing', () => {
  const vocabularies = vocabulary(EVERY);
  const contents = [content(CFG, A), content(TLS, B), content(MORE, B)];
  const hashesOf = (parts: Partial<Case>) => vocabularies.hashAnnotations(workload(EVERY, parts), contents);
  const [cfg, tls, more] = contents as [FollowedContent, FollowedContent, FollowedContent];
  assert.deepEqual(hashesOf({ own: { [CONFIGMAPS]: 'cfg', ...WAVES } }), {
    [SAP_HASH]: configHashOf([cfg]),
    [WAVE_HASH]: configHashOf([cfg, tls]),
  });
  assert.deepEqual(hashesOf({ own: { ...WAVES, [EXTRA]: 'more' } }), {
    [WAVE_HASH]: configHashOf([cfg, tls, more]),
  });
  assert.deepEqual(hashesOf({ own: { [NATIVE]: 'cfg' } }), {});
  assert.deepEqual(hashesOf({ own: { [CONFIGMAPS]: 'cfg' }, labels: { [DISABLED]: 'true' } }), {});
});

test('the hash of known contents is known, so that no release changes it unnoticed', () => {
  // printf 'ConfigMap/cfg a…a\nConfigMap/more -\nSecret/tls b…b\n' | sha256sum
  const hash = configHashOf([content(TLS, B), content(MORE), content(CFG, A)]);
  assert.equal(hash, 'e277ca3f399b00657ed0f06e07d82113e0b0ee3982133b2abe7dc994f4bdeea3');
});

const digests = fc.option(fc.constantFrom(A, B), { nil: undefined });
const contentsOf = fc.uniqueArray(
  fc.tuple(refs, digests).map(([ref, digest]) => content({ ...ref, namespace: 'ns' }, digest)),
  { selector: ({ ref }) => keyOf(ref), maxLength: 6 },
);

test('law: the hash is the same in any order, and no two followed contents share one', () => {
  const textOf = (contents: readonly FollowedContent[]): string =>
    JSON.stringify(contents.map(({ ref, digest }) => [keyOf(ref), digest ?? null]).sort());
  fc.assert(
    fc.property(contentsOf, contentsOf, (one, other) => {
      const hash = configHashOf(one);
      assert.match(hash, /^[0-9a-f]{64}$/);
      assert.equal(configHashOf(one.toReversed()), hash);
      assert.equal(configHashOf(other) === hash, textOf(one) === textOf(other));
    }),
  );
});

test('what SAP’s controller left to ask its webhook goes, where its words are in use', () => {
  const own = { [CONFIGMAPS]: 'cfg', [SAP_HASH]: 'x', [WAVE_HASH]: 'y' };
  assert.deepEqual(vocabulary(EVERY).triggersOf(workload(EVERY, { own })), [SAP_HASH]);
  assert.deepEqual(vocabulary(EVERY).triggersOf(workload(EVERY, { own: { [CONFIGMAPS]: 'cfg' } })), []);
  assert.deepEqual(vocabulary().triggersOf(workload({}, { own })), []);
});
