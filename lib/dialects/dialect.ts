/** What a vocabulary has to say: what asks for a reload, and how the pod template is stamped. */

import type { Notice } from '../model/notice.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { Vocabulary, Workload } from '../model/workload.ts';

/** The variables of one object in a pod template. */
export interface StampVariables {
  /** The one that a patch writes. */
  readonly written: string;
  /** All that may hold a stamp of this object, the written one included. */
  readonly read: readonly string[];
}

/** One vocabulary. */
export interface Dialect extends Vocabulary {
  /**
   * What `annotations` of a workload in `namespace` ask for: the objects that it follows, in the order of the lists, each
   * once. What cannot be the name of an object is left out.
   */
  readonly asked: (annotations: Readonly<Record<string, string>>, namespace: string) => readonly ConfigRef[];
  /** What of the annotations of a workload cannot be meant as it stands. */
  readonly mistakesOf: (workload: Workload) => readonly Notice[];
  /** The variables of all objects that one workload follows. */
  readonly stampVariablesOf: (refs: readonly ConfigRef[]) => ReadonlyMap<ObjectKey, StampVariables>;
}
