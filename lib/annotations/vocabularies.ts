/** The interface of the vocabularies: which objects a workload follows, its policy, and how its pod template is stamped. */

import type { CompetingReloader, Finding, LostOptIn } from '../model/finding.ts';
import type { ConfigKind, ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { ReloadStrategy, Verdict } from '../model/reasons.ts';
import type { ReloadWindow } from '../model/reload-window.ts';
import type { Place } from '../model/rollout-plan.ts';
import type { Pace, VocabularyName } from '../model/settings.ts';
import type { AnnotationReader, Workload } from '../model/workload.ts';
import type { Pausing } from './pausing.ts';

/** The variables of one object in a pod template. */
export interface StampVariables {
  /** The variable that a patch writes, by vocabulary; a vocabulary without one writes into an annotation. */
  readonly written: Readonly<Partial<Record<VocabularyName, string>>>;
  /** Its name in annotations. */
  readonly inAnnotations: string;
  /** All variables that may hold a stamp of this object, including the written ones and the name in annotations. */
  readonly read: readonly string[];
}

/** Annotations that are read, of a workload, its namespace or an object. */
export type Annotations = Readonly<Record<string, string>>;

/** An object that a workload follows, as it is now. */
export interface FollowedContent {
  readonly ref: ConfigRef;
  readonly annotations: Annotations;
  /** Undefined if the object does not exist. */
  readonly digest: string | undefined;
}

/** The names of the objects of a kind that are known in one namespace. */
export type KnownNames = (kind: ConfigKind) => Iterable<string>;

/** All vocabularies in use, as one. All members are pure; a text that cannot be parsed is a finding, never an exception. */
export interface Vocabularies extends AnnotationReader {
  /** Whether a metadata annotation of a ConfigMap or Secret can hold policy. */
  readonly isConfigAnnotation: (key: string) => boolean;
  /**
   * The objects that a workload follows, each once: those that it names, those of `known` that its patterns match, and
   * with `auto` or `search` those that it refers to. The policy decides separately for which of them it is rolled.
   */
  readonly follows: (workload: Workload, known: KnownNames) => readonly ConfigRef[];
  /** Whether `follows` depends on what is known. */
  readonly hasPatterns: (workload: Workload) => boolean;
  /** Whether a workload is to be rolled for an object with these annotations. */
  readonly judge: (workload: Workload, ref: ConfigRef, annotations: Annotations) => Verdict;
  /** How the workload is rolled. */
  readonly strategyOf: (workload: Workload) => ReloadStrategy;
  /** The pauses and windows that workloads ask for. */
  readonly pausing: Pausing;
  /** How often a workload may be rolled. */
  readonly paceOf: (workload: Workload) => Pace;
  /** When a workload may be rolled, by its annotations and those of its namespace; undefined: at any time. */
  readonly reloadWindowOf: (levels: readonly Annotations[]) => ReloadWindow | undefined;
  /** The findings about likely mistakes in the annotations of a workload. */
  readonly mistakesOf: (workload: Workload) => readonly Finding[];
  /** The findings about mistakes in the annotations of an object that a workload follows. */
  readonly configMistakesOf: (ref: ConfigRef, annotations: Annotations) => readonly Finding[];
  /** The findings about missing objects, if annotations name them; `isState`: a reloader keeps its state in the object. */
  readonly findingsOfMissing: (
    workload: Workload,
    refs: readonly ConfigRef[],
    isState: (ref: ConfigRef) => boolean,
  ) => readonly Finding[];
  /** The finding about an opt-in that was removed together with our stamps. */
  readonly findingOfLostOptIn: (lostOptIn: LostOptIn) => Finding;
  /** The other reloader that a write reveals by changing only stamps; undefined if it reveals none. */
  readonly competitorIn: (before: Workload, after: Workload) => CompetingReloader | undefined;
  /** The finding about a competing reloader. */
  readonly findingOfCompetingReloader: (competitor: CompetingReloader) => Finding;
  /** The variables of all objects that one workload follows. */
  readonly stampVariablesOf: (refs: readonly ConfigRef[]) => ReadonlyMap<ObjectKey, StampVariables>;
  /** Where a patch writes the stamp of an object: one place for each vocabulary that asks for it. */
  readonly placesOf: (
    workload: Workload,
    ref: ConfigRef,
    annotations: Annotations,
    variables: StampVariables,
  ) => readonly Place[];
  /** Whether the workload is rolled by a restart of its pods, without a change of its template. */
  readonly restarts: (workload: Workload) => boolean;
  /** Annotations that inform people of a rollout for `ref`, whose content is `digest`, seen at `seconds` since 1970. */
  readonly tellingAnnotations: (
    workload: Workload,
    ref: ConfigRef,
    annotations: Annotations,
    about: { readonly digest: string; readonly seconds: number },
  ) => Readonly<Record<string, string>>;
  /** Annotations of the pod template with the hash of the followed objects, one for each vocabulary that has a hash. */
  readonly hashAnnotations: (
    workload: Workload,
    contents: readonly FollowedContent[],
  ) => Readonly<Record<string, string>>;
  /** Annotations of the workload itself by which another reloader asked its webhook; the next rollout removes them. */
  readonly triggersOf: (workload: Workload) => readonly string[];
}
