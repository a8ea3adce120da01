/** Annotations that are almost those of a vocabulary. */

import { REPLACES_ANNOTATION } from '../model/kinds/built-in.ts';
import { STAMPED_AFTER_ANNOTATION } from '../model/kinds/deployment-config.ts';
import { type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { closestMatch } from '../model/text.ts';
import { NATIVE_PREFIX, type Vocabulary } from './vocabulary.ts';

/** The native annotation for a kind. */
export function nativeKeyOf(kind: ConfigKind): string {
  return `${NATIVE_PREFIX}/${SOURCE_KINDS[kind].word}`;
}

/** What programs write on workloads themselves, with the prefix of a vocabulary. */
const WRITTEN = [STAMPED_AFTER_ANNOTATION, REPLACES_ANNOTATION, 'wave.pusher.com/scheduling-disabled'];
/** Words of prefixes that do not tell one from another. */
const COMMON = ['com', 'io', 'org', 'net', 'dev', 'k8s', 'cs'];
/** A key with more words is none of ours. */
const MOST_WORDS = 12;
const LONGEST_KEY = 317;
const FAR = 2;
const SHORT_PREFIX = 'reloader';

/** A key that counts, in words. */
interface KnownKey {
  readonly key: string;
  /** The words of its prefix without which it is another program's. */
  readonly brand: readonly string[];
  readonly words: readonly string[];
  /** Whether the prefix is that of a vocabulary, so that another word may be wrong. */
  readonly isBranded: boolean;
}

/** Finds the key that was meant, among those that count. */
export class NearKeys {
  readonly #known: readonly KnownKey[];
  readonly #vocabularies: readonly Vocabulary[];

  /** `keys`: all keys that the vocabularies read, and lists of one's own; the first of two that are as near is meant. */
  constructor(vocabularies: readonly Vocabulary[], keys: readonly string[]) {
    this.#vocabularies = vocabularies;
    const lists = vocabularies.filter((words) => !words.namesArePatterns);
    const own = lists.flatMap(({ named }) => Object.values(named).flat());
    const brands = new Map<string, readonly string[]>();
    this.#known = keys.flatMap((key): readonly KnownKey[] => {
      const domain = this.vocabularyOf(key)?.domain;
      if (domain === undefined && !own.includes(key)) return [];
      const brand = brands.get(domain ?? prefixOf(key)) ?? wordsIn(domain ?? prefixOf(key));
      brands.set(domain ?? prefixOf(key), brand);
      const words = wordsIn(key).filter((word) => !brand.includes(word));
      return [{ key, brand, words, isBranded: domain !== undefined }];
    });
  }

  /** The vocabulary whose prefix `key` has. */
  vocabularyOf(key: string): Vocabulary | undefined {
    const prefix = prefixOf(key);
    return this.#vocabularies.find(({ domain }) => prefix === domain || prefix.endsWith(`.${domain}`));
  }

  /** Whether `key`, which does not count, is meant for a vocabulary. */
  isMeant(key: string): boolean {
    if (WRITTEN.includes(key) || key.length > LONGEST_KEY) return false;
    return this.vocabularyOf(key) !== undefined || this.meantBy(key) !== undefined;
  }

  /** The nearest key that counts, if it is near. */
  meantBy(given: string): string | undefined {
    const whole = `${SHORT_PREFIX}.${given}`;
    // `stakater.com/auto`
    const key = this.#vocabularies.some(({ domain }) => prefixOf(whole) === domain) ? whole : given;
    const words = wordsIn(key);
    if (words.length > MOST_WORDS) return undefined;
    const isShort = prefixOf(key) === SHORT_PREFIX;
    // By brand, what is left of the words without it; undefined if they do not have it, or nothing else.
    const lefts = new Map<readonly string[], readonly string[] | undefined>();
    for (const { brand } of this.#known) {
      if (lefts.has(brand)) continue;
      const { left, missed } = paired(words, isShort && brand[0] === SHORT_PREFIX ? [SHORT_PREFIX] : brand);
      lefts.set(brand, missed > 0 || left.length === 0 ? undefined : left);
    }
    const wrong = this.#known.map((known) => wrongIn(lefts.get(known.brand), known, isShort));
    const least = Math.min(...wrong);
    return least === FAR ? undefined : this.#known[wrong.indexOf(least)]?.key;
  }
}

/** 0 if `left` are almost the words of `known`; 1 with a word more or less, or if they are joined; else FAR. */
function wrongIn(
  left: readonly string[] | undefined,
  { words, isBranded }: KnownKey,
  isShort: boolean,
): number {
  if (left === undefined) return FAR;
  const rest = paired(left, words);
  const odd = rest.missed + rest.left.length;
  if (odd === 1 && isBranded && !isShort && rest.missed < words.length) return 1;
  if (odd === 0) return 0;
  return closestMatch(left.join(''), [words.join('')]) === undefined ? FAR : 1;
}

/** What is left of `words` without one that is almost each of `wanted`, and how many of these have none; two are too many. */
function paired(words: readonly string[], wanted: readonly string[]): { left: string[]; missed: number } {
  const left = [...words];
  let missed = 0;
  for (const word of wanted) {
    const partner = closestMatch(word, left);
    if (partner === undefined) missed += 1;
    else left.splice(left.indexOf(partner), 1);
    if (missed > 1) break;
  }
  return { left, missed };
}

/** The words of a key in small letters, but for COMMON ones: a capital begins one, as in `configMap`. */
function wordsIn(key: string): readonly string[] {
  const words = key.replaceAll(/[a-z](?=[A-Z])/g, '$&-').toLowerCase();
  return words.split(/[^a-z0-9]+/).filter((word) => word !== '' && !COMMON.includes(word));
}

/** What stands before the slash. */
function prefixOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf('/')));
}
