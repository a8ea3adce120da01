/**
 * The rollout that an external writer began by a change of the pod template. Where every pod was of the template before,
 * all pods of the new one have read what was in force when it was written: what changed before that needs no rollout of ours.
 */

import type { Digest } from '../model/digest.ts';
import { type Edge, isOutdated } from '../model/edge.ts';
import type { Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { ConfigRecord, ExternalRollout, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import type { WorkloadDiff } from './workload-diff.ts';

/** Follows the external rollout of a workload: it begins, goes on, ends, or is given up. */
export function followExternalRollout(store: Store, diff: WorkloadDiff): void {
  const { effects, key, record } = diff;
  const { workload: seen } = record;
  const rollout = record.externalRollout ?? beginning(store, diff);
  if (rollout === undefined) return;
  // In another spelling the template of before would not be known again.
  const counts = seen.hold === undefined && seen.templateDigest !== rollout.from && !diff.isRespelled;
  const isUnderWay = counts && !seen.isRolledOut;
  record.externalRollout = isUnderWay ? furthest(rollout, seen) : undefined;
  if (isUnderWay) return;
  if (counts && isAnotherRevision(rollout, seen)) diff.readSince = rollout.startedAfter;
  effects.enqueue(key, { type: 'external-rollout-over' });
}

/** Only where every pod was of the template before can none of the new one be older. */
function beginning(
  store: Store,
  { before, isRespelled, record, startedAfter }: WorkloadDiff,
): ExternalRollout | undefined {
  const { workload: seen } = record;
  // A new template of a CronJob starts nothing.
  if (workloadKindOf(seen.ref.kind).rollout !== 'replace-pods') return undefined;
  if (!store.settings.absorbsExternalRollouts() || !before.isRolledOut) return undefined;
  if (isRespelled || before.templateDigest === seen.templateDigest) return undefined;
  const { templateDigest: from, revision } = before;
  return { startedAfter, from, revision, progress: Number.NEGATIVE_INFINITY };
}

/** A write that raises the generation may be the first that shows a new spelling: then no pod starts anew. */
function isAnotherRevision({ revision: before }: ExternalRollout, { revision }: Workload): boolean {
  return before !== undefined && revision !== undefined && revision !== before;
}

function furthest(rollout: ExternalRollout, { progress }: Workload): ExternalRollout {
  return { ...rollout, progress: Math.max(rollout.progress, progress) };
}

/** Whether the pods of an external rollout, under way or complete, read the content in force of the object. */
export function isReadByExternalRollout({ readSince, record }: WorkloadDiff, config: ConfigRecord): boolean {
  return wasInForce(config, record.externalRollout?.startedAfter ?? readSince);
}

/** The edge after the external rollout is complete, if its pods have read the content in force. */
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
  return nextEdge(edge, { type: 'external-rollout-done', observed });
}

/** Whether the workload is outdated, and the external rollout brings all of its changes, which came before it. */
export function isBroughtByExternalRollout(store: Store, record: WorkloadRecord): boolean {
  const { externalRollout } = record;
  if (externalRollout === undefined) return false;
  const owed = [...record.edges].filter(([config, edge]) => isOutdatedOn(store, record, config, edge));
  const isBrought = owed.every(([key]) => {
    const config = store.configs.get(key);
    return config !== undefined && wasInForce(config, externalRollout.startedAfter);
  });
  return owed.length > 0 && isBrought;
}

/** Of what has not changed since it was listed only its last write is known. */
function wasInForce({ changedAt, resourceVersion, writtenAt }: ConfigRecord, at: number): boolean {
  if (changedAt > Number.NEGATIVE_INFINITY) return changedAt <= at;
  return resourceVersion !== undefined && writtenAt <= at;
}
