/** What a vocabulary has to say: what asks for a reload, and how the pod template is stamped. */

import type { Absence } from '../model/absence.ts';
import type { Loss } from '../model/loss.ts';
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
  /** What is said of an object that these annotations of a workload name and that is not there, or not watched. */
  readonly noticeOfAbsence: (absence: Absence, annotations: Readonly<Record<string, string>>) => Notice;
  /** What is said of an opt-in that went together with our stamps. */
  readonly noticeOfLoss: (loss: Loss) => Notice;
  /** The variables of all objects that one workload follows. */
  readonly stampVariablesOf: (refs: readonly ConfigRef[]) => ReadonlyMap<ObjectKey, StampVariables>;
}
