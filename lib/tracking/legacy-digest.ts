/** Whether an object still has to be compared by the formula of an older state. */

import { LEGACY_ALGORITHM } from '../model/digest.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { Store } from '../store/store.ts';

/** Whether its entry, or what pods are believed to run of it, is a digest by that formula. */
export function wantsLegacyDigest(store: Store, ref: ConfigRef): boolean {
  const isLegacy = (digest: string | undefined): boolean =>
    digest?.startsWith(`${LEGACY_ALGORITHM}:`) === true;
  return (
    isLegacy(store.persisted.entryOf(ref)?.digest) ||
    store.edgesOf(keyOf(ref)).some(([, edge]) => isLegacy(edge.runningDigest))
  );
}
