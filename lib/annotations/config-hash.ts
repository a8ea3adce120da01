/** The one hash that stands for all that a workload follows, as vocabularies have it that do not tell objects apart. */

import { createHash } from 'node:crypto';
import { ABSENT } from '../model/digest.ts';
import { describeFrom } from '../model/object-ref.ts';
import type { FollowedContent } from './vocabularies.ts';

/**
 * The SHA-256 over `<kind>/<name> <digest>`, a line for each object in the order of its code units; one of another
 * namespace than `namespace`, that of the workload, has it between, and one that is not there has `-` for a digest. It is
 * made of digests alone, so it says no more about a content than the stamps do, and changes with the content alone.
 */
export function configHashOf(namespace: string, contents: readonly FollowedContent[]): string {
  const lines = contents.map(({ ref, digest = ABSENT }) => `${describeFrom(namespace, ref)} ${digest}\n`);
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}
