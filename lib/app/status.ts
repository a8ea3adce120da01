/** Computes the status report and the gauges from the present reloader. It shows digests in short form only, never content. */

import { haltedText } from '../annotations/stage-news.ts';
import type { StagedChange } from '../blockers/stages.ts';
import { shortDigest } from '../model/digest.ts';
import { type Edge, UNKNOWN } from '../model/edge.ts';
import { describe, keyOf, workloadRefIn } from '../model/object-ref.ts';
import { type Blocked, RETRIES } from '../model/outcome.ts';
import type { ChangeStatus, FollowedStatus, StatusReport, WorkloadStatus } from '../model/status-report.ts';
import { secondsOf } from '../model/time.ts';
import { stateOf } from '../report/workload-state.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { LeaderGauge } from '../telemetry/metric-table.ts';
import type { Snapshot } from '../telemetry/metrics.ts';
import { isOutdatedOn, judge, needsRollout } from '../tracking/edge-policy.ts';
import type { Reloader } from './reloader.ts';

/** How many workloads of a change are named. */
const MOST_SHOWN = 10;

/** The part of a status report that comes from the reloader. */
export type ReloaderStatus = Pick<StatusReport, 'workloads' | 'changes' | 'decisions'>;

/** The report about the workloads and decisions of `reloader`; `now` by monotonicMs. */
export function statusOf(reloader: Reloader, now: number): ReloaderStatus {
  const { store } = reloader;
  const { findings, rollouts, reporter } = reloader.controllers;
  const { decisions } = reporter.journal;
  // A standby has not begun with a state, so its running digests mean nothing.
  if (!reloader.leads) return { workloads: [], changes: [], decisions };
  const followers = [...store.workloads].map(([key, record]) => workloadStatus(reloader, key, record, now));
  const others = [...findings.workloads()]
    .filter(([key]) => !store.workloads.has(key))
    .map(([key, { namespace, ...ref }]): WorkloadStatus => {
      const workload = describe({ ...ref, namespace });
      const found = { findings: findings.of(key) };
      return { namespace, workload, state: 'unknown', follows: [], isOutdated: false, ...found };
    });
  const changes = rollouts.stages.changes().map(changeStatus);
  return { workloads: [...followers, ...others], changes, decisions };
}

/** The gauges of one scrape; `now` by monotonicMs. */
export function snapshotOf(reloader: Reloader, now: number): Snapshot {
  const { store } = reloader;
  const present = [...store.configs.values()].filter(
    ({ ref, digest }) => ref.keys === undefined && digest !== undefined,
  );
  const byKind = {
    reloader_config_objects: countByKind(present.map(({ ref }) => ref.kind)),
    reloader_workloads: countByKind([...store.workloads.values()].map(({ workload }) => workload.ref.kind)),
  };
  const leader = reloader.leads ? leaderGaugesOf(reloader, now) : undefined;
  return { byKind, leader, waiting: reloader.leads ? waitingIn(reloader) : {} };
}

/** How many outdated workloads wait for each reason. A reason for which none waits is 0, so that a query sees the first one. */
function waitingIn({ store, controllers: { rollouts } }: Reloader): Readonly<Record<string, number>> {
  const reasons = rollouts.blockers.flatMap(({ name, reasons: own = [name] }) => own);
  const counts = new Map<string, number>([...reasons, 'quiet', ...RETRIES].map((reason) => [reason, 0]));
  for (const [key, { reason }] of rollouts.waiting)
    if (needsRollout(store, key)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function leaderGaugesOf(reloader: Reloader, now: number): Readonly<Record<LeaderGauge, number>> {
  const { store } = reloader;
  const { rollouts, committer } = reloader.controllers;
  const { slots, pace, stages, waiting } = rollouts;
  let [edges, outdatedEdges] = [0, 0];
  let [oldest, oldestStaged] = [now, now];
  for (const [key, record] of store.workloads) {
    const outdated = [...record.edges].filter(([config, edge]) =>
      isOutdatedOn(store, record, config, edge),
    ).length;
    edges += record.edges.size;
    outdatedEdges += outdated;
    if (outdated === 0) continue;
    const since = rollouts.pendingChangesOf(key)?.since ?? now;
    if (waiting.get(key)?.reason === stages.name) oldestStaged = Math.min(oldestStaged, since);
    if (rollouts.isOverdue(key)) oldest = Math.min(oldest, slots?.stuckSince(key, since) ?? since);
  }
  return {
    reloader_edges: edges,
    reloader_outdated_edges: outdatedEdges,
    reloader_oldest_outdated_edge_age_seconds: secondsOf(now - oldest),
    reloader_oldest_staged_workload_age_seconds: secondsOf(now - oldestStaged),
    reloader_slowed_workloads: pace.slowed,
    reloader_contents_halted: stages.changes().filter(({ halt }) => halt !== undefined).length,
    reloader_rollout_slots_used: slots?.used ?? 0,
    reloader_state_entries: store.persisted.state.entries.size,
    reloader_state_marked_workloads: store.persisted.markedWorkloads().size,
    reloader_state_bytes: committer.known.bytes,
    reloader_state_config_maps: committer.known.count,
  };
}

function workloadStatus(
  { store, controllers: { rollouts, findings } }: Reloader,
  key: string,
  record: WorkloadRecord,
  now: number,
): WorkloadStatus {
  const { ref } = record.workload;
  const follows = [...record.edges].flatMap(([config, edge]) => {
    const known = store.configs.get(config);
    return known === undefined ? [] : [followedOf(store, record, known, edge)];
  });
  const isOutdated = follows.some((status) => status.isOutdated);
  const pending = isOutdated ? rollouts.pendingChangesOf(key) : undefined;
  const waits = isOutdated ? rollouts.waitOf(key) : undefined;
  return {
    namespace: ref.namespace,
    workload: describe(ref),
    state: stateOf(store, record, isOutdated ? [waits ?? {}] : undefined),
    follows,
    isOutdated,
    ...(pending && { outdatedForSeconds: secondsOf(now - pending.since) }),
    ...(waits && { waiting: waitingOf(waits) }),
    findings: findings.of(key),
  };
}

function waitingOf({ reason, message, until, token }: Blocked) {
  const end = until > 0 && Number.isFinite(until) && { until: new Date(until).toISOString() };
  return { reason, message, ...(token && { token }), ...end };
}

function changeStatus(change: StagedChange): ChangeStatus {
  const { object, plan, unready, halt } = change;
  const { progress, waiting } = plan;
  return {
    namespace: object.namespace,
    object: describe(object),
    ...progress,
    waiting: waiting.size,
    unready: [...unready]
      .slice(0, MOST_SHOWN)
      .map(([workload, why]) => ({ workload: describe(workloadRefIn(workload)), why })),
    ...(halt && { halted: haltedText(object, halt) }),
  };
}

function followedOf(store: Store, record: WorkloadRecord, config: ConfigRecord, edge: Edge): FollowedStatus {
  const short = (digest: string | undefined): string | undefined =>
    digest && shortDigest(digest, config.ref.keys);
  const isOutdated = isOutdatedOn(store, record, keyOf(config.ref), edge);
  const why = edge.runningDigest === UNKNOWN ? 'unknown' : 'content';
  return {
    object: describe(config.ref),
    observed: short(config.digest),
    committed: short(store.persisted.entryOf(config.ref)?.digest),
    runningDigest: short(edge.runningDigest),
    isOutdated,
    why: isOutdated ? why : undefined,
    policy: judge(store, record, config),
  };
}

function countByKind(kinds: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]));
}
