/** Puts the parts together around one `send`: the same program for a cluster, a test and a simulation. */

import { knowledgeOf } from './admission/knowledge.ts';
import { Reviewer } from './admission/reviewer.ts';
import { Edges, type WorkloadRecord } from './controller/edges.ts';
import { isGenuineCopy } from './controller/genuine-copy.ts';
import { oneAtATime } from './controller/one-at-a-time.ts';
import { Reloader, type ReloaderOptions, type RunEnd } from './controller/reloader.ts';
import type { WorkloadClient } from './controller/rollout-attempt.ts';
import type { StateStore } from './controller/state-store.ts';
import { snapshotOf, statusOf } from './controller/status.ts';
import { nameOf, type Stream, SyncGate } from './controller/sync-gate.ts';
import { vocabularyOf } from './dialects/vocabulary.ts';
import { Informers, streamsOf } from './informers.ts';
import { sleep } from './kubernetes/abortable-sleep.ts';
import { collectionPath, FIELD_MANAGER } from './kubernetes/api-path.ts';
import { areVersionsComparable } from './kubernetes/comparable-versions.ts';
import { readConfigObject, readLeftOut } from './kubernetes/config-reader.ts';
import { DryRunState, DryRunWorkloads } from './kubernetes/dry-run.ts';
import { EventRecorder } from './kubernetes/events.ts';
import { observed } from './kubernetes/observed-send.ts';
import { listBirths } from './kubernetes/replica-sets.ts';
import { configResourceOf } from './kubernetes/sources.ts';
import { StateConfigMap } from './kubernetes/state-config-map.ts';
import type { Send } from './kubernetes/transport.ts';
import { WorkloadWriter } from './kubernetes/workload-writer.ts';
import { monotonicMs } from './model/clock.ts';
import type { Edge } from './model/edge.ts';
import { Heartbeat } from './model/heartbeat.ts';
import type { Log } from './model/log.ts';
import { keyOf, type ObjectKey } from './model/object-ref.ts';
import { SHARD_BYTES, shardNames } from './model/state-shards.ts';
import type { StatusReport } from './model/status-report.ts';
import { Timeline } from './model/timeline.ts';
import { WatchHealth, type WatchStatus } from './model/watch-health.ts';
import { WORKLOAD_KINDS } from './model/workload-kind.ts';
import type { WriteResult } from './model/write-result.ts';
import { alertsOf, webhookOf } from './notifications.ts';
import type { ProxyVariables } from './notify/http-post.ts';
import { configKindsOf, type Options, stateNamespaceOf, workloadKindsOf } from './options/options.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** Where the reloader works. */
export interface Place {
  /** The namespaces that are watched; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly stateNamespace: string;
}

/** Where `options` send a reloader whose own namespace is `own`. */
export function placeOf(options: Options, own: string): Place {
  const { scope } = options;
  const namespaces = scope.type === 'namespaces' ? scope.names : scope.type === 'all' ? undefined : [own];
  return { namespaces, stateNamespace: stateNamespaceOf(options, own) };
}

/** What the program is put together from. */
export interface Parts {
  readonly send: Send;
  /** Scheme and host of whom it sends to, for the log; nothing else of the address may be shown. */
  readonly server?: string | undefined;
  readonly options: Options;
  readonly place: Place;
  readonly log: Log;
  /** The proxies to those who are told, as variables name them. @default none */
  readonly proxies?: ProxyVariables | undefined;
  /** Counts; absent where nobody reads them. */
  readonly metrics?: Metrics | undefined;
  /** How many bytes of data make a ConfigMap of the state full. @default SHARD_BYTES */
  readonly stateShardBytes?: number | undefined;
  /** @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** What one edge is believed to be. */
export interface EdgeBelief {
  readonly workload: ObjectKey;
  readonly config: ObjectKey;
  /** `?` if unknown; undefined before the object was first seen. */
  readonly ran: string | undefined;
  readonly dirty: boolean;
  readonly owes: boolean;
}

/** The program, put together. */
export interface Assembly {
  /** Runs until `signal` is aborted and what was under way is finished. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<RunEnd>;
  readonly status: () => StatusReport;
  /** What is believed of every edge, for tests. */
  readonly beliefs: () => readonly EdgeBelief[];
  /** The loops that are stuck. */
  readonly stuck: () => readonly string[];
  /** How the watches fare. */
  readonly watches: () => readonly WatchStatus[];
  /** Answers a review of the admission webhook from what is known. @throws MalformedReviewError if it is none */
  readonly review: (text: string) => string;
  /** What has to happen before decisions are made; empty when ready. */
  readonly waitingFor: () => readonly string[];
}

/** Puts the program together; nothing happens before `run`. */
export function assemble(parts: Parts): Assembly {
  const { options, place, log, metrics, random = Math.random } = parts;
  const send = observed(parts.send, (report) => metrics?.requested(report));
  const edges = edgesFor(options, place);
  const shared = { timeline: new Timeline(), heartbeat: new Heartbeat(), log, random };
  const watches = new WatchHealth();
  const streams = streamsFor(options, place);
  const gate = new SyncGate(streams, options.dialects.includes('wave'));
  const events = new EventRecorder({ send, log, random });
  const alerts = alertsOf(parts);
  const reloader = new Reloader({
    ...shared,
    ...clientsOf({ ...parts, send }, events, edges),
    onRollout: alerts && ((news) => alerts.record(news)),
    resourceSelector: options.resourceLabelSelector,
    edges,
    gate,
    state: { name: options.stateConfigMap, shardBytes: parts.stateShardBytes ?? SHARD_BYTES },
    counters: metrics ?? NO_COUNTERS,
    quietMs: options.coalescePeriodMs,
    maxWaitMs: options.coalesceMaxWaitMs,
    concurrency: options.maxConcurrentPatches,
    wait: sleep,
  });
  const { resourceLabelSelector: resourceSelector, namespaceSelector } = options;
  const ways = { send, reloader, metrics, watches };
  const informers = new Informers({ ...shared, ...ways, streams, resourceSelector, namespaceSelector });
  metrics?.observe(() => snapshotOf(reloader, edges, monotonicMs()));
  const runStreams = async (signal: AbortSignal): Promise<void> => {
    const kinds = collectionsOf(streams);
    shared.timeline.comparable = await areVersionsComparable({ send, kinds, signal, random });
    if (!shared.timeline.comparable && !signal.aborted) log.info(NOT_COMPARABLE);
    edges.absorbsOwnersRollouts = shared.timeline.comparable && options.absorbOwnerRollouts;
    const aside = [events.run(signal), reloader.absences.run(signal)];
    await Promise.all([...streams.map((stream) => informers.run(stream, signal)), ...aside]);
  };
  return {
    run: (signal) => reloader.run(signal, runStreams).finally(() => alerts?.close()),
    status: () => ({
      ...statusOf(reloader, edges, monotonicMs()),
      waitingFor: waitingFor(reloader, gate),
      watches: watches.statuses(monotonicMs()),
    }),
    watches: () => watches.statuses(monotonicMs()),
    beliefs: () => beliefsOf(edges),
    stuck: () => shared.heartbeat.stuck(monotonicMs()),
    review: reviewOf(parts, edges, gate),
    waitingFor: () => waitingFor(reloader, gate),
  };
}

/** Answers the admission webhook from what is known. */
function reviewOf({ options, log, metrics }: Parts, edges: Edges, gate: SyncGate): (text: string) => string {
  const checksHashes = options.admission?.checksHashes ?? false;
  const known = knowledgeOf(edges, gate, { ownManager: FIELD_MANAGER, checksHashes });
  const reviewer = new Reviewer({
    known,
    log,
    onReview: (result, seconds) => metrics?.reviewed(result, seconds),
  });
  return (text) => reviewer.answer(text);
}

/** The knowledge of a process that knows nothing yet. */
function edgesFor(options: Options, place: Place): Edges {
  const dialect = vocabularyOf({
    dialects: options.dialects,
    stakaterKeys: options.stakaterKeys,
    autoReloadAll: options.autoReloadAll,
    strategy: options.reloadStrategy,
    keyScoped: options.keyScoped,
    rollsFinished: options.jobReload === 'recreate',
    pausePeriodMs: options.pausePeriodMs,
    pace: options.pace,
    alternativeAnnotations: options.alternativeAnnotations,
    ignoredKinds: options.ignoredConfigKinds,
    watches: (namespace) =>
      place.namespaces?.includes(namespace) ?? !options.ignoredNamespaces.includes(namespace),
  });
  const isSelective = options.resourceLabelSelector !== undefined;
  const edges = new Edges(dialect, place.stateNamespace, {
    onCreate: options.reloadOnCreate,
    // What has only lost its labels is not deleted.
    onDelete: options.reloadOnDelete && !isSelective,
  });
  edges.isSelective = isSelective;
  edges.scopes.keepsAll = options.keyScoped;
  edges.onlyTells = options.webhookUrl !== undefined;
  if (options.namespaceSelector !== undefined) edges.selected = new Set();
  return edges;
}

function streamsFor(options: Options, { namespaces }: Place): Stream[] {
  const { ignoredNamespaces, namespaceSelector } = options;
  const served = { configKinds: configKindsOf(options), workloadKinds: workloadKindsOf(options) };
  return streamsOf(namespaces, served, ignoredNamespaces, namespaceSelector !== undefined);
}

/** What the reloader calls the API server with; in a dry run, what only reads. With a webhook that is told in place of a patch. */
function clientsOf(
  parts: Parts,
  events: EventRecorder,
  edges: Edges,
): Pick<
  ReloaderOptions,
  'client' | 'finish' | 'store' | 'readConfig' | 'listBirths' | 'readLeftOut' | 'recordEvent' | 'isDryRun'
> {
  const { send, place } = parts;
  const { dryRun, stateConfigMap, resourceLabelSelector: labelSelector } = parts.options;
  const writer = new WorkloadWriter(send, (copy, job) => isGenuineCopy(edges, copy, job));
  const webhook = webhookOf(parts);
  const client: WorkloadClient =
    webhook === undefined ? writer : { roll: (plan) => webhook.tell(plan), get: (ref) => writer.get(ref) };
  const mayWrite = !dryRun && webhook === undefined;
  return {
    isDryRun: dryRun,
    client: oneAtATime(dryRun ? new DryRunWorkloads(writer) : client),
    finish: mayWrite ? (ref) => writer.finish(ref) : leaveAsItIs,
    store: { ...stateStore(send, place.stateNamespace, stateConfigMap, dryRun), server: parts.server },
    readConfig: (ref) => readConfigObject(send, ref, { labelSelector }),
    listBirths: (namespace) => listBirths(send, namespace),
    readLeftOut: (ref, signal) => readLeftOut(send, ref, signal, labelSelector),
    recordEvent: (news) => {
      if (!dryRun) events.record(news);
    },
  };
}

/** Where nothing is written to workloads, what somebody began stays as it is. */
function leaveAsItIs(): Promise<WriteResult<undefined>> {
  return Promise.resolve({ kind: 'accepted', object: undefined });
}

function stateStore(send: Send, namespace: string, stateName: string, isDryRun: boolean): StateStore {
  const shards = shardNames(stateName).map((name) => {
    const shard = new StateConfigMap(send, { namespace, name });
    return isDryRun ? new DryRunState(shard) : shard;
  });
  const at = (shard: number): StateConfigMap | DryRunState => {
    const found = shards[shard];
    if (found === undefined) throw new RangeError(`no shard ${shard}`);
    return found;
  };
  return {
    read: (shard, signal) => at(shard).read(signal),
    create: (shard) => at(shard).create(),
    patch: (shard, patch) => at(shard).patch(patch),
  };
}

const NOT_COMPARABLE =
  "the versions of different kinds are not of one counter, or could not be listed: no owner's rollout stands for one of ours";

const NO_COUNTERS = {
  changed: ignore,
  attempted: ignore,
  rolled: ignore,
  patched: ignore,
  committed: ignore,
};

function ignore(): void {
  // Nobody counts.
}

/** The collections of each kind that is watched anyway, so that the probe needs no further right. */
function collectionsOf(streams: readonly Stream[]): string[][] {
  const kinds = new Map<string, string[]>();
  for (const { kind, namespace } of streams.filter((stream) => stream.kind !== 'Namespace')) {
    const row = WORKLOAD_KINDS.find((candidate) => candidate.kind === kind);
    const resource = row ?? configResourceOf(kind === 'Secret' ? 'Secret' : 'ConfigMap');
    kinds.set(kind, [...(kinds.get(kind) ?? []), collectionPath(resource, namespace)]);
  }
  return [...kinds.values()];
}

function waitingFor(reloader: Reloader, gate: SyncGate): string[] {
  if (!reloader.hasReadState) return ['the state'];
  return gate.awaited().map((stream) => `the list of ${nameOf(stream)}`);
}

function beliefsOf(edges: Edges): EdgeBelief[] {
  const belief = (record: WorkloadRecord, config: ObjectKey, edge: Edge): EdgeBelief => ({
    workload: keyOf(record.workload.ref),
    config,
    ran: edge.ran,
    dirty: edge.dirty,
    owes: edges.owesOn(record, config, edge),
  });
  return [...edges.workloads.values()].flatMap((record) =>
    [...record.edges].map(([config, edge]) => belief(record, config, edge)),
  );
}
