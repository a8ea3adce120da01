/** The answers of `explain` for people. */

import { describe, type WorkloadRef } from '../../model/object-ref.ts';
import type { Unread } from '../observation.ts';
import type { Paint } from '../terminal.ts';
import type { Cause } from './cause.ts';
import type { Explanation, FollowedObject, WorkloadExplanation } from './explanation.ts';
import { wordText } from './policy-words.ts';

/** What pods run, in its colour. */
export function podsText(pods: FollowedObject['pods'], paint: Paint): string {
  return paint(pods === 'no change to roll' ? 'green' : pods === 'out of date' ? 'red' : 'yellow', pods);
}

/** The causes that a right or a label ends, and not the workload itself. */
const MENDED = /^(?:kind-not-permitted|unselected-namespace)$/;

/** The answer about a workload. */
export function explanationText(answer: WorkloadExplanation, paint: Paint): string {
  const { workload, reloader, asks, follows, rollout, causes, events } = answer;
  const isSame = ({ pods, asks: counts }: FollowedObject): boolean => counts && pods === 'no change to roll';
  const [same, others] = [follows.filter(isSame), follows.filter((each) => !isSame(each))];
  const equal = same.map(({ object }) => describe(object)).join(', ');
  const section = sectionsIn(paint);
  const title = reloader.is === 'unknown' ? 'Why, with flags that are guessed' : 'Why';
  return [
    paint('bold', `${describe(workload)} in namespace ${workload.namespace}: ${stateText(answer)}`),
    ...section(title, causeLines(causes, paint)),
    ...unknownLines(answer.unknown, paint),
    ...section(
      'Follows',
      others.map((each) => followedLine(each, describe(each.object), paint)),
    ),
    ...(equal ? [`${paint('bold', 'No change to roll')}: ${equal} (what pods read is not compared)`] : []),
    ...section(
      'Events',
      events.map(({ time, reason, message }) => `  ${time} ${reason}: ${message}`),
    ),
    ...section(
      'Asks by',
      asks.map((word) => `  ${wordText(word)}`),
    ),
    // A CronJob has no pods of its own.
    ...(workload.kind === 'CronJob' ? [] : [`rollout   ${rollout}`]),
    ...sourceLines(answer),
    '',
  ].join('\n');
}

/** The state in words; the causes say what limits it. */
function stateText({ workloadState: state, causes }: WorkloadExplanation): string {
  if (state === 'not served')
    return causes.some(({ rule }) => MENDED.test(rule)) ? 'not rolled for now' : 'not rolled';
  return state === 'healthy' && causes.length > 0 ? 'healthy, but see Why' : state;
}

/** The object or workload with its namespace. */
export function placed(ref: WorkloadRef): string {
  return `${describe(ref)} in ${ref.namespace}`;
}

/** What the answer rests on. */
export function sourceLines({ reloader, state }: Explanation): readonly string[] {
  return [`reloader  ${reloader.says}`, `state     ${state === 'absent' ? 'not found' : state}`];
}

/** What the answer needs and is not known. */
export function unknownLines(unknown: readonly string[], paint: Paint): readonly string[] {
  return sectionsIn(paint)(
    'Unknown',
    unknown.map((each) => `  - ${paint('yellow', each)}`),
  );
}

/** One followed object, or its follower. */
export function followedLine(each: FollowedObject, title: string, paint: Paint): string {
  const { pods, asks, says, words, reference, recorded, current } = each;
  const isOlder = recorded !== undefined && recorded !== current;
  const run = isOlder ? `recorded is ${recorded}` : 'pods may run an older content';
  const digests = pods === 'out of date' ? ` (${run}, current is ${current})` : '';
  const by = words.map((word) => `\n      ${wordText(word)}`).join('');
  const effect = asks ? '' : `, ${paint('yellow', 'not rolled for it')}`;
  return `  ${title}: ${podsText(pods, paint)}${digests}${effect}\n    ${says}; ${referenceText(reference)}${by}`;
}

function referenceText(reference: FollowedObject['reference']): string {
  if (reference === undefined) return 'its pods do not refer to it';
  const by = reference.container === undefined ? 'an init container' : `container ${reference.container}`;
  const keys = reference.keys === undefined ? '' : `, key ${reference.keys.join(', ')}`;
  return `read by ${by}${keys}`;
}

/** The causes, each with what to do. */
export function causeLines(causes: readonly Cause[], paint: Paint): readonly string[] {
  return causes.flatMap(({ rule, says, todo }) => [
    `  - ${says} ${paint('dim', `[${rule}]`)}`,
    ...(todo === undefined ? [] : [`    -> ${todo}`]),
  ]);
}

/** What could not be read. */
export function unreadLines(unread: readonly Unread[]): readonly string[] {
  return unread.map(({ says }) => `not read: ${says}`);
}

/** Writes lines under a title; nothing if there are none. */
export function sectionsIn(paint: Paint): (title: string, lines: readonly string[]) => readonly string[] {
  return (title, lines) => (lines.length === 0 ? [] : [paint('bold', title), ...lines]);
}
