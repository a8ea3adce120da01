/**
 * Items of a list of names that are expressions in the syntax of RE2: each matches whole names, in a time that grows no
 * faster than the name, whatever a user writes. It also grows with the expression, so a list may have only so much of them.
 */

import { RE2JS } from 're2js';
import { isObjectName } from './name-list.ts';
import { regexCost } from './regex-cost.ts';

/** The expressions of a list. */
export interface Expressions {
  readonly counted: readonly string[];
  /** Beyond what one list may have: they match nothing. A name with dots is none of them, for it still counts to the letter. */
  readonly excess: readonly string[];
}

/**
 * How many letters the expressions of one list may have, what they repeat written out, `{1000}` a thousand times. With as many
 * a name takes some milliseconds at worst; a list that people write has far fewer.
 */
export const MOST_LETTERS = 1_000;
/** How many letters names have together at most that are joined by `|`. */
export const MOST_JOINED_LETTERS = 40_000;
/** As many as each counts at least, so that a list has no more than a hundred. */
const LEAST_LETTERS = 10;

/** How many expressions are kept compiled, and how many letters they have together. */
const MOST_KEPT = 200;
const MOST_KEPT_LETTERS = 200_000;
/** How many of them keep what they have learned from names, of which each needs up to 8 MB. */
const MOST_WARM = 4;

const kept = new Map<string, RE2JS | string>();
let keptLetters = 0;
/** The one that was used last at the end. */
const warm = new Set<RE2JS>();

/** Whether `item` matches no other name than the one that it spells. */
export function isPlainItem(item: string): boolean {
  return /^[-a-z0-9]+$/.test(item);
}

/** Whether the whole of `name` is matched by `pattern`; one that cannot be understood matches nothing. */
export function matches(pattern: string, name: string): boolean {
  const expression = compile(pattern);
  if (typeof expression === 'string') return false;
  keepWarm(expression);
  return expression.matches(name);
}

/** What is wrong with `pattern`; undefined if nothing is. */
export function mistakeIn(pattern: string): string | undefined {
  const expression = compile(pattern);
  return typeof expression === 'string' ? expression : undefined;
}

/** The expressions among the items of a list. */
export function expressionsIn(items: readonly string[]): Expressions {
  const [counted, excess]: [string[], string[]] = [[], []];
  let letters = 0;
  let joined = 0;
  for (const item of items) {
    if (isPlainItem(item)) continue;
    const isJoined = isAlternatives(item);
    const withIt = letters + Math.max(isJoined ? 0 : regexCost(item), LEAST_LETTERS);
    const joinedWithIt = joined + (isJoined ? item.length : 0);
    if (withIt <= MOST_LETTERS && joinedWithIt <= MOST_JOINED_LETTERS) {
      letters = withIt;
      joined = joinedWithIt;
      counted.push(item);
    } else if (!isObjectName(item)) excess.push(item);
  }
  return { counted, excess };
}

/** Names, one after the other, in brackets or not, cost no more than they are long. */
function isAlternatives(item: string): boolean {
  return /^\^?\(?(?:[-a-z0-9.|]|\\\.)+\)?\$?$/.test(item);
}

/** The same texts repeat from workload to workload. */
function compile(pattern: string): RE2JS | string {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT || keptLetters + pattern.length > MOST_KEPT_LETTERS) {
    kept.clear();
    warm.clear();
    keptLetters = 0;
  }
  const now = tryCompile(pattern);
  kept.set(pattern, now);
  keptLetters += pattern.length;
  return now;
}

/** What has not been used for longest forgets what it has learned: it costs time, and changes no answer. */
function keepWarm(expression: RE2JS): void {
  warm.delete(expression);
  warm.add(expression);
  const [oldest] = warm;
  if (warm.size <= MOST_WARM || oldest === undefined) return;
  warm.delete(oldest);
  oldest.reset();
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
