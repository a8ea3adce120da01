/** What would be different for the workloads of this cluster: the controller's findings, and what only the other reloader did otherwise. */

import { everyVocabulary } from '../../annotations/union.ts';
import { workloadKeysOf } from '../../annotations/vocabulary.ts';
import type { VocabularyName } from '../../model/settings.ts';
import type { Facts } from '../explain/cause.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';
import { COMMON_RULES, RULES } from './difference-rules.ts';

/** One difference of one workload. */
export interface Difference {
  /** The rule that applies: one of the controller's, or of difference-rules.ts. */
  readonly rule: string;
  /** `decide`: a person has to decide; `know`: nothing is lost by leaving it as it is. */
  readonly is: 'decide' | 'know';
  readonly workload: string;
  readonly namespace: string;
  readonly about: string;
  readonly says: string;
  readonly todo?: string | undefined;
}

/** What a rule finds: the rest follows from the workload. */
export type Found = Omit<Difference, 'workload' | 'namespace'>;

/** Finds differences of one workload; none if the rule does not apply. */
export type DifferenceRule = (facts: Facts) => readonly Found[];

/** The causes of `explain` that count here, and whether the other reloader did otherwise so that a person has to decide. */
const CAUSES: Readonly<Record<string, Difference['is']>> = {
  malformed: 'know',
  misplaced: 'know',
  mistyped: 'know',
  unserved: 'know',
  missing: 'know',
  'secret-not-watched': 'decide',
  'unselected-object': 'know',
  'state-named': 'decide',
  'not-allowed': 'decide',
  'unwatched-namespace': 'decide',
  'kind-not-served': 'know',
  'kind-of-object-ignored': 'know',
  excluded: 'know',
  ignored: 'know',
  disabled: 'know',
  'no-reference': 'know',
  managed: 'know',
};

/** Whether the workload asks in the words of the other reloader, or carries something of it. */
export function isServedBy(from: VocabularyName, { workload, record, reloader, raw }: Facts): boolean {
  const words = everyVocabulary(reloader.options).find(({ name }) => name === from);
  if (words === undefined || record !== undefined) return record !== undefined;
  const keys = [...workloadKeysOf(words), ...Object.values(words.pause ?? {}), ...(words.disabling ?? [])];
  const own = Object.keys(raw.metadata.annotations ?? {});
  return wordsOf(workload).some(({ key }) => keys.includes(key)) || own.some((key) => keys.includes(key));
}

/** A workload that asks in words which the other reloader does not read, and is rolled here. */
function otherWords(
  from: VocabularyName,
  { workload, record, reloader: { options } }: Facts,
): readonly Found[] {
  const asking = everyVocabulary(options)
    .filter(({ name }) => options.dialects.includes(name))
    .filter((words) => wordsOf(workload).some(({ key }) => workloadKeysOf(words).includes(key)))
    .map(({ name }) => name);
  if (record === undefined || asking.length === 0 || asking.includes(from)) return [];
  const about = asking.join(', ');
  const says = `it asks in the words of ${about}, which the other reloader does not read: here changes roll it`;
  return [
    {
      rule: 'other-words',
      is: 'decide',
      about,
      says,
      todo: `leave ${about} out of --dialects if that is not meant`,
    },
  ];
}

/** The differences of one workload. */
export function differencesOf(from: VocabularyName, facts: Facts): readonly Difference[] {
  const { kind, namespace, name } = facts.workload.ref;
  const ofController = causesOf(facts).flatMap((cause): readonly Found[] => {
    const is = CAUSES[cause.rule];
    return is === undefined ? [] : [{ ...cause, is }];
  });
  const ofOther = [...RULES[from], ...COMMON_RULES].flatMap((rule) => rule(facts));
  const found = [...ofController, ...otherWords(from, facts), ...ofOther];
  return found.map((each) => ({ ...each, workload: `${kind}/${name}`, namespace }));
}
