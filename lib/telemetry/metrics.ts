/** The metrics of the program, in the format of Prometheus. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DEPLOYMENT } from '../model/kinds/built-in.ts';
import type { WorkloadRef } from '../model/object-ref.ts';
import type { AttemptEnd } from '../model/outcome.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { type Labels, type LeaderGauge, METRICS, type MetricRow, OF_LEADERS } from './metric-table.ts';

type Name = MetricRow['name'];
type Counts = Readonly<Record<string, number>>;

/** The values of the gauges at one scrape. Missing kinds count as 0. */
export interface Snapshot {
  readonly byKind: Readonly<Record<'reloader_config_objects' | 'reloader_workloads', Counts>>;
  /** Undefined in a standby, which does not know the running digests. */
  readonly leader: Readonly<Record<LeaderGauge, number>> | undefined;
  /** How many workloads wait, by the reason; empty in a standby. */
  readonly waiting: Counts;
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
  readonly #options: MetricsOptions;
  #isLeader = false;
  #takeSnapshot: (() => Snapshot) | undefined;

  /** @param version of this program, for build info. */
  constructor(version: string, options: MetricsOptions = {}) {
    this.#options = options;
    for (const row of METRICS)
      if (options.byNamespace || row.name !== 'reloader_reload_executed_total_by_namespace')
        this.#register(row);
    this.set('reloader_build_info', 1, { version, node: process.version });
    collectDefaultMetrics({ register: this.#registry });
  }

  /** From now on each scrape sets the gauges from `takeSnapshot`; before, they are 0. */
  observe(takeSnapshot: () => Snapshot): void {
    this.#takeSnapshot = takeSnapshot;
  }

  /** Adds to a counter of the table, which has these labels. */
  count(name: Name, labels: Labels = {}, by = 1): void {
    this.#metric<Counter>(name).inc(labels, by);
  }

  /** Adds a value to a histogram; less than 0 counts as 0. */
  measure(name: Name, value: number): void {
    this.#metric<Histogram>(name).observe(Math.max(0, value));
  }

  /** Sets a gauge. */
  set(name: Name, value: number, labels: Labels = {}): void {
    this.#metric<Gauge>(name).set(labels, value);
  }

  /** An attempt to roll a workload ended. */
  attempted({ kind, namespace }: Omit<WorkloadRef, 'name'>, outcome: AttemptEnd): void {
    this.count('reloader_rollouts_total', { kind, outcome });
    if (outcome !== 'rolled' && outcome !== 'refused') return;
    const success = String(outcome === 'rolled');
    this.count('reloader_reload_executed_total', { success });
    if (!this.#options.byNamespace) return;
    // Both series of a namespace begin together, so that the other one is 0 and not missing.
    for (const value of ['true', 'false']) {
      const by = value === success ? 1 : 0;
      this.count('reloader_reload_executed_total_by_namespace', { success: value, namespace }, by);
    }
  }

  /** This process leads, or no longer does; a repeated call counts no transition. */
  leads(isLeader: boolean): void {
    if (isLeader !== this.#isLeader) this.count('reloader_leader_transitions_total');
    this.#isLeader = isLeader;
    this.set('reloader_leader', isLeader ? 1 : 0);
  }

  /** All metrics as text. */
  async text(): Promise<string> {
    if (this.#takeSnapshot !== undefined) this.#show(this.#takeSnapshot());
    return this.#registry.metrics();
  }

  #show({ byKind, leader, waiting }: Snapshot): void {
    const countsOf: Readonly<Record<string, Counts>> = byKind;
    for (const row of METRICS) {
      const counts = countsOf[row.name];
      if (counts === undefined) continue;
      for (const labels of this.#begun(row)) this.set(row.name, counts[labels['kind'] ?? ''] ?? 0, labels);
    }
    this.#metric<Gauge>('reloader_workloads_waiting').reset();
    for (const [reason, count] of Object.entries(waiting))
      this.set('reloader_workloads_waiting', count, { reason });
    for (const name of OF_LEADERS) {
      if (leader === undefined) this.#metric<Gauge>(name).remove();
      else this.set(name, leader[name]);
    }
  }

  #register(row: MetricRow): void {
    const { name, help, type, labels, buckets = [] } = row;
    const settings = { name, help, labelNames: [...labels], registers: [this.#registry] };
    const begun = this.#begun(row);
    if (type === 'histogram') {
      const histogram = new Histogram({ ...settings, buckets: [...buckets] });
      for (const each of begun) histogram.zero(each);
    } else {
      const metric = type === 'counter' ? new Counter(settings) : new Gauge(settings);
      for (const each of begun) metric.inc(each, 0);
    }
  }

  /** The series that exist from the start, of a further kind those that Deployments have. The watch of a kind that a cluster may lack is down only once it is served. */
  #begun({ name, series }: MetricRow): readonly Labels[] {
    const { workloadKinds = [], watched } = this.#options;
    const isWatch = name === 'reloader_watch_up';
    const further = workloadKinds.filter(({ isOptional }) => !(isWatch && isOptional));
    const usual = series.filter(({ kind }) => kind === DEPLOYMENT.kind);
    const all = [...series, ...further.flatMap(({ kind }) => usual.map((each) => ({ ...each, kind })))];
    return isWatch && watched ? all.filter(({ kind = '' }) => watched.includes(kind)) : all;
  }

  #metric<T>(name: Name): T {
    return this.#registry.getSingleMetric(name) as T;
  }
}
