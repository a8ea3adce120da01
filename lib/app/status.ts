/** What is so at this moment, for people and for metrics. Digests in short form only. */

import { shortDigest } from '../model/digest.ts';
import { secondsOf } from '../model/duration.ts';
import type { Notice } from '../model/notice.ts';
import { describe, keyOf, type WorkloadRef } from '../model/object-ref.ts';
import type { Snapshot, WorkSnapshot } from '../model/snapshot.ts';
import type { FollowedStatus, StatusReport, WorkloadStatus } from '../model/status-report.ts';
import type { ConfigRecord, Edges, WorkloadRecord } from '../tracking/edges.ts';
import type { Reloader } from './reloader.ts';

/** What the reloader itself knows of a report. */
export type ReloaderStatus = Pick<StatusReport, 'workloads' | 'decisions'>;

/** The present state of `reloader`; `now` as monotonicMs says it. */
export function statusOf(reloader: Reloader, now: number): ReloaderStatus {
  const { edges } = reloader;
  const { decisions } = reloader.journal;
  // A standby does not know what pods run.
  if (!reloader.leads) return { workloads: [], decisions };
  const followers = [...edges.workloads].map(([key, record]) =>
    workloadStatus(reloader, edges, key, record, now),
  );
  const others = [...reloader.notices.workloads()]
    .filter(([key]) => !edges.workloads.has(key))
    .map(([key, ref]) => strangerStatus(ref, reloader.notices.of(key)));
  return { workloads: [...followers, ...others], decisions };
}

/** Gauges for a scrape; `now` as monotonicMs says it. */
export function snapshotOf(reloader: Reloader, now: number): Snapshot {
  const { edges } = reloader;
  const present = [...edges.configs.values()].filter(
    ({ ref, digest }) => ref.keys === undefined && digest !== undefined,
  );
  const seen = {
    configObjects: countByKind(present.map(({ ref }) => ref.kind)),
    workloads: countByKind([...edges.workloads.values()].map(({ workload }) => workload.ref.kind)),
  };
  return { ...seen, work: reloader.leads ? workOf(reloader, now) : undefined };
}

function workOf(reloader: Reloader, now: number): WorkSnapshot {
  const { edges } = reloader;
  let owedEdges = 0;
  let oldest = now;
  for (const [key, record] of edges.workloads) {
    const owed = [...record.edges].filter(([config, edge]) => edges.owesOn(record, config, edge)).length;
    owedEdges += owed;
    if (owed > 0) oldest = Math.min(oldest, reloader.rollouts.tallyOf(key)?.since ?? now);
  }
  return {
    edges: edges.dependents.size,
    owedEdges,
    oldestOwedAgeSeconds: secondsOf(now - oldest),
    slowedWorkloads: reloader.rollouts.slowed,
    stateEntries: edges.state.entries.size,
    stateExceptions: edges.state.exceptions.size,
    stateBytes: reloader.committer.bytes,
    stateShards: reloader.committer.shards,
  };
}

function workloadStatus(
  reloader: Reloader,
  edges: Edges,
  key: string,
  record: WorkloadRecord,
  now: number,
): WorkloadStatus {
  const { ref } = record.workload;
  const follows = [...record.edges.keys()]
    .map((config) => followedStatus(edges, record, edges.configs.get(config)))
    .filter((status) => status !== undefined);
  const isOwed = follows.some((status) => status.isOwed);
  const tally = reloader.rollouts.tallyOf(key);
  const waiting = reloader.rollouts.waitingOf(key);
  const until = waiting !== undefined && 'until' in waiting ? waiting.until : undefined;
  return {
    namespace: ref.namespace,
    workload: describe(ref),
    follows,
    isOwed,
    ...(isOwed && tally !== undefined ? { owedForSeconds: secondsOf(now - tally.since) } : {}),
    ...(isOwed && waiting !== undefined ? { waitsFor: waiting.type } : {}),
    ...(isOwed && until !== undefined ? { waitsForSeconds: secondsOf(Math.max(0, until - now)) } : {}),
    ...(waiting !== undefined && 'message' in waiting ? { problem: waiting.message } : {}),
    notices: reloader.notices.of(key),
  };
}

/** A workload that follows nothing, although somebody seems to expect it to. */
function strangerStatus(ref: WorkloadRef, notices: readonly Notice[]): WorkloadStatus {
  return { namespace: ref.namespace, workload: describe(ref), follows: [], isOwed: false, notices };
}

function followedStatus(
  edges: Edges,
  record: WorkloadRecord,
  config: ConfigRecord | undefined,
): FollowedStatus | undefined {
  if (config === undefined) return undefined;
  const key = keyOf(config.ref);
  const edge = record.edges.get(key);
  if (edge === undefined) return undefined;
  const short = (digest: string | undefined): string | undefined => digest && shortDigest(digest);
  const isOwed = edges.owesOn(record, key, edge);
  const unknown = edge.ran === '?' ? 'unknown' : undefined;
  const why = unknown ?? (edge.dirty ? 'changed-while-rolling' : 'content');
  return {
    object: describe(config.ref),
    observed: short(config.digest),
    committed: short(edges.entryOf(config.ref)?.digest),
    ran: short(edge.ran),
    isOwed,
    why: isOwed ? why : undefined,
    policy: edges.judge(record, config),
  };
}

function countByKind(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
