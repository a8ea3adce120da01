/** Which annotations and labels decide the policy of a workload. */

import type { Vocabularies } from '../../annotations/vocabularies.ts';
import type { Verdict } from '../../model/reasons.ts';
import { pick } from '../../model/text.ts';
import type { Workload } from '../../model/workload.ts';
import type { ConfigRecord } from '../../store/records.ts';

/** Where a word stands. */
export type WordPlace = 'workload' | 'pod template' | 'label' | 'object';

/** An annotation or label that takes part in a decision. */
export interface PolicyWord {
  readonly key: string;
  readonly value: string;
  readonly on: WordPlace;
}

const PLACES = [
  ['annotations', 'workload'],
  ['templateAnnotations', 'pod template'],
  ['labels', 'label'],
] as const;
type Judged = Pick<ConfigRecord, 'ref' | 'annotations'>;
type Words = Readonly<Record<string, string>>;

/** All annotations and labels of a workload in which a policy can be written. */
export function wordsOf(workload: Workload): readonly PolicyWord[] {
  return PLACES.flatMap(([field, on]) => entries(workload[field], on));
}

/** The words that ask for it alone, and those without which the verdict would be another one. */
export function decidingWords(
  vocabularies: Vocabularies,
  workload: Workload,
  object: Judged,
): readonly PolicyWord[] {
  const verdict = vocabularies.judge(workload, object.ref, object.annotations);
  const marks = entries(object.annotations, 'object');
  return [...wordsOf(workload), ...marks].filter((word) => {
    const isIt = ({ key, on }: PolicyWord): boolean => key === word.key && on === word.on;
    const without = judgeWith(vocabularies, workload, object, (other) => !isIt(other));
    if (without.asks !== verdict.asks || without.because !== verdict.because) return true;
    const alone = (other: PolicyWord): boolean => other.on === 'object' || isIt(other);
    return verdict.asks && word.on !== 'object' && judgeWith(vocabularies, workload, object, alone).asks;
  });
}

/** The word as a person writes it. */
export function wordText({ key, value, on }: PolicyWord): string {
  return on === 'workload' ? `${key}: ${value}` : `${key}: ${value} (${on})`;
}

function judgeWith(
  vocabularies: Vocabularies,
  workload: Workload,
  { ref, annotations }: Judged,
  keeps: (word: PolicyWord) => boolean,
): Verdict {
  const kept = (words: Words, on: WordPlace): Words =>
    pick(words, (key) => keeps({ key, value: words[key] ?? '', on }));
  const others = Object.fromEntries(PLACES.map(([field, on]) => [field, kept(workload[field], on)]));
  return vocabularies.judge({ ...workload, ...others }, ref, kept(annotations, 'object'));
}

function entries(words: Words, on: WordPlace): readonly PolicyWord[] {
  return Object.entries(words).map(([key, value]) => ({ key, value, on }));
}
