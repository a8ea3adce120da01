/** The table of metrics: names, meanings and the series that exist from the start. */

import { WATCH_ENDS } from '../model/health.ts';
import { CONFIG_KINDS, isMountedKind } from '../model/object-ref.ts';
import { ATTEMPT_ENDS } from '../model/outcome.ts';
import { ADMISSION_RESULTS, ALERT_RESULTS } from '../model/settings.ts';
import { WORKLOAD_KINDS } from '../model/workload-kind.ts';

/**
 * The labels of one series and their values. Every label has few values, known beforehand, except `namespace` of
 * `reloadsByNamespace`: that metric exists only on request.
 */
export type Labels = Readonly<Record<string, string>>;

/** One metric. */
export interface MetricRow {
  readonly name: `reloader_${string}`;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The series that exist from the start with the value 0, so that a query sees the first increase; all have the same labels. */
  readonly series: readonly Labels[];
  /** The names of the labels. */
  readonly labels: readonly string[];
  /** Upper bounds, for a histogram. */
  readonly buckets?: readonly number[];
}

/** The results of a write of the state, as in WriteResult. */
const COMMIT_RESULTS = ['accepted', 'conflict', 'gone', 'rejected', 'throttled', 'unanswered'] as const;

/** How the content of an object changed. */
const CHANGE_TYPES = ['created', 'updated', 'deleted'] as const;

const WORKLOADS: readonly string[] = WORKLOAD_KINDS.filter(({ rollout }) => rollout === 'replace-pods').map(
  ({ kind }) => kind,
);
/** Without the kinds that a cluster may lack: a watch that there is not would count as one that is down. */
const ALWAYS_SERVED = CONFIG_KINDS.filter((kind) => !isMountedKind(kind));

/** The gauges that only a leader knows, all without labels, with their meanings; `app/status.ts` computes them for each scrape. */
export const LEADER_GAUGES = {
  reloader_edges: 'Pairs of a workload and an object that it follows',
  reloader_outdated_edges: 'Of these, the pairs whose pods may run an older content',
  reloader_oldest_outdated_edge_age_seconds:
    'Age of the oldest change that still needs a rollout; 0 if no workload needs one. What a window, a person or a selector delays does not count; what waits for a slot counts from the last rollout that began',
  reloader_oldest_staged_workload_age_seconds: 'Age of the oldest change that waits for a stage; 0: none',
  reloader_slowed_workloads: 'Workloads that wait since they were rolled more often than their limit allows',
  reloader_rollout_slots_used: 'Slots of --max-concurrent-rollouts that are taken',
  reloader_contents_halted: 'Objects whose present content is halted, since a workload did not become ready',
  reloader_state_entries: 'ConfigMaps, Secrets and SecretProviderClasses whose digest the state holds',
  reloader_state_marked_workloads: 'Workloads that the state marks, since their pods may run something else',
  reloader_state_bytes: 'Size of all keys and values of the state',
  reloader_state_config_maps: 'ConfigMaps that the state lies in, at most 10 of about 262144 bytes each',
} as const;

/** The name of one of LEADER_GAUGES. */
export type LeaderGauge = keyof typeof LEADER_GAUGES;

/** Their names. */
export const OF_LEADERS: readonly LeaderGauge[] = Object.keys(LEADER_GAUGES) as LeaderGauge[];

type Row = Omit<MetricRow, 'name'>;
/** Labels and their values: there is a series for each combination. A label without values has some that are not known beforehand. */
type Values = Readonly<Record<string, readonly string[]>>;

const ROWS: Readonly<Record<MetricRow['name'], Row>> = {
  reloader_config_objects: gauge('ConfigMaps, Secrets and SecretProviderClasses in view', {
    kind: CONFIG_KINDS,
  }),
  reloader_workloads: gauge('Workloads that follow such an object', { kind: WORKLOADS }),
  ...Object.fromEntries(OF_LEADERS.map((name) => [name, gauge(LEADER_GAUGES[name])])),
  reloader_workloads_waiting: gauge('Outdated workloads that are not rolled now, by the reason', {
    reason: [],
  }),
  reloader_changes_total: counter('Changes of content that were seen of objects that workloads follow', {
    kind: CONFIG_KINDS,
    type: CHANGE_TYPES,
  }),
  reloader_rollouts_total: counter(
    'Attempts to roll a workload: rolled, conflict (another client wrote first), unavailable (no answer or throttled), refused, gone',
    { kind: WORKLOADS, outcome: ATTEMPT_ENDS },
  ),
  reloader_reload_executed_total: counter(
    'Rollouts that were accepted (success true) or refused (false), under the name that Stakater Reloader has for it',
    { success: ['true', 'false'] },
  ),
  reloader_reload_executed_total_by_namespace: counter(
    'The same by namespace, where METRICS_COUNT_BY_NAMESPACE is enabled',
    { success: [], namespace: [] },
  ),
  reloader_changes_per_rollout: histogram(
    'Changes that one rollout brought to the pods',
    [1, 2, 3, 5, 10, 20, 50, 100],
  ),
  reloader_change_to_rollout_seconds: histogram(
    'Time from the first change that was seen to the accepted patch, the quiet period included',
    [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 6, 7.5, 10, 15, 30, 60, 120, 300, 600],
  ),
  reloader_patch_duration_seconds: histogram(
    'Time that the API server took to answer a patch of a workload',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  ),
  reloader_commits_total: counter('Writes of the state by their result', { result: COMMIT_RESULTS }),
  reloader_alerts_total: counter(
    'Alerts of rollouts: sent, failed, dropped (too many were waiting, or the program ended)',
    { result: ALERT_RESULTS },
  ),
  reloader_internal_errors_total: counter(
    'Times that something was not handled, by a defect of this program',
  ),
  reloader_leader: gauge('1 while this process leads and acts, 0 while it stands by'),
  reloader_leader_transitions_total: counter('Times that this process has taken or lost the lead'),
  reloader_admission_reviews_total: counter(
    'Writes of workloads that the admission webhook was asked about, by what became of them',
    { result: Object.keys(ADMISSION_RESULTS) },
  ),
  reloader_admission_duration_seconds: histogram(
    'Time that the admission webhook took to decide',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 2],
  ),
  reloader_watch_up: gauge('Whether the watch of a kind is open: 1 or 0; the worst of all namespaces', {
    kind: [...ALWAYS_SERVED, ...WORKLOADS],
  }),
  reloader_watch_restarts_total: counter(
    'Watches that came to an end and are opened anew; ended and expired are ordinary',
    { kind: [...CONFIG_KINDS, ...WORKLOADS], reason: WATCH_ENDS },
  ),
  reloader_api_requests_total: counter(
    'Requests to the API server; code none means that there was no answer',
    { verb: [], resource: [], code: [] },
  ),
  reloader_build_info: gauge('Always 1; the labels say which program this is', { version: [], node: [] }),
};

/** Every metric of this program. */
export const METRICS: readonly MetricRow[] = Object.entries(ROWS).map(([name, row]) => ({
  name: name as MetricRow['name'],
  ...row,
}));

function counter(help: string, values: Values = {}): Row {
  return { help, type: 'counter', labels: Object.keys(values), series: every(values) };
}

function gauge(help: string, values: Values = {}): Row {
  return { help, type: 'gauge', labels: Object.keys(values), series: every(values) };
}

function histogram(help: string, buckets: readonly number[]): Row {
  return { help, type: 'histogram', labels: [], series: [{}], buckets };
}

/** Every combination of the values. */
function every(values: Values): Labels[] {
  return Object.entries(values).reduce<Labels[]>(
    (combinations, [label, options]) =>
      combinations.flatMap((combination) => options.map((option) => ({ ...combination, [label]: option }))),
    [{}],
  );
}
