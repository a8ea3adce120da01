/** Whether an object still has to be compared by the formula of an older state. */

import { LEGACY_ALGORITHM } from '../model/digest.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { Edges } from './edges.ts';

/** Whether its entry, or what pods are believed to run of it, is a digest by that formula. */
export function wantsLegacyDigest(edges: Edges, ref: ConfigRef): boolean {
  const isLegacy = (digest: string | undefined): boolean =>
    digest?.startsWith(`${LEGACY_ALGORITHM}:`) === true;
  return (
    isLegacy(edges.entryOf(ref)?.digest) ||
    edges.edgesOf(keyOf(ref)).some(([, edge]) => isLegacy(edge.runningDigest))
  );
}
