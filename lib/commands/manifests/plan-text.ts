/** The answers of `plan` for people, and as a comment on a pull request. */

import { describe } from '../../model/object-ref.ts';
import { count } from '../../model/text.ts';
import { causeLines, placed, sectionsIn } from '../explain/explanation-text.ts';
import type { Paint } from '../terminal.ts';
import type { Plan, PlannedRollout } from './plan-answer.ts';

const BY: Readonly<Record<PlannedRollout['by'], string>> = {
  reloader: 'the reloader',
  webhook: 'the webhook that the reloader notifies',
  owner: 'its owner',
  person: 'a person',
};

/** The answer for a terminal. */
export function planText(plan: Plan, paint: Paint): string {
  const { reloader, causes, objects, rollouts, unknown } = plan;
  const section = sectionsIn(paint);
  const changes = objects.map(
    ({ object, change, keys }) =>
      `  ${paint('bold', change)} ${placed(object)}${keys.length === 0 ? '' : `: ${keys.join(', ')}`}`,
  );
  const rolled = rollouts.flatMap(({ workload, objects: why, by, when, isPending }) => [
    `  ${paint('bold', placed(workload))} by ${BY[by]}, ${when}`,
    ...why.map((object) => `    for ${describe(object)}`),
    ...(isPending ? ['    in one rollout with the pending one'] : []),
  ]);
  return [
    `reloader  ${reloader.says}`,
    ...causeLines(causes, paint),
    ...section('Objects', changes),
    ...section('Rollouts', rolled),
    ...standing(plan),
    ...(unknown.length === 0 || rollouts.length === 0 ? [] : [sumOf(plan)]),
    verdictOf(plan),
    '',
  ].join('\n');
}

/** The workloads that are out of date already. */
function standing({ pending, withdrawn }: Plan): readonly string[] {
  const gone = 'no longer out of date, so that the pending rollout goes';
  const all = [['out of date already', pending] as const, [gone, withdrawn] as const];
  return all.flatMap(([title, refs]) =>
    refs.length > 0 ? [`${title}: ${refs.map(placed).join(', ')}`] : [],
  );
}

/** The answer as Markdown. */
export function planMarkdown(plan: Plan): string {
  const lines = planText(plan, (_, words) => words)
    .trimEnd()
    .split('\n')
    .slice(0, -1);
  return [`### ${verdictOf(plan)}`, '', '```text', ...lines, '```', ''].join('\n');
}

function verdictOf(plan: Plan): string {
  return plan.unknown.length === 0 ? sumOf(plan) : `unknown, because ${plan.unknown.join('; ')}`;
}

function sumOf({ rollouts, assumes }: Plan): string {
  if (rollouts.length === 0) return `No workload is rolled for a changed object, if ${assumes}.`;
  const numberBy = (who: PlannedRollout['by']): number => rollouts.filter(({ by }) => by === who).length;
  const [told, own, people] = [numberBy('webhook'), numberBy('owner'), numberBy('person')];
  const parts = [
    told
      ? `${count(told, 'notification')} of the webhook`
      : `${count(numberBy('reloader'), 'rollout')} by the reloader`,
    own && `${own} more with the change of their own`,
    people && `${people} more by a person`,
  ];
  return `${parts.filter(Boolean).join(', ')}, if ${assumes}.`;
}
