/** Annotations that are almost those of a vocabulary. */

import { REPLACES_ANNOTATION } from '../model/kinds/built-in.ts';
import { STAMPED_AFTER_ANNOTATION } from '../model/kinds/deployment-config.ts';
import { closestMatch } from '../model/text.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What programs write on workloads themselves, with the prefix of a vocabulary. */
const WRITTEN = [STAMPED_AFTER_ANNOTATION, REPLACES_ANNOTATION, 'wave.pusher.com/scheduling-disabled'];
const LONGEST_KEY = 317;
/** How many letters a key without the prefix of a vocabulary may differ. */
const FEW = 3;
/** A shorter word is part of too many others. */
const LEAST_PART = 4;

/** Finds the key that was meant, among those that count. */
export class NearKeys {
  readonly #vocabularies: readonly Vocabulary[];
  readonly #keys: readonly string[];
  readonly #renamed: ReadonlyMap<string, string>;

  /** `keys`: all keys that the vocabularies read, and lists of one's own; the first of two that are as near is meant. */
  constructor(vocabularies: readonly Vocabulary[], keys: readonly string[]) {
    this.#vocabularies = vocabularies;
    const lists = vocabularies.filter((words) => !words.namesArePatterns);
    const own = lists.flatMap(({ named }) => Object.values(named).flat());
    const renamed = vocabularies.flatMap((words) => words.renamed ?? []);
    this.#renamed = new Map(renamed.filter(([usual]) => !keys.includes(usual)));
    const all = [...keys, ...this.#renamed.keys()];
    this.#keys = all.filter((key) => this.vocabularyOf(key) !== undefined || own.includes(key));
  }

  /** The vocabulary whose prefix `key` has. */
  vocabularyOf(key: string): Vocabulary | undefined {
    const prefix = key.slice(0, Math.max(0, key.lastIndexOf('/')));
    return this.#vocabularies.find(({ domain }) => prefix === domain || prefix.endsWith(`.${domain}`));
  }

  /** Whether `key`, which does not count, is meant for a vocabulary. */
  isMeant(key: string): boolean {
    if (WRITTEN.includes(key) || key.length > LONGEST_KEY) return false;
    return this.vocabularyOf(key) !== undefined || this.meantBy(key) !== undefined;
  }

  /** The nearest key that counts, if it is near: of those with the same prefix, if that is of a vocabulary. */
  meantBy(given: string): string | undefined {
    const words = this.vocabularyOf(given);
    const keys = this.#keys.filter((key) => words === undefined || this.vocabularyOf(key) === words);
    const word = lettersOf(given, words);
    const all = keys.map((key) => lettersOf(key, words));
    const isPart = (part: string, whole: string): boolean =>
      part.length >= LEAST_PART && whole.includes(part);
    const part = all.find((each) => words && (isPart(each, word) || isPart(word, each)));
    const farther = words && word !== '' ? (part ?? closestMatch(word, all)) : undefined;
    const key = keys[all.indexOf(closestMatch(word, all, FEW) ?? farther ?? '')] ?? this.#withWordsOf(given);
    return this.#renamed.get(key ?? '') ?? key;
  }

  /** The first key that has all words of the given one, which has them in another order, or lacks some or the slash. */
  #withWordsOf(given: string): string | undefined {
    const words = wordsOf(given);
    if (words.length < 2) return undefined;
    return this.#keys.find((key) => words.every((word) => wordsOf(key).includes(word)));
  }
}

function wordsOf(key: string): readonly string[] {
  return key.toLowerCase().split(/[./-]/);
}

/** The letters of a key in small, without the prefix of its vocabulary. */
function lettersOf(key: string, words: Vocabulary | undefined): string {
  const rest = words === undefined ? key : key.replace(words.domain, '');
  return rest.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
