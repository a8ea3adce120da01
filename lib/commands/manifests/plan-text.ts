/** The answers of `plan` for people, and as a comment on a pull request. */

import { count } from '../../model/text.ts';
import { sectionsIn, unreadLines } from '../explain/explanation-text.ts';
import type { Paint, Style } from '../terminal.ts';
import type { Plan, PlannedObject, PlannedRollout } from './plan-answer.ts';

const COLOURS: Readonly<Record<PlannedObject['change'], Style>> = {
  changed: 'yellow',
  created: 'green',
  deleted: 'red',
};

/** The answer for a terminal. */
export function planText({ reloader, objects, rollouts, pending, unread }: Plan, paint: Paint): string {
  const section = sectionsIn(paint);
  const changes = objects.map(
    ({ object, namespace, change, keys }) =>
      `  ${paint(COLOURS[change], change)} ${object} in ${namespace}${keys.length === 0 ? '' : `: ${keys.join(', ')}`}`,
  );
  const rolled = rollouts.flatMap(({ workload, namespace, objects: why, by, when }) => [
    `  ${paint('bold', `${workload} in ${namespace}`)} by ${by}, ${when}`,
    ...why.map((object) => `    for ${object}`),
  ]);
  return [
    `reloader  ${reloader}`,
    ...section('Objects', changes),
    ...section('Rollouts', rolled),
    ...(pending.length === 0 ? [] : [`out of date already: ${pending.join(', ')}`]),
    ...unreadLines(unread),
    sumOf(rollouts),
    '',
  ].join('\n');
}

/** The answer as Markdown. */
export function planMarkdown({ objects, rollouts, pending, unread }: Plan): string {
  const rows = rollouts.map(
    ({ workload, namespace, objects: why, by, when }) =>
      `| ${code(namespace)} | ${code(workload)} | ${why.map(code).join('<br>')} | ${by}, ${when} |`,
  );
  const table = ['| namespace | workload | for | by, and when |', '| --- | --- | --- | --- |', ...rows];
  const changes = objects.map(
    ({ object, namespace, change, keys }) =>
      `- ${code(object)} in ${code(namespace)} ${change}${keys.length === 0 ? '' : `: ${keys.map(code).join(', ')}`}`,
  );
  return [
    `### ${sumOf(rollouts)}`,
    '',
    ...(rows.length === 0 ? [] : [...table, '']),
    ...(changes.length === 0 ? [] : [...changes, '']),
    ...(pending.length === 0 ? [] : [`Out of date already: ${pending.map(code).join(', ')}`, '']),
    ...unreadLines(unread),
  ].join('\n');
}

function sumOf(rollouts: readonly PlannedRollout[]): string {
  const numberBy = (who: PlannedRollout['by']): number => rollouts.filter(({ by }) => by === who).length;
  const [own, people] = [numberBy('its owner'), numberBy('a person')];
  if (rollouts.length === 0) return 'Nothing is rolled.';
  const ours = `${count(numberBy('the reloader'), 'rollout')} by the reloader`;
  const others = [
    own > 0 && `${own} more with the change of their own`,
    people > 0 && `${people} more by a person`,
  ];
  return `${[ours, ...others.filter((text) => text !== false)].join(', ')}.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', '').replaceAll('|', '\\|')}\``;
}
