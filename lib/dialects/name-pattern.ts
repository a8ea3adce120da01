/**
 * Items of a list of names that are expressions in the syntax of RE2: each matches whole names, in a time that grows no
 * faster than the name, whatever a user writes.
 */

import { RE2JS } from 're2js';
import { remembered } from './remembered.ts';

const compile = remembered(tryCompile);

/** Whether `item` matches no other name than the one that it spells. */
export function isPlainItem(item: string): boolean {
  return /^[-a-z0-9]+$/.test(item);
}

/** Whether the whole of `name` is matched by `pattern`; one that cannot be understood matches nothing. */
export function matches(pattern: string, name: string): boolean {
  const expression = compile(pattern);
  return typeof expression !== 'string' && expression.matches(name);
}

/** What is wrong with `pattern`; undefined if nothing is. */
export function mistakeIn(pattern: string): string | undefined {
  const expression = compile(pattern);
  return typeof expression === 'string' ? expression : undefined;
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
