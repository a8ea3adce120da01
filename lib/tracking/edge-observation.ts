/** How the edge between a workload and one object begins, and what a new look at the workload makes of it. */

import { translated } from '../model/digest.ts';
import {
  type Edge,
  isOutdated,
  isUncommitted,
  newEdge,
  type RunningDigest,
  runningDigestAtStart,
  UNKNOWN,
} from '../model/edge.ts';
import { type LostOptIn, lostAnnotations } from '../model/finding.ts';
import { type ConfigRef, keyOf, wholeKeyOf, wholeOf } from '../model/object-ref.ts';
import type { Stamp } from '../model/stamp.ts';
import type { Span } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { asks, isOpen, observedBy } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import type { Effects } from './effects.ts';
import { afterExternalRollout, isReadByExternalRollout } from './external-rollout.ts';
import { liveStampOf, stampOfAnyPart } from './live-stamps.ts';
import { digestByOtherScopes, hasDebtOfOtherScope, isOfPart } from './other-scopes.ts';
import type { WorkloadDiff } from './workload-diff.ts';

/** Where an edge begins. */
export interface Beginning {
  readonly effects: Effects;
  readonly record: WorkloadRecord;
  /** When the workload came to be as it is. */
  readonly span: Span;
}

/**
 * An edge that appears while the reloader runs: what is in force is what the pods run, so nothing is rolled; but if the
 * object changed after the workload did, its pods may have read what was in force before. Of an absent object the pods
 * have read nothing yet, whatever the state may say of former times: the first content is the baseline. Unless it was
 * deleted after the workload appeared, and that was heard of first: then its last content was in force.
 */
export function appearingEdge(
  store: Store,
  { record, effects, span }: Beginning,
  config: ConfigRecord,
): Edge {
  const { stamp } = liveStampOf(store, record, keyOf(config.ref));
  // Which name a pattern means may be found out long after the words were written.
  const followedSince = store.withPatterns.has(keyOf(record.workload.ref)) ? undefined : span;
  const wasThere = (config.absentAfter ?? Number.NEGATIVE_INFINITY) > span.from;
  const runningDigest = config.digest ?? (wasThere ? config.lastDigest : undefined);
  effects.note({
    reason: 'followed',
    workload: record.workload.ref,
    config: config.ref,
    detail: runningDigest ?? '',
  });
  return {
    ...beginningEdge(store, record, config, stamp, followedSince),
    runningDigest,
    mixedPods:
      runningDigest !== undefined &&
      Math.max(config.changedAt, config.foundChangedAt ?? config.changedAt) > span.from,
  };
}

/**
 * An edge of the first list: its stamp, the state's override or the state's entry says what its pods run. A change that it finds was
 * made while no reloader ran, so pods may have started with either content: the edge stays outdated until a patch. The same holds
 * for a change after the object's own list and before that of the workload.
 */
export function edgeAtStart(store: Store, beginning: Beginning, config: ConfigRecord): Edge {
  const { record, effects } = beginning;
  const { workload } = record;
  const { stamp, ambiguous } = liveStampOf(store, record, keyOf(config.ref));
  const entry = store.persisted.entryOf(config.ref);
  const edge = {
    ...beginningEdge(store, record, config, stamp, undefined),
    rolloutInProgress: stamp !== undefined && !workload.isRolledOut,
  };
  const runningDigest = believedDigest(store, beginning, config, stamp);
  if (runningDigest === undefined) {
    const detail = config.digest;
    if (detail !== undefined) {
      effects.note({ reason: 'baseline', workload: workload.ref, config: config.ref, detail });
    }
    return { ...edge, runningDigest: config.digest };
  }
  const known = { ...edge, runningDigest: translated(runningDigest, config) };
  const observed = observedBy(store, record, config);
  const begins =
    observed !== undefined && !store.presence.counts(known.runningDigest, observed)
      ? { ...known, runningDigest: observed }
      : known;
  const start = ambiguous && isUncommitted(stamp, entry) ? nextEdge(begins, { type: 'doubted' }) : begins;
  const mixedPods = isOutdated(start, observed) || mayHaveReadOther(store, workload, config, stamp);
  if (mixedPods && asks(store, record, config))
    effects.note({ reason: 'changed-while-down', workload: workload.ref, config: config.ref });
  return { ...start, mixedPods };
}

/** Whether the object changed since it was listed, or while workloads of this kind could not be. */
function mayHaveReadOther(
  store: Store,
  { ref }: Workload,
  config: ConfigRecord,
  stamp: Stamp | undefined,
): boolean {
  if (config.changedAt > Number.NEGATIVE_INFINITY) return true;
  return (
    !isUncommitted(stamp, store.persisted.entryOf(config.ref)) && store.persisted.isByKind(ref, config.ref)
  );
}

/** What the state and the template say; where they say nothing, what the state says of other parts of the object. */
function believedDigest(
  store: Store,
  { record, effects }: Beginning,
  config: ConfigRecord,
  stamp: Stamp | undefined,
): RunningDigest | undefined {
  const entry = store.persisted.entryOf(config.ref);
  const override = store.persisted.overrideOf(record.workload.ref, config.ref);
  const own = isOfPart(store, config.ref, stamp) ? undefined : stamp;
  const runningDigest = runningDigestAtStart(entry, override, own);
  if (runningDigest === undefined) {
    return config.digest === undefined ? undefined : digestByOtherScopes(store, effects, record, config);
  }
  // An entry that others have brought about says nothing of pods that are known to have missed a change.
  const isOfOthers = override === undefined && !isUncommitted(own, entry);
  return isOfOthers && hasDebtOfOtherScope(store, record, config) ? UNKNOWN : runningDigest;
}

/** No number is used again that the template carries, be it of another part of the object: that may be followed again. */
function beginningEdge(
  store: Store,
  record: WorkloadRecord,
  { ref }: ConfigRecord,
  stamp: Stamp | undefined,
  followedSince: Span | undefined,
): Edge {
  return {
    ...newEdge(stamp, followedSince),
    highestSequence: stampOfAnyPart(store, record, keyOf(ref))?.sequence ?? 0,
  };
}

/** A known edge after a new look at its workload. */
export function followedEdge(store: Store, diff: WorkloadDiff, config: ConfigRecord, edge: Edge): Edge {
  const { record, startedAfter } = diff;
  const { isRolledOut } = record.workload;
  const written = afterWrites(store, diff, config, edge);
  const observed = observedBy(store, record, config);
  const changedSince = written.runningDigest !== undefined && config.changedAt > startedAfter;
  const mayHaveReadBoth = changedSince || isAskedLate(store, diff, config);
  const next = nextEdge(written, { type: 'pods-seen', observed, isRolledOut, mayHaveReadBoth });
  return afterExternalRollout(diff, config, next, observed);
}

/** Whether words that ask for the object may have come before its last write, which was heard of first. */
function isAskedLate(store: Store, { before, event }: WorkloadDiff, config: ConfigRecord): boolean {
  if (config.digest === undefined || config.writtenAt <= event.span.from) return false;
  return !store.settings.vocabularies.judge(before, config.ref, config.annotations).asks;
}

/**
 * The edge after the writes since the last look: of another reloader, of an external writer, or none that matters. Of the pods
 * that either of them starts it is not known what they read, unless times show it, see afterExternalRollout.
 */
function afterWrites(store: Store, diff: WorkloadDiff, config: ConfigRecord, edge: Edge): Edge {
  const { record, effects } = diff;
  const key = keyOf(config.ref);
  const about = { workload: record.workload.ref, config: config.ref };
  const { stamp, ambiguous } = liveStampOf(store, record, key);
  if (stamp !== undefined && isOfPeer(store, config, edge, stamp)) {
    effects.note({ reason: 'stamped-by-peer', ...about });
    return nextEdge(edge, { type: 'stamped-by-peer', stamp });
  }
  const seen = nextEdge(edge, { type: 'stamp-seen', stamp });
  if (store.settings.onlyTells || !diff.podsRestart) return seen;
  if (!asks(store, record, config)) return seen;
  if (!ambiguous && !edge.rolloutInProgress && !isOpen(store, key)) return seen;
  if (!isReadByExternalRollout(diff, config)) effects.note({ reason: 'external-rollout', ...about });
  noticeTakeBack(diff, edge, stamp);
  return nextEdge(edge, { type: 'template-changed', stamp });
}

/** Of several stamps that went by one write the one counts whose rollout was not over. */
function noticeTakeBack(diff: WorkloadDiff, edge: Edge, stamp: Stamp | undefined): void {
  if (!isLowered(edge, stamp)) return;
  if (edge.rolloutInProgress) diff.takenBack = 'before it had rolled';
  else if (diff.takenBack === 'no') diff.takenBack = 'after it had rolled';
}

/**
 * What the workload followed and follows no more, where the same write took one of our stamps of it back or to an earlier
 * one: so does `kubectl rollout undo`, which restores a Deployment's annotations of that time too, and so does a manifest
 * of before that replaces the object. Who only takes the annotation away means it, and where the template alone goes back its
 * pods read the object no more.
 */
export function lostByUndo(
  store: Store,
  { workload: before, variables, edges: own }: WorkloadRecord,
  after: Workload,
  refs: readonly ConfigRef[],
): LostOptIn | undefined {
  const wanted = new Set(refs.map((ref) => keyOf(wholeOf(ref))));
  const gone = [...own].filter(([config]) => !wanted.has(wholeKeyOf(config)));
  const isUndone = gone.some(([config, edge]) =>
    isLowered(edge, liveStampOf(store, { workload: after, variables }, config).stamp),
  );
  if (!isUndone) return undefined;
  if (lostAnnotations({ before, after }).length === 0) return undefined;
  const lost = gone.map(([config]) => store.configs.get(config)?.ref).filter((ref) => ref !== undefined);
  return { refs: lost, before, after };
}

/** Whether the template lost our stamp, or went back to an earlier one. */
function isLowered(edge: Edge, stamp: Stamp | undefined): boolean {
  return (stamp?.sequence ?? 0) < (edge.stamp?.sequence ?? 0);
}

/** Whether the stamp is none of this process: a number that was never seen on this edge, and that no entry has silenced. */
function isOfPeer(
  store: Store,
  { ref }: ConfigRecord,
  { highestSequence }: Edge,
  { sequence }: Stamp,
): boolean {
  return sequence > Math.max(highestSequence, store.persisted.minSequenceOf(ref));
}
