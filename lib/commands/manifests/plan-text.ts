/** The answers of `plan` for people, and as a comment on a pull request. */

import { describe, type WorkloadRef } from '../../model/object-ref.ts';
import { count } from '../../model/text.ts';
import { causeLines, placed, sectionsIn } from '../explain/explanation-text.ts';
import type { Paint, Style } from '../terminal.ts';
import type { Plan, PlannedObject, PlannedRollout } from './plan-answer.ts';

const COLOURS: Readonly<Record<PlannedObject['change'], Style>> = {
  changed: 'yellow',
  created: 'green',
  deleted: 'red',
};

const BY: Readonly<Record<PlannedRollout['by'], string>> = {
  reloader: 'the reloader',
  owner: 'its owner',
  person: 'a person',
};

/** The answer for a terminal. */
export function planText(plan: Plan, paint: Paint): string {
  const { reloader, causes, objects, rollouts, unknown } = plan;
  const section = sectionsIn(paint);
  const changes = objects.map(
    ({ object, change, keys }) =>
      `  ${paint(COLOURS[change], change)} ${placed(object)}${keys.length === 0 ? '' : `: ${keys.join(', ')}`}`,
  );
  const rolled = rollouts.flatMap(({ workload, objects: why, by, when, isPending }) => [
    `  ${paint('bold', placed(workload))} by ${BY[by]}, ${when}`,
    ...why.map((object) => `    for ${describe(object)}`),
    ...(isPending ? ['    with the rollout that is pending already'] : []),
  ]);
  return [
    `reloader  ${reloader.says}`,
    ...causeLines(causes, paint),
    ...section('Objects', changes),
    ...section('Rollouts', rolled),
    ...standing(plan, placed),
    ...(unknown.length === 0 || rollouts.length === 0 ? [] : [sumOf(plan)]),
    verdictOf(plan),
    '',
  ].join('\n');
}

/** The workloads that are out of date already. */
function standing({ pending, withdrawn }: Plan, nameOf: (ref: WorkloadRef) => string): readonly string[] {
  const line = (title: string, refs: readonly WorkloadRef[]): readonly string[] =>
    refs.length === 0 ? [] : [`${title}: ${refs.map(nameOf).join(', ')}`];
  return [
    ...line('out of date already', pending),
    ...line('no longer out of date, so that the pending rollout goes', withdrawn),
  ];
}

/** The answer as Markdown. */
export function planMarkdown(plan: Plan): string {
  const { causes, objects, rollouts } = plan;
  const rows = rollouts.map(
    ({ workload, objects: why, by, when }) =>
      `| ${code(workload.namespace)} | ${code(describe(workload))} | ${why.map((object) => code(describe(object))).join('<br>')} | ${BY[by]}, ${when} |`,
  );
  const table = ['| namespace | workload | for | by, and when |', '| --- | --- | --- | --- |', ...rows];
  const changes = objects.map(
    ({ object, change, keys }) =>
      `- ${code(describe(object))} in ${code(object.namespace)} ${change}${keys.length === 0 ? '' : `: ${keys.map(code).join(', ')}`}`,
  );
  return [
    `### ${verdictOf(plan)}`,
    '',
    ...causes.map(({ says }) => `- ${says}`),
    ...(rows.length === 0 ? [] : [...table, '']),
    ...(changes.length === 0 ? [] : [...changes, '']),
    ...standing(plan, (each) => code(placed(each))).flatMap((line) => [
      line.replace(/^./, (first) => first.toUpperCase()),
      '',
    ]),
  ].join('\n');
}

function verdictOf(plan: Plan): string {
  return plan.unknown.length === 0 ? sumOf(plan) : `unknown, because ${plan.unknown.join('; ')}`;
}

function sumOf({ rollouts, assumes }: Plan): string {
  const numberBy = (who: PlannedRollout['by']): number => rollouts.filter(({ by }) => by === who).length;
  const [own, people] = [numberBy('owner'), numberBy('person')];
  if (rollouts.length === 0) return `No workload is rolled for a changed object, if ${assumes}.`;
  const ours = `${count(numberBy('reloader'), 'rollout')} by the reloader`;
  const others = [
    own > 0 && `${own} more with the change of their own`,
    people > 0 && `${people} more by a person`,
  ];
  return `${[ours, ...others.filter((text) => text !== false)].join(', ')}, if ${assumes}.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', '').replaceAll('|', '\\|')}\``;
}
