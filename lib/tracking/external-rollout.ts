/**
 * External rollouts, and whether they absorb ours. If all pods were of the former template when an external writer changed it,
 * every pod of the new template started after that write and has read the current content then. A change before the write
 * then needs no rollout of ours.
 */

import type { Digest } from '../model/digest.ts';
import { type Edge, isOutdated } from '../model/edge.ts';
import type { Hold } from '../model/hold.ts';
import { invariantOf, type Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { ConfigRecord, ExternalRollout, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { outdatedObjects } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import type { WorkloadDiff } from './workload-diff.ts';

/**
 * Updates the external rollout of a workload after an observation: it begins, makes progress, completes, or ends without
 * effect.
 */
export function followExternalRollout(store: Store, diff: WorkloadDiff): void {
  const { effects, key, record } = diff;
  const { workload: seen } = record;
  if (diff.podsRestart && mayBeFormer(record.externalRollout, seen)) record.externalRollout = undefined;
  const rollout = record.externalRollout ?? beginning(store, diff) ?? afterAbort(store, record);
  if (rollout === undefined) return;
  const counts = !endsAt(seen.hold);
  const isUnderWay = counts && (!seen.isRolledOut || !hasBegun(rollout, seen));
  const progress = Math.max(rollout.progress, seen.progress);
  record.externalRollout = isUnderWay ? { ...rollout, progress } : undefined;
  if (isUnderWay) return;
  if (counts && isAnotherRevision(rollout, seen)) diff.readSince = rollout.startedAfter;
  effects.enqueue(key, { type: 'retry-now' });
}

/**
 * The external rollout that the observed write begins; only if all pods were of the former template, so that none can be older.
 */
function beginning(
  store: Store,
  { before, isRespelled, record, startedAfter }: WorkloadDiff,
): ExternalRollout | undefined {
  const { workload: seen } = record;
  // A new template of a CronJob or Job replaces no pods.
  if (workloadKindOf(seen.ref.kind).rollout !== 'replace-pods') return undefined;
  if (!store.settings.absorbsExternalRollouts() || !before.isRolledOut) return undefined;
  if (isRespelled || before.templateDigest === seen.templateDigest) return undefined;
  const { revision } = before;
  const from = invariantOf(before.templateDigest);
  return { startedAfter, from, revision, progress: Number.NEGATIVE_INFINITY };
}

/**
 * The aborted rollout of ours: once a person lets it go on, all of its pods started after the patch, like those of an external
 * rollout, unless another template takes its place.
 */
function afterAbort(
  store: Store,
  { workload: { hold }, patchedAfter }: WorkloadRecord,
): ExternalRollout | undefined {
  if (hold?.type !== 'aborted' || patchedAfter === undefined) return undefined;
  if (!store.settings.absorbsExternalRollouts()) return undefined;
  const progress = Number.NEGATIVE_INFINITY;
  return { startedAfter: patchedAfter, from: undefined, revision: hold.revision, progress };
}

/** Whether a further write may have brought the former template back, and with it pods that were never replaced. */
function mayBeFormer(known: ExternalRollout | undefined, { templateDigest }: Workload): boolean {
  return known?.from === undefined || known.from === invariantOf(templateDigest);
}

/**
 * Whether a hold ends an external rollout. One that a person promotes or lets go on has pods that have read the content, so a
 * patch in between gains nothing.
 */
function endsAt(hold: Hold | undefined): boolean {
  return hold !== undefined && hold.type !== 'awaits-promotion' && hold.type !== 'aborted';
}

/** Whether pods were replaced: a write that raises the generation may also just show the template in another form. */
function isAnotherRevision({ revision: before }: ExternalRollout, { revision }: Workload): boolean {
  return before !== undefined && revision !== undefined && revision !== before;
}

/** Whether the pods that the status counts as updated can be of the new template. */
function hasBegun(rollout: ExternalRollout, seen: Workload): boolean {
  return workloadKindOf(seen.ref.kind).revisionMark === undefined || isAnotherRevision(rollout, seen);
}

/** Whether all pods of an external rollout, in progress or complete, have read the present content of the object. */
export function isReadByExternalRollout({ readSince, record }: WorkloadDiff, config: ConfigRecord): boolean {
  return wasInForce(config, record.externalRollout?.startedAfter ?? readSince);
}

/** The edge after the completion of an external rollout, if one is complete and its pods have read the current content. */
export function afterExternalRollout(
  { effects, readSince, record }: WorkloadDiff,
  config: ConfigRecord,
  edge: Edge,
  observed: Digest | undefined,
): Edge {
  if (observed === undefined || !wasInForce(config, readSince)) return edge;
  if (isOutdated(edge, observed)) {
    effects.note({ reason: 'external-rollout-done', workload: record.workload.ref, config: config.ref });
  }
  return nextEdge(edge, { type: 'pods-started', observed });
}

/**
 * Whether the workload is out of date and its external rollout will absorb all of its changes: each was made before it began.
 */
export function isBroughtByExternalRollout(store: Store, record: WorkloadRecord): boolean {
  const { externalRollout } = record;
  if (externalRollout === undefined) return false;
  const outdated = outdatedObjects(store, record);
  return outdated.length > 0 && outdated.every((config) => wasInForce(config, externalRollout.startedAfter));
}

/**
 * Whether the present content was current at `at`. If it has not changed since its list, only its last write bounds its age.
 */
function wasInForce({ changedAt, resourceVersion, writtenAt }: ConfigRecord, at: number): boolean {
  if (changedAt > Number.NEGATIVE_INFINITY) return changedAt <= at;
  return resourceVersion !== undefined && writtenAt <= at;
}
