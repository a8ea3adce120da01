/**
 * The composition root: builds the whole program around one `send` function. Everything else arrives as a parameter, so a test
 * or the simulation runs the same program as a cluster does. It has no rule of its own.
 */

import { randomBytes } from 'node:crypto';
import { answerReview, cacheReaderOf } from '../admission/review.ts';
import { Vocabularies } from '../annotations/vocabularies.ts';
import { FIELD_MANAGER } from '../kubernetes/api-path.ts';
import { EventRecorder } from '../kubernetes/events.ts';
import type { Send } from '../kubernetes/transport.ts';
import { fenced, observed } from '../kubernetes/wrapped-send.ts';
import type { Elector } from '../leader/elector.ts';
import type { AlgorithmName } from '../model/digest.ts';
import { Heartbeat, WatchHealth, type WatchStatus } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import { CONFIG_KINDS, isMountedKind, keyOf, SOURCE_KINDS } from '../model/object-ref.ts';
import type { Environment } from '../model/settings.ts';
import { SHARD_BYTES } from '../model/shards.ts';
import { stampIds } from '../model/stamp.ts';
import type { StatusReport } from '../model/status-report.ts';
import { monotonicMs, secondsOf } from '../model/time.ts';
import { Timeline } from '../model/timeline.ts';
import { configKindsOf, type Options, workloadKindsOf } from '../options/options.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { Journal } from '../report/journal.ts';
import { DigestKeys, type HeldKey } from '../state/digest-keys.ts';
import { keySecretOf, stateKeysOf } from '../store/state-client.ts';
import { Store } from '../store/store.ts';
import { nameOf, type Stream, SyncGate } from '../store/sync-gate.ts';
import type { Settings } from '../store/term-settings.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { alertsOf, clientsOf, stateClientOf, webhookOf } from './clients.ts';
import { Informers, streamsOf } from './informers.ts';
import { permissionsOfAutomatic } from './preflight.ts';
import { Reloader, type ReloaderOptions } from './reloader.ts';
import type { OptionalKind, OptionalRow } from './served-kinds.ts';
import { snapshotOf, statusOf } from './status.ts';
import { electorOf, type RunEnd, type Term, Terms } from './terms.ts';

/** The namespaces in which the reloader works. */
export interface Place {
  /** The namespaces that are watched; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** The namespace of the state, also called the home namespace. */
  readonly stateNamespace: string;
}

/** The namespaces that `options` ask for; `own`: the namespace of the reloader's pod. */
export function placeOf({ scope, stateNamespace }: Options, own: string): Place {
  const namespaces = scope.type === 'namespaces' ? scope.names : scope.type === 'all' ? undefined : [own];
  const only = namespaces?.length === 1 ? namespaces[0] : undefined;
  return { namespaces, stateNamespace: stateNamespace ?? only ?? own };
}

/** The input of `assemble`. */
export interface Parts {
  readonly send: Send;
  /** Scheme and host of the API server, for the log; the rest of its address may be a secret. */
  readonly server?: string | undefined;
  readonly options: Options;
  readonly place: Place;
  readonly log: Log;
  /** The proxies for webhook and alerts, by the environment variables that name them. @default none */
  readonly proxies?: Environment | undefined;
  /** The metrics; absent if none are served. */
  readonly metrics?: Metrics | undefined;
  /** The size in bytes from which a new entry goes to the next ConfigMap of the state. @default SHARD_BYTES */
  readonly stateShardBytes?: number | undefined;
  /** The name of the pod that this process runs in. @default the name of the host */
  readonly podName?: string | undefined;
  readonly podUid?: string | undefined;
  /** Distinguishes this process from earlier ones in the same pod. @default random */
  readonly token?: string | undefined;
  /** Makes a key for digests. @default a random one */
  readonly newKey?: (() => HeldKey) | undefined;
  /** Answers a number in [0, 1), for the jitter of backoffs. */
  readonly random: () => number;
  /** Whether it rolls nothing, ever: it waits neither for a missing object nor for a right. @default false */
  readonly isObserver?: boolean | undefined;
}

/** The composed program. All members but `run` are synchronous queries of memory. */
export interface Assembly {
  /** Runs until `signal` is aborted and the work under way is finished. Called once; never rejects. */
  readonly run: (signal: AbortSignal) => Promise<RunEnd>;
  /** The content of `/status.json` and of the status page. */
  readonly status: () => StatusReport;
  /** The loops that have made no progress for too long; any makes the liveness probe fail. */
  readonly stuck: () => readonly string[];
  /** The condition of each watch. */
  readonly watches: () => readonly WatchStatus[];
  /** Answers the text of an AdmissionReview with another one. @throws MalformedReviewError if the text is no AdmissionReview */
  readonly review: (text: string) => string;
  /** What has to happen before decisions are made; any makes the readiness probe fail. */
  readonly waitingFor: () => readonly string[];
  /** All that was observed, for the commands that explain it. */
  readonly observed: {
    /** The reloader of the present term. */
    readonly reloader: () => Reloader;
    readonly streams: readonly Stream[];
  };
}

/** Composes the program; it sends nothing before `run`. */
export function assemble(parts: Parts): Assembly {
  const { options, log, metrics, random } = parts;
  const send = observed(parts.send, (report) => metrics?.count('reloader_api_requests_total', { ...report }));
  const common = commonOf(parts);
  const { streams, keys, heartbeat } = common;
  const watches = new WatchHealth();
  const events = new EventRecorder({ send, log, random });
  const alerts = alertsOf(parts);
  const election = electorOf({ ...parts, send }, () => terms.turnBack('the Lease'));
  const newReloader = newReloaders({ ...parts, send }, { ...common, alerts }, events);
  const terms = new Terms({
    ...common,
    election,
    storeFor: (lead) => stateClientOf({ ...parts, send: fenced(send, lead) }),
    newLeader: newReloader,
    newStandby: () => newReloader(undefined),
  });
  const ofStreams = { ...common, send, metrics, mayLag: !parts.isObserver, kinds: optionalKindsOf(parts) };
  const ofProcess = { options, watches, since: monotonicMs(), withoutRight: new Map<Stream, number>() };
  const ways = { ...ofStreams, ...ofProcess, onTurnedBack: (what: string) => terms.turnBack(what) };
  const newInformers = (): Informers => new Informers({ ...ways, reloader: terms.current });
  let informers = newInformers();
  const waiting = (): string[] => waitingFor(terms, keys, options.leaderElection !== undefined);
  metrics?.observe(() => snapshotOf(terms.current, monotonicMs()));
  const runStreams = async (signal: AbortSignal): Promise<void> => {
    const eventsEnded = events.run(signal);
    for (let first: AbortSignal | undefined = signal; !signal.aborted; first = undefined) {
      const ends = AbortSignal.any([signal, terms.replaced]);
      informers = newInformers();
      await informers.run(ends, first);
    }
    await eventsEnded;
  };
  return {
    run: (signal) => terms.run(signal, runStreams).finally(() => alerts?.close()),
    status: () => ({
      ...statusOf(terms.current, monotonicMs()),
      isReady: waiting().length === 0,
      waitingFor: waiting(),
      watches: watches.statuses(monotonicMs()),
      optionalKinds: informers.statuses(),
      ...(options.leaderElection && { leader: leaderOf(election) }),
    }),
    watches: () => watches.statuses(monotonicMs()),
    stuck: () => heartbeat.stuck(monotonicMs()),
    review: (text) => review(text, parts, terms.current),
    waitingFor: waiting,
    observed: { reloader: () => terms.current, streams },
  };
}

type Common = ReturnType<typeof commonOf>;

/** What the reloaders of all terms share: clock and journal go on while a term ends and the next one begins. */
function commonOf(parts: Parts) {
  const { options, place, log, random, metrics, newKey = randomKey, stateShardBytes = SHARD_BYTES } = parts;
  return {
    timeline: new Timeline(),
    heartbeat: new Heartbeat(),
    log,
    random,
    journal: new Journal(log),
    streams: streamsOf(options, place),
    keys: new DigestKeys({ isKeyed: options.digests === 'keyed', newKey, log }),
    isObserver: parts.isObserver,
    state: { name: options.configmap, shardBytes: stateShardBytes },
    counters: metrics,
    quietMs: options.coalescePeriodMs,
    maxWaitMs: options.coalesceMaxWaitMs,
    concurrency: options.maxConcurrentPatches,
    isShared: place.namespaces?.length !== 1,
    maxEvictions: options.maxEvictions,
    budget: options.budget,
    staging: options.staging,
    isDryRun: options.dryRun,
    wait: sleep,
  };
}

/**
 * Answers a function that makes the reloader of one term, or a standby if the term is undefined. A leader gets a `send` that
 * refuses every request once its lead has ended.
 */
function newReloaders(
  parts: Parts,
  common: Common & Pick<ReloaderOptions, 'alerts'>,
  events: EventRecorder,
): (term: Term | undefined) => Reloader {
  const webhook = webhookOf(parts);
  const { options, place } = parts;
  return (term) => {
    const gate = new SyncGate(common.streams);
    const store = new Store(rulesFor(options, place, { ...common, gate }, term?.mark.term));
    const send = term === undefined ? parts.send : fenced(parts.send, term.lead);
    const stateClient = term?.stateClient ?? stateClientOf(parts);
    return new Reloader({
      ...common,
      ...clientsOf({ ...parts, send }, store, webhook),
      gate,
      recordEvent: options.dryRun ? ignore : (news) => events.record(news),
      stateClient,
      store,
      leads: term !== undefined,
      mark: term?.mark,
      // A dry run reads the state of the reloader that runs beside it: a mark there is no contest.
      onContested: options.dryRun ? undefined : term?.onContested,
      onUnknownVersion: term?.onUnknownVersion ?? ignore,
    });
  };
}

/** Answers a review of the admission webhook from the memory of the present reloader. */
function review(text: string, { log, metrics }: Parts, { store, gate, leads }: Reloader): string {
  const known = cacheReaderOf(store, gate, { ownManager: FIELD_MANAGER, leads });
  return answerReview(text, {
    known,
    log,
    onReview: (result, seconds) => {
      metrics?.count('reloader_admission_reviews_total', { result });
      metrics?.measure('reloader_admission_duration_seconds', seconds);
    },
  });
}

/** The frozen settings by which the rules of one term decide. */
function rulesFor(
  options: Options,
  place: Place,
  { timeline, keys, gate, isObserver }: Common & Pick<ReloaderOptions, 'gate'>,
  term = 0,
): Settings {
  const vocabularies = new Vocabularies({
    ...options,
    strategy: options.reloadStrategy,
    rollsFinished: options.jobReload === 'recreate',
    ignoredKinds: CONFIG_KINDS.filter((kind) => !configKindsOf(options).includes(kind)),
    shows: (namespace, kind) => gate.isWatched(namespace, kind),
    resourceSelector: options.resourceLabelSelector,
  });
  const isSelective = options.resourceLabelSelector !== undefined;
  return Object.freeze({
    vocabularies,
    algorithms: keys,
    knows: (name: AlgorithmName) => keys.named(name) !== undefined,
    homeNamespace: place.stateNamespace,
    ownState: new Set(stateKeysOf(options.configmap, place.stateNamespace)),
    ownKeys: keyOf(keySecretOf(options.configmap, place.stateNamespace)),
    presence: {
      onCreate: options.reloadOnCreate,
      // With a label selector the watch reports an object that has only lost its labels as deleted.
      onDelete: options.reloadOnDelete && !isSelective,
    },
    newStampId: stampIds(term, () => Date.now()),
    isObserver,
    selectsNamespaces: options.namespaceSelector !== undefined,
    readsNamespaces: options.namespaceAnnotations,
    isSelective,
    // A function: the probe for comparable versions ends before the first list, but after this object is made.
    absorbsExternalRollouts: () => timeline.comparable && options.absorbOwnerRollouts,
    onlyTells: options.webhookUrl !== undefined,
  });
}

/** The kinds that a cluster may lack. */
function optionalKindsOf(parts: Parts): OptionalKind[] {
  const sources = configKindsOf(parts.options).filter(isMountedKind);
  const rows: OptionalRow[] = [
    ...sources.map((kind) => ({ ...SOURCE_KINDS[kind], kind })),
    ...workloadKindsOf(parts.options).filter(({ isOptional }) => isOptional === true),
  ];
  return rows.map((row) => ({ row, permissions: permissionsOfAutomatic(parts, row.kind) }));
}

function randomKey(): HeldKey {
  return { id: `k${randomBytes(4).toString('hex')}`, value: randomBytes(32).toString('base64') };
}

function ignore(): void {
  // Nobody asks.
}

/** A standby is ready once its caches are filled. Without an election the process leads soon, and is not ready before. */
function waitingFor({ current, isBeginning }: Terms, keys: DigestKeys, hasStandby: boolean): string[] {
  const isToLead = !current.leads && (isBeginning || !hasStandby);
  if (isToLead) return ['the state'];
  if (!keys.areKnown) return ['the keys of the digests'];
  return current.gate.awaited().map((stream) => `the list of ${nameOf(stream)}`);
}

/** The leader, as far as this process knows. */
function leaderOf({ status }: Elector): NonNullable<StatusReport['leader']> {
  const { isLeader, holder, sinceMs } = status;
  const since = sinceMs === undefined ? {} : { sinceSeconds: secondsOf(monotonicMs() - sinceMs) };
  return { isThis: isLeader, identity: holder, ...since };
}
