/** The answer of `migrate` for people. */

import { count, listedText } from '../../model/text.ts';
import { placed } from '../explain/explanation-text.ts';
import type { Paint } from '../terminal.ts';
import type { Difference } from './differences.ts';
import type { Migration } from './migration.ts';

/** The answer as text. */
export function migrationText(migration: Migration, paint: Paint): string {
  const { from, running, guide, settings, args, differences, unknown, steps, notes, workloads } = migration;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => `  ${line}`)];
  const open = settings.filter(({ is }) => is === 'refused').length + differences.length;
  return [
    paint('bold', `From ${from}`),
    ...running.map(({ says }) => `this program is installed already: ${says}`),
    otherText(migration),
    ...section(
      'Its settings that are not the same',
      settings.map(
        ({ theirs, is, why }) => `${theirs}: ${is === 'refused' ? paint('red', is) : is} (${why})`,
      ),
    ),
    ...section('Arguments', args),
    ...section('To decide', differenceLines(differences)),
    ...unknown.map((why) => `not known: ${why}`),
    ...notes.map((note) => `note: ${note}`),
    ...section(
      'Steps',
      steps.map(({ run, what }, index) => `${index + 1}. ${run}\n       ${paint('dim', what)}`),
    ),
    `${guide} has the reasons.`,
    `${count(workloads, 'workload')}: ${open} to decide, ${unknown.length} not known.`,
    '',
  ].join('\n');
}

function otherText({ other, from, args, unknown }: Migration): string {
  if (other === undefined && args.length > 0)
    return `no Deployment of ${from} was found: the flags after -- describe it`;
  if (other === undefined) {
    const says = unknown.length > 0 ? 'was found' : 'is there: nothing to migrate';
    return `no Deployment of ${from} ${says} (--deployment <namespace>/<name> names one of another image)`;
  }
  const { namespace, name, readyReplicas, replicas, release } = other;
  return `Deployment/${name} in ${namespace}, ${readyReplicas}/${replicas} ready${release === undefined ? '' : `, release ${release} of Helm`}`;
}

/** Equal differences of several workloads are one. */
function differenceLines(differences: readonly Difference[]): readonly string[] {
  const groups = Map.groupBy(differences, ({ rule, says, todo }) =>
    [`${says} [${rule}]`, ...(todo === undefined ? [] : [`\n    -> ${todo}`])].join(''),
  );
  return [...groups].map(([text, same]) => {
    const names = same.map(({ workload }) => placed(workload));
    return `${listedText(names)}: ${text}`;
  });
}
