/** Puts the parts together around one `send`: the same program for a cluster, a test and a simulation. */

import { Edges } from './controller/edges.ts';
import { Reloader, type RunEnd } from './controller/reloader.ts';
import { countsOf, type StatusReport, statusOf } from './controller/status.ts';
import { type Stream, SyncGate } from './controller/sync-gate.ts';
import { collaborne } from './dialects/collaborne.ts';
import type { Dialect } from './dialects/dialect.ts';
import { sleep } from './kubernetes/abortable-sleep.ts';
import { collectionPath } from './kubernetes/api-path.ts';
import { areVersionsComparable } from './kubernetes/comparable-versions.ts';
import { readConfigObject } from './kubernetes/config-reader.ts';
import { DryRunState, DryRunWorkloads } from './kubernetes/dry-run.ts';
import { EventRecorder } from './kubernetes/events.ts';
import { Informer, type InformerObserver } from './kubernetes/informer.ts';
import { observed } from './kubernetes/observed-send.ts';
import type { WatchEnd } from './kubernetes/reflector.ts';
import { configResourceOf, configSource, workloadSource } from './kubernetes/sources.ts';
import { StateConfigMap } from './kubernetes/state-config-map.ts';
import type { Send } from './kubernetes/transport.ts';
import { WorkloadWriter } from './kubernetes/workload-writer.ts';
import type { ConfigObject } from './model/config-object.ts';
import { type Edge, isOwed } from './model/edge.ts';
import { Heartbeat } from './model/heartbeat.ts';
import type { Log } from './model/log.ts';
import type { ConfigKind, ObjectKey } from './model/object-ref.ts';
import type { RawConfigObject, RawWorkload } from './model/raw-objects.ts';
import { Timeline } from './model/timeline.ts';
import { type Workload, workloadOf } from './model/workload.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from './model/workload-kind.ts';
import type { Options } from './options/options.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** Where the reloader works. */
export interface Place {
  /** The namespaces that are watched; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly stateNamespace: string;
}

/** What the program is put together from. */
export interface Parts {
  readonly send: Send;
  readonly options: Options;
  readonly place: Place;
  readonly log: Log;
  /** Counts; absent where nobody reads them. */
  readonly metrics?: Metrics | undefined;
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
  /** What has to happen before decisions are made; empty when ready. */
  readonly waitingFor: () => readonly string[];
}

/** A watch is cut after 160 s of silence; its loop is expected to move soon after. */
const LONGEST_SILENCE_MS = 165_000;
const CONFIG_KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** Puts the program together; nothing happens before `run`. */
export function assemble(parts: Parts): Assembly {
  const { options, place, log, metrics, random = Math.random } = parts;
  const send =
    metrics === undefined ? parts.send : observed(parts.send, (report) => metrics.requested(report));
  const dialect = collaborne({
    alternativeAnnotations: options.alternativeAnnotations,
    ignoredKinds: options.ignoredConfigKinds,
  });
  const edges = new Edges(dialect, place.stateNamespace);
  const timeline = new Timeline();
  const heartbeat = new Heartbeat();
  const streams = streamsOf(place, options);
  const gate = new SyncGate(streams);
  const writer = new WorkloadWriter(send);
  const store = new StateConfigMap(send, { namespace: place.stateNamespace, name: options.stateConfigMap });
  const events = new EventRecorder({ send, log, random });
  const reloader = new Reloader({
    edges,
    gate,
    client: options.dryRun ? new DryRunWorkloads(writer) : writer,
    store: options.dryRun ? new DryRunState(store) : store,
    readConfig: (ref) => readConfigObject(send, ref),
    timeline,
    log,
    counters: metrics ?? NO_COUNTERS,
    warn: (ref, uid, reason, message) => {
      if (!options.dryRun) events.record({ regarding: ref, uid, type: 'Warning', reason, message });
    },
    quietMs: options.coalescePeriodMs,
    maxWaitMs: options.coalesceMaxWaitMs,
    concurrency: options.maxConcurrentPatches,
    random,
    wait: sleep,
  });
  const informers = new Informers({
    streams,
    send,
    timeline,
    reloader,
    dialect,
    heartbeat,
    metrics,
    log,
    random,
  });
  metrics?.observe(() => countsOf(reloader, edges, Date.now()));
  const runStreams = async (signal: AbortSignal): Promise<void> => {
    timeline.comparable = await areVersionsComparable({ send, ...probePaths(place), signal, random });
    await Promise.all([...streams.map((stream) => informers.run(stream, signal)), events.run(signal)]);
  };
  return {
    run: (signal) => reloader.run(signal, runStreams),
    status: () => statusOf(reloader, edges, Date.now()),
    beliefs: () => beliefsOf(edges),
    stuck: () => heartbeat.stuck(Date.now()),
    waitingFor: () => waitingFor(reloader, gate),
  };
}

interface InformersOptions {
  readonly streams: readonly Stream[];
  readonly send: Send;
  readonly timeline: Timeline;
  readonly reloader: Reloader;
  readonly dialect: Dialect;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics | undefined;
  readonly log: Log;
  readonly random: () => number;
}

/** Runs one informer per stream. */
class Informers {
  readonly #options: InformersOptions;
  /** Open watches, by stream. */
  readonly #up = new Set<Stream>();

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  async run(stream: Stream, signal: AbortSignal): Promise<void> {
    const { heartbeat } = this.#options;
    const row = WORKLOAD_KINDS.find(({ kind }) => kind === stream.kind);
    heartbeat.progress(nameOf(stream), Date.now());
    await (row === undefined ? this.#configs(stream) : this.#workloads(stream, row)).run(signal);
    heartbeat.ended(nameOf(stream));
  }

  #configs(stream: Stream): Informer<RawConfigObject, ConfigObject> {
    const { reloader } = this.#options;
    const kind: ConfigKind = stream.kind === 'Secret' ? 'Secret' : 'ConfigMap';
    return new Informer({
      ...this.#common(stream),
      source: configSource(kind, stream.namespace),
      project: (raw: RawConfigObject) => reloader.project(kind, raw),
      handler: (event) => reloader.onConfig(stream, event),
    });
  }

  #workloads(stream: Stream, row: WorkloadKind): Informer<RawWorkload, Workload> {
    const { reloader, dialect } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: workloadSource(row, stream.namespace),
      project: (raw: RawWorkload) => workloadOf(row, raw, dialect),
      handler: (event) => reloader.onWorkload(stream, event),
    });
  }

  #common(stream: Stream): {
    send: Send;
    timeline: Timeline;
    log: Log;
    random: () => number;
    observer: InformerObserver;
  } {
    const { send, timeline, log, random } = this.#options;
    return { send, timeline, log, random, observer: this.#observerOf(stream) };
  }

  #observerOf(stream: Stream): InformerObserver {
    const { heartbeat, metrics } = this.#options;
    const name = nameOf(stream);
    return {
      onSignOfLife: () => heartbeat.sleeps(name, Date.now() + LONGEST_SILENCE_MS),
      onFailure: (_error, nextRetryMs) =>
        heartbeat.sleeps(name, Date.now() + nextRetryMs + LONGEST_SILENCE_MS),
      onWatchUp: () => {
        heartbeat.sleeps(name, Date.now() + LONGEST_SILENCE_MS);
        this.#watch(stream, true);
      },
      onWatchDown: (reason: WatchEnd) => {
        metrics?.watchRestarted(stream.kind, reason);
        this.#watch(stream, false);
      },
    };
  }

  #watch(stream: Stream, isUp: boolean): void {
    if (isUp) this.#up.add(stream);
    else this.#up.delete(stream);
    const all = this.#options.streams.filter(({ kind }) => kind === stream.kind);
    this.#options.metrics?.watchIsUp(
      stream.kind,
      all.every((other) => this.#up.has(other)),
    );
  }
}

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

function streamsOf({ namespaces }: Place, { ignoredConfigKinds }: Options): Stream[] {
  const kinds = [
    ...CONFIG_KINDS.filter((kind) => !ignoredConfigKinds.includes(kind)).map((kind) => ({
      kind,
      isWorkload: false,
    })),
    ...WORKLOAD_KINDS.map(({ kind }) => ({ kind, isWorkload: true })),
  ];
  return (namespaces ?? [undefined]).flatMap((namespace) => kinds.map((row) => ({ ...row, namespace })));
}

function nameOf({ kind, namespace }: Stream): string {
  return namespace === undefined ? kind : `${kind} in ${namespace}`;
}

function probePaths({ namespaces }: Place): { configMaps: string; workloads: string } {
  const [namespace] = namespaces ?? [];
  const [row] = WORKLOAD_KINDS;
  const configMaps = collectionPath(configResourceOf('ConfigMap'), namespace);
  return { configMaps, workloads: row === undefined ? configMaps : collectionPath(row, namespace) };
}

function waitingFor(reloader: Reloader, gate: SyncGate): string[] {
  if (!reloader.hasReadState) return ['the state'];
  return gate.awaited().map((stream) => `the list of ${nameOf(stream)}`);
}

function beliefsOf(edges: Edges): EdgeBelief[] {
  const belief = (workload: ObjectKey, config: ObjectKey, edge: Edge): EdgeBelief => ({
    workload,
    config,
    ran: edge.ran,
    dirty: edge.dirty,
    owes: isOwed(edge, edges.configs.get(config)?.digest),
  });
  return [...edges.workloads].flatMap(([workload, record]) =>
    [...record.edges].map(([config, edge]) => belief(workload, config, edge)),
  );
}
