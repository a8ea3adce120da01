/** Gathers the answer of `reloader migrate`: the settings first, then the cluster as the new installation would see it. */

import { placeOf } from '../../app/assembly.ts';
import type { Send } from '../../kubernetes/transport.ts';
import { complete } from '../../kubernetes/workloads/referenced-template.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS, type WorkloadKind } from '../../model/workload-kind.ts';
import type { CommandFlags } from '../../options/commands.ts';
import type { Installation, InstalledReloader } from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';
import { factsIn, observeFor } from '../scene.ts';
import { type Difference, differencesOf, isServedBy } from './differences.ts';
import { findOther, type Source } from './other-reloader.ts';
import { type Step, stepsFor } from './steps.ts';
import { type Setting, type Settings, settingsFor } from './their-settings.ts';

/** The answer. */
export interface Migration {
  readonly from: string;
  readonly guide: string;
  /** Absent: none was found. */
  readonly other?: Installation & { readonly release?: string };
  /** What the settings were read from. */
  readonly readFrom: 'its Deployment' | 'its defaults';
  readonly settings: readonly Setting[];
  readonly args: readonly string[];
  /** How many workloads it serves. */
  readonly workloads: number;
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

/** Where new installations run that take no place. */
const USUAL_NAMESPACE = 'reloader';
const TOLD = 'with --webhook-url the webhook is told of each change, and nothing is rolled';

/** The answer. @throws CommandError */
export async function migrationFrom(question: Question): Promise<Migration> {
  const { source, send, namespace, flags } = question;
  const { found, seesAll, notes } = await findOther(send, source, { asked: flags.deployment, namespace });
  const home = found?.installation.namespace ?? (source.isStakater ? USUAL_NAMESPACE : namespace);
  const program = found?.program ?? { args: [], env: {}, hidden: [] };
  const settings = settingsFor(source, program, { home, further: question.settings });
  const { rows, args, namespaces, options, notices, secrets } = settings;
  const seen = await seenBy(question, settings, { home, seesAll });
  const isDecided = !rows.some(isOpen) && seen.differences.every(({ is }) => is === 'know');
  return {
    from: source.title,
    guide: source.guide,
    ...(found && { other: { ...found.installation, ...(found.release && { release: found.release }) } }),
    readFrom: found === undefined ? 'its defaults' : 'its Deployment',
    settings: rows,
    args,
    ...seen,
    notes: [...notes, ...seen.notes, ...notices, ...(options.webhookUrl === undefined ? [] : [TOLD])],
    steps: stepsFor(source, { other: found, home, namespaces, secrets }),
    isReady: isDecided && seen.unknown.length === 0,
  };
}

/** Whether a person has to give the setting. */
export function isOpen({ is }: Setting): boolean {
  return is === 'refused' || is === 'secret';
}

type Seen = Pick<Migration, 'workloads' | 'differences' | 'unknown' | 'notes'>;

/** What the new installation would see. */
async function seenBy(
  { source, send, namespace, flags }: Question,
  { options, namespaces: watched }: Settings,
  { home, seesAll }: { readonly home: string; readonly seesAll: boolean },
): Promise<Seen> {
  const isLimited = flags.namespace === undefined && watched === undefined && !seesAll;
  const namespaces = flags.namespace !== undefined || isLimited ? [namespace] : watched;
  const place = { namespaces, stateNamespace: placeOf(options, home).stateNamespace };
  const reloader: InstalledReloader = { options, place, notes: [] };
  const [observation, listed] = await Promise.all([
    observeFor({ send, namespace, reloader }, namespaces),
    workloadsIn(send, namespaces),
  ]);
  const { state, unread } = observation;
  const unknown = [
    ...unread.map(({ what, why }) => `${what}: ${why}`),
    ...(state.is === 'forbidden' ? [`you may not read ${state.what}`] : []),
  ];
  const differences: Difference[] = [];
  let workloads = 0;
  for (const { row, raw } of listed) {
    const facts = await factsIn({ reloader }, observation, row, raw);
    if (!isServedBy(source.name, facts)) continue;
    workloads += 1;
    differences.push(...differencesOf(source.name, facts));
  }
  void observation.end();
  const limited = `you may not list the workloads of all namespaces: only ${namespace} was looked at; -n names another one`;
  return { workloads, differences, unknown, notes: isLimited ? [limited] : [] };
}

/** All workloads that may be listed; the observation says what may not. */
async function workloadsIn(
  send: Send,
  namespaces: readonly string[] | undefined,
): Promise<readonly { readonly row: WorkloadKind; readonly raw: RawWorkload }[]> {
  const lists = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS].flatMap((row) =>
    (namespaces ?? [undefined]).map((place) => [row, place] as const),
  );
  const all: { row: WorkloadKind; raw: RawWorkload }[] = [];
  for (const [row, place] of lists) {
    const reading = await listObjects<RawWorkload>(send, row, place);
    const raws = reading.kind === 'found' ? reading.object : [];
    for (const raw of raws) all.push({ row, raw: row.refersToTemplate ? await complete(send, raw) : raw });
  }
  return all;
}
