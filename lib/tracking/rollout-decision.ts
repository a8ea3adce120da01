/** Updates the edges of a workload once the patch of a plan is answered, refused or lost. */

import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { RolloutPlan } from '../model/rollout-plan.ts';
import type { Span } from '../model/timeline.ts';
import { isLater, type Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { putEdge } from './edge-policy.ts';
import { type EdgeEvent, nextEdge } from './edge-state.ts';
import type { Effects } from './effects.ts';
import { liveStampOf } from './live-stamps.ts';
import { countTakeBack } from './take-backs.ts';

/**
 * The patch of `plan` is applied. `workload`: the answer of the API server; undefined if nothing was patched (a dry run, or a
 * webhook in place of a patch). The running digests become those of the plan; unknown if a content changed since.
 * Idempotent: it does nothing if the plan is no longer in flight, since the informer showed the patch first.
 */
export function acceptRollout(
  store: Store,
  effects: Effects,
  plan: RolloutPlan,
  workload: Workload | undefined,
  span: Span,
): void {
  const record = store.workloads.get(keyOf(plan.workload));
  if (record === undefined || record.inFlight !== plan) return;
  record.inFlight = undefined;
  if (workload !== undefined && isLater(record.workload, workload)) {
    // The pods may have read any content.
    doubtEdges(store, record, configsIn(plan));
    countTakeBack(effects, keyOf(plan.workload), record);
  } else {
    if (workload !== undefined) takeAnswer(record, plan, workload, span);
    acceptOnEdges(store, record, plan, workload !== undefined);
  }
  requestWrites(effects, record);
}

/**
 * Part of `plan` may be applied, as when the run of a CronJob has started without the stamp: its edges become unknown, so they
 * stay out of date until the whole plan is applied. Does nothing if the plan is no longer in flight: then it is.
 */
export function doubtRollout(store: Store, plan: RolloutPlan): void {
  const record = store.workloads.get(keyOf(plan.workload));
  if (record?.inFlight === plan) doubtEdges(store, record, configsIn(plan));
}

/** Pods start that may read any content of these objects: their edges become unknown. */
export function doubtEdges(store: Store, record: WorkloadRecord, configs: Iterable<ObjectKey>): void {
  for (const config of configs) {
    const edge = record.edges.get(config);
    if (edge !== undefined) putEdge(store, record, config, nextEdge(edge, { type: 'doubted' }));
  }
}

/** The objects for which the plan stamps. */
export function configsIn({ stamps }: RolloutPlan): readonly ObjectKey[] {
  return stamps.map(({ config }) => config);
}

/** The patch of `plan` is not applied: no patch is in flight any more. */
export function abandonRollout(store: Store, effects: Effects, plan: RolloutPlan): void {
  const record = store.workloads.get(keyOf(plan.workload));
  if (record === undefined || record.inFlight !== plan) return;
  record.inFlight = undefined;
  requestWrites(effects, record);
}

function takeAnswer(
  record: WorkloadRecord,
  { isRestart }: RolloutPlan,
  workload: Workload,
  span: Span,
): void {
  record.workload = workload;
  if (isRestart !== true) record.patchedAfter = span.from;
  record.knownAt = span.to;
  record.externalRollout = undefined;
  record.rolledUntil = workload.isRolledOut ? span.to : Number.POSITIVE_INFINITY;
}

/** All edges, also those without a stamp of the plan: the new pods read the present content of every object. */
function acceptOnEdges(store: Store, record: WorkloadRecord, plan: RolloutPlan, isPatched: boolean): void {
  for (const [config, edge] of record.edges) {
    const version = plan.versions.get(config);
    const stamp = liveStampOf(record, config);
    const event: EdgeEvent =
      version === undefined
        ? { type: 'stamp-seen', stamp }
        : {
            type: 'patch-accepted',
            digest: version.digest,
            stamp: isPatched ? stamp : 'none',
            changedSince: (store.configs.get(config)?.changedAt ?? 0) > version.changedAt,
          };
    putEdge(store, record, config, nextEdge(edge, event));
  }
}

/** Requests the writes of all edges, as those that waited for the answer to a patch can be decided now. */
export function requestWrites(effects: Effects, record: WorkloadRecord): void {
  for (const config of record.edges.keys()) effects.persist(config);
}
