/**
 * Items of a list of names that are expressions in the syntax of RE2: each matches whole names, in a time that grows no
 * faster than the name, whatever a user writes. It also grows with the expression, so a list may have only so much of them.
 */

import { RE2JS } from 're2js';
import { isObjectName, itemsOf } from './name-list.ts';
import { remembered } from './remembered.ts';
import { writtenOutLength } from './written-out.ts';

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
/** As many as each counts at least, so that a list has no more than a hundred. */
const LEAST_LETTERS = 10;

const compile = remembered(tryCompile);

/** The expressions of the list `text`. */
export const expressionsIn: (text: string) => Expressions = remembered(readExpressions);

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

function readExpressions(text: string): Expressions {
  const [counted, excess]: [string[], string[]] = [[], []];
  let letters = 0;
  for (const item of itemsOf(text)) {
    if (isPlainItem(item)) continue;
    const own = isAlternatives(item) ? 0 : writtenOutLength(item);
    const withIt = letters + Math.max(own, LEAST_LETTERS);
    if (withIt <= MOST_LETTERS) {
      letters = withIt;
      counted.push(item);
    } else if (!isObjectName(item)) excess.push(item);
  }
  return { counted, excess };
}

/** Names, one after the other, in brackets or not, cost no more than they are long, be there thousands. */
function isAlternatives(item: string): boolean {
  return /^\^?\(?(?:[-a-z0-9.|]|\\\.)+\)?\$?$/.test(item);
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
