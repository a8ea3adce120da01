/** How it is told of that the value of an annotation cannot be read. */

import type { Finding } from '../model/finding.ts';

const LONGEST_VALUE = 60;

/** A value as it is shown: in quotes, and not the whole of a long one. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, LONGEST_VALUE));
}

/** That what `shown` shows of `key` cannot be meant; `remedy` goes on with what is wrong, and how it would be right. */
export function malformedNotice(key: string, shown: string, remedy: string): Finding {
  return { reason: 'malformed', about: `${key}: ${shown}`, message: `${shown} of ${key} ${remedy}` };
}
