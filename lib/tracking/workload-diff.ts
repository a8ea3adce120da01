/** One look at a workload, compared with what was known of it. */

import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import { sameMarks, type Workload } from '../model/workload.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Effects } from './effects.ts';
import { beginAnew } from './take-backs.ts';

/** An observation of a workload that exists. */
export type WorkloadPresent = Extract<InformerEvent<Workload>, { type: 'present' }>;

/** What one look shows. */
export interface WorkloadDiff {
  readonly effects: Effects;
  readonly key: ObjectKey;
  readonly record: WorkloadRecord;
  readonly event: WorkloadPresent;
  /** The workload as it was known until now. */
  readonly before: Workload;
  /** The same template as before in another spelling: of another version of the API server. */
  readonly isRespelled: boolean;
  /** A write made the pods start anew. */
  readonly podsRestart: boolean;
  /** Nothing but marks changed in the pod template, and by one write as far as is known. */
  readonly onlyMarksChanged: boolean;
  /** Since when pods may have started, on the Timeline; Infinity if none did since the last look. */
  readonly startedAfter: number;
  /** Every pod has started after this, on the Timeline; -Infinity where that is not known. */
  readSince: number;
  /** Whether a stamp of ours was reverted, so that the workload needs its rollout again. */
  takenBack: 'no' | 'before it had rolled' | 'after it had rolled';
}

/** Compares `event` with the record, and brings the record up to date with it. */
export function diffWorkload(effects: Effects, record: WorkloadRecord, event: WorkloadPresent): WorkloadDiff {
  const { workload: known } = record;
  const { object: seen, span, key } = event;
  const isFirst = known === seen;
  const isRespelled = hasNewSpelling(known, seen);
  const isSameTemplate = isRespelled || known.templateDigest === seen.templateDigest;
  const onlyMarksChanged = isSameTemplate && !mayHideWrites(known, event);
  const podsRestart = !isFirst && (!onlyMarksChanged || !sameMarks(known.stamps, seen.stamps));
  const mayHaveStarted = podsRestart || !seen.isRolledOut || mayHaveRolled(known, event);
  const startedAfter =
    mayHaveStarted && !isFirst ? Math.max(span.from, record.knownAt) : Number.POSITIVE_INFINITY;
  if (mayLiftRefusal(known, seen)) effects.enqueue(key, { type: 'retry-now' });
  record.rolledUntil = rolledUntil(record, event, mayHaveStarted);
  if (!isSameTemplate) beginAnew(effects, key, record);
  record.workload = seen;
  record.knownAt = span.to;
  const facts = { isRespelled, podsRestart, onlyMarksChanged, startedAfter };
  const readSince = Number.NEGATIVE_INFINITY;
  return {
    effects,
    key,
    record,
    event,
    before: known,
    ...facts,
    readSince,
    takenBack: 'no',
  };
}

/** Every write of a template raises the generation; what differs without one is how the API server spells it. */
function hasNewSpelling(known: Workload, seen: Workload): boolean {
  return known.generation === seen.generation && known.templateDigest !== seen.templateDigest;
}

/** Whether a write changed more of the spec than the number of replicas, which an autoscaler changes all the time. */
function mayLiftRefusal(known: Workload, seen: Workload): boolean {
  if (known.generation === seen.generation) return false;
  const isSameTemplate = known.templateDigest === seen.templateDigest && sameMarks(known.stamps, seen.stamps);
  return !isSameTemplate || known.replicas === seen.replicas;
}

/** Whether the pod template may have changed and changed back. */
function mayHideWrites(known: Workload, { object: seen, isRelisted }: WorkloadPresent): boolean {
  return isRelisted && seen.generation > known.generation + 1;
}

/** Whether a list may hide that pods started and were all there again, e.g. after a change of scale. */
function mayHaveRolled(known: Workload, { object: seen, isRelisted }: WorkloadPresent): boolean {
  return isRelisted && seen.generation !== known.generation;
}

function rolledUntil(record: WorkloadRecord, event: WorkloadPresent, mayHaveStarted: boolean): number {
  if (!event.object.isRolledOut) return Number.POSITIVE_INFINITY;
  const wasRolling = record.rolledUntil === Number.POSITIVE_INFINITY;
  return mayHaveStarted || wasRolling ? event.span.to : record.rolledUntil;
}
