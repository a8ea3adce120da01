/**
 * Items of a list of names that are expressions in the syntax of RE2: each matches whole names, in a time that grows no
 * faster than the name, whatever a user writes.
 */

import { RE2JS } from 're2js';

/** How many expressions are kept compiled: they repeat from workload to workload. */
const MOST_COMPILED = 1_000;
const compiled = new Map<string, RE2JS | string>();

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

function compile(pattern: string): RE2JS | string {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const expression = tryCompile(pattern);
  compiled.set(pattern, expression);
  return expression;
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
