/** What the program from which this one comes keeps in its state: its formula, written down a second time on purpose. */

import { createHash } from 'node:crypto';

/** The digest of states without a version, over the data as they stand in the API: a Secret's in base64. */
export function olderDigest(data: Readonly<Record<string, string>>): string {
  const hash = createHash('sha1');
  for (const [key, value] of Object.entries(data)) hash.update(`${key}=${value}`);
  return hash.digest('hex');
}

/** As a Secret has it in the API. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
