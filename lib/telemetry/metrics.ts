/** The metrics of the program, in the format of Prometheus. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { WatchEnd } from '../model/health.ts';
import type { ConfigKind, WorkloadRef } from '../model/object-ref.ts';
import type { AttemptEnd, WriteResult } from '../model/outcome.ts';
import type { AdmissionResult, AlertResult } from '../model/settings.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import {
  type CHANGE_TYPES,
  type Labels,
  LEADER_GAUGES,
  type LeaderGauge,
  METRICS,
  type MetricRow,
  seriesOf,
} from './metric-table.ts';

const LEADER_WORDS = Object.keys(LEADER_GAUGES) as readonly LeaderGauge[];

/** The values of the gauges at one scrape. Missing kinds count as 0. */
export interface Snapshot {
  readonly configObjects: Readonly<Record<string, number>>;
  readonly workloads: Readonly<Record<string, number>>;
  /** Undefined in a standby, which does not know the running digests. */
  readonly leader: Readonly<Record<LeaderGauge, number>> | undefined;
  /** How many workloads wait, by the reason; empty in a standby. */
  readonly waiting: Readonly<Record<string, number>>;
}

/** Options that add or remove series. */
export interface MetricsOptions {
  /** Whether rollouts are also counted by namespace. @default false */
  readonly byNamespace?: boolean;
  /** Kinds whose series exist from the start, besides those that are always served. */
  readonly workloadKinds?: readonly WorkloadKind[];
  /** Watched kinds: for others `reloader_watch_up` has no series, which would be 0 for ever and fire alerts. @default the usual ones */
  readonly watched?: readonly string[];
}

/** Counts. Every method is cheap and never throws; each instance has a registry of its own. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #changes = this.#counter(METRICS.changes);
  readonly #rollouts = this.#counter(METRICS.rollouts);
  readonly #reloads = this.#counter(METRICS.reloads);
  readonly #reloadsByNamespace: Counter | undefined;
  readonly #commits = this.#counter(METRICS.commits);
  readonly #alerts = this.#counter(METRICS.alerts);
  readonly #internalErrors = this.#counter(METRICS.internalErrors);
  readonly #leader = this.#gauge(METRICS.leader);
  readonly #leaderTransitions = this.#counter(METRICS.leaderTransitions);
  readonly #reviews = this.#counter(METRICS.admissionReviews);
  readonly #reviewDuration = this.#histogram(METRICS.admissionDuration);
  readonly #watchRestarts = this.#counter(METRICS.watchRestarts);
  readonly #apiRequests = this.#counter(METRICS.apiRequests);
  readonly #changesPerRollout = this.#histogram(METRICS.changesPerRollout);
  readonly #changeToRollout = this.#histogram(METRICS.changeToRollout);
  readonly #patchDuration = this.#histogram(METRICS.patchDuration);
  readonly #watchUp = this.#gauge(METRICS.watchUp);
  readonly #configObjects = this.#gauge(METRICS.configObjects);
  readonly #workloads = this.#gauge(METRICS.workloads);
  readonly #leaderGauges = LEADER_WORDS.map((word) => [word, this.#gauge(METRICS[word])] as const);
  readonly #waiting = this.#gauge(METRICS.waiting);
  readonly #kinds: Labels[] = [...METRICS.workloads.series];
  #isLeader = false;
  #takeSnapshot: (() => Snapshot) | undefined;

  /** @param version of this program, for build info. */
  constructor(version: string, { byNamespace = false, workloadKinds = [], watched }: MetricsOptions = {}) {
    this.#reloadsByNamespace = byNamespace ? this.#counter(METRICS.reloadsByNamespace) : undefined;
    const info = { version, node: process.version };
    this.#gauge({ ...METRICS.buildInfo, series: [info] }).set(info, 1);
    for (const kind of workloadKinds) this.#begin(kind);
    for (const { kind = '' } of METRICS.watchUp.series) {
      if (watched?.includes(kind) === false) this.#watchUp.remove({ kind });
    }
    collectDefaultMetrics({ register: this.#registry });
  }

  /** From now on each scrape sets the gauges from `takeSnapshot`; before, they are 0. */
  observe(takeSnapshot: () => Snapshot): void {
    this.#takeSnapshot = takeSnapshot;
  }

  /** The content of an object that workloads follow changed. */
  changed(kind: ConfigKind, type: (typeof CHANGE_TYPES)[number]): void {
    this.#changes.inc({ kind, type });
  }

  /** An attempt to roll a workload ended. */
  attempted({ kind, namespace }: Omit<WorkloadRef, 'name'>, outcome: AttemptEnd): void {
    this.#rollouts.inc({ kind, outcome });
    if (outcome !== 'rolled' && outcome !== 'refused') return;
    const success = String(outcome === 'rolled');
    this.#reloads.inc({ success });
    // Both series of a namespace begin together, so that the other one is 0 and not missing.
    for (const value of ['true', 'false'])
      this.#reloadsByNamespace?.inc({ success: value, namespace }, value === success ? 1 : 0);
  }

  /** A workload was rolled, so long after the first change that was seen, for so many changes; at least 1. */
  rolled(secondsSinceChange: number, changes: number): void {
    this.#changeToRollout.observe(Math.max(0, secondsSinceChange));
    this.#changesPerRollout.observe(changes);
  }

  /** The API server answered the patch of a workload, with any answer. */
  patched(seconds: number): void {
    this.#patchDuration.observe(Math.max(0, seconds));
  }

  /** A write of the state ended, with any result. */
  committed(result: WriteResult<unknown>['kind']): void {
    this.#commits.inc({ result });
  }

  /** An alert was sent, failed or was dropped. */
  alerted(result: AlertResult): void {
    this.#alerts.inc({ result });
  }

  /** Something was not handled, by a defect of this program. */
  failed(): void {
    this.#internalErrors.inc();
  }

  /** This process leads, or no longer does; a repeated call counts no transition. */
  leads(isLeader: boolean): void {
    if (isLeader !== this.#isLeader) this.#leaderTransitions.inc();
    this.#isLeader = isLeader;
    this.#leader.set(isLeader ? 1 : 0);
  }

  /** The admission webhook answered a review; `seconds`: how long the decision took, undefined if there was none. */
  reviewed(result: AdmissionResult, seconds?: number): void {
    this.#reviews.inc({ result });
    if (seconds !== undefined) this.#reviewDuration.observe(Math.max(0, seconds));
  }

  /** Whether the watches of a kind are open, in all namespaces. */
  watchIsUp(kind: string, isUp: boolean): void {
    this.#watchUp.set({ kind }, isUp ? 1 : 0);
  }

  /** A watch ended and is opened anew. */
  watchRestarted(kind: string, reason: WatchEnd): void {
    this.#watchRestarts.inc({ kind, reason });
  }

  /** A request to the API server ended; `code` is the status, or `none`. */
  requested({ verb, resource, code }: { verb: string; resource: string; code: string }): void {
    this.#apiRequests.inc({ verb, resource, code });
  }

  /** All metrics as text. */
  async text(): Promise<string> {
    if (this.#takeSnapshot !== undefined) this.#show(this.#takeSnapshot());
    return this.#registry.metrics();
  }

  #begin(kind: WorkloadKind): void {
    if (this.#kinds.some((labels) => labels['kind'] === kind.kind)) return;
    const { workloads, rollouts, watchUp, watchRestarts, apiRequests } = seriesOf(kind);
    this.#kinds.push(...workloads);
    for (const labels of rollouts) this.#rollouts.inc(labels, 0);
    // The watch of a kind that a cluster may lack is down only once it is served.
    if (kind.isOptional !== true) for (const labels of watchUp) this.#watchUp.set(labels, 0);
    for (const labels of watchRestarts) this.#watchRestarts.inc(labels, 0);
    for (const labels of apiRequests) this.#apiRequests.inc(labels, 0);
  }

  #show(snapshot: Snapshot): void {
    for (const labels of METRICS.configObjects.series) {
      this.#configObjects.set(labels, snapshot.configObjects[labels['kind'] ?? ''] ?? 0);
    }
    for (const labels of this.#kinds) {
      this.#workloads.set(labels, snapshot.workloads[labels['kind'] ?? ''] ?? 0);
    }
    this.#waiting.reset();
    for (const [reason, count] of Object.entries(snapshot.waiting)) this.#waiting.set({ reason }, count);
    for (const [word, gauge] of this.#leaderGauges) {
      const value = snapshot.leader?.[word];
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
  }

  #counter(row: MetricRow): Counter {
    const counter = new Counter(this.#settings(row));
    for (const labels of row.series) counter.inc(labels, 0);
    return counter;
  }

  #gauge(row: MetricRow): Gauge {
    const gauge = new Gauge(this.#settings(row));
    for (const labels of row.series) gauge.set(labels, 0);
    return gauge;
  }

  #histogram(row: MetricRow): Histogram {
    const histogram = new Histogram({ ...this.#settings(row), buckets: [...(row.buckets ?? [])] });
    for (const labels of row.series) histogram.zero(labels);
    return histogram;
  }

  #settings({ name, help, series, labels }: MetricRow) {
    return {
      name,
      help,
      labelNames: [...(labels ?? Object.keys(series[0] ?? {}))],
      registers: [this.#registry],
    };
  }
}
