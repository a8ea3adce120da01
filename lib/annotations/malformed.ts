/** The findings about annotations whose values cannot be parsed. */

import type { Finding } from '../model/finding.ts';
import type { Annotations } from '../model/workload.ts';

/** Characters of a value that a finding shows. */
const LONGEST_VALUE = 60;

/** By annotation: the error in a value and its correction, which complete the sentence; undefined for a good value. */
export type Checks = Readonly<Record<string, (value: string) => string | undefined>>;

/** A check that accepts `true` and `false`. */
export function truthCheck(key: string): Checks {
  const remedy = `is neither true nor false and does not count; write ${key}: "true"`;
  return { [key]: (value) => (['true', 'false'].includes(value) ? undefined : remedy) };
}

/** The findings about the checked annotations; `of`: whose they are, unless the workload's own. */
export function malformedFindings(annotations: Annotations, checks: Checks, of = ''): readonly Finding[] {
  return Object.entries(checks).flatMap(([key, check]) => {
    const value = annotations[key];
    const remedy = value === undefined ? undefined : check(value);
    if (value === undefined || remedy === undefined) return [];
    return [malformedFinding(`${key}${of}`, quoted(value), remedy)];
  });
}

/** A value in quotes, cut to LONGEST_VALUE. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, LONGEST_VALUE));
}

/** The finding that `shown`, a value of `key`, is wrong; `remedy` completes the sentence with the error and the correction. */
export function malformedFinding(key: string, shown: string, remedy: string): Finding {
  return { reason: 'malformed', about: `${key}: ${shown}`, message: `${shown} of ${key} ${remedy}` };
}
