/** What would be different for the workloads of this cluster, so that a person has to decide; `explain` has the rest. */

import { itemsOf, matches } from '../../annotations/name-list.ts';
import { everyVocabulary } from '../../annotations/vocabularies.ts';
import { stakaterVocabulary, workloadKeysOf } from '../../annotations/vocabulary.ts';
import type { WorkloadRef } from '../../model/object-ref.ts';
import { listedText } from '../../model/text.ts';
import { OPTIONAL_KINDS } from '../../model/workload-kind.ts';
import { isAutomatic } from '../../options/options.ts';
import { type Cause, type CauseRule, type Facts, NO_CAUSES } from '../explain/cause.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';
import type { Source } from './other-reloader.ts';

/** One difference of one workload. */
export interface Difference extends Cause {
  readonly workload: WorkloadRef;
}

/** The kinds that every other reloader rolls. */
const ROLLED_THERE = ['Deployment', 'StatefulSet', 'DaemonSet'];
/** What is different with the other reloader. */
type Rule = (facts: Facts, source: Source) => ReturnType<CauseRule>;

/** The rules of each reloader. */
const RULES: Readonly<Record<Source['name'], readonly Rule[]>> = {
  stakater: [otherWords, furtherKind, alternatives],
  collaborne: [otherWords, furtherKind],
};
/** The causes of `explain` that need not have kept the other reloader from a rollout: it watched Secrets of every type. */
const EXPLAINED = ['missing', 'state-named'];

/** Whether the other reloader rolls the workload, or this one would. */
export function isServedBy(from: Source['name'], facts: Facts): boolean {
  const known = keysOf(from, facts);
  return facts.record !== undefined || wordsOf(facts.workload).some(({ key }) => known.includes(key));
}

/** The differences of one workload. */
export function differencesOf(source: Source, facts: Facts): readonly Difference[] {
  const { ref: workload } = facts.workload;
  const causes = [
    ...causesOf(facts).filter(({ rule }) => EXPLAINED.includes(rule)),
    ...RULES[source.name].flatMap((rule) => rule(facts, source) ?? []),
  ];
  return causes.map((cause) => ({ ...cause, workload }));
}

/** The annotations that the other reloader reads, in some version of it at least. */
function keysOf(from: Source['name'], { reloader }: Facts): readonly string[] {
  return everyVocabulary(reloader.options)
    .filter(({ name }) => name === from)
    .flatMap((words) => [...workloadKeysOf(words), ...Object.values(words.pause ?? {})]);
}

/** A workload with annotations that the other reloader does not read: here they roll it, or hold it. */
function otherWords(facts: Facts, { name }: Source): Cause | undefined {
  const known = keysOf(name, facts);
  const keys = wordsOf(facts.workload).flatMap(({ key }) => (known.includes(key) ? [] : [key]));
  if (facts.record === undefined || keys.length === 0) return undefined;
  const about = keys.join(', ');
  const says = `the other reloader does not read ${about}, and this one does`;
  return { rule: 'other-words', about, says, todo: `remove ${about} if that is not meant` };
}

/** A kind that the other reloader does not roll, or only by a flag that it does not have. */
function furtherKind({ row: { kind }, record, reloader }: Facts, { name, runs }: Source): Cause | undefined {
  const isGiven = OPTIONAL_KINDS.some((row) => row.kind === kind) && !isAutomatic(reloader.options, kind);
  if (record === undefined || isGiven || [...ROLLED_THERE, ...Object.keys(runs)].includes(kind))
    return undefined;
  const who =
    kind === 'DeploymentConfig' && name === 'stakater'
      ? 'not every version of the other reloader rolls'
      : 'the other reloader, as it is set, rolls no';
  const says = `${who} ${kind}s; this one does where it has the rights`;
  const todo = `take its annotation away, or give no rights to ${kind}s, to leave it alone`;
  return { rule: 'further-kind', about: kind, says, todo };
}

/** `a|b`: there names that begin with a, or end in b. */
function alternatives({ workload, observation, reloader }: Facts): readonly Cause[] {
  const { named } = stakaterVocabulary(reloader.options.stakaterKeys);
  const refs = [...observation.store.configs.values()]
    .map(({ ref }) => ref)
    .filter(({ namespace }) => namespace === workload.ref.namespace);
  return wordsOf(workload)
    .flatMap(({ key, value }) => itemsOf(value).map((item) => ({ key, item })))
    .flatMap(({ key, item }): readonly Cause[] => {
      // Nothing is guessed about a bar in brackets.
      const parts = /[[(\\]/.test(item) ? [item] : item.split('|');
      const there = `(${parts.join(').*|.*(')})`;
      const lost = refs.filter(
        ({ kind, name }) => named[kind].includes(key) && matches(there, name) && !matches(item, name),
      );
      if (lost.length === 0) return NO_CAUSES;
      const names = listedText(lost.map(({ name }) => name));
      const says = `"${item}" of ${key} matched there names that begin with ${parts[0]} or end in ${parts.at(-1)}, and here whole names: ${names} no longer counts`;
      return [{ rule: 'alternatives', about: key, says, todo: `to keep it write ${there}` }];
    });
}
