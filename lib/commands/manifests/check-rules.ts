/** Which causes are problems of a manifest, how grave they are, and the further rules that only manifests have. */

import { itemsOf } from '../../annotations/name-list.ts';
import { matches } from '../../annotations/name-pattern.ts';
import { everyVocabulary, type Vocabularies } from '../../annotations/vocabularies.ts';
import { CONFIG_KINDS } from '../../model/object-ref.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import type { Cause, Facts } from '../explain/cause.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';

/** How grave a problem is, in the words of SARIF. */
export type Level = 'error' | 'warning';

/** By rule: its level, and what it is about. */
export const CHECKED_RULES: Readonly<Record<string, readonly [level: Level, about: string]>> = {
  malformed: ['error', 'A value that cannot be read.'],
  misplaced: ['error', 'An annotation where nobody reads it.'],
  mistyped: ['error', 'An annotation that is almost one of ours.'],
  'state-named': ['error', 'An annotation that names the state of a reloader.'],
  unserved: ['warning', 'An annotation without an effect here.'],
  missing: ['warning', 'A named object that is not in the set, or not watched.'],
  'vocabulary-off': ['warning', 'Annotations of a vocabulary that is not in use.'],
  'kind-not-served': ['warning', 'An annotated workload of a kind that is not rolled.'],
  'kind-of-object-ignored': ['warning', 'An object of a kind that is not watched.'],
  'namespace-not-watched': ['warning', 'A namespace that the reloader of the set does not watch.'],
  'no-reference': ['warning', 'A switch for references on a workload without any.'],
  'matches-all': ['warning', 'An expression that matches every object.'],
  'not-asked': ['warning', 'Objects that pods read and no annotation asks for (--strict).'],
};

const STRICT = 'not-asked';
/** Names that no list of names has in common by chance. */
const UNLIKELY = ['q7-unlikely', 'x.another-0'];

/** The problems of a workload. */
export function problemsOf(facts: Facts, isStrict: boolean): readonly Cause[] {
  const isAnnotated = wordsOf(facts.workload).length > 0;
  const found = causesOf(facts).filter(({ rule }) => {
    if (CHECKED_RULES[rule] === undefined) return false;
    if (rule === STRICT) return isStrict && facts.workload.references.length > 0;
    return isAnnotated || rule !== 'kind-not-served';
  });
  const named = found.map(({ about }) => about).join(' ');
  const marks = misplacedMarks(facts).filter(({ about }) => !named.includes(about));
  return [...found, ...marks, ...matchesAll(facts)];
}

/** Words for workloads on an object that is none. */
export function misplacedWords({ metadata }: RawObject, kind: string, words: Vocabularies): readonly Cause[] {
  return Object.keys(metadata.annotations ?? {})
    .filter((key) => words.isPolicyAnnotation(key) && !words.isConfigAnnotation(key))
    .map((key) => misplaced(key, 'workload', `a ${kind}`));
}

/** Words for objects on a workload. */
function misplacedMarks({ raw, observation }: Facts): readonly Cause[] {
  const { vocabularies: words } = observation.store.settings;
  return Object.keys(raw.metadata.annotations ?? {})
    .filter((key) => words.isConfigAnnotation(key) && !words.isPolicyAnnotation(key))
    .map((key) => misplaced(key, 'object', 'a workload'));
}

function misplaced(key: string, readOn: string, place: string): Cause {
  const says = `${key} is read on ${readOn === 'object' ? 'ConfigMaps and Secrets' : 'workloads'}, and has no effect on ${place}`;
  return { rule: 'misplaced', about: key, says, todo: `write it on the ${readOn}, or take it away` };
}

function matchesAll({ workload, reloader }: Facts): readonly Cause[] {
  const keys = everyVocabulary(reloader.options)
    .filter(({ name, namesArePatterns }) => namesArePatterns && reloader.options.dialects.includes(name))
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
