/** The finding about an annotation whose value cannot be parsed. */

import type { Finding } from '../model/finding.ts';

/** Characters of a value that a finding shows. */
const LONGEST_VALUE = 60;

/** A value in quotes, cut to LONGEST_VALUE. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, LONGEST_VALUE));
}

/** The finding that `shown`, a value of `key`, is wrong; `remedy` completes the sentence with the error and the correction. */
export function malformedFinding(key: string, shown: string, remedy: string): Finding {
  return { reason: 'malformed', about: `${key}: ${shown}`, message: `${shown} of ${key} ${remedy}` };
}
