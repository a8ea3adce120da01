/** The answers of `explain` for people. */

import type { Unread } from '../observation.ts';
import type { Paint, Style } from '../terminal.ts';
import type { Cause } from './cause.ts';
import type { FollowedObject, WorkloadExplanation } from './explanation.ts';

const COLOURS: Readonly<Record<FollowedObject['pods'], Style>> = {
  'up to date': 'green',
  'out of date': 'red',
  unknown: 'yellow',
  absent: 'yellow',
};

/** The answer about a workload. */
export function explanationText(answer: WorkloadExplanation, paint: Paint): string {
  const { workload, namespace, reloader, state, asks, follows, rollout, stamps, causes, events } = answer;
  const section = sectionsIn(paint);
  return [
    ...heading(`${workload} in namespace ${namespace}`, reloader, state, paint),
    `rollout   ${rollout}`,
    ...section(
      'Asks by',
      asks.map((line) => `  ${line}`),
    ),
    ...section(
      'Follows',
      follows.map((each) => followedLine(each, paint)),
    ),
    ...section(
      'Stamps',
      stamps.map(({ where, variable, state: is }) => `  ${variable} (${where}): ${is}`),
    ),
    ...section('Why', causeLines(causes, paint)),
    ...section(
      'Events',
      events.map(({ time, reason, message }) => `  ${time} ${reason}: ${message}`),
    ),
    ...unreadLines(answer.unread),
    '',
  ].join('\n');
}

/** The first lines of an answer. */
export function heading(title: string, reloader: string, state: string, paint: Paint): readonly string[] {
  return [paint('bold', title), `reloader  ${reloader}`, `state     ${state}`];
}

/** One followed object: whether pods run its content, and why it counts. */
export function followedLine(each: FollowedObject, paint: Paint): string {
  const { object, pods, asks, because, words, reference, running, observed } = each;
  const digests =
    pods === 'out of date' ? ` (pods run ${running ?? 'nothing known'}, in force is ${observed})` : '';
  const by = words.length === 0 ? '' : `\n      ${words.join('\n      ')}`;
  const effect = asks ? '' : `, ${paint('yellow', 'not rolled for it')}`;
  return `  ${object}: ${paint(COLOURS[pods], pods)}${digests}${effect}\n    ${because}; ${reference}${by}`;
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
  return unread.map(({ what, why }) => `not read: ${what}: ${why}`);
}

/** Writes lines under a title; nothing if there are none. */
export function sectionsIn(paint: Paint): (title: string, lines: readonly string[]) => readonly string[] {
  return (title, lines) => (lines.length === 0 ? [] : [paint('bold', title), ...lines]);
}
