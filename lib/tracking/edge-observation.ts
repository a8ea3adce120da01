/**
 * Gathers the input of `nextEdge` from an observed workload: how an edge begins, at a start or later, and which events an
 * observation means for an edge that exists.
 */

import { ABSENT, translated } from '../model/digest.ts';
import { type Edge, type Mark, newEdge, type RunningDigest, recover, UNKNOWN } from '../model/edge.ts';
import { hasFailed } from '../model/hold.ts';
import { RESTARTS } from '../model/kinds/argo-rollout.ts';
import { keyOf } from '../model/object-ref.ts';
import { formatStamp, type Stamp } from '../model/stamp.ts';
import type { StateEntry } from '../model/state-entry.ts';
import type { Span } from '../model/timeline.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { asks, begunWith, isOpen, observedBy } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import type { Effects } from './effects.ts';
import { afterExternalRollout, isReadByExternalRollout } from './external-rollout.ts';
import { liveStampOf } from './live-stamps.ts';
import { digestByOtherScopes, isMarkedOnOther } from './other-scopes.ts';
import type { WorkloadDiff } from './workload-diff.ts';

/** The workload of an edge that begins. */
export interface Beginning {
  readonly effects: Effects;
  readonly record: WorkloadRecord;
  /** When the workload was written in its present version. */
  readonly span: Span;
}

/**
 * An edge that appears while the reloader runs. The running digest is the current digest, so no workload is rolled; it is
 * unknown if the object changed after the workload was written, for pods may have read the content before. If the object is
 * absent, its first content becomes the baseline, whatever the state says of earlier times. One exception: if it was deleted
 * after the workload was written, and that event came first, its last content was current.
 */
export function appearingEdge(
  store: Store,
  { record, effects, span }: Beginning,
  config: ConfigRecord,
): Edge {
  const stamp = liveStampOf(record, keyOf(config.ref));
  // An expression may match an object long after the annotation was written, so the time of the write means nothing.
  const followedSince = store.withPatterns.has(keyOf(record.workload.ref)) ? undefined : span;
  const wasThere = (config.absentAfter ?? Number.NEGATIVE_INFINITY) > span.from;
  const runningDigest = config.digest ?? (wasThere ? config.lastDigest : undefined);
  effects.note({
    reason: 'followed',
    workload: record.workload.ref,
    config: config.ref,
    detail: runningDigest ?? '',
  });
  const changedAt = Math.max(config.changedAt, config.foundChangedAt ?? config.changedAt);
  const running = runningDigest !== undefined && changedAt > span.from ? UNKNOWN : runningDigest;
  return nextEdge(newEdge(stamp, followedSince), { type: 'began', running });
}

/**
 * An edge of the first list: the entry names the running digest, unless a mark says otherwise. If it differs from the
 * current digest, the object changed before this start and pods may have started with either content, so the running digest
 * is unknown. The same holds if the object changed between its own list and that of the workload.
 */
export function edgeAtStart(store: Store, beginning: Beginning, config: ConfigRecord): Edge {
  const { record, effects } = beginning;
  const { workload } = record;
  const stamp = liveStampOf(record, keyOf(config.ref));
  const edge = newEdge(stamp, undefined);
  const entry = store.persisted.entryOf(config.ref);
  const mark = store.persisted.markOf(workload.ref, config.ref);
  const believed = believedDigest(store, beginning, config, mark, recover(entry, mark, stamp));
  if (believed === undefined) {
    const { digest } = config;
    if (digest !== undefined)
      effects.note({ reason: 'baseline', workload: workload.ref, config: config.ref, detail: digest });
    return nextEdge(edge, { type: 'began', running: digest });
  }
  const observed = observedBy(store, record, config);
  const known = translated(believed, config);
  const running = observed !== undefined && !store.presence.counts(known, observed) ? observed : known;
  // The reloader that wrote the state has recorded what it doubts.
  const isDoubted = store.settings.isObserver !== true || !workload.isRolledOut;
  const mayHaveReadOther = isDoubted && observed !== undefined && running !== observed;
  const hasChanged = config.changedAt > Number.NEGATIVE_INFINITY;
  const found = nextEdge(edge, {
    type: 'began',
    running: mayHaveReadOther || hasChanged ? UNKNOWN : running,
    isInProgress: !workload.isRolledOut && mark !== undefined && isOf(stamp, entry),
  });
  const next = begunWith(record, config, doubtedByFailure(record, found));
  if (next.runningDigest === UNKNOWN && asks(store, record, config))
    effects.note({ reason: 'changed-before-start', workload: workload.ref, config: config.ref });
  return next;
}

/** Whether there is a stamp, and its digest is that of the entry. */
function isOf(stamp: Stamp | undefined, entry: StateEntry | undefined): boolean {
  return stamp !== undefined && stamp.digest === entry?.digest;
}

/** The running digest by the state; without an entry by the entries of other parts of the object. */
function believedDigest(
  store: Store,
  { record, effects }: Beginning,
  config: ConfigRecord,
  mark: Mark | undefined,
  recorded: RunningDigest | undefined,
): RunningDigest | undefined {
  const runningDigest = store.presence.started(record.workload, config.ref, recorded);
  if (runningDigest === undefined) {
    return config.digest === undefined ? undefined : digestByOtherScopes(store, effects, record, config);
  }
  // The entry may have been committed because of other workloads: a mark of another part proves that these pods missed a change.
  return mark === undefined && isMarkedOnOther(store, record, config) ? UNKNOWN : runningDigest;
}

/** The next value of an edge after an observation of its workload: first the writes since the last one, then the pods. */
export function followedEdge(store: Store, diff: WorkloadDiff, config: ConfigRecord, edge: Edge): Edge {
  const { record, startedAfter } = diff;
  const { isRolledOut } = record.workload;
  const written = afterWrites(store, diff, config, edge);
  const observed = observedBy(store, record, config);
  const changedSince = written.runningDigest !== undefined && config.changedAt > startedAfter;
  const mayHaveReadBoth = changedSince || isAskedLate(store, diff, config);
  const looked = nextEdge(written, { type: 'pods-seen', observed, isRolledOut, mayHaveReadBoth });
  return afterExternalRollout(diff, config, doubtedByFailure(record, looked), observed);
}

/**
 * The edge after a rollout of ours that failed or was aborted: the template keeps our stamp, and the pods are those of a template
 * before. A restart is not aborted: it goes on with the pods that are there.
 */
function doubtedByFailure({ workload }: WorkloadRecord, edge: Edge): Edge {
  if (!hasFailed(workload) || !edge.rolloutInProgress || edge.stamp === undefined) return edge;
  const own = formatStamp(edge.stamp);
  const isRestart = workload.stamps.some(({ container, value }) => container === RESTARTS && value === own);
  return isRestart ? edge : nextEdge(edge, { type: 'doubted' });
}

/**
 * Whether the workload may have asked for the object before the object's last write, although the event of that write came
 * first.
 */
function isAskedLate(store: Store, { before, event }: WorkloadDiff, config: ConfigRecord): boolean {
  const { digest, writtenAt, changedAt, foundChangedAt = changedAt } = config;
  if (digest === undefined || writtenAt <= event.span.from) return false;
  // Of an object that never changed, no pod has read another content, unless its creation counts.
  if (foundChangedAt === Number.NEGATIVE_INFINITY && !store.presence.counts(ABSENT, digest)) return false;
  return !store.settings.vocabularies.judge(before, config.ref, config.annotations).asks;
}

/**
 * The edge after the writes since the last observation: by an external writer, or another reloader, while a change was open, or
 * none that matters. Pods that either of them started may have read any content, unless afterExternalRollout proves otherwise.
 */
function afterWrites(store: Store, diff: WorkloadDiff, config: ConfigRecord, edge: Edge): Edge {
  const { record, effects } = diff;
  const key = keyOf(config.ref);
  const about = { workload: record.workload.ref, config: config.ref };
  const stamp = liveStampOf(record, key);
  const seen = nextEdge(edge, { type: 'stamp-seen', stamp });
  if (store.settings.onlyTells || !diff.podsRestart) return seen;
  if (!asks(store, record, config)) return seen;
  if (!edge.rolloutInProgress && !isOpen(store, key)) return seen;
  if (!isReadByExternalRollout(diff, config)) effects.note({ reason: 'external-rollout', ...about });
  noticeTakeBack(diff, edge, stamp);
  return nextEdge(seen, { type: 'doubted' });
}

/**
 * Records that another writer removed or replaced a stamp. If one write did that to several, one whose rollout was still in progress
 * counts.
 */
function noticeTakeBack(diff: WorkloadDiff, edge: Edge, stamp: Stamp | undefined): void {
  if (edge.stamp === undefined || stamp?.id === edge.stamp.id) return;
  diff.takenBack = diff.takenBack === true || edge.rolloutInProgress;
}
