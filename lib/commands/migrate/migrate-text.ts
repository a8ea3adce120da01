/** The answer of `migrate` for people. */

import { stringify } from 'yaml';
import { ruleYaml } from '../../kubernetes/permissions.ts';
import { count, listedText } from '../../model/text.ts';
import type { Paint } from '../terminal.ts';
import type { Difference } from './differences.ts';
import { type FurtherRight, isOpen, type Migration } from './migration.ts';
import type { Setting } from './new-settings.ts';
import type { StartRollout } from './take-over.ts';

/** The answer as text. */
export function migrationText(migration: Migration, paint: Paint): string {
  const { from, guide, settings, args, values, rights, differences, takeOver, steps, notes } = migration;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => `  ${line}`)];
  const decide = differences.filter(({ is }) => is === 'decide');
  const know = differences.filter(({ is }) => is === 'know');
  return [
    paint('bold', `From ${from}`),
    `it        ${otherText(migration)}`,
    `settings  ${settingsText(migration)}`,
    ...section(
      'Its settings',
      settings.map((each) => settingLine(each, paint)),
    ),
    ...section('Arguments', args),
    ...section('Values', yamlLines(values)),
    ...section('Rights beyond those of k8s/base and k8s/cluster', rights.flatMap(rightLines)),
    ...section('To decide', differenceLines(decide)),
    ...section('Different, and nothing to do', differenceLines(know)),
    ...section('Rolled at the start', rolloutLines(takeOver.rollouts)),
    ...takeOver.unknown.map((why) => `not known: ${why}`),
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

function settingsText({ readFrom }: Migration): string {
  return readFrom === 'its defaults' ? 'its defaults are assumed' : `read from ${readFrom}`;
}

function settingLine({ theirs, is, ours, why }: Setting, paint: Paint): string {
  const mark = isOpen({ theirs, is }) ? paint('red', is) : is;
  const to = ours === undefined || is === 'same' ? '' : `: ${ours}`;
  return `${theirs}: ${mark}${to}${why === undefined ? '' : ` (${why})`}`;
}

function yamlLines(values: object): readonly string[] {
  return Object.keys(values).length === 0 ? [] : stringify(values, { lineWidth: 0 }).trimEnd().split('\n');
}

function rightLines({ namespace, rule }: FurtherRight): readonly string[] {
  const where = namespace === undefined ? [] : [`# in ${namespace}`];
  return [...where, ...ruleYaml(rule).split('\n')];
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

function rolloutLines(rollouts: readonly StartRollout[]): readonly string[] {
  return rollouts.flatMap(({ workload, namespace, objects, why }) => [
    `${workload} in ${namespace} for ${listedText(objects)}`,
    `  ${why}`,
  ]);
}

function sumOf(migration: Migration): string {
  const { isReady, workloads, differences, settings, webhooks } = migration;
  const left = [
    [differences.filter(({ is }) => is === 'decide').length, 'difference'],
    [settings.filter(isOpen).length, 'setting'],
    [webhooks.length, 'webhook'],
  ] as const;
  const open = left.filter(([number]) => number > 0).map(([number, noun]) => count(number, noun));
  const decide = open.length === 0 ? '' : `; to decide: ${open.join(', ')}`;
  return `${count(workloads, 'workload')}: ${isReady ? 'ready, ' : ''}${rolledText(migration)}${decide}.`;
}

function rolledText({ takeOver: { rollouts, unknown } }: Migration): string {
  if (rollouts.length > 0) return `${count(rollouts.length, 'workload')} would be rolled`;
  return unknown.length > 0 ? 'whether anything is rolled is not known' : 'nothing is rolled';
}
