/** What the vocabularies have to say: what asks for a reload, and how the pod template is stamped. */

import type { CompetingReloader, Finding, LostOptIn, MissingObject } from '../model/finding.ts';
import type { ConfigKind, ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { Verdict } from '../model/reasons.ts';
import type { Place } from '../model/rollout-plan.ts';
import type { Pace, VocabularyName } from '../model/settings.ts';
import type { AnnotationReader, Workload } from '../model/workload.ts';
import type { Pausing } from './pausing.ts';

/** The variables of one object in a pod template. */
export interface StampVariables {
  /** The one that a patch writes, by vocabulary; those without one write into an annotation. */
  readonly written: Readonly<Partial<Record<VocabularyName, string>>>;
  /** Its name in annotations. */
  readonly inAnnotations: string;
  /** All that may hold a stamp of this object, the written ones and the name in annotations included. */
  readonly read: readonly string[];
}

/** The annotations of an object that policies ask for. */
export type ConfigAnnotations = Readonly<Record<string, string>>;

/** An object that a workload follows, as it is now. */
export interface FollowedContent {
  readonly ref: ConfigRef;
  readonly annotations: ConfigAnnotations;
  /** Undefined where it is not there. */
  readonly digest: string | undefined;
}

/** The names of the objects of a kind that are known in one namespace. */
export type KnownNames = (kind: ConfigKind) => Iterable<string>;

/** All vocabularies in use, as one. */
export interface Vocabularies extends AnnotationReader {
  /** Whether a metadata annotation of a ConfigMap or Secret can hold policy. */
  readonly isConfigAnnotation: (key: string) => boolean;
  /**
   * The objects that a workload follows, each once: those that it names, those of `known` that its patterns match, and
   * those that it refers to if it asks for such. What it follows it is not necessarily rolled for.
   */
  readonly follows: (workload: Workload, known: KnownNames) => readonly ConfigRef[];
  /** Whether `follows` depends on what is known. */
  readonly hasPatterns: (workload: Workload) => boolean;
  /** Whether a workload is to be rolled for an object with these annotations. */
  readonly judge: (workload: Workload, ref: ConfigRef, annotations: ConfigAnnotations) => Verdict;
  /** How long workloads want to wait. */
  readonly pausing: Pausing;
  /** How often a workload may be rolled. */
  readonly paceOf: (workload: Workload) => Pace;
  /** What of the annotations of a workload cannot be meant as it stands. */
  readonly mistakesOf: (workload: Workload) => readonly Finding[];
  /** What is said of objects that are not there, or not watched, as far as the workload names them: one notice for all that are alike. */
  readonly findingsOfMissingObjects: (
    missingObjects: readonly MissingObject[],
    workload: Workload,
  ) => readonly Finding[];
  /** What is said of an opt-in that went together with our stamps. */
  readonly findingOfLostOptIn: (lostOptIn: LostOptIn) => Finding;
  /** The other reloader that a write shows which changed nothing but marks; undefined if it shows none. */
  readonly competitorIn: (before: Workload, after: Workload) => CompetingReloader | undefined;
  /** What is said of it. */
  readonly findingOfCompetingReloader: (competitor: CompetingReloader) => Finding;
  /** The variables of all objects that one workload of `namespace` follows. */
  readonly stampVariablesOf: (
    refs: readonly ConfigRef[],
    namespace: string,
  ) => ReadonlyMap<ObjectKey, StampVariables>;
  /** Where the stamp of an object is written: once for each vocabulary that asks for it. */
  readonly placesOf: (
    workload: Workload,
    ref: ConfigRef,
    annotations: ConfigAnnotations,
    variables: StampVariables,
  ) => readonly Place[];
  /** Annotations that tell people of a rollout for `ref`, whose content is `digest`, seen at `seconds` since 1970. */
  readonly tellingAnnotations: (
    workload: Workload,
    ref: ConfigRef,
    annotations: ConfigAnnotations,
    about: { readonly digest: string; readonly seconds: number },
  ) => Readonly<Record<string, string>>;
  /** Annotations of the pod template that hold the hash of what is followed, one for each vocabulary that has such. */
  readonly hashAnnotations: (
    workload: Workload,
    contents: readonly FollowedContent[],
  ) => Readonly<Record<string, string>>;
  /** Annotations of the workload itself by which another reloader asked its webhook, and that go with the next rollout. */
  readonly triggersOf: (workload: Workload) => readonly string[];
}
