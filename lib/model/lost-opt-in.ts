/** What a workload followed, and follows no more by a write that also took our stamps of it back. */

import type { ConfigRef } from './object-ref.ts';
import type { Workload } from './workload.ts';

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
