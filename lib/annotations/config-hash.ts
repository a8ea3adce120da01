/** The one hash over all followed objects of a workload, for vocabularies that stamp one annotation for all of them. */

import { createHash } from 'node:crypto';
import { ABSENT } from '../model/digest.ts';
import { type ConfigRef, describe, wholeOf } from '../model/object-ref.ts';
import type { Annotations } from '../model/workload.ts';

/** An object that a workload follows, as it is now. */
export interface FollowedContent {
  readonly ref: ConfigRef;
  readonly annotations: Annotations;
  /** Undefined if the object does not exist. */
  readonly digest: string | undefined;
}

/**
 * The SHA-256 over lines `<kind>/<name> <digest>`, sorted by code unit; a missing object has the digest `-`. Only digests enter
 * the hash, so it reveals no more about a content than the stamps do, and changes only with a content.
 */
export function configHashOf(contents: readonly FollowedContent[]): string {
  const lines = contents.map(({ ref, digest = ABSENT }) => `${describe(wholeOf(ref))} ${digest}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}
