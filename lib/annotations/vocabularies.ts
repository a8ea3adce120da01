/** All vocabularies in use, as one: a workload follows the objects of each of them, and each has its stamp in the one patch. */

import { type Finding, findingAbout } from '../model/finding.ts';
import { isRolloutStrategy, RESTARTED_AT_ANNOTATION, RESTARTS } from '../model/kinds/argo-rollout.ts';
import {
  CONFIG_KINDS,
  type ConfigKind,
  type ConfigRef,
  keyOf,
  type ObjectKey,
  SOURCE_KINDS,
  type WorkloadRef,
} from '../model/object-ref.ts';
import { type PolicyReason, RELOAD_STRATEGIES, type ReloadStrategy, type Verdict } from '../model/reasons.ts';
import type { ReloadWindow } from '../model/reload-window.ts';
import type { Place } from '../model/rollout-plan.ts';
import type { Pace, StakaterKeys, VocabularyName } from '../model/settings.ts';
import { pick } from '../model/text.ts';
import {
  ANNOTATIONS,
  type AnnotationReader,
  type Annotations,
  APPROVED_ANNOTATION,
  meantIn,
  referenceOf,
  STAMPS_ANNOTATION,
  type Workload,
} from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { CONFIG_GATING_ANNOTATIONS, reloadWindowOf } from './gating.ts';
import {
  configMistakesOf,
  excessFindings,
  inPlaceFindings,
  type Keys,
  mistakesOf,
  OWN_CHECKS,
  unservedFindings,
} from './mistakes.ts';
import { Pausing, paceOf } from './pacing.ts';
import { type KnownNames, MOST_NAMES, Policy } from './policy.ts';
import { NearKeys } from './policy-keys.ts';
import { remembered } from './remembered.ts';
import {
  configHashOf,
  type FollowedContent,
  isStampVariable,
  type StampVariables,
} from './stamp-variables.ts';
import {
  type Alternatives,
  KEY_SCOPED_ANNOTATION,
  nativeVocabulary,
  SAP_VOCABULARY,
  STRATEGY_ANNOTATION,
  stakaterVocabulary,
  type Vocabulary,
  WAVE_VOCABULARY,
  workloadKeysOf,
} from './vocabulary.ts';

/** The vocabularies in use, and the defaults of workloads without an annotation. */
export interface VocabularyOptions {
  readonly dialects: readonly VocabularyName[];
  /** Further keys whose lists are merged with those of the native annotation, by kind. */
  readonly alternativeAnnotations: Alternatives;
  readonly stakaterKeys: StakaterKeys;
  readonly ignoredKinds: readonly ConfigKind[];
  /** Whether a stream shows the objects of a kind in a namespace. @default always */
  readonly shows?: (namespace: string, kind: ConfigKind) => boolean;
  /** The labels of the objects that the streams show. @default they show all */
  readonly resourceSelector?: string | undefined;
  /** The text of the window of a workload without an annotation. @default it is rolled at any time */
  readonly reloadWindow?: string | undefined;
  /** Whether a workload without such an annotation is rolled for all objects that it refers to. */
  readonly autoReloadAll: boolean;
  readonly strategy: ReloadStrategy;
  /** Whether Jobs that have finished are rolled too. */
  readonly rollsFinished: boolean;
  /** The minimum window of a workload without an annotation, in ms. */
  readonly pausePeriodMs: number;
  /** How often a workload without an annotation may be rolled. */
  readonly pace: Pace;
  /** Whether a workload without an annotation follows the keys that its pods read, and not whole objects. */
  readonly keyScoped: boolean;
}

/** Our own annotations of workloads that are restarted. */
const RECORD: readonly string[] = [STAMPS_ANNOTATION, RESTARTED_AT_ANNOTATION];

const NOT_ASKED: Verdict = { asks: false, because: 'not-asked' };
/** Outcomes that also override the flag for all workloads, unless another vocabulary asks for the object. */
const REFUSING: readonly PolicyReason[] = ['ignored', 'excluded', 'disabled'];

/** All vocabularies, in use or not, the native one first. */
export function everyVocabulary({
  alternativeAnnotations,
  stakaterKeys,
}: Pick<VocabularyOptions, 'alternativeAnnotations' | 'stakaterKeys'>): [Vocabulary, ...Vocabulary[]] {
  const others = [stakaterVocabulary(stakaterKeys), SAP_VOCABULARY, WAVE_VOCABULARY];
  return [nativeVocabulary(alternativeAnnotations), ...others];
}

/**
 * See the file's comment. Immutable; its methods are pure functions of the workload and the annotations. A text that cannot be
 * parsed is a finding, never an exception.
 */
export class Vocabularies implements AnnotationReader {
  readonly #options: VocabularyOptions;
  /** The kinds that are watched. */
  readonly #kinds: readonly ConfigKind[];
  readonly #words: readonly Vocabulary[];
  readonly #keys: Keys;
  /** The annotations about restarts of the vocabularies in use, the native one first. */
  readonly #rolloutKeys: readonly string[];
  /** The policies of each workload in memory, in the order of the vocabularies. Parsed once: a Workload is immutable. */
  readonly #policies = new WeakMap<Workload, readonly Policy[]>();
  readonly isPolicyAnnotation: (key: string) => boolean;
  readonly isPolicyLabel: (key: string) => boolean;
  readonly isTemplatePolicyAnnotation: (key: string) => boolean;
  /** Whether a metadata annotation of a ConfigMap or Secret can hold policy. */
  readonly isConfigAnnotation: (key: string) => boolean;
  readonly isMarkAnnotation: (key: string) => boolean;
  readonly isUnknownAnnotation: (key: string) => boolean;
  /** Whether a metadata annotation of a ConfigMap or Secret has no effect although it is probably meant as policy. */
  readonly isStrayOnObject: (key: string) => boolean = (key) =>
    !this.isConfigAnnotation(key) && (this.isPolicyAnnotation(key) || this.isUnknownAnnotation(key));
  readonly isStampVariable: (name: string) => boolean = isStampVariable;
  /** The pauses and windows that workloads ask for. */
  readonly pausing: Pausing;

  constructor(options: VocabularyOptions) {
    this.#options = options;
    this.#kinds = CONFIG_KINDS.filter((kind) => !options.ignoredKinds.includes(kind));
    const all = everyVocabulary(options);
    const [native] = all;
    this.#words = all.filter(({ name }) => options.dialects.includes(name));
    const hasNative = this.#words.includes(native);
    const { pause } = this.#words.find((words) => words.pause !== undefined) ?? {};
    this.pausing = new Pausing(pause, options.pausePeriodMs);
    this.#rolloutKeys = this.#words.flatMap(({ rolloutStrategy }) => rolloutStrategy ?? []);
    const ofWorkloads = [
      ...this.#words.flatMap(workloadKeysOf),
      ...Object.values(pause ?? {}),
      STRATEGY_ANNOTATION,
      APPROVED_ANNOTATION,
      ...Object.keys(OWN_CHECKS),
    ];
    this.isPolicyAnnotation = isIn(ofWorkloads);
    this.isPolicyLabel = isIn(this.#words.flatMap(({ disabling = [] }) => disabling));
    const ofTemplates = this.#words.filter((words) => words.readsTemplate).flatMap(workloadKeysOf);
    this.isTemplatePolicyAnnotation = isIn(ofTemplates.filter((key) => !this.#rolloutKeys.includes(key)));
    const ofObjects = [
      ...CONFIG_GATING_ANNOTATIONS,
      ...this.#words.flatMap(({ match, ignore }) => [match, ignore]),
    ];
    this.isConfigAnnotation = isIn(ofObjects);
    this.isMarkAnnotation = isIn(all.map(({ lastReloadedFrom, hash }) => hash ?? lastReloadedFrom));
    // A person does not write what a reloader writes.
    const written = [...ofWorkloads, ...ofObjects].filter((key) => key !== pause?.pausedAt);
    this.#keys = {
      lists: hasNative ? this.#kinds.flatMap((kind) => native.named[kind]) : [],
      near: new NearKeys(this.#words, written),
      all: this,
    };
    const isKnown = (key: string): boolean =>
      this.isPolicyAnnotation(key) || this.isMarkAnnotation(key) || RECORD.includes(key);
    this.isUnknownAnnotation = remembered((key) => !isKnown(key) && this.#keys.near.isMeant(key));
  }

  /** The annotations of a ConfigMap or Secret that can hold policy, and some of those without an effect that are probably meant to. */
  annotationsOf(all: Annotations): Annotations {
    const counting = pick(all, this.isConfigAnnotation);
    const strays = meantIn(all, this.isStrayOnObject);
    return strays.length === 0 ? counting : { ...counting, ...Object.fromEntries(strays) };
  }

  isKeyScoped({ [KEY_SCOPED_ANNOTATION]: own }: Annotations): boolean {
    return own === 'true' || (own !== 'false' && this.#options.keyScoped);
  }

  /**
   * The objects that a workload follows, each once: those that it names, those of `known` that its patterns match, and
   * with `auto` or `search` those that it refers to. The policy decides separately for which of them it is rolled.
   */
  follows(workload: Workload, known: KnownNames): readonly ConfigRef[] {
    const policies = this.#policiesOf(workload);
    const { namespace } = workload.ref;
    const refs = new Map<ObjectKey, ConfigRef>();
    for (const kind of this.#kinds) {
      const named = policies.flatMap((policy) => policy.named(kind));
      const matched = policies.flatMap((policy) => policy.matched(kind, known));
      const isAll = this.#isAll(policies, kind) || policies.some((policy) => policy.followsReferences(kind));
      const references = isAll ? workload.references.filter((ref) => ref.kind === kind) : [];
      for (const name of [...named, ...matched, ...references.map((reference) => reference.name)]) {
        const whole: ConfigRef = { kind, namespace, name };
        // The keys that its pods read, if they are known, else the whole object.
        const keys = referenceOf(workload, whole)?.keys;
        const ref = keys === undefined ? whole : { ...whole, keys };
        refs.set(keyOf(ref), ref);
      }
    }
    return [...refs.values()];
  }

  /** Whether `follows` depends on what is known. */
  hasPatterns(workload: Workload): boolean {
    return this.#policiesOf(workload).some((policy) => policy.hasPatterns);
  }

  /** Whether a workload is to be rolled for an object with these annotations. */
  judge(workload: Workload, ref: ConfigRef, annotations: Annotations): Verdict {
    const verdict = this.#verdictOf(workload, ref, annotations);
    const { declines } = workload;
    const isSkipped = declines !== undefined && !(declines === 'finished' && this.#options.rollsFinished);
    return verdict.asks && isSkipped ? { asks: false, because: declines } : verdict;
  }

  /** The verdict without `declines`. The first of these counts: a vocabulary asks, one refuses, --auto-reload-all asks. */
  #verdictOf(workload: Workload, ref: ConfigRef, annotations: Annotations): Verdict {
    const policies = this.#policiesOf(workload);
    const verdicts = policies.map((policy) => policy.judge(ref, annotations));
    const asking = verdicts.find(({ asks }) => asks);
    if (asking !== undefined) return asking;
    const refusing = verdicts.find(({ because }) => REFUSING.includes(because));
    if (refusing !== undefined) return refusing;
    const isReferred = referenceOf(workload, ref) !== undefined;
    if (isReferred && this.#isAll(policies, ref.kind)) return { asks: true, because: 'auto-all' };
    return verdicts.find(({ because }) => because === 'not-matched') ?? NOT_ASKED;
  }

  /** How often a workload may be rolled. */
  paceOf(workload: Workload): Pace {
    return paceOf(workload, this.#options.pace);
  }

  /** When a workload may be rolled, by its annotations and those of its namespace; undefined: at any time. */
  reloadWindowOf(levels: readonly Annotations[]): ReloadWindow | undefined {
    return reloadWindowOf(levels, this.#options.reloadWindow);
  }

  /** The findings about likely mistakes in the annotations of a workload. */
  mistakesOf(workload: Workload): readonly Finding[] {
    return [
      ...mistakesOf(workload, this.#words, this.#keys),
      ...excessFindings(this.#policiesOf(workload).flatMap((policy) => policy.excess)),
      ...unservedFindings(workload, this.#words, this.#options.shows),
      ...inPlaceFindings(workload, this.strategyOf(workload)),
    ];
  }

  /** The findings about mistakes in the annotations of an object. */
  configMistakesOf(ref: ConfigRef | WorkloadRef, annotations: Annotations): readonly Finding[] {
    return configMistakesOf(ref, annotations, this.#keys, this.#words);
  }

  /** The findings about missing objects, if annotations name them; `isState`: this reloader keeps its state in the object. */
  findingsOfMissing(
    workload: Workload,
    refs: readonly ConfigRef[],
    isState: (ref: ConfigRef) => boolean,
  ): readonly Finding[] {
    const policies = this.#policiesOf(workload);
    const named = refs.filter((ref) => policies.some((policy) => policy.isNamed(ref)));
    const { resourceSelector: selector } = this.#options;
    const hasTypes = named.some(({ kind }) => SOURCE_KINDS[kind].ignoredTypes.length > 0);
    const type = hasTypes ? ', or of a type that is not watched' : '';
    const labels = selector === undefined ? '' : `, or without the labels that are watched (${selector})`;
    const notFound = (about: string): string =>
      `${about} not found${type}${labels}; create what is missing, or remove it from the annotation`;
    const holdsState = (about: string): string =>
      `a reloader keeps its state in ${about}: nothing is rolled for it; remove it from the annotation`;
    const missing = named.filter((ref) => !isState(ref));
    return [
      ...findingAbout('state-named', named.filter(isState), holdsState),
      ...findingAbout('missing', missing, notFound),
    ];
  }

  /** Where a patch writes the stamp of an object: one place for each vocabulary that asks for it. */
  placesOf(
    workload: Workload,
    ref: ConfigRef,
    annotations: Annotations,
    { written, inAnnotations }: StampVariables,
  ): readonly Place[] {
    const beside: Place = { variable: inAnnotations, container: ANNOTATIONS };
    if (this.restarts(workload)) return [{ variable: inAnnotations, container: RESTARTS }];
    if (this.strategyOf(workload) === 'annotations') return [beside];
    const container = referenceOf(workload, ref)?.container;
    const places = this.#asking(workload, ref, annotations).map(({ name }): Place => {
      const variable = written[name];
      return variable === undefined
        ? beside
        : { variable, container: name === 'stakater' ? container : undefined };
    });
    return places.filter((place, index) => place !== beside || places.indexOf(beside) === index);
  }

  /** Whether the workload is rolled by a restart of its pods, without a change of its template. */
  restarts({ ref, annotations }: Workload): boolean {
    const strategy = this.#rolloutKeys.map((key) => annotations[key]).find(isRolloutStrategy);
    return workloadKindOf(ref.kind).isRestarted !== undefined && strategy === 'restart';
  }

  /** Annotations that inform people of a rollout for `ref`, whose content is `digest`, seen at `seconds` since 1970. */
  tellingAnnotations(
    workload: Workload,
    ref: ConfigRef,
    annotations: Annotations,
    { digest, seconds }: { readonly digest: string; readonly seconds: number },
  ): Annotations {
    if (this.strategyOf(workload) !== 'annotations') return {};
    const container = referenceOf(workload, ref)?.container;
    const text = JSON.stringify({
      type: ref.kind.toUpperCase(),
      name: ref.name,
      namespace: ref.namespace,
      hash: digest,
      containerRefs: [container ?? workload.containers[0]],
      observedAt: seconds,
    });
    const telling = this.#asking(workload, ref, annotations).filter(({ hash }) => hash === undefined);
    return Object.fromEntries(telling.map(({ lastReloadedFrom }) => [lastReloadedFrom, text]));
  }

  /** Annotations of the pod template with the hash of the followed objects, one for each vocabulary that has a hash. */
  hashAnnotations(workload: Workload, contents: readonly FollowedContent[]): Annotations {
    const policies = this.#policiesOf(workload);
    const hashes = this.#words.flatMap(({ hash }, index): readonly [string, string][] => {
      const asked = contents.filter(({ ref, annotations }) => policies[index]?.judge(ref, annotations).asks);
      return hash === undefined || asked.length === 0 ? [] : [[hash, configHashOf(asked)]];
    });
    return Object.fromEntries(hashes);
  }

  /** Annotations of the workload itself by which another reloader asked its webhook; the next rollout removes them. */
  triggersOf({ annotations }: Workload): readonly string[] {
    return this.#words
      .flatMap(({ trigger }) => trigger ?? [])
      .filter((key) => annotations[key] !== undefined);
  }

  /** The vocabularies that ask for `ref`; for an object that only a flag asks for, the last one with a variable. */
  #asking(workload: Workload, ref: ConfigRef, annotations: Annotations): readonly Vocabulary[] {
    const policies = this.#policiesOf(workload);
    const asking = this.#words.filter((_, index) => policies[index]?.judge(ref, annotations).asks);
    if (asking.length > 0) return asking;
    const last = this.#words.findLast(({ hash }) => hash === undefined) ?? this.#words.at(-1);
    return last === undefined ? [] : [last];
  }

  /** How the workload is rolled. */
  strategyOf({ ref, annotations }: Workload): ReloadStrategy {
    const { rollout } = workloadKindOf(ref.kind);
    const own = RELOAD_STRATEGIES.find((word) => word === annotations[STRATEGY_ANNOTATION]);
    const strategy = own ?? this.#options.strategy;
    return strategy === 'evict' && rollout !== 'replace-pods' ? 'env-vars' : strategy;
  }

  /** Whether --auto-reload-all counts for the workload: an auto annotation, true or false, has precedence. */
  #isAll(policies: readonly Policy[], kind: ConfigKind): boolean {
    return this.#options.autoReloadAll && !policies.some((policy) => policy.mentionsAuto(kind));
  }

  /** One policy per vocabulary; they share the limit of names, in order. */
  #policiesOf(workload: Workload): readonly Policy[] {
    const known = this.#policies.get(workload);
    if (known !== undefined) return known;
    let left = MOST_NAMES;
    const policies = this.#words.map((words) => {
      const policy = new Policy(words, workload, left);
      left = policy.left;
      return policy;
    });
    this.#policies.set(workload, policies);
    return policies;
  }
}

/** Whether a text is one of `texts`. */
function isIn(texts: readonly string[]): (text: string) => boolean {
  const set = new Set(texts);
  return (text) => set.has(text);
}
