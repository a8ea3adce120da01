/** Gathers the answer of `reloader migrate`: the settings first, then the cluster as the new installation would see it. */

import { placeOf } from '../../app/assembly.ts';
import { permissionsOf } from '../../app/preflight.ts';
import type { PolicyRule } from '../../kubernetes/permissions.ts';
import type { Send } from '../../kubernetes/transport.ts';
import { complete } from '../../kubernetes/workloads/referenced-template.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import type { CommandFlags } from '../../options/commands.ts';
import { type Installation, type InstalledReloader, optionsOf } from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';
import { factsIn, observeFor } from '../scene.ts';
import {
  merged,
  needsOwnNamespace,
  type OtherValues,
  OWN_NAMESPACE,
  otherValues,
  readValues,
  type Shape,
  scopeValues,
  type Values,
  valuesFor,
} from './chart-values.ts';
import { LISTED_KINDS } from './difference-rules.ts';
import { type Difference, differencesOf, isServedBy } from './differences.ts';
import { argumentsOf, type Setting, type Settings, settingsFor } from './new-settings.ts';
import { findOther, type Search, webhooksOf } from './other-reloader.ts';
import type { Source } from './others.ts';
import { componentsFor, overlayFor } from './overlay.ts';
import { type Step, stepsFor } from './steps.ts';
import { noting, type TakeOver, takeOverOf } from './take-over.ts';

/** A right that the new installation needs beyond those of every one. */
export interface FurtherRight {
  /** Absent: for the whole cluster. */
  readonly namespace?: string | undefined;
  readonly rule: PolicyRule;
}

/** The answer. */
export interface Migration {
  readonly from: string;
  readonly guide: string;
  /** Absent: none was found. */
  readonly other?: Installation & { readonly release?: string };
  /** What the settings were read from. */
  readonly readFrom: 'its Deployment' | 'the values' | 'its defaults';
  readonly settings: readonly Setting[];
  readonly args: readonly string[];
  /** For the chart of this reloader. */
  readonly values: Values;
  /** The components for an overlay. */
  readonly components: readonly string[];
  readonly rights: readonly FurtherRight[];
  /** How many workloads it serves. */
  readonly workloads: number;
  readonly differences: readonly Difference[];
  readonly takeOver: TakeOver;
  readonly webhooks: readonly string[];
  /** What is not known, or looked odd, each a sentence. */
  readonly notes: readonly string[];
  readonly steps: readonly Step[];
  /** Whether nothing is rolled, nothing is unknown, and no person has to decide anything. */
  readonly isReady: boolean;
}

/** What is asked. */
export interface Question {
  readonly source: Source;
  readonly send: Send;
  /** That of the flag, else of the context. */
  readonly namespace: string;
  readonly flags: Pick<CommandFlags, 'namespace' | 'deployment' | 'file' | 'values' | 'overlay'>;
  /** The flags of the reloader after `--`. */
  readonly settings: readonly string[];
}

/** Where new installations run that take no place. */
const USUAL_NAMESPACE = 'reloader';

/** The answer, and the overlay if one is asked for. @throws CommandError */
export async function migrationFrom(
  question: Question,
): Promise<{ readonly migration: Migration; readonly overlay?: string }> {
  const { source, send, namespace, flags } = question;
  const search = await findOther(send, source, { asked: flags.deployment, namespace });
  const { settings, given, shape } = settingsIn(question, search);
  const overlay = flags.overlay === undefined ? {} : { overlay: overlayFor(settings, shape, flags.overlay) };
  const webhooks = await webhooksOf(send, source);
  const seen = await seenBy(question, search, settings, shape);
  // The values of Stakater Reloader's chart work as they are.
  const areKept = source.name === 'stakater' && given !== undefined;
  const rows = [...settings.rows.filter(({ is }) => !areKept || is === 'refused'), ...(given?.rows ?? [])];
  const { home } = shape;
  const isMoved = needsOwnNamespace(settings.namespaces, home);
  const scope = isMoved ? scopeValues(settings.namespaces, home) : {};
  const own = areKept ? scope : valuesFor(settings, shape);
  const { differences } = seen;
  const migration: Migration = {
    from: source.title,
    guide: source.guide,
    ...otherIn(search),
    readFrom: given === undefined ? readFromOf(search) : 'the values',
    settings: rows,
    args: argumentsOf(settings),
    values: merged(given?.carried ?? {}, own),
    components: componentsFor(settings, shape),
    rights: furtherRights(settings, shape),
    ...seen,
    webhooks: webhooks.names,
    notes: [
      ...search.notes,
      ...seen.notes,
      ...settings.notices,
      ...webhooks.notes,
      ...notesOn(settings, isMoved),
    ],
    steps: stepsFor(source, {
      other: search.found,
      webhooks: webhooks.names,
      home: isMoved ? OWN_NAMESPACE : home,
      overlayNamespace: settings.namespaces?.[0] ?? USUAL_NAMESPACE,
      written: flags,
      differences,
    }),
    isReady: isReady(rows, seen, webhooks.names),
  };
  return { migration, ...overlay };
}

function notesOn({ options }: Settings, isMoved: boolean): readonly string[] {
  const moved = `with rights in several namespaces the account needs one of its own: the values name ${OWN_NAMESPACE}, which has to exist`;
  const told = 'with --webhook-url the webhook is told of each change, and nothing is rolled';
  return [...(isMoved ? [moved] : []), ...(options.webhookUrl === undefined ? [] : [told])];
}

function otherIn({ found }: Search): Pick<Migration, 'other'> {
  if (found === undefined) return {};
  const { installation, release } = found;
  return { other: release === undefined ? installation : { ...installation, release } };
}

function readFromOf({ found }: Search): Migration['readFrom'] {
  return found === undefined ? 'its defaults' : 'its Deployment';
}

/** Whether a person has to give the setting. */
export function isOpen({ is }: Setting): boolean {
  return is === 'refused' || is === 'secret';
}

/** A webhook that is left would go on writing to workloads. */
function isReady(rows: readonly Setting[], seen: Seen, webhooks: readonly string[]): boolean {
  const { rollouts, unknown } = seen.takeOver;
  const isDecided = rows.every((row) => !isOpen(row));
  const isAlike = seen.differences.every(({ is }) => is === 'know');
  return rollouts.length + unknown.length + webhooks.length === 0 && isDecided && isAlike;
}

function settingsIn(
  { source, namespace, flags, settings: further }: Question,
  { found }: Search,
): { readonly settings: Settings; readonly given: OtherValues | undefined; readonly shape: Shape } {
  const home = homeFor(source, found?.installation.namespace, namespace);
  const given = flags.file === undefined ? undefined : otherValues(source, readValues(flags.file), home);
  const program = given?.program ?? found?.program ?? { args: [], env: {}, hidden: [] };
  const settings = settingsFor(source, program, { home, settings: further });
  const replicas = Math.max(given?.replicas ?? found?.installation.replicas ?? 1, 1);
  return { settings, given, shape: { home, replicas } };
}

function homeFor({ isInPlace, watchesAll }: Source, theirs: string | undefined, own: string): string {
  if (!isInPlace) return USUAL_NAMESPACE;
  return theirs ?? (watchesAll ? USUAL_NAMESPACE : own);
}

/** The rights that these settings need and the ones without any flag do not. */
function furtherRights({ options, namespaces }: Settings, { home }: Shape): readonly FurtherRight[] {
  const { stateNamespace } = placeOf(options, home);
  const place = { namespaces, stateNamespace };
  const usual = permissionsOf({ options: optionsOf([], {}), place }).map(textOf);
  return permissionsOf({ options, place })
    .filter((permission) => !usual.includes(textOf(permission)))
    .map(({ namespace, rule }) => (namespace === undefined ? { rule } : { namespace, rule }));
}

function textOf({ namespace, rule }: FurtherRight): string {
  return JSON.stringify([namespace, rule]);
}

type Seen = Pick<Migration, 'workloads' | 'differences' | 'takeOver' | 'notes'>;

/** What the new installation would see. */
async function seenBy(
  { source, send, namespace, flags }: Question,
  { seesAll }: Search,
  { options, namespaces: watched }: Settings,
  { home }: Shape,
): Promise<Seen> {
  const isLimited = flags.namespace === undefined && watched === undefined && !seesAll;
  const namespaces = flags.namespace !== undefined || isLimited ? [namespace] : watched;
  const place = { namespaces, stateNamespace: placeOf(options, home).stateNamespace };
  const reloader: InstalledReloader = { options, place, notes: [] };
  const noted = noting(send);
  const [observation, listed] = await Promise.all([
    observeFor({ send: noted.send, namespace, reloader }, namespaces),
    workloadsIn(noted.send, namespaces),
  ]);
  const takeOver = await takeOverOf(observation, noted.refused);
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
  return { workloads, differences, takeOver, notes: isLimited ? [limited] : [] };
}

interface Listed {
  readonly row: (typeof LISTED_KINDS)[number];
  readonly raw: RawWorkload;
}

/** All workloads that may be listed; the observation says what may not. */
async function workloadsIn(
  send: Send,
  namespaces: readonly string[] | undefined,
): Promise<readonly Listed[]> {
  const lists = LISTED_KINDS.flatMap((row) =>
    (namespaces ?? [undefined]).map((place) => [row, place] as const),
  );
  const all: Listed[] = [];
  for (const [row, place] of lists) {
    const reading = await listObjects<RawWorkload>(send, row, place);
    const raws = reading.kind === 'found' ? reading.object : [];
    for (const raw of raws) all.push({ row, raw: row.refersToTemplate ? await complete(send, raw) : raw });
  }
  return all;
}
