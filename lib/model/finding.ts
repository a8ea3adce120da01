/** What keeps a workload from doing what people may expect of it, and what such a finding is made from. */

import type { ConfigRef } from './object-ref.ts';
import type { Reason } from './reasons.ts';
import type { TemplateStamp, Workload } from './workload.ts';

/** One answer to "why did nothing happen?". */
export interface Finding {
  readonly reason: Reason;
  /** What tells it from others of the same reason and workload: for as long as it stands it is said once. */
  readonly about: string;
  /** Where it is about several things: each of them. Nothing is said again before another thing comes to them. */
  readonly covers?: readonly string[];
  /** For people: what is wrong, and what would be right. */
  readonly message: string;
}

/** What was found out. */
export interface MissingObject {
  readonly ref: ConfigRef;
  /** The type of a Secret that is there after all, but of a type that is not watched. */
  readonly leftOutType: string | undefined;
  /** It is there after all, but without the labels that are watched. */
  readonly isUnselected: boolean;
  /** It is there after all, but a reloader keeps its state in it. @default false */
  readonly isState?: boolean;
  /** The labels of the objects that are watched; undefined: all are. */
  readonly selector: string | undefined;
  /** Objects that are there and may be meant, the likeliest first. */
  readonly similar: readonly ConfigRef[];
}

/** One such write. */
export interface LostOptIn {
  /** What is not followed any more. */
  readonly refs: readonly ConfigRef[];
  readonly before: Workload;
  readonly after: Workload;
}

/** An annotation as it was before. */
export interface LostAnnotation {
  readonly key: string;
  readonly value: string;
  /** It stood on the pod template. */
  readonly isOnTemplate: boolean;
}

/** The annotations with a policy that the write took away or changed; empty where it changed the template alone. */
export function lostAnnotations({
  before,
  after,
}: Pick<LostOptIn, 'before' | 'after'>): readonly LostAnnotation[] {
  const places = [
    { was: before.annotations, is: after.annotations, isOnTemplate: false },
    { was: before.templateAnnotations, is: after.templateAnnotations, isOnTemplate: true },
  ];
  return places.flatMap(({ was, is, isOnTemplate }) =>
    Object.entries(was)
      .filter(([key, value]) => is[key] !== value)
      .map(([key, value]) => ({ key, value, isOnTemplate })),
  );
}

/** What showed it. */
export interface CompetingReloader {
  /** As it was written. */
  readonly workload: Workload;
  /** The stamp that is not ours. */
  readonly mark: TemplateStamp;
}
