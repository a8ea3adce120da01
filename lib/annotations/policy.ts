/** The policy of one vocabulary: which objects a workload follows, and for which of them it is rolled. */

import {
  byConfigKind,
  CONFIG_KINDS,
  type ConfigKind,
  type ConfigRef,
  isObjectName,
} from '../model/object-ref.ts';
import type { Verdict } from '../model/reasons.ts';
import { parseBool } from '../model/text.ts';
import { type Annotations, referenceOf, type Workload } from '../model/workload.ts';
import { expressionsIn, itemsOf, matches, nameWithin } from './name-list.ts';
import { askingKeysOf, type Vocabulary } from './vocabulary.ts';

/** The names of the objects of a kind that are known in one namespace. */
export type KnownNames = (kind: ConfigKind) => Iterable<string>;

/**
 * The annotations with the policy of a workload for objects of `kind`: its own, or those of the pod template if it has none
 * that asks for that kind. An exclude list asks for nothing: the workload's own takes precedence over that of the template.
 */
export function policyAnnotations(words: Vocabulary, workload: Workload, kind: ConfigKind): Annotations {
  const { annotations, templateAnnotations } = workload;
  if (!words.readsTemplate || Object.keys(templateAnnotations).length === 0) return annotations;
  const hasOwn = askingKeysOf(words, kind).some((key) => annotations[key] !== undefined);
  return hasOwn ? annotations : { ...templateAnnotations, ...annotations };
}

/** How many items the lists of one workload may have, in all vocabularies together: the first so many count. */
export const MOST_NAMES = 1_000;

/** The parsed lists of one kind. */
interface Asked {
  /** The items within the limit, each once. */
  readonly items: ReadonlySet<string>;
  /** Those that are expressions. */
  readonly patterns: readonly string[];
}

/** A list that exceeds the limit, and how many of its items do not count. */
export interface Excess {
  readonly key: string;
  readonly items: number;
}

/** The policy of one workload in one vocabulary: each annotation is parsed once. */
export class Policy {
  readonly #words: Vocabulary;
  readonly #workload: Workload;
  readonly #annotations: Readonly<Record<ConfigKind, Annotations>>;
  readonly #asked: Readonly<Record<ConfigKind, Asked>>;
  readonly #excluded: Readonly<Record<ConfigKind, ReadonlySet<string>>>;
  /** The lists that go beyond what may count. */
  readonly excess: Excess[] = [];
  /** How many more items may count. */
  left: number;

  /** `most`: how many items may count. */
  constructor(words: Vocabulary, workload: Workload, most: number = MOST_NAMES) {
    this.#words = words;
    this.#workload = workload;
    this.#annotations = byConfigKind((kind) => policyAnnotations(words, workload, kind));
    this.left = most;
    this.#asked = byConfigKind((kind) => this.#parsed(kind));
    this.#excluded = byConfigKind((kind) =>
      setOf(this.#namesIn(this.#annotations[kind][words.exclude[kind]])),
    );
  }

  /** Whether an annotation, true or false, decides about all objects of `kind` that the workload refers to. */
  mentionsAuto(kind: ConfigKind): boolean {
    return [this.#words.auto, this.#words.typedAuto[kind]].some(
      (key) => (this.#annotations[kind][key] ?? '') !== '',
    );
  }

  /** The names of the objects of `kind` that are asked for by them, whether they exist or not. */
  named(kind: ConfigKind): readonly string[] {
    return [...this.#asked[kind].items].filter(isObjectName);
  }

  /** Whether the object is asked for by its name. */
  isNamed({ kind, name }: ConfigRef): boolean {
    return this.#asked[kind].items.has(name);
  }

  /** Whether an item may match more names than the one that it spells. */
  get hasPatterns(): boolean {
    return CONFIG_KINDS.some((kind) => this.#asked[kind].patterns.length > 0);
  }

  /** Those of the known names of `kind` that a pattern matches. */
  matched(kind: ConfigKind, known: KnownNames): readonly string[] {
    const { patterns } = this.#asked[kind];
    if (patterns.length === 0) return [];
    return [...known(kind)].filter((name) => patterns.some((pattern) => matches(pattern, name)));
  }

  /** Whether the workload follows the objects of `kind` that it refers to. */
  followsReferences(kind: ConfigKind): boolean {
    return this.#isAuto(kind) || this.#searches(kind);
  }

  /**
   * Whether the workload is rolled for an object with these annotations. The order is the precedence: a refusal, by the
   * workload or by the object, comes before every request, and a name before a reference.
   */
  judge(ref: ConfigRef, config: Annotations): Verdict {
    const { kind } = ref;
    const { ignore, match, typedAuto, disabling = [] } = this.#words;
    const { labels } = this.#workload;
    if (disabling.some((label) => labels[label] === 'true')) return { asks: false, because: 'disabled' };
    if (config[ignore] === 'true') return { asks: false, because: 'ignored' };
    if (this.#excluded[kind].has(ref.name)) return { asks: false, because: 'excluded' };
    const isMatch = (pattern: string): boolean => matches(pattern, ref.name);
    if (this.isNamed(ref) || this.#asked[kind].patterns.some(isMatch))
      return { asks: true, because: 'named' };
    if (referenceOf(this.#workload, ref) === undefined) return { asks: false, because: 'not-asked' };
    if (this.#searches(kind) && config[match] === 'true') return { asks: true, because: 'matched' };
    if (this.#isTrue(kind, this.#words.auto)) return { asks: true, because: 'auto' };
    if (this.#isTrue(kind, typedAuto[kind])) return { asks: true, because: 'typed-auto' };
    return { asks: false, because: this.#searches(kind) ? 'not-matched' : 'not-asked' };
  }

  #searches(kind: ConfigKind): boolean {
    return this.#annotations[kind][this.#words.search] === 'true';
  }

  #isAuto(kind: ConfigKind): boolean {
    return this.#isTrue(kind, this.#words.auto) || this.#isTrue(kind, this.#words.typedAuto[kind]);
  }

  #isTrue(kind: ConfigKind, key: string): boolean {
    const value = this.#annotations[kind][key] ?? '';
    return this.#words.autoIsToTheLetter ? value === 'true' : parseBool(value) === true;
  }

  /** The items of a list; the own namespace may stand in front of a name. */
  #namesIn(text: string | undefined): readonly string[] {
    const items = itemsOf(text);
    if (this.#words.namesArePatterns) return items;
    return items.map((item) => nameWithin(this.#workload.ref.namespace, item));
  }

  /** Parses the lists of `kind` up to the limit of items, which all lists of the workload share. */
  #parsed(kind: ConfigKind): Asked {
    if (this.#words.namesNeedAuto && !this.#isAuto(kind)) return NOTHING;
    const items = new Set<string>();
    const patterns: string[] = [];
    for (const key of this.#words.named[kind]) {
      const all = [...new Set(this.#namesIn(this.#annotations[kind][key]))];
      const counted = all.slice(0, this.left);
      this.left -= counted.length;
      if (counted.length < all.length) this.excess.push({ key, items: all.length - counted.length });
      for (const item of counted) items.add(item);
      if (this.#words.namesArePatterns) patterns.push(...expressionsIn(counted).counted);
    }
    return items.size === 0 ? NOTHING : { items, patterns };
  }
}

const NOTHING: Asked = { items: new Set(), patterns: [] };

/** Without items the one empty set: another would take 232 bytes for each kind and vocabulary of each workload. */
function setOf(items: readonly string[]): ReadonlySet<string> {
  return items.length === 0 ? NOTHING.items : new Set(items);
}
