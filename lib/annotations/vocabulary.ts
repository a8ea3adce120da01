/** The annotations of each vocabulary. */

import { byConfigKind, CONFIG_KINDS, type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { STAKATER_KEYS, type StakaterKeys, type VocabularyName } from '../model/settings.ts';

/** Keys by kind of object. */
export type KeysByKind = Readonly<Record<ConfigKind, string>>;

/** The annotations of a workload about its pauses. */
export interface PauseKeys {
  /** How long a pause lasts, or the window of a workload that cannot be paused. */
  readonly period: string;
  /** When the present pause began; a reloader writes it. */
  readonly pausedAt: string;
}

/** The key of an annotation that a vocabulary does not have: no annotation has an empty key. */
const NO_WORD = '';
const NO_WORDS: KeysByKind = byConfigKind(() => NO_WORD);

/** The annotations of one vocabulary. */
export interface Vocabulary {
  readonly name: VocabularyName;
  /** The prefix of its annotations; a word and a dot may stand before it. */
  readonly domain: string;
  /** On a workload: lists of objects that it is rolled for, whether or not its pods refer to them. */
  readonly named: Readonly<Record<ConfigKind, readonly string[]>>;
  /** Whether the items of those lists are expressions, each of which matches whole names. */
  readonly namesArePatterns: boolean;
  /** Whether those lists count only where `auto` is true. @default false */
  readonly namesNeedAuto?: boolean;
  /** On a workload: it is rolled for all objects that it refers to. */
  readonly auto: string;
  /** Whether `auto` accepts only the exact value `true`. @default false */
  readonly autoIsToTheLetter?: boolean;
  /** On a workload: it is rolled for all objects of one kind that it refers to. */
  readonly typedAuto: KeysByKind;
  /** On a workload: it is rolled for the objects that it refers to and that carry `match`. */
  readonly search: string;
  /** On a workload: lists of objects that it is never rolled for. */
  readonly exclude: KeysByKind;
  /** Labels of a workload: where one is `true`, it is not rolled. */
  readonly disabling?: readonly string[];
  /** On an object: workloads with `search` are rolled for it. */
  readonly match: string;
  /** On an object: nothing is rolled for it. */
  readonly ignore: string;
  /** Absent where the vocabulary has no pauses. */
  readonly pause?: PauseKeys;
  /** On a Rollout itself: whether it is rolled by a restart or by its template. */
  readonly rolloutStrategy?: string;
  /** The keys that flags replace, each with the new one. */
  readonly renamed?: readonly (readonly [usual: string, own: string])[];
  /** Whether the pod template's annotations count where the workload itself has none of these. */
  readonly readsTemplate: boolean;
  /** On a pod template: names the object that changed last. */
  readonly lastReloadedFrom: string;
  /** On a pod template: the hash of all objects that the workload follows by this vocabulary. */
  readonly hash?: string;
  /** On a workload: another reloader requests the hash from its webhook by it. The next rollout removes a leftover. */
  readonly trigger?: string;
}

/** The prefix of every native annotation. */
export const NATIVE_PREFIX = 'reloader.k8s.collaborne.com';

/** SAP's hash: on a pod template of the contents of its pods, on a workload of the contents for which a client writes it. */
export const SAP_HASH_ANNOTATION = 'pod-reloader.cs.sap.com/config-hash';

/** On a pod template: wave's hash. */
export const WAVE_HASH_ANNOTATION = 'wave.pusher.com/config-hash';

/** On a workload: the strategy by which its pod template is stamped; takes precedence over the flag. */
export const STRATEGY_ANNOTATION: string = `${NATIVE_PREFIX}/reload-strategy`;

/** On a workload: whether it is rolled only for the keys that its pods read. */
export const KEY_SCOPED_ANNOTATION: string = `${NATIVE_PREFIX}/key-scoped`;

/** Further keys of lists, by kind. */
export type Alternatives = Readonly<Partial<Record<ConfigKind, readonly string[]>>>;

/** The native vocabulary, with further keys for the lists. */
export function nativeVocabulary(alternatives: Alternatives = {}): Vocabulary {
  const own = (word: string): string => `${NATIVE_PREFIX}/${word}`;
  return {
    name: 'collaborne',
    domain: NATIVE_PREFIX,
    named: byConfigKind((kind) => [own(SOURCE_KINDS[kind].word), ...(alternatives[kind] ?? [])]),
    namesArePatterns: false,
    auto: own('auto'),
    typedAuto: byConfigKind((kind) => own(`${SOURCE_KINDS[kind].word}-auto`)),
    search: own('search'),
    exclude: byConfigKind((kind) => own(`exclude-${SOURCE_KINDS[kind].word}`)),
    match: own('match'),
    ignore: own('ignore'),
    readsTemplate: false,
    rolloutStrategy: own('rollout-strategy'),
    lastReloadedFrom: own('last-reloaded-from'),
  };
}

/** The vocabulary of Stakater Reloader. */
export function stakaterVocabulary(keys: StakaterKeys): Vocabulary {
  return {
    name: 'stakater',
    domain: 'reloader.stakater.com',
    named: listsIn(keys.configMap, keys.secret, keys.secretProviderClass),
    namesArePatterns: true,
    auto: keys.auto,
    typedAuto: {
      ConfigMap: keys.configMapAuto,
      Secret: keys.secretAuto,
      SecretProviderClass: keys.secretProviderClassAuto,
    },
    search: keys.search,
    exclude: {
      ...byConfigKind((kind) => `${SOURCE_KINDS[kind].resource}.exclude.reloader.stakater.com/reload`),
      SecretProviderClass: keys.secretProviderClassExclude,
    },
    match: keys.match,
    ignore: keys.ignore,
    pause: { period: keys.pausePeriod, pausedAt: keys.pausedAt },
    rolloutStrategy: 'reloader.stakater.com/rollout-strategy',
    renamed: Object.entries(STAKATER_KEYS)
      .map(([word, usual]) => [usual, keys[word as keyof StakaterKeys]] as const)
      .filter(([usual, own]) => usual !== own),
    readsTemplate: true,
    lastReloadedFrom: 'reloader.stakater.com/last-reloaded-from',
  };
}

/** The common part of the vocabularies of SAP and wave. */
const WORDS_OF_HASHES = {
  namesArePatterns: false,
  auto: NO_WORD,
  typedAuto: NO_WORDS,
  search: NO_WORD,
  exclude: NO_WORDS,
  match: NO_WORD,
  ignore: NO_WORD,
  readsTemplate: false,
  lastReloadedFrom: NO_WORD,
} as const;

/** The vocabulary of SAP's pod-reloader. */
export const SAP_VOCABULARY: Vocabulary = {
  ...WORDS_OF_HASHES,
  name: 'sap',
  domain: 'pod-reloader.cs.sap.com',
  named: listsIn('pod-reloader.cs.sap.com/configmaps', 'pod-reloader.cs.sap.com/secrets'),
  disabling: ['pod-reloader.cs.sap.com/ignored', 'pod-reloader.cs.sap.com/disabled'],
  hash: SAP_HASH_ANNOTATION,
  trigger: SAP_HASH_ANNOTATION,
};

/** The vocabulary of wave. */
export const WAVE_VOCABULARY: Vocabulary = {
  ...WORDS_OF_HASHES,
  name: 'wave',
  domain: 'wave.pusher.com',
  named: listsIn('wave.pusher.com/extra-configmaps', 'wave.pusher.com/extra-secrets'),
  namesNeedAuto: true,
  auto: 'wave.pusher.com/update-on-config-change',
  autoIsToTheLetter: true,
  hash: WAVE_HASH_ANNOTATION,
};

function listsIn(configMaps: string, secrets: string, ...classes: readonly string[]): Vocabulary['named'] {
  return { ConfigMap: [configMaps], Secret: [secrets], SecretProviderClass: classes };
}

/** The keys of a workload that ask for objects of a kind. */
export function askingKeysOf(words: Vocabulary, kind: ConfigKind): readonly string[] {
  return [...words.named[kind], words.auto, words.typedAuto[kind], words.search];
}

/** All annotation keys of a workload that the vocabulary reads. */
export function workloadKeysOf(words: Vocabulary): readonly string[] {
  const keys = CONFIG_KINDS.flatMap((kind) => [...askingKeysOf(words, kind), words.exclude[kind]]);
  const others = [words.trigger ?? NO_WORD, words.rolloutStrategy ?? NO_WORD];
  return [...new Set([...keys, ...others])].filter((key) => key !== NO_WORD);
}
