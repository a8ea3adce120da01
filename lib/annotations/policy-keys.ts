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
const LONGEST_KEY = 317;
/** How many letters a key without our prefix may differ. */
const FEW = 2;
/** A shorter word is part of too many others. */
const LEAST_PART = 4;
const SHORT_PREFIX = 'reloader';

/** The keys of one prefix: what follows the words of the prefix, with the key. */
interface KnownKeys {
  readonly brand: readonly string[];
  readonly isVocabulary: boolean;
  readonly rests: Map<string, string>;
}

/** Finds the key that was meant, among those that count. */
export class NearKeys {
  readonly #vocabularies: readonly Vocabulary[];
  readonly #groups = new Map<string, KnownKeys>();
  /** All of them, by their letters alone. */
  readonly #letters = new Map<string, string>();

  /** `keys`: all keys that the vocabularies read, and lists of one's own; the first of two that are as near is meant. */
  constructor(vocabularies: readonly Vocabulary[], keys: readonly string[]) {
    this.#vocabularies = vocabularies;
    const lists = vocabularies.filter((words) => !words.namesArePatterns);
    const own = lists.flatMap(({ named }) => Object.values(named).flat());
    for (const key of keys) {
      const domain = this.vocabularyOf(key)?.domain;
      if (domain === undefined && !own.includes(key)) continue;
      const prefix = domain ?? prefixOf(key);
      const isVocabulary = domain !== undefined;
      const group = this.#groups.get(prefix) ?? { brand: wordsIn(prefix), isVocabulary, rests: new Map() };
      const rest = restOf(wordsIn(key), group);
      if (!group.rests.has(rest)) group.rests.set(rest, key);
      this.#groups.set(prefix, group);
      const letters = wordsIn(key).join('');
      if (!this.#letters.has(letters)) this.#letters.set(letters, key);
    }
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

  /** The nearest key that counts, if it is near: of those with its prefix, else with a prefix that is almost its own. */
  meantBy(given: string): string | undefined {
    const words = wordsIn(this.#whole(given));
    for (const group of this.#groups.values()) {
      const rest = restOf(words, group);
      if (!group.brand.every((word) => words.includes(word)) || rest === '') continue;
      const all = [...group.rests.keys()];
      const part = group.isVocabulary
        ? all.find((each) => isPart(each, rest) || isPart(rest, each))
        : undefined;
      const meant = group.rests.get(closestMatch(rest, all, FEW) ?? part ?? closestMatch(rest, all) ?? '');
      if (meant !== undefined) return meant;
    }
    return this.#letters.get(closestMatch(words.join(''), this.#letters.keys(), FEW) ?? '');
  }

  /** `stakater.com/auto` and `reloader/auto` lack a part of the prefix. */
  #whole(given: string): string {
    const prefix = prefixOf(given);
    if (prefix === SHORT_PREFIX) return given.replace(SHORT_PREFIX, NATIVE_PREFIX);
    const whole = `${SHORT_PREFIX}.${given}`;
    return this.#vocabularies.some(({ domain }) => prefixOf(whole) === domain) ? whole : given;
  }
}

function isPart(part: string, whole: string): boolean {
  return part.length >= LEAST_PART && whole.includes(part);
}

/** What is left of the words without those of the prefix. */
function restOf(words: readonly string[], { brand }: Pick<KnownKeys, 'brand'>): string {
  return words.filter((word) => !brand.includes(word)).join('');
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
