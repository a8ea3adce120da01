/** `reloader migrate`: what taking over from another reloader needs and changes. */

import { isDeepStrictEqual } from 'node:util';
import type { Send } from '../../kubernetes/transport.ts';
import { count, listedText } from '../../model/text.ts';
import type { WorkloadKind } from '../../model/workload-kind.ts';
import type { CommandFlags } from '../../options/commands.ts';
import type { Options } from '../../options/options.ts';
import { connect } from '../connect.ts';
import { programOf, unseenSettings } from '../deployed-program.ts';
import { notSelected } from '../explain/causes-of-setting.ts';
import { placed, sectionsIn } from '../explain/explanation-text.ts';
import { settingsAlone } from '../installed-reloader.ts';
import { hidesNamespaces } from '../observation.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { doubtsAbout, factsIn, observeFor, withUnseen, workloadsIn } from '../scene.ts';
import type { Paint } from '../terminal.ts';
import { type Difference, differencesOf } from './differences.ts';
import {
  findOther,
  findRunning,
  type OtherInstallation,
  type Running,
  SOURCES,
  type Source,
} from './other-reloader.ts';
import { type Step, stepsFor } from './steps.ts';
import { type Settings, settingsFor } from './their-settings.ts';

/** The answer. */
export interface Migration extends Pick<Settings, 'args'> {
  readonly from: string;
  readonly guide: string;
  /** Undefined: none was found. */
  readonly other: OtherInstallation | undefined;
  /** The reloaders of this program that the cluster has already. */
  readonly running: readonly Running[];
  /** Empty if neither a Deployment nor flags describe the other one. */
  readonly settings: Settings['rows'];
  /** How many workloads it serves; undefined: its settings are not known. */
  readonly workloads: number | undefined;
  readonly differences: readonly Difference[];
  /** What could not be read, each a sentence. */
  readonly unknown: readonly string[];
  /** What looked odd, each a sentence. */
  readonly notes: readonly string[];
  readonly steps: readonly Step[];
  /** Whether nothing is unknown, and no person has to decide anything. */
  readonly isReady: boolean;
}

/** What is asked. */
export interface Question {
  readonly source: Source;
  readonly send: Send;
  /** That of the flag, else of the context. */
  readonly namespace: string;
  readonly flags: Pick<CommandFlags, 'namespace' | 'deployment'>;
  /** The flags of the reloader after `--`. */
  readonly settings: readonly string[];
}

const NOT_READY = 2;
const SELECTING = [
  'namespaceSelector',
  'resourceLabelSelector',
  'namespacesToIgnore',
  'ignoredWorkloadTypes',
  'ignoredConfigResourceTypes',
] as const;

/** Runs the command. */
export async function runMigrate({ flags, settings, env, terminal }: CommandContext): Promise<Answered> {
  const source = SOURCES[flags.from as Source['name']];
  const answer = await migrationFrom({ source, ...connect(flags, env), flags, settings });
  const text = (): string => migrationText(answer, terminal.paint);
  return { answer, text, unknown: answer.unknown, code: answer.isReady ? 0 : NOT_READY };
}

/** The answer. @throws CommandError */
export async function migrationFrom(question: Question): Promise<Migration> {
  const { source, send, namespace, flags } = question;
  settingsAlone(question);
  const doubts = flags.namespace === undefined ? [] : await doubtsAbout(send, namespace);
  const { found, unknown: hidden } = await findOther(send, source, { asked: flags.deployment, namespace });
  if (found === undefined && question.settings.length === 0)
    return nothingFrom(source, [...hidden, ...doubts]);
  const { installation: other, program = programOf({ metadata: { name: '' } }) } = found ?? {};
  const home = other?.namespace ?? namespace;
  const settings = settingsFor(source, program, { home, further: question.settings });
  const { rows, args, notices } = settings;
  const unseen = found ? unseenSettings(found.deployment, program, settings.options, question.settings) : [];
  if (unseen.length > 0) return nothingFrom(source, [...hidden, ...unseen, ...doubts], other);
  const { running, kept, ...own } = await findRunning(send, namespace, settings);
  const seen = await seenBy(question, settings);
  const differs = (each: keyof Options): boolean =>
    !isDeepStrictEqual(kept?.options[each], settings.options[each]);
  const narrower = 'whether the reloader that is there rolls the same: its selecting flags differ';
  const unknown = [
    ...[...hidden, ...own.unknown, ...seen.unknown, ...(seen.workloads === 0 ? doubts : [])],
    ...(kept && SELECTING.some(differs) ? [narrower] : []),
  ];
  return {
    from: source.title,
    guide: source.guide,
    other,
    running,
    settings: rows,
    args,
    ...seen,
    unknown,
    notes: [...notices, ...settings.hidden.map((each) => `the value of ${each} is not shown`), ...seen.notes],
    steps: stepsFor(source, other, kept?.installation, settings),
    isReady: !rows.some(({ is }) => is === 'refused') && seen.differences.length + unknown.length === 0,
  };
}

/** The answer if there is none to migrate from, or that or its settings are unknown. */
function nothingFrom(
  { title: from, guide }: Source,
  unknown: readonly string[],
  other?: OtherInstallation,
): Migration {
  const workloads = unknown.length > 0 ? undefined : 0;
  const notes = other ? ['flags after -- replace values that the Deployment does not show'] : [];
  const none = { settings: [], args: [], workloads, differences: [], notes, steps: [] };
  return { from, guide, other, running: [], ...none, unknown, isReady: unknown.length === 0 };
}

async function seenBy(
  { source, send, namespace, flags }: Question,
  { options, place }: Settings,
): Promise<Pick<Migration, 'workloads' | 'differences' | 'unknown' | 'notes'>> {
  const isServed = (each: string): boolean =>
    place.namespaces?.includes(each) ?? !options.namespacesToIgnore.includes(each);
  const namespaces = flags.namespace === undefined ? place.namespaces : [namespace];
  const notes = namespaces?.some(isServed) === false ? [`it does not watch namespace ${namespace}`] : [];
  if (notes.length > 0) return { workloads: 0, differences: [], unknown: [], notes };
  const scene = { send, namespace, reloader: { options, place, now: Date.now(), unknown: [] } };
  const observation = await observeFor(scene, namespaces);
  const { state, unread } = observation;
  const unknown = [...unread.map(({ says }) => says), ...(state.is === 'unknown' ? [state.why] : [])];
  const all: (readonly Difference[] | undefined)[] = [];
  const onHidden = ({ kind, isOptional }: WorkloadKind, why: string): void => {
    if (isOptional !== true && unread.every((each) => each.kind !== kind)) unknown.push(`${kind} ${why}`);
  };
  for await (const [row, raw] of workloadsIn(scene, namespaces, onHidden)) {
    const facts = await factsIn(scene, observation, row, raw);
    const { namespace: own } = facts.workload.ref;
    if (!isServed(own) || notSelected(scene.reloader, observation, own)) continue;
    all.push(differencesOf(source, await withUnseen(scene, facts)));
  }
  await observation.end();
  const found = all.filter((each) => each !== undefined);
  const workloads = hidesNamespaces({ unread }) ? undefined : found.length;
  return { workloads, differences: found.flat(), unknown, notes };
}

/** The answer as text. */
export function migrationText(migration: Migration, paint: Paint): string {
  const { from, running, guide, settings, args, differences, unknown, steps, notes, workloads } = migration;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    sectionsIn(paint)(
      title,
      lines.map((line) => `  ${line}`),
    );
  const [refused, others] = [true, false].map((isOpen) =>
    settings
      .filter(({ is }) => (is === 'refused') === isOpen)
      .map(({ theirs, is, why }) => `${theirs}: ${isOpen ? paint('red', is) : is} (${why})`),
  );
  const open = [...(refused ?? []), ...differenceLines(differences)];
  return [
    paint('bold', `From ${from}`),
    ...running.map(({ says }) => `this program is installed already: ${says}`),
    otherText(migration),
    ...section('Its settings that are not the same', others ?? []),
    ...section('Arguments', args),
    ...section('To decide', open),
    ...unknown.map((why) => `not known: ${why}`),
    ...notes.map((note) => `note: ${note}`),
    ...section(
      'Steps',
      steps.map(({ run, what }, index) => `${index + 1}. ${run}\n       ${paint('dim', what)}`),
    ),
    `${guide} has the reasons.`,
    `${workloads === undefined ? '' : `${count(workloads, 'workload')}: ${open.length} to decide, `}${unknown.length} not known.`,
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
  return `Deployment/${name} in ${namespace}, ${readyReplicas}/${replicas} ready${release === undefined ? '' : `, annotated as release ${release} of Helm`}`;
}

/** Equal differences of several workloads are one. */
function differenceLines(differences: readonly Difference[]): readonly string[] {
  const groups = Map.groupBy(differences, ({ rule, says, todo }) => {
    return `${says} [${rule}]${todo === undefined ? '' : `\n    -> ${todo}`}`;
  });
  return [...groups].map(([text, same]) => {
    const names = same.map(({ workload }) => placed(workload));
    return `${listedText(names)}: ${text}`;
  });
}
