/** Which causes are problems of a manifest, how grave they are, and the further rules that only manifests have. */

import { namespaceGatingMistakes } from '../../annotations/gating.ts';
import { itemsOf } from '../../annotations/name-list.ts';
import { matches } from '../../annotations/name-pattern.ts';
import type { Vocabularies } from '../../annotations/vocabularies.ts';
import { CONFIG_KINDS, type WorkloadRef } from '../../model/object-ref.ts';
import { type Annotations, meantIn } from '../../model/workload.ts';
import type { Cause, Facts } from '../explain/cause.ts';
import { causeOf, followed, vocabulariesOf } from '../explain/causes-of-workload.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';

/** How grave a problem is, in the words of SARIF. */
export type Level = 'error' | 'warning';

/** By rule: its level, and what it is about. */
export const CHECKED_RULES: Readonly<Record<string, readonly [level: Level, about: string]>> = {
  malformed: ['error', 'A value that cannot be read.'],
  misplaced: ['error', 'An annotation that has no effect where it is.'],
  mistyped: ['error', 'An annotation that is almost one of a vocabulary.'],
  unreadable: ['error', 'A file that cannot be read.'],
  invalid: ['error', 'A manifest that the API server refuses: a field is missing or has a wrong value.'],
  'not-text': ['error', 'A value without quotes, so that the API server refuses the manifest.'],
  'state-named': ['error', 'An annotation that names the state of a reloader.'],
  unserved: ['warning', 'An annotation without an effect here.'],
  missing: ['warning', 'A named object that is not in the set, or not watched.'],
  'vocabulary-off': ['warning', 'Annotations of a vocabulary that is not in use.'],
  'kind-not-served': ['warning', 'An annotated workload of a kind that is not rolled.'],
  'kind-of-object-ignored': ['warning', 'An object of a kind that is not watched.'],
  'namespace-not-watched': ['warning', 'A namespace that the reloader of the set does not watch.'],
  'no-reference': ['warning', 'A switch for references on a workload without any.'],
  'not-matched': ['warning', 'A search where no object carries the mark.'],
  'matches-all': ['warning', 'An expression that matches every object.'],
  'not-asked': ['warning', 'Objects that pods read and no annotation asks for (--strict).'],
};

const STRICT = 'not-asked';
/** Names that no list of names has in common by chance. */
const UNLIKELY = ['q7-unlikely', 'x.another-0'];

/** The problems of a workload. */
export function problemsOf(facts: Facts, isStrict: boolean): readonly Cause[] {
  const { store } = facts.observation;
  const isAnnotated = wordsOf(facts.workload).length > 0;
  const isRolled = followed(facts).some(({ verdict }) => verdict.asks);
  // Those of an object are problems of its own manifest.
  const elsewhere = followed(facts).flatMap(({ config: { ref, annotations } }) =>
    store.settings.vocabularies.configMistakesOf(ref, annotations).map(({ about }) => about),
  );
  const found = causesOf(facts).filter(({ rule, about }) => {
    if (CHECKED_RULES[rule] === undefined || elsewhere.includes(about)) return false;
    if (rule === STRICT) return isStrict && facts.workload.references.length > 0;
    if (rule === 'not-matched') return !isRolled;
    return isAnnotated || rule !== 'kind-not-served';
  });
  return [...found, ...matchesAll(facts)];
}

/** The problems of what is no workload. */
export function objectProblems(
  ref: WorkloadRef,
  { annotations, labels }: Record<'annotations' | 'labels', Annotations>,
  all: Vocabularies,
): readonly Cause[] {
  if (ref.kind === 'Namespace') return namespaceGatingMistakes(ref.name, annotations).map(causeOf);
  const misplaced = meantIn(labels, all.isConfigAnnotation).map(([about]) => ({
    rule: 'misplaced',
    about,
    says: `${about} is among the labels, where it has no effect; write the annotation ${about}`,
  }));
  return [...all.configMistakesOf(ref, annotations).map(causeOf), ...misplaced];
}

function matchesAll({ workload, reloader }: Facts): readonly Cause[] {
  const keys = vocabulariesOf(reloader)
    .filter(({ namesArePatterns }) => namesArePatterns)
    .flatMap(({ named }) => CONFIG_KINDS.flatMap((kind) => named[kind]));
  return wordsOf(workload)
    .filter(({ key }) => keys.includes(key))
    .flatMap(({ key, value }) => itemsOf(value).map((item) => ({ key, item })))
    .filter(({ item }) => UNLIKELY.every((name) => matches(item, name)))
    .map(({ key, item }) => ({
      rule: 'matches-all',
      about: key,
      says: `"${item}" of ${key} matches every object of the namespace: each change of any rolls the workload`,
      todo: 'name the objects, or ask for those that its pods refer to',
    }));
}
