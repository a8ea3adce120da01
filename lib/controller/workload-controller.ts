/** What follows when a workload is observed: by its informer, by a fresh look, or in the answer to a patch. */

import {
  asStampedElsewhere,
  asUnknown,
  type Edge,
  isOwed,
  newEdge,
  ranAtStart,
  speaks,
  withStamp,
} from '../model/edge.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import { carries } from '../model/rollout-plan.ts';
import type { Stamp } from '../model/stamp.ts';
import { isOlder, type Span } from '../model/timeline.ts';
import { sameMarks, type Workload } from '../model/workload.ts';
import { type ConfigRecord, type Edges, liveStampOf, type WorkloadRecord } from './edges.ts';
import { Effects } from './effects.ts';
import { acceptRollout } from './rollout.ts';

/** How often a stamp is written again after somebody took it back before the workload had rolled. */
const MOST_TAKE_BACKS = 3;

type Present = Extract<InformerEvent<Workload>, { type: 'present' }>;

/** One observation, compared with what was known. */
interface Sight {
  readonly effects: Effects;
  readonly key: ObjectKey;
  readonly record: WorkloadRecord;
  readonly isInInitialList: boolean;
  /** Somebody's write made the pods start anew. */
  readonly podsRestart: boolean;
  /** Since when pods may have started; Infinity if none did since the last observation. */
  readonly startedAfter: number;
  /** A stamp of ours went before the workload had rolled. */
  takenBack: boolean;
}

/** Takes in one observation of a workload. `mayAbandon`: whether all kinds of its namespace are synced. */
export function observeWorkload(edges: Edges, event: InformerEvent<Workload>, mayAbandon: boolean): Effects {
  const effects = new Effects();
  switch (event.type) {
    case 'present':
      observePresent(edges, effects, event, mayAbandon);
      break;
    case 'absent':
      forget(edges, effects, event.key, mayAbandon);
      break;
    case 'synced':
      break;
  }
  return effects;
}

function observePresent(edges: Edges, effects: Effects, event: Present, mayAbandon: boolean): void {
  const { key, object: workload, span } = event;
  const known = edges.workloads.get(key);
  const isKnown = known !== undefined && known.workload.uid === workload.uid;
  if (isKnown && isStale(known.workload, workload)) return;
  if (isKnown && known.inFlight !== undefined && carries(workload, known.inFlight)) {
    acceptRollout(edges, effects, known.inFlight, workload, span);
  }
  const { refs, malformed } = edges.dialect.asked(workload.annotations, workload.ref.namespace);
  if (malformed.length > 0) {
    effects.note({ reason: 'malformed', workload: workload.ref, detail: malformed.join(', ') });
  }
  if (!isKnown || workload.isBeingDeleted || refs.length === 0) forget(edges, effects, key, mayAbandon);
  if (workload.isBeingDeleted || refs.length === 0) return;
  const record = isKnown ? known : newRecord(workload, span, event.isInInitialList);
  edges.workloads.set(key, record);
  const sight = lookAt(effects, record, event);
  record.variables = edges.dialect.stampVariablesOf(refs);
  record.workload = workload;
  record.knownAt = span.to;
  unfollow(edges, sight, refs, mayAbandon);
  for (const ref of refs) follow(edges, sight, ref, span);
  countTakeBack(sight);
}

function isStale(known: Workload, seen: Workload): boolean {
  return (
    known.resourceVersion === seen.resourceVersion || isOlder(seen.resourceVersion, known.resourceVersion)
  );
}

function newRecord(workload: Workload, span: Span, isInInitialList: boolean): WorkloadRecord {
  return {
    workload,
    variables: new Map(),
    edges: new Map(),
    rolledUntil: isInInitialList ? Number.NEGATIVE_INFINITY : span.to,
    knownAt: span.from,
    takeBacks: 0,
    inFlight: undefined,
  };
}

/** Compares an observation with the record and brings the record's times up to date. */
function lookAt(effects: Effects, record: WorkloadRecord, event: Present): Sight {
  const { object: seen, span, isInInitialList, key } = event;
  const { workload: known } = record;
  const isFirst = known === seen;
  const mayHideWrites = event.isRelisted && seen.generation > known.generation + 1;
  const podsRestart =
    !isFirst &&
    (known.templateDigest !== seen.templateDigest || !sameMarks(known.marks, seen.marks) || mayHideWrites);
  const mayHaveStarted =
    podsRestart || !seen.isRolledOut || (event.isRelisted && seen.generation !== known.generation);
  if (!seen.isRolledOut) record.rolledUntil = Number.POSITIVE_INFINITY;
  else if (mayHaveStarted || record.rolledUntil === Number.POSITIVE_INFINITY) record.rolledUntil = span.to;
  if (seen.isRolledOut && !podsRestart) record.takeBacks = 0;
  const startedAfter =
    mayHaveStarted && !isFirst ? Math.max(span.from, record.knownAt) : Number.POSITIVE_INFINITY;
  if (!isFirst && known.generation !== seen.generation) effects.spurred.add(key);
  return { effects, key, record, isInInitialList, podsRestart, startedAfter, takenBack: false };
}

/** Brings one edge up to date, or begins it. */
function follow(edges: Edges, sight: Sight, ref: ConfigRef, span: Span): void {
  const { effects, key, record } = sight;
  const config = keyOf(ref);
  const configRecord = edges.configRecordOf(ref);
  const edge = record.edges.get(config);
  const { stamp, ambiguous } = liveStampOf(record, config);
  const next =
    edge === undefined
      ? bornEdge(edges, sight, configRecord, stamp, ambiguous, span)
      : nextEdge(edges, sight, configRecord, edge, stamp, ambiguous);
  record.edges.set(config, next);
  edges.dependents.add(key, config);
  edges.abandoned.delete(config);
  if (edges.owesOn(config, next) && !(edge && edges.owesOn(config, edge))) effects.touch(key, config);
  if (edges.wouldForget(record, configRecord, next)) effects.writeNow.add(config);
  else effects.writeSoon.add(config);
}

/** An edge that appears: no rollout, unless a start finds that it was owed, or the object changed after the workload. */
function bornEdge(
  edges: Edges,
  sight: Sight,
  config: ConfigRecord,
  stamp: Stamp | undefined,
  ambiguous: boolean,
  span: Span,
): Edge {
  const edge = newEdge(stamp);
  const { ref } = sight.record.workload;
  const entry = edges.entryOf(config.ref);
  if (!sight.isInInitialList) {
    const ran = config.digest ?? entry?.digest;
    sight.effects.note({ reason: 'followed', workload: ref, config: config.ref, detail: ran ?? '' });
    return { ...edge, ran, dirty: config.digest !== undefined && config.changedAt > span.from };
  }
  const isUnsettled = stamp !== undefined && !sight.record.workload.isRolledOut;
  const recorded = ranAtStart(entry, edges.exceptionOf(ref, config.ref), stamp);
  if (recorded === undefined) {
    if (config.digest !== undefined) {
      sight.effects.note({ reason: 'baseline', workload: ref, config: config.ref, detail: config.digest });
    }
    return { ...edge, ran: config.digest, isUnsettled };
  }
  const known = recorded === config.legacyDigest ? (config.digest ?? recorded) : recorded;
  const born = { ...edge, ran: known, isUnsettled };
  const start = ambiguous && speaks(stamp, entry) ? asUnknown(born) : born;
  return { ...start, dirty: isOwed(start, config.digest) };
}

/** A known edge after a new sight of its workload. */
function nextEdge(
  edges: Edges,
  sight: Sight,
  config: ConfigRecord,
  edge: Edge,
  stamp: Stamp | undefined,
  ambiguous: boolean,
): Edge {
  const key = keyOf(config.ref);
  let next = withStamp(edge, stamp);
  if (stamp !== undefined && isStampedElsewhere(edges, config.ref, edge, stamp)) {
    next = asStampedElsewhere(edge, stamp);
    sight.effects.note({
      reason: 'rolled-elsewhere',
      workload: sight.record.workload.ref,
      config: config.ref,
    });
  } else if (sight.podsRestart && (ambiguous || edge.isUnsettled || edges.isOpen(key))) {
    next = asUnknown(next);
    sight.effects.note({ reason: 'owner-rolled', workload: sight.record.workload.ref, config: config.ref });
    if (edge.isUnsettled && (stamp?.number ?? 0) < (edge.stamp?.number ?? 0)) sight.takenBack = true;
  }
  if (config.digest !== undefined && next.ran !== undefined && config.changedAt > sight.startedAfter) {
    next = { ...next, dirty: true };
  }
  const { isRolledOut } = sight.record.workload;
  if (isRolledOut && next.isUnsettled) next = { ...next, isUnsettled: false };
  return !isRolledOut && isOwed(next, config.digest) ? { ...next, dirty: true } : next;
}

/** A number never seen on this edge and not yet silent: written by another of our processes. */
function isStampedElsewhere(edges: Edges, ref: ConfigRef, edge: Edge, stamp: Stamp): boolean {
  return stamp.number > edge.highestNumber && stamp.number > edges.floorOf(ref);
}

/** Past the limit the workload counts as refused: whoever takes the stamp back will not have it. */
function countTakeBack({ effects, key, record, takenBack }: Sight): void {
  if (!takenBack) return;
  record.takeBacks += 1;
  const { ref, lastManager } = record.workload;
  effects.note({ reason: 'taken-back', workload: ref, detail: lastManager ?? 'an unknown manager' });
  if (record.takeBacks > MOST_TAKE_BACKS) effects.contested.add(key);
}

/** Forgets the edges that are no longer asked for. */
function unfollow(
  edges: Edges,
  { effects, key, record }: Sight,
  refs: readonly ConfigRef[],
  mayAbandon: boolean,
): void {
  const wanted = new Set(refs.map(keyOf));
  for (const config of [...record.edges.keys()]) {
    if (!wanted.has(config)) release(edges, effects, key, record, config, mayAbandon);
  }
}

/** Forgets a workload that is gone or follows nothing any more. */
function forget(edges: Edges, effects: Effects, key: ObjectKey, mayAbandon: boolean): void {
  const record = edges.workloads.get(key);
  if (record === undefined) return;
  for (const config of [...record.edges.keys()]) release(edges, effects, key, record, config, mayAbandon);
  edges.workloads.delete(key);
  effects.forgotten.add(key);
}

/** Forgets one edge; a stamp that still speaks is silenced by a write at once. */
function release(
  edges: Edges,
  effects: Effects,
  key: ObjectKey,
  record: WorkloadRecord,
  config: ObjectKey,
  mayAbandon: boolean,
): void {
  const edge = record.edges.get(config);
  const configRecord = edges.configs.get(config);
  record.edges.delete(config);
  edges.dependents.delete(key, config);
  if (edge === undefined || configRecord === undefined) return;
  const { ref } = configRecord;
  effects.note({ reason: 'unfollowed', workload: record.workload.ref, config: ref });
  const isRecorded = edges.exceptionOf(record.workload.ref, ref) !== undefined;
  const mustWrite = isRecorded || speaks(edge.stamp, edges.entryOf(ref));
  edges.floors.set(config, Math.max(edges.floors.get(config) ?? 0, edge.highestNumber));
  (mustWrite ? effects.writeNow : effects.writeSoon).add(config);
  if (edges.dependents.dependentsOf(config).size > 0) return;
  if (mayAbandon) edges.abandoned.set(config, ref);
  if (configRecord.digest === undefined) edges.configs.delete(config);
}
