/**
 * Compares an observation of a workload with its record: whether pods started, and whether the write is an external rollout, a
 * revert of our stamp, or one that changes stamps only.
 */

import { isDeepStrictEqual } from 'node:util';
import { STRATEGY_ANNOTATION } from '../annotations/vocabulary.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import { hasSameTemplate, type Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Effects } from './effects.ts';

/** An observation of a workload that exists. */
export type WorkloadPresent = Extract<InformerEvent<Workload>, { type: 'present' }>;

/** The facts that follow from one observation. */
export interface WorkloadDiff {
  readonly effects: Effects;
  readonly key: ObjectKey;
  readonly record: WorkloadRecord;
  readonly event: WorkloadPresent;
  /** The workload as it was known before. */
  readonly before: Workload;
  /** Whether the template is the same, only written in another form by another version of the API server. */
  readonly isRespelled: boolean;
  /** Whether a write of the template replaces the pods. */
  readonly podsRestart: boolean;
  /** Whether at most stamps changed in the pod template, by a single write. */
  readonly onlyMarksChanged: boolean;
  /** Since when pods may have started, on the Timeline; Infinity if none have since the last observation. */
  readonly startedAfter: number;
  /** The moment after which all pods have started, on the Timeline; -Infinity if unknown. */
  readSince: number;
  /** Whether our stamp was removed or replaced before its rollout was complete; undefined: it was not removed. */
  takenBack?: boolean;
}

/** Compares `event` with the record, then updates the record; the edges are updated by the caller. */
export function diffWorkload(effects: Effects, record: WorkloadRecord, event: WorkloadPresent): WorkloadDiff {
  const { workload: known } = record;
  const { object: seen, span, key } = event;
  const isFirst = known === seen;
  const isRespelled = hasNewSpelling(known, seen);
  const isSameTemplate = isRespelled || known.templateDigest === seen.templateDigest;
  const onlyMarksChanged = isSameTemplate && !mayHideWrites(known, event);
  const podsRestart = !isFirst && (!onlyMarksChanged || !isDeepStrictEqual(known.stamps, seen.stamps));
  const mayHaveStarted = podsRestart || !seen.isRolledOut || mayHaveRolled(known, event);
  const startedAfter =
    mayHaveStarted && !isFirst ? Math.max(span.from, record.knownAt) : Number.POSITIVE_INFINITY;
  if (podsRestart) record.patchedAfter = undefined;
  const isOtherStrategy = known.annotations[STRATEGY_ANNOTATION] !== seen.annotations[STRATEGY_ANNOTATION];
  if (mayLiftRefusal(known, seen) || isOtherStrategy) effects.enqueue(key, { type: 'retry-now' });
  record.rolledUntil = rolledUntil(record, event, mayHaveStarted);
  if (!isSameTemplate || isOtherStrategy) record.takeBacks = 0;
  record.workload = seen;
  record.knownAt = span.to;
  const facts = { isRespelled, podsRestart, onlyMarksChanged, startedAfter };
  return {
    effects,
    key,
    record,
    event,
    before: known,
    ...facts,
    readSince: Number.NEGATIVE_INFINITY,
  };
}

/** Whether the API server only writes the template in another form: each real change of a template raises the generation. */
function hasNewSpelling(known: Workload, seen: Workload): boolean {
  return known.generation === seen.generation && known.templateDigest !== seen.templateDigest;
}

/** Whether a write may lift an earlier refusal: not one of the replicas, as by an autoscaler, or of a policy, such as a hold. */
function mayLiftRefusal(known: Workload, seen: Workload): boolean {
  if (known.generation === seen.generation) return false;
  if (!hasSameTemplate(known, seen)) return true;
  return known.replicas === seen.replicas && isDeepStrictEqual(known.annotations, seen.annotations);
}

/** Whether a list may hide several writes, so that the pod template may have changed and changed back. */
function mayHideWrites(known: Workload, { object: seen, isRelisted }: WorkloadPresent): boolean {
  return isRelisted && seen.generation > known.generation + 1;
}

/** Whether a list may hide that pods started and the workload was rolled out again, e.g. after a change of the replicas. */
function mayHaveRolled(known: Workload, { object: seen, isRelisted }: WorkloadPresent): boolean {
  return isRelisted && seen.generation !== known.generation;
}

function rolledUntil(record: WorkloadRecord, event: WorkloadPresent, mayHaveStarted: boolean): number {
  if (!event.object.isRolledOut) return Number.POSITIVE_INFINITY;
  const wasRolling = record.rolledUntil === Number.POSITIVE_INFINITY;
  return mayHaveStarted || wasRolling ? event.span.to : record.rolledUntil;
}
