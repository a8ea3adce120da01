/** What would be different for the workloads of this cluster, so that a person has to decide. */

import { isDeepStrictEqual } from 'node:util';
import { everyVocabulary } from '../../annotations/vocabularies.ts';
import { workloadKeysOf } from '../../annotations/vocabulary.ts';
import type { WorkloadRef } from '../../model/object-ref.ts';
import type { Options } from '../../options/options.ts';
import type { Cause, Facts } from '../explain/cause.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';
import type { Source } from './other-reloader.ts';

/** One difference of one workload. */
export interface Difference extends Cause {
  readonly workload: WorkloadRef;
}

/** The causes of `explain` that need not have kept the other reloader from a rollout: it watched Secrets of every type. */
const EXPLAINED = ['missing', 'state-named'];
/** By further causes, the options of a reloader that is kept, by which it leaves something out. */
const LEFT_OUT = {
  'unselected-namespace': 'namespaceSelector',
  'unselected-object': 'resourceLabelSelector',
  'namespace-not-watched': 'ignoredNamespaces',
  'kind-not-served': 'ignoredWorkloadKinds',
  'kind-of-object-ignored': 'ignoredConfigKinds',
} as const;

/** The options after the migration; `kept`: those of the reloader that is kept. */
export function optionsAfter(theirs: Options, kept: Options = theirs): Options {
  const own = Object.values(LEFT_OUT).map((option) => [option, kept[option]]);
  return { ...theirs, ...(Object.fromEntries(own) as Partial<Options>) };
}

/** Whether the other reloader rolls the workload, or this one would. */
export function isServedBy(from: Source['name'], facts: Facts): boolean {
  const known = keysOf(from, facts);
  return facts.record !== undefined || wordsOf(facts.workload).some(({ key }) => known.includes(key));
}

/** The differences of one workload; `theirs`: the options of the other reloader. */
export function differencesOf(source: Source, facts: Facts, theirs: Options): readonly Difference[] {
  const { ref: workload } = facts.workload;
  const { options } = facts.reloader;
  const kept = Object.entries(LEFT_OUT).flatMap(([rule, option]) =>
    isDeepStrictEqual(options[option], theirs[option]) ? [] : [rule],
  );
  // An object that no annotation names need not exist.
  const unseen = facts.unseen.filter(({ rule }) => rule !== 'missing');
  const causes = causesOf({ ...facts, unseen }).filter(({ rule }) => [...EXPLAINED, ...kept].includes(rule));
  return [...causes, ...otherWords(facts, source)].map((cause) => ({ ...cause, workload }));
}

/** The annotations that the other reloader reads, in some version of it at least: Collaborne's reads lists alone. */
function keysOf(from: Source['name'], { reloader }: Facts): readonly string[] {
  const words = everyVocabulary(reloader.options).filter(({ name }) => name === from);
  if (from === 'collaborne') return words.flatMap(({ named }) => Object.values(named).flat());
  return words.flatMap((each) => [...workloadKeysOf(each), ...Object.values(each.pause ?? {})]);
}

/** A workload with annotations that the other reloader does not read: here they roll it, or hold it. */
function otherWords(facts: Facts, { name }: Source): readonly Cause[] {
  const known = keysOf(name, facts);
  const keys = wordsOf(facts.workload).flatMap(({ key }) => (known.includes(key) ? [] : [key]));
  if (facts.record === undefined || keys.length === 0) return [];
  const about = keys.join(', ');
  const says = `the other reloader does not read ${about}, and this one does`;
  return [{ rule: 'other-words', about, says, todo: `remove ${about} if that is not meant` }];
}
