/** Fills the store by a dry run of the program, whose streams only list. */

import { type Assembly, assemble, type Place } from '../app/assembly.ts';
import { stateClientOf } from '../app/clients.ts';
import type { Controllers } from '../app/controllers.ts';
import { objectPath } from '../kubernetes/api-path.ts';
import type { ApiRequest, ApiResponse, Send } from '../kubernetes/transport.ts';
import { UNKEYED } from '../model/digest.ts';
import { NO_LOG } from '../model/log.ts';
import { type ConfigRef, configRefIn, SOURCE_KINDS } from '../model/object-ref.ts';
import { parseState } from '../model/persisted-state.ts';
import { unknownAlgorithms } from '../model/state-entry.ts';
import { MAX_DURATION_MS, monotonicMs } from '../model/time.ts';
import type { Options } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { keyedIn } from '../state/digest-keys.ts';
import { keySecretOf, readShards, stateKeysOf } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { nameOf, type Stream } from '../store/sync-gate.ts';
import { CommandError } from './connect.ts';
import { assertAnswered, type InstalledReloader } from './installed-reloader.ts';
import { notFound, readOnly } from './reads.ts';
import { WatchFeed } from './watch-feed.ts';

/** The persisted state, as far as the person may read it. */
export type StateAccess =
  /** `keys`: the entries as they were read. */
  | { readonly is: 'read'; readonly keys: ReadonlySet<string>; readonly isKeyed: boolean }
  | { readonly is: 'absent' }
  | { readonly is: 'unknown'; readonly why: string };

/** A cluster as the controller sees it. */
export interface Observation {
  readonly assembly: Assembly;
  readonly controllers: Controllers;
  readonly store: Store;
  readonly state: StateAccess;
  /** Whether a reloader runs, which sees with what content pods start. */
  readonly isServed: boolean;
  /** What could not be listed: a stream, and why. */
  readonly unread: readonly Unread[];
  /** Ends it; nothing may be asked afterwards. */
  readonly end: () => Promise<void>;
}

/** What says whether pods are out of date. */
export type Seen = Pick<Observation, 'store' | 'state' | 'unread' | 'isServed'>;

/** A kind, in one namespace or in all, that could not be listed. */
export interface Unread {
  readonly kind: string;
  /** Undefined: all namespaces, or none. */
  readonly namespace?: string | undefined;
  readonly says: string;
}

/** What is observed, and under which settings. */
export interface Observed extends Pick<InstalledReloader, 'options' | 'place'> {
  readonly send: Send;
  /** Why the reloader, and so the place of its state, is not known. @default it is known */
  readonly unknown?: readonly string[];
  /** Whether it runs. @default true */
  readonly isServed?: boolean;
  /** What happens afterwards. @default nothing */
  readonly feed?: WatchFeed | undefined;
  /** How long what fails is tried again. @default 15 s */
  readonly patienceMs?: number;
}

const POLL_MS = 5;
const STATE_UNKNOWN: StateAccess = { is: 'unknown', why: 'it is not known which reloader runs' };
const PATIENCE_MS = 15_000;

/** Lists `place`. @throws CommandError if the API server does not answer */
export async function observe(observed: Observed): Promise<Observation> {
  const {
    send,
    options,
    place,
    unknown = [],
    isServed = true,
    feed = new WatchFeed(),
    patienceMs = PATIENCE_MS,
  } = observed;
  const state = unknown.length > 0 ? STATE_UNKNOWN : await accessToState(send, options, place);
  const hidden = state.is === 'unknown' ? pathsOfState(options, place) : new Set<string>();
  const answer = (request: ApiRequest): ApiResponse | undefined =>
    hidden.has(request.path.split('?', 1)[0] ?? '') ? notFound() : feed.answer(request);
  const assembly = assemble({
    send: readOnly(send, answer),
    options: asDryRun(options, state),
    place,
    log: NO_LOG,
    random: Math.random,
    isObserver: true,
  });
  const ending = new AbortController();
  const running = assembly.run(ending.signal);
  const end = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  try {
    await untilListed(assembly, patienceMs);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    assembly,
    state,
    isServed,
    get controllers() {
      return assembly.observed.reloader().controllers;
    },
    get store() {
      return assembly.observed.reloader().store;
    },
    get unread() {
      return unreadOf(assembly, patienceMs);
    },
    end,
  };
}

/** The same decisions, without an end of any window, an election, or notifications. */
function asDryRun(options: Options, state: StateAccess): Options {
  const served = (way: Options['isOpenshift']) => (way === 'auto' ? 'true' : way);
  return {
    ...options,
    // The rights of the person decide here.
    isArgoRollouts: served(options.isArgoRollouts),
    isOpenshift: served(options.isOpenshift),
    enableCsiIntegration: served(options.enableCsiIntegration),
    dryRun: true,
    leaderElection: undefined,
    // Without the key of the state nothing can be compared.
    digests: state.is === 'read' && state.isKeyed ? options.digests : 'sha1',
    coalescePeriodMs: MAX_DURATION_MS,
    coalesceMaxWaitMs: MAX_DURATION_MS,
  };
}

/** Resolves when every permitted list has arrived or its time is over. @throws CommandError */
async function untilListed({ observed, waitingFor, watches }: Assembly, patienceMs: number): Promise<void> {
  const { reloader } = observed;
  // The right to Namespaces is not reviewed: the list fails, and is not refused.
  const isGivenUp = ({ kind }: Stream): boolean =>
    kind === 'Namespace' && watches().some(({ stream, problem }) => stream === kind && problem !== undefined);
  const isList = (what: string): boolean => what.startsWith('the list of ');
  const isRead = (): boolean => reloader().leads && waitingFor().every(isList);
  const says = `the state of the reloader cannot be read within ${patienceMs / 1000} s`;
  if (!(await untilTrue(isRead, patienceMs)) && !reloader().leads) throw new CommandError(says, 'timed-out');
  // Baselines in memory would tell nothing, and take seconds for thousands of objects.
  reloader().controllers.committer.halt();
  const isOver = (stream: Stream): boolean => reloader().gate.isRefused(stream) || isGivenUp(stream);
  await untilTrue(() => reloader().gate.awaited().every(isOver), patienceMs);
}

/** Looks until it is true, or too long; which. */
export async function untilTrue(isTrue: () => boolean, patienceMs: number = PATIENCE_MS): Promise<boolean> {
  const end = monotonicMs() + patienceMs;
  const never = new AbortController().signal;
  while (!isTrue()) {
    if (monotonicMs() > end) return false;
    await sleep(POLL_MS, never);
  }
  return true;
}

function unreadOf({ observed, watches }: Assembly, patienceMs: number): readonly Unread[] {
  const { reloader, streams } = observed;
  const { gate } = reloader();
  const problems = new Map(watches().map(({ stream, problem }) => [stream, problem]));
  const awaited = gate.awaited();
  return streams.flatMap((stream): readonly Unread[] => {
    const isListed = gate.lists(stream.kind, stream.namespace);
    const problem = problems.get(nameOf(stream));
    if (isListed || (problem === undefined && !awaited.includes(stream))) return [];
    const late = problem ?? `it is not listed after ${patienceMs / 1000} s`;
    const why = gate.isRefused(stream) ? 'you may not list it' : late;
    return [{ kind: stream.kind, namespace: stream.namespace, says: `${nameOf(stream)}: ${why}` }];
  });
}

/** @throws CommandError if the API server does not answer */
async function accessToState(send: Send, options: Options, place: Place): Promise<StateAccess> {
  const client = stateClientOf({ send, options: { ...options, dryRun: true }, place });
  const reading = await readShards(client);
  assertAnswered(reading);
  if (reading.kind === 'failed')
    return mayNotRead(`ConfigMap/${options.configmap} in ${place.stateNamespace}`);
  const shards = reading.shards.filter((shard) => shard !== undefined);
  if (shards.length === 0) return { is: 'absent' };
  const data = Object.fromEntries(shards.flatMap((shard) => Object.entries(shard.data)));
  const [why] = shards.flatMap((shard) => {
    const parsed = parseState(shard.data, shard.annotations, place.stateNamespace, () => true);
    if (parsed.type === 'unknown-version') return ['a later version of this program wrote the state'];
    return parsed.unreadable.map((key) => `the entry ${key} of the state is not readable`);
  });
  if (why !== undefined) return { is: 'unknown', why };
  const lost = (key?: string): readonly string[] =>
    unknownAlgorithms(data, (name) => UNKEYED.named(name) !== undefined || name === key);
  const read = { is: 'read', keys: new Set(Object.keys(data)), isKeyed: lost().length > 0 } as const;
  if (!read.isKeyed) return read;
  const { namespace, name } = keySecretOf(options.configmap, place.stateNamespace);
  const title = `Secret/${name} in ${namespace}`;
  const keys = await client.keys.read();
  assertAnswered(keys);
  if (keys.kind === 'failed') return mayNotRead(`${title}, the key of the digests`);
  const [missing] = lost(keys.kind === 'found' ? keyedIn(keys.object.data)?.name : undefined);
  if (missing === undefined) return read;
  return { is: 'unknown', why: `${title} does not have the key ${missing} of the digests in the state` };
}

function mayNotRead(what: string): StateAccess {
  return { is: 'unknown', why: `you may not read ${what}` };
}

/** Whether annotations of namespaces count, unseen. */
export function hidesNamespaces({ unread }: Pick<Observation, 'unread'>): boolean {
  return unread.some(({ kind }) => kind === 'Namespace');
}

/** Whether the state says what the pods have started with. */
export function hasEntry({ state, store }: Pick<Observation, 'state' | 'store'>, ref: ConfigRef): boolean {
  return state.is === 'read' && state.keys.has(store.persisted.entryKeyOf(ref));
}

function pathsOfState({ configmap }: Options, { stateNamespace }: Place): ReadonlySet<string> {
  const shards = stateKeysOf(configmap, stateNamespace).map(configRefIn);
  const all = [...shards, keySecretOf(configmap, stateNamespace)];
  return new Set(all.map(({ kind, namespace, name }) => objectPath(SOURCE_KINDS[kind], namespace, name)));
}
