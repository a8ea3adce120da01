/** What would be different for the workloads of this cluster. */

import { everyVocabulary } from '../../annotations/vocabularies.ts';
import { workloadKeysOf } from '../../annotations/vocabulary.ts';
import { describe, type WorkloadRef, wholeOf } from '../../model/object-ref.ts';
import type { Cause, Facts } from '../explain/cause.ts';
import { followed } from '../explain/causes-of-workload.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf, wordText } from '../explain/policy-words.ts';
import type { InstalledReloader } from '../installed-reloader.ts';
import type { Source } from './other-reloader.ts';

/** One difference of one workload. */
export interface Difference extends Cause {
  readonly workload: WorkloadRef;
}

/** An item such as `a|b`: Stakater's matches also names that begin with `a`, or end in `b`. */
const JOINED = /(?:^|,)[^,()[\]\\]*\|/;

/** The differences of a workload; undefined: neither reloader rolls it. */
export function differencesOf({ name }: Source, facts: Facts): readonly Difference[] | undefined {
  const { workload, record, observation, reloader } = facts;
  const known = keysOf(name, reloader);
  const words = wordsOf(workload);
  const theirs = words.filter(({ key }) => known.includes(key));
  if (record === undefined && theirs.length === 0) return undefined;
  const { isConfigAnnotation } = observation.store.settings.vocabularies;
  const onObjects = followed(facts).flatMap(({ config: { ref, annotations } }) => {
    const keys = Object.keys(annotations).filter((key) => isConfigAnnotation(key));
    return keys.map((key) => [key, `${key} of ${describe(wholeOf(ref))}`] as const);
  });
  const all = record ? [...words.map(({ key }) => [key, key] as const), ...onObjects] : [];
  const others = new Set(all.flatMap(([key, about]) => (known.includes(key) ? [] : [about])));
  // An object that no annotation names need not exist.
  const unseen = facts.unseen.filter(({ rule }) => rule !== 'missing');
  return [
    // Other causes have kept the other one from a rollout too.
    ...causesOf({ ...facts, unseen }).filter(({ rule }) => /^(?:missing|state-named)$/.test(rule)),
    ...[...others].map((about) => {
      const says = `the other reloader does not read ${about}, and this one does`;
      return { rule: 'other-words', about, says, todo: `remove ${about} if that is not meant` };
    }),
    ...theirs
      .filter(({ value }) => name === 'stakater' && JOINED.test(value))
      .map((word) => {
        const says = `to the other reloader ${wordText(word)} names also what begins or ends so`;
        return { rule: 'other-names', about: word.key, says };
      }),
  ].map((cause) => ({ ...cause, workload: workload.ref }));
}

/** The annotations that the other reloader reads; Collaborne's reads lists alone. */
function keysOf(from: Source['name'], { options }: InstalledReloader): readonly string[] {
  const words = everyVocabulary(options).filter(({ name }) => name === from);
  if (from === 'collaborne') return words.flatMap(({ named }) => Object.values(named).flat());
  return words.flatMap((each) => [
    ...[...workloadKeysOf(each), each.match, each.ignore],
    ...Object.values<string>({ ...each.pause }),
  ]);
}
