/** An edge, for tests of what can happen to one. */

import type { Edge } from '../../lib/model/edge.ts';

/** A digest. */
export const A: string = 'a'.repeat(40);

/** Another one. */
export const B: string = 'b'.repeat(40);

/** A third one. */
export const C: string = 'c'.repeat(40);

/** An edge that is up to date with `A`. */
export const EDGE: Edge = {
  runningDigest: A,
  followedSince: { from: 3, to: 4 },
  stamp: { digest: A, id: 2 },
  rolloutInProgress: false,
};
