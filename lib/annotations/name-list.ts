/** A list of names of objects in an annotation: how its items are parsed, which are expressions, and how a wrong one is corrected. */

import { RE2JS } from 're2js';
import { isObjectName } from '../model/object-ref.ts';
import { cutToBytes } from '../model/text.ts';
import { remembered } from './remembered.ts';

/** Bytes of a value that a message shows. */
const LONGEST_VALUE = 500;

/** The items of `text`, trimmed, without the empty ones. */
export function itemsOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Whether `item` is `<namespace>/<name>`; a kind in front of the name is no namespace. */
export function hasNamespace(item: string): boolean {
  const parts = item.split('/');
  return parts.length === 2 && parts.every(isObjectName) && !KIND.test(item);
}

/** `item` without `namespace/` in front of it. */
export function nameWithin(namespace: string, item: string): string {
  return item.startsWith(`${namespace}/`) ? item.slice(namespace.length + 1) : item;
}

/** `key: "value"`, as in a manifest; a very long value is cut. */
export function annotationText(key: string, value: string): string {
  return `${key}: ${JSON.stringify(cutToBytes(value, LONGEST_VALUE))}`;
}

/** The kind before a name, as kubectl prints it. */
const KIND = /^(?:configmap|secret)s?\//i;

/** The expressions of a list. */
interface Expressions {
  readonly counted: readonly string[];
  /** Expressions beyond the limit: they match nothing. A name with dots is not among them, since it still counts as a name. */
  readonly excess: readonly string[];
}

/**
 * How many letters the expressions of one list may have, with repetitions expanded: `{1000}` counts a thousand times. A match
 * of that size takes some milliseconds at worst; ordinary lists have far fewer letters.
 */
export const MOST_LETTERS = 1_000;
/** How many letters an item may have that consists only of names joined by `|`, which is cheap to match. */
export const MOST_JOINED_LETTERS = 40_000;
/** The minimum that each expression counts, so that a list has at most a hundred. */
const LEAST_LETTERS = 10;

/** Limits of the cache of compiled expressions: their number, and their letters together. */
const MOST_KEPT = 200;
const MOST_KEPT_LETTERS = 200_000;
/** How many of them keep the automaton that RE2 builds while matching, up to 8 MB each. */
const MOST_WARM = 4;

/** The expressions with an automaton, the most recently used last. */
const warm = new Set<RE2JS>();

/** The expression, or the error in it. The same ones repeat from workload to workload. */
const compile = remembered(
  (pattern): RE2JS | string => {
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  },
  MOST_KEPT,
  MOST_KEPT_LETTERS,
);

/** Whether `pattern` matches the whole of `name`; an invalid pattern matches nothing. */
export function matches(pattern: string, name: string): boolean {
  const expression = compile(pattern);
  if (typeof expression === 'string') return false;
  keepWarm(expression);
  return expression.matches(name);
}

/** The error in `pattern`; undefined if it is valid. */
export function mistakeIn(pattern: string): string | undefined {
  const expression = compile(pattern);
  return typeof expression === 'string' ? expression : undefined;
}

/** Whether an expression is probably none: it asks for a character that no name has, or is meant as in a shell, like `app-*`. */
export function isMisread(pattern: string): boolean {
  if (isGlob(pattern)) return true;
  // What is one of several, or may be left out, is not asked for.
  if (/[|()\\]/.test(pattern)) return false;
  const asked = pattern.replaceAll(/\[[^\]]+\]/g, '.').replaceAll(/\{\d+\}/g, '?');
  return /[^-a-z0-9.*+?^$](?![?*])/u.test(asked);
}

/** Whether * is meant as in a shell. */
function isGlob(item: string): boolean {
  return /^[-a-z0-9.*]*[-a-z0-9]\*[-a-z0-9.*]*$/.test(item) && !item.includes('.*');
}

/** The expressions among the items of a list. */
export function expressionsIn(items: readonly string[]): Expressions {
  const [counted, excess]: [string[], string[]] = [[], []];
  let letters = 0;
  let joined = 0;
  for (const item of items) {
    // It matches no other name than the one that it spells.
    if (/^[-a-z0-9]+$/.test(item)) continue;
    const isJoined = ALTERNATIVES.test(item);
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

/** Names joined by `|`, in brackets or not: the cost is the length. */
const ALTERNATIVES = /^\^?\(?(?:[-a-z0-9.|]|\\\.)+\)?\$?$/;

/**
 * Records the use of an expression, and resets the automaton of the least recently used one: it is rebuilt when needed again.
 */
function keepWarm(expression: RE2JS): void {
  warm.delete(expression);
  warm.add(expression);
  const [oldest] = warm;
  if (warm.size <= MOST_WARM || oldest === undefined) return;
  warm.delete(oldest);
  oldest.reset();
}

/** A count, of a group or of a letter. It is a single number, since a comma ends the item of a list. */
const COUNT = /(\)?)\{(\d+)\}/g;
/** The highest count that RE2 accepts. */
const MOST_TIMES = 1_000;

/**
 * No less than about the length of the program that RE2 compiles: the letters of `pattern`, and those that counts repeat. That of
 * a group counts as if it repeated all. The time is linear in the length of the text.
 */
export function regexCost(pattern: string): number {
  let cost = pattern.replaceAll(COUNT, '$1').length;
  let groups = 1;
  for (const [, group, text] of pattern.matchAll(COUNT)) {
    const times = Math.min(Math.max(Number(text), 1), MOST_TIMES);
    if (group === '') cost += times - 1;
    else groups *= times;
  }
  return cost * groups;
}
