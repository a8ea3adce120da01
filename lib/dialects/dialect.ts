/** What a vocabulary has to say: what asks for a reload, and how the pod template is stamped. */

import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { Vocabulary } from '../model/workload.ts';

/** What the annotations of a workload ask for. */
export interface Asked {
  /** The objects that it follows, in the order of the lists, each once. */
  readonly refs: readonly ConfigRef[];
  /** List items that cannot be the name of an object, as written. */
  readonly malformed: readonly string[];
}

/** The variables of one object in a pod template. */
export interface StampVariables {
  /** The one that a patch writes. */
  readonly written: string;
  /** All that may hold a stamp of this object, the written one included. */
  readonly read: readonly string[];
}

/** One vocabulary. */
export interface Dialect extends Vocabulary {
  /** What `annotations` of a workload in `namespace` ask for. */
  readonly asked: (annotations: Readonly<Record<string, string>>, namespace: string) => Asked;
  /** The variables of all objects that one workload follows. */
  readonly stampVariablesOf: (refs: readonly ConfigRef[]) => ReadonlyMap<ObjectKey, StampVariables>;
}
