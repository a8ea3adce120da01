/** What the annotations of one vocabulary ask for: which objects a workload follows, and for which of them it is rolled. */

import { CONFIG_KINDS, type ConfigKind, type ConfigRef } from '../model/object-ref.ts';
import type { Verdict } from '../model/policy.ts';
import { truthOf } from '../model/truth.ts';
import { referenceOf, type Workload } from '../model/workload.ts';
import type { ConfigAnnotations, KnownNames } from './dialect.ts';
import { isNameElsewhere, isObjectName, itemsOf } from './name-list.ts';
import { expressionsIn, matches } from './name-pattern.ts';
import { askingKeysOf, type Words } from './words.ts';

type Annotations = Readonly<Record<string, string>>;

/**
 * The annotations in which the policy of a workload for objects of `kind` is written: its own, or those of the pod template
 * where it has none that asks for such. A list of what to exclude asks for nothing: it goes before that of the template.
 */
export function policyAnnotations(words: Words, workload: Workload, kind: ConfigKind): Annotations {
  const { annotations, templateAnnotations } = workload;
  if (!words.readsTemplate || Object.keys(templateAnnotations).length === 0) return annotations;
  const hasOwn = askingKeysOf(words, kind).some((key) => annotations[key] !== undefined);
  return hasOwn ? annotations : { ...templateAnnotations, ...annotations };
}

/** The policy of one workload in one vocabulary. */
export class Policy {
  readonly #words: Words;
  readonly #workload: Workload;
  readonly #annotations: Readonly<Record<ConfigKind, Annotations>>;

  constructor(words: Words, workload: Workload) {
    this.#words = words;
    this.#workload = workload;
    this.#annotations = {
      ConfigMap: policyAnnotations(words, workload, 'ConfigMap'),
      Secret: policyAnnotations(words, workload, 'Secret'),
    };
  }

  /** Whether an annotation says something about being rolled for all objects of `kind` that the workload refers to. */
  mentionsAuto(kind: ConfigKind): boolean {
    return [this.#words.auto, this.#words.typedAuto[kind]].some(
      (key) => (this.#annotations[kind][key] ?? '') !== '',
    );
  }

  /** The items of the lists of names of `kind`, as far as they count. */
  itemsOf(kind: ConfigKind): readonly string[] {
    return this.#listsOf(kind).flatMap(itemsOf);
  }

  /** The objects of `kind` that are asked for by their names, whether they exist or not. */
  named(kind: ConfigKind): readonly ConfigRef[] {
    const { namespace: own } = this.#workload.ref;
    return this.itemsOf(kind).flatMap((item): readonly ConfigRef[] => {
      if (isObjectName(item)) return [{ kind, namespace: own, name: item }];
      if (!this.#words.namesMayBeElsewhere || !isNameElsewhere(item)) return [];
      const [namespace = '', name = ''] = item.split('/');
      return [{ kind, namespace, name }];
    });
  }

  /** Whether an item may match more names than the one that it spells. */
  get hasPatterns(): boolean {
    return CONFIG_KINDS.some((kind) => this.#patternsOf(kind).length > 0);
  }

  /** Those of the known names of `kind` that a pattern matches. */
  matched(kind: ConfigKind, known: KnownNames): readonly string[] {
    const patterns = this.#patternsOf(kind);
    if (patterns.length === 0) return [];
    return [...known(kind)].filter((name) => patterns.some((pattern) => matches(pattern, name)));
  }

  /** Whether what the workload refers to of `kind` is followed. */
  followsReferences(kind: ConfigKind): boolean {
    return this.#isAuto(kind) || this.#searches(kind);
  }

  /** Whether the workload is to be rolled for an object with these annotations. */
  judge(ref: ConfigRef, config: ConfigAnnotations): Verdict {
    const { kind, name } = ref;
    const { ignore, match, exclude, typedAuto } = this.#words;
    if (this.#isDisabled) return { asks: false, because: 'disabled' };
    if (config[ignore] === 'true') return { asks: false, because: 'ignored' };
    if (itemsOf(this.#annotations[kind][exclude[kind]]).includes(name))
      return { asks: false, because: 'excluded' };
    if (this.#names(ref)) return { asks: true, because: 'named' };
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
    return this.#words.autoIsToTheLetter ? value === 'true' : truthOf(value) === true;
  }

  get #isDisabled(): boolean {
    const { disabling = [] } = this.#words;
    return disabling.some((label) => this.#workload.labels[label] === 'true');
  }

  #names({ kind, namespace, name }: ConfigRef): boolean {
    const items = this.itemsOf(kind);
    if (this.#words.namesMayBeElsewhere && items.includes(`${namespace}/${name}`)) return true;
    if (namespace !== this.#workload.ref.namespace) return false;
    return items.includes(name) || this.#patternsOf(kind).some((pattern) => matches(pattern, name));
  }

  #patternsOf(kind: ConfigKind): readonly string[] {
    if (this.#words.namesArePatterns !== true) return [];
    return this.#listsOf(kind).flatMap((list) => expressionsIn(list).counted);
  }

  /** The lists of names of `kind`, as far as they count. */
  #listsOf(kind: ConfigKind): readonly string[] {
    if (this.#words.namesNeedAuto && !this.#isAuto(kind)) return [];
    return this.#words.named[kind].map((key) => this.#annotations[kind][key] ?? '');
  }
}
