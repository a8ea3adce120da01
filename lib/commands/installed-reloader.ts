/** Finds the reloader of a cluster, and its settings. */

import { type Place, placeOf } from '../app/assembly.ts';
import { leasePlaceOf } from '../app/terms.ts';
import { FIELD_MANAGER, LEASES, NAMESPACES, PODS } from '../kubernetes/api-path.ts';
import type { Send } from '../kubernetes/transport.ts';
import { DEPLOYMENT } from '../model/kinds/built-in.ts';
import type { ApiResource } from '../model/object-ref.ts';
import type { FailedRead, Reading } from '../model/outcome.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { plain } from '../model/text.ts';
import { VARIABLE_PREFIX } from '../options/flags.ts';
import { meets } from '../options/labels.ts';
import { connectionIn, type Options, type ParsedCommand } from '../options/options.ts';
import { parseOptions } from '../options/parse-options.ts';
import { CommandError } from './connect.ts';
import {
  flagsOf,
  isOurs,
  type Program,
  programOf,
  type RawDeployment,
  type RawPod,
  RELOADER_LABEL,
  RELOADER_SELECTOR,
  titleOf,
  unseenSettings,
} from './deployed-program.ts';
import { listObjects, readObject, timeOf } from './reads.ts';
import { type Rights, withRights } from './reloader-rights.ts';

/** Only whether it is set matters; its value may be in a Secret. */
const WEBHOOKS = ['--webhook-url', `${VARIABLE_PREFIX}WEBHOOK_URL`];
/** Nodes have a Lease each. */
const NOT_OF_NODES = { fieldSelector: 'metadata.namespace!=kube-node-lease' };
/** For this time after a renewal its holder may run. */
const SILENT_MS = 60_000;
/** How the name of a process of this program ends. */
const IDENTITY = /_[\da-f]{8}$/;
const UNHELD = 'no pod renews it in time; without the right to it one leads alone';
const GIVEN = '--reloader none -- <flags> gives them';
const OTHERS = 'whether another reloader rolls the workloads';
const UNLABELLED = `${OTHERS}: none was found, and one without the label ${RELOADER_LABEL.key} would not be`;
/** Where a reloader usually is, if not beside the workloads. */
const USUAL_NAMESPACE = 'reloader';

/** The Deployment of a reloader. */
export interface Installation {
  readonly namespace: string;
  readonly name: string;
  readonly account: string;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly release: string | undefined;
}

/** A reloader and its settings: those of its Deployment, or the defaults. */
export interface InstalledReloader extends Rights {
  /** The person says which one, or which flags, count: no other is looked for. */
  readonly isGiven?: true;
  readonly flags?: string;
  /** Undefined: there is none, unless `unknown` says why that is not known. */
  readonly installation?: Installation;
  /** Why it is unknown whether it runs, a sentence: no pod renews its Lease. */
  readonly silence?: string;
  readonly leader?: string;
  /** The time by the API server, in ms since 1970: windows, holds and Leases go by it. */
  readonly now: number;
  readonly options: Options;
  /** The namespaces that it watches, and that of its state. */
  readonly place: Place;
  /** Why the reloader and its settings are unknown, each a sentence. */
  readonly unknown: readonly string[];
  /** What else is not known, although its settings are, each a sentence. */
  readonly doubts?: readonly string[];
}

/** `asked` is the flag --reloader, `settings` the flags after `--`. */
export interface Wanted {
  readonly asked?: string | undefined;
  readonly namespace: string;
  /** The namespaces of the question; `all`: every one. @default `namespace` */
  readonly places?: readonly string[] | 'all' | undefined;
  readonly settings: readonly string[];
}

interface RawLease extends RawObject {
  readonly spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

/** The reloader of the namespaces; else another one, or the defaults. @throws CommandError */
export async function findReloader(send: Send, wanted: Wanted): Promise<InstalledReloader> {
  const now = await timeOf(send);
  const first = await foundReloader(send, wanted, now);
  const { places = [wanted.namespace] } = wanted;
  const isIn = places === 'all' || places.every((each) => watches(first, each));
  const isSure = isIn || first.isGiven || first.installation === undefined;
  const doubts = [...(first.doubts ?? []), ...(isSure ? [] : [UNLABELLED])];
  return await withRights(send, await led(send, { ...first, doubts, now }), wanted);
}

/** The reloader with its leader, whose pod shows its flags. */
async function led(send: Send, reloader: InstalledReloader): Promise<InstalledReloader> {
  const { installation, options, place, flags, unknown, now } = reloader;
  if (!installation || options.leaderElection === undefined || unknown.length > 0) return reloader;
  const { namespace, name } = leasePlaceOf(options.leaderElection, place);
  const lease = await readObject<RawLease>(send, LEASES, namespace, name);
  const title = `Lease/${name} in ${namespace}`;
  const { spec = {} } = lease.kind === 'found' ? lease.object : {};
  const { holderIdentity, leaseDurationSeconds = 0 } = spec;
  if (!holderIdentity || !isRenewed(spec, now, leaseDurationSeconds * 1000)) {
    const why = lease.kind === 'failed' ? lease.message : UNHELD;
    const silence = `whether the reloader runs: ${title}: ${why}`;
    return { ...reloader, ...(installation.readyReplicas > 0 && { silence }) };
  }
  const [leader = ''] = holderIdentity.split('_');
  const pod = await readObject<RawPod>(send, PODS, installation.namespace, leader);
  const why = pod.kind === 'found' ? 'is of a former template' : problemOf(pod);
  if (pod.kind === 'found' && flagsOf(programOf({ ...pod.object, spec: { template: pod.object } })) === flags)
    return { ...reloader, leader };
  const says = `Pod/${plain(leader)} holds ${title}, and ${why}: its flags are not known (${GIVEN})`;
  return { ...reloader, leader, unknown: [says] };
}

function isRenewed({ renewTime = '' }: RawLease['spec'] = {}, now: number, withinMs = SILENT_MS): boolean {
  return now - Date.parse(renewTime) <= withinMs;
}

async function foundReloader(send: Send, wanted: Wanted, now: number): Promise<InstalledReloader> {
  const { asked, namespace, settings, places = [namespace] } = wanted;
  if (asked === 'none') return { ...settingsAlone(wanted), isGiven: true };
  if (asked !== undefined) return await namedReloader(send, asked, wanted);
  const near = places === 'all' ? [namespace] : places;
  const { found: all, isEverywhere } = await findReloaders(send, near, settings);
  const serving = await servingIn(send, all, places);
  const best = serving.flatMap(([, found]) => found)[0];
  const leases = await listedIn<RawLease>(send, LEASES, near, NOT_OF_NODES);
  const hidden = [...(isEverywhere ? [] : ['Deployments']), ...(leases.isEverywhere ? [] : ['Leases'])];
  const isServed = places === 'all' ? all.some(watchesAll) : serving.every(([, found]) => found.length > 0);
  const doubts = [
    ...rivalsIn(serving),
    ...(hidden.length > 0 && !isServed ? [missedIn(hidden, near, '--reloader')] : []),
    ...leases.found.flatMap((lease) => strangerIn(lease, all, now)),
  ];
  // The flags of a reloader of other namespaces tell nothing of one that is not known.
  const guess = best ?? (doubts.length === 0 ? all[0] : undefined) ?? settingsAlone(wanted);
  return { ...guess, unknown: [...guess.unknown, ...doubts], doubts: best ? doubtsBeside(hidden, best) : [] };
}

async function namedReloader(send: Send, asked: string, wanted: Wanted): Promise<InstalledReloader> {
  const deployment = await namedDeployment(send, '--reloader', asked, wanted.namespace);
  if (isOurs(deployment)) return { ...installed(deployment, wanted.settings), isGiven: true };
  const says = `the Deployment ${asked} lacks the label ${RELOADER_SELECTOR} of a reloader`;
  const instead = 'give the flags of the reloader by --reloader none -- <flags>';
  throw new CommandError(`--reloader: ${says}; ${instead}`, 'not-a-reloader');
}

/** Every Deployment of a reloader that can be listed. @throws CommandError */
export async function findReloaders(
  send: Send,
  near: string | readonly string[],
  settings: readonly string[],
): Promise<Listed<Found>> {
  const selectors = { labelSelector: RELOADER_SELECTOR };
  const { found, isEverywhere } = await listedIn<RawDeployment>(send, DEPLOYMENT, near, selectors);
  return { found: found.map((each) => installed(each, settings)), isEverywhere };
}

/** By place, in words, the reloaders that serve it: those that run, if any does. */
type Serving = readonly (readonly [place: string, found: readonly Found[]])[];

async function servingIn(
  send: Send,
  all: readonly Found[],
  places: NonNullable<Wanted['places']>,
): Promise<Serving> {
  const running = all.filter(({ installation }) => installation.readyReplicas > 0);
  if (places === 'all') return [['namespaces', running.some(watchesAll) ? running : all]];
  const serving = places.map(async (place) => {
    const [ready, found = []] = [running, all].map((each) => each.filter((one) => watches(one, place)));
    return [`namespace ${place}`, await selecting(send, ready?.length ? ready : found, place)] as const;
  });
  return await Promise.all(serving);
}

/** Of several those that select the namespace by its labels, else one of them. */
async function selecting(send: Send, found: readonly Found[], place: string): Promise<readonly Found[]> {
  const isAll = found.length < 2 || found.every(({ options }) => options.namespaceSelector === undefined);
  const reading = isAll ? undefined : await readObject(send, NAMESPACES, undefined, place);
  if (reading?.kind !== 'found') return found;
  const { labels = {} } = reading.object.metadata;
  const chosen = found.filter(({ options: { namespaceSelector: each } }) => !each || meets(labels, each));
  return chosen.length > 0 ? chosen : found.slice(0, 1);
}

function watchesAll(reloader: Found): boolean {
  return watchedBy(reloader) === undefined;
}

/** It is unknown which of several reloaders rolls the workloads of a place. */
function rivalsIn(serving: Serving): readonly string[] {
  const rivals = [...new Set(serving.flatMap(([, found]) => found))];
  const shared = serving.filter(([, found]) => found.length > 1);
  if (rivals.length < 2) return [];
  const all = shared.length > 0 ? shared : [['only some of the namespaces', rivals] as const];
  return all.map(([where, found]) => {
    const names = found.map(({ installation: own }) => `Deployment/${own.name} in ${own.namespace}`);
    return `${found.length} reloaders watch ${where}: ${names.join(', ')} (--reloader <namespace>/<name> names one)`;
  });
}

/** The reloader that holds it, or empty. A Lease that was created without a spec has no managers. */
function holderOf({ metadata, spec: { holderIdentity = '' } = {} }: RawLease): string {
  const { managedFields = [] } = metadata;
  const isOwn = managedFields.some(({ manager }) => manager === FIELD_MANAGER);
  return isOwn || (managedFields.length === 0 && IDENTITY.test(holderIdentity)) ? holderIdentity : '';
}

function isLeaseOf(lease: RawLease, { installation, options: { leaderElection }, place }: Found): boolean {
  const isItsPod = holderOf(lease).startsWith(`${installation.name}-`);
  return isItsPod && (leaderElection?.namespace ?? place.stateNamespace) === lease.metadata.namespace;
}

/** What a Lease tells of a reloader that runs, or may run, and is none of these. */
function strangerIn(lease: RawLease, all: readonly Found[], now: number): readonly string[] {
  const { metadata, spec } = lease;
  const holder = holderOf(lease);
  if (!holder || !isRenewed(spec, now) || all.some((each) => isLeaseOf(lease, each))) return [];
  const says = `${plain(holder)} renewed Lease/${metadata.name} in ${metadata.namespace} within a minute`;
  return [`${says}: it is a reloader, and its flags are not known (${GIVEN})`];
}

/** The only namespaces that the reloader watches. */
export function watchedBy({ installation, place, options }: InstalledReloader): Place['namespaces'] {
  return installation === undefined && options.scope.type === 'default' ? undefined : place.namespaces;
}

/** Whether the reloader watches the namespace. */
export function watches(reloader: InstalledReloader, namespace: string): boolean {
  return watchedBy(reloader)?.includes(namespace) ?? !reloader.options.namespacesToIgnore.includes(namespace);
}

/** The settings of the words alone. @throws CommandError */
export function settingsAlone(wanted: Pick<Wanted, 'settings' | 'namespace'>): InstalledReloader {
  const { options } = optionsOf(wanted.settings, {});
  return { options, place: placeOf(options, wanted.namespace), now: Date.now(), unknown: [] };
}

/** The Deployment that a flag names, by default in `own`. @throws CommandError */
export async function namedDeployment(
  send: Send,
  flag: string,
  asked: string,
  own: string,
): Promise<RawDeployment> {
  const [first = '', second] = asked.split('/');
  const [namespace, name] = second === undefined ? [own, first] : [first, second];
  const reading = await readObject<RawDeployment>(send, DEPLOYMENT, namespace, name);
  if (reading.kind === 'found') return reading.object;
  throw unreadable(`${flag}: Deployment ${namespace}/${name}`, reading);
}

type Listed<T> = Readonly<{ found: readonly T[]; isEverywhere: boolean }>;

/** Those of all namespaces, or without that right of those near. @throws CommandError */
export async function listedIn<T extends RawObject>(
  send: Send,
  resource: ApiResource,
  near: string | readonly string[],
  selectors: Parameters<typeof listObjects>[3] = {},
): Promise<Listed<T>> {
  const everywhere = await listObjects<T>(send, resource, undefined, selectors);
  if (everywhere.kind === 'found') return { found: everywhere.object, isEverywhere: true };
  if (everywhere.kind === 'absent') return { found: [], isEverywhere: true };
  assertAnswered(everywhere);
  const readings = await Promise.all(
    placesBeside(near).map((each) => listObjects<T>(send, resource, each, selectors)),
  );
  const found = readings.flatMap((reading) => (reading.kind === 'found' ? reading.object : []));
  return { found, isEverywhere: false };
}

function placesBeside(near: string | readonly string[]): readonly string[] {
  return [...new Set([near, USUAL_NAMESPACE].flat())];
}

/** That the person may not list kinds in all namespaces. */
export function unlisted(...kinds: readonly string[]): string {
  return `you may not list the ${kinds.join(' and ')} of all namespaces`;
}

/** That kinds were looked at in some namespaces alone. */
export function missedIn(hidden: readonly string[], near: string | readonly string[], flag: string): string {
  const places = placesBeside(near).join(' and ');
  return `${unlisted(...hidden)}: a reloader was looked for in ${places} alone (${flag} <namespace>/<name> names it)`;
}

function doubtsBeside(hidden: readonly string[], { installation: own }: Found): readonly string[] {
  const asks = `--reloader ${own.namespace}/${own.name} asks about this one alone`;
  return hidden.length === 0 ? [] : [`${OTHERS}: ${unlisted(...hidden)} (${asks})`];
}

/** The error of an object that cannot be read. */
export function unreadable(
  what: string,
  reading: Exclude<Reading<unknown>, { kind: 'found' }>,
): CommandError {
  const says = `${what} ${problemOf(reading)}`;
  if (reading.kind === 'absent') return new CommandError(says, 'not-found');
  return new CommandError(says, reading.isForbidden === true ? 'forbidden' : 'api-error');
}

/** Why a read has no result. */
export function problemOf(reading: Exclude<Reading<unknown>, { kind: 'found' }>): string {
  if (reading.kind === 'absent') return 'does not exist';
  return reading.isForbidden === true
    ? 'may not be read with your rights'
    : `cannot be read: ${reading.message}`;
}

/** @throws CommandError if a read failed, and was not refused: then nothing can be said */
export function assertAnswered(reading: Partial<Omit<FailedRead, 'kind'>> & { readonly kind: string }): void {
  const { kind, message, code, isForbidden } = reading;
  if (kind !== 'failed' || isForbidden === true) return;
  if (code === undefined || code === 'unanswered' || code === 'silent')
    throw new CommandError(`the API server does not answer: ${message}`, 'unanswered');
  const says = `the API server answers with an error: ${message}`;
  if (code === 'unauthorized') throw new CommandError(`${says}, or log in again`, 'unauthorized');
  throw new CommandError(says, 'api-error');
}

/** One that has a Deployment. */
export type Found = InstalledReloader & Required<Pick<InstalledReloader, 'installation'>>;

function installed(deployment: RawDeployment, settings: readonly string[]): Found {
  const { namespace = '' } = deployment.metadata;
  const program = programOf(deployment);
  const title = titleOf(deployment);
  const hook = program.hidden.some((each) => WEBHOOKS.includes(each))
    ? ['--webhook-url=https://hidden.invalid']
    : [];
  const words = [...program.args, ...hook];
  optionsOf(words, program.env, title);
  const { options } = optionsOf([...words, ...settings], program.env);
  const unknown = [...unseenSettings(deployment, program, options, settings)];
  const { replicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  const own = connectionIn(options);
  if (own) unknown.push(`which cluster or rights ${title} has: a flag sets its ${own}`);
  if (replicas > updatedReplicas) unknown.push(`which flags count while ${title} is being rolled out`);
  const place = placeOf(options, namespace);
  const installation = installationOf(deployment);
  return { installation, options, place, flags: flagsOf(program), now: Date.now(), unknown };
}

/** Where a Deployment is, and whether it runs. */
export function installationOf({ metadata, spec, status }: RawDeployment): Installation {
  const { name, namespace = '' } = metadata;
  const release = metadata.annotations?.['meta.helm.sh/release-name'];
  const { replicas = 1, template } = spec ?? {};
  const account = template?.spec?.serviceAccountName ?? 'default';
  return { namespace, name, account, replicas, readyReplicas: status?.readyReplicas ?? 0, release };
}

/** The options of a command line, and the warnings. @throws CommandError that names the source */
export function optionsOf(
  argv: readonly string[],
  env: Program['env'],
  source?: string,
): Pick<Extract<ParsedCommand, { type: 'run' }>, 'options' | 'notices'> {
  const parsed = parseOptions(argv, env);
  if (parsed.type === 'run') return parsed;
  const message = parsed.type === 'usage-error' ? parsed.message : 'no settings';
  const code = source === undefined ? 'usage' : 'wrong-settings';
  throw new CommandError(`${source ?? 'the flags after --'}: ${message}`, code);
}
