/** The answer of `migrate` for people. */

import { count, listedText } from '../../model/text.ts';
import type { Paint } from '../terminal.ts';
import type { Difference } from './differences.ts';
import { isOpen, type Migration } from './migration.ts';
import type { Setting } from './their-settings.ts';

/** The answer as text. */
export function migrationText(migration: Migration, paint: Paint): string {
  const { from, guide, readFrom, settings, args, differences, unknown, steps, notes } = migration;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => `  ${line}`)];
  const decide = differences.filter(({ is }) => is === 'decide');
  const know = differences.filter(({ is }) => is === 'know');
  return [
    paint('bold', `From ${from}`),
    `it        ${otherText(migration)}`,
    `settings  ${readFrom === 'its defaults' ? 'its defaults are assumed' : `read from ${readFrom}`}`,
    ...section(
      'Its settings that are not the same',
      settings.map((each) => settingLine(each, paint)),
    ),
    ...section('Arguments', args),
    ...section('To decide', differenceLines(decide)),
    ...section('Different, and nothing to do', differenceLines(know)),
    ...unknown.map((why) => `not known: ${why}`),
    ...notes.map((note) => `note: ${note}`),
    ...section(
      'Steps',
      steps.map(({ run, what }, index) => `${index + 1}. ${run}\n       ${paint('dim', what)}`),
    ),
    ...(steps.length === 0 ? [] : [`${guide} has the reasons.`]),
    sumOf(migration),
    '',
  ].join('\n');
}

function otherText({ other, from }: Migration): string {
  if (other === undefined)
    return `no Deployment of ${from} was found: --deployment <namespace>/<name> names it`;
  const { namespace, name, readyReplicas, replicas, release } = other;
  const runs = replicas === 0 ? ', stopped' : `, ${readyReplicas}/${replicas} ready: it still runs`;
  return `Deployment/${name} in ${namespace}${runs}${release === undefined ? '' : `, release ${release} of Helm`}`;
}

function settingLine({ theirs, is, ours, why }: Setting, paint: Paint): string {
  const mark = isOpen({ theirs, is }) ? paint('red', is) : is;
  const to = ours === undefined ? '' : `: ${ours}`;
  return `${theirs}: ${mark}${to}${why === undefined ? '' : ` (${why})`}`;
}

/** Equal differences of several workloads are one. */
function differenceLines(differences: readonly Difference[]): readonly string[] {
  const groups = Map.groupBy(differences, ({ rule, says, todo }) => JSON.stringify([rule, says, todo]));
  return [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const names = listedText(same.map(({ workload, namespace }) => `${workload} in ${namespace}`));
    return [
      `${names}: ${first.says} [${first.rule}]`,
      ...(first.todo === undefined ? [] : [`  -> ${first.todo}`]),
    ];
  });
}

function sumOf({ isReady, workloads, differences, settings, unknown }: Migration): string {
  const left = [
    [differences.filter(({ is }) => is === 'decide').length, 'difference'],
    [settings.filter(isOpen).length, 'setting'],
  ] as const;
  const open = left.filter(([number]) => number > 0).map(([number, noun]) => count(number, noun));
  const words = [
    ...(isReady ? ['ready'] : []),
    ...(unknown.length > 0 ? ['not all is known'] : []),
    ...(open.length > 0 ? [`to decide: ${open.join(', ')}`] : []),
  ];
  return `${count(workloads, 'workload')}: ${words.join('; ')}.`;
}
