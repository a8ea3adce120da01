/**
 * The rules for an observed ConfigMap or Secret: whether its content changed, for which workloads, and which pods may have read
 * which content. It updates the record, then gathers the event for each edge.
 */

import type { ConfigObject } from '../model/config-object.ts';
import { type Digest, translated } from '../model/digest.ts';
import { type Edge, isOutdated, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, configRefIn, keyOf, type ObjectKey } from '../model/object-ref.ts';
import { POLICIES, type Reason } from '../model/reasons.ts';
import { EVER, type InformerEvent, isOlder, type Span } from '../model/timeline.ts';
import type { AbsenceIs } from '../store/presence.ts';
import { type ConfigRecord, scopedObjectOf, takeVersion, type WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { Stream } from '../store/sync-gate.ts';
import { begunWith, committable, judge, needsRollout, observedBy, putEdge } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import { Effects } from './effects.ts';
import { followAppeared } from './observe-workload.ts';
import { digestByOtherScopes } from './other-scopes.ts';

/** Added to the note about a deleted object if a label selector is set. */
const UNSELECTED = { detail: 'or its labels are not those that are watched any more' } as const;

type Present = Extract<InformerEvent<ConfigObject>, { type: 'present' }>;
type Absent = Extract<InformerEvent<ConfigObject>, { type: 'absent' }>;

/** How an observation differs from the record. */
interface Difference {
  /** The type of the change for the counters; undefined if the content is the same. */
  readonly type: 'created' | 'updated' | undefined;
  /** The former digest; undefined if the object was absent or not yet seen. */
  readonly before: Digest | undefined;
  readonly isInInitialList: boolean;
  /** Whether the content changed, or may have changed and changed back without an event. */
  readonly mayHaveChanged: boolean;
  /** Whether the observation is from a list after a gap, in which other contents may have come and gone. @default false */
  readonly isAfterGap?: boolean;
  readonly span: Span;
  /** Whether the object was never seen before. @default false */
  readonly isFirst?: boolean;
}

/** The difference for an object that the first list of its kind does not contain. */
const NOTHING_BEFORE: Difference = {
  type: undefined,
  before: undefined,
  isInInitialList: true,
  mayHaveChanged: false,
  span: EVER,
};

/** Observes one event: updates the store and returns the effects. Synchronous; it sends no request. */
export function observeConfig(store: Store, event: InformerEvent<ConfigObject>): Effects {
  switch (event.type) {
    case 'present':
      return observePresent(store, event);
    case 'absent':
      return observeAbsent(store, event);
    case 'synced':
      suspectAbsent(store);
      return new Effects();
  }
}

function observePresent(store: Store, event: Present): Effects {
  const { object, key } = event;
  // Each write of the state would roll a follower, and each rollout leads to a write of the state.
  if (object.isState === true) return observeAbsent(store, { type: 'absent', key, span: event.span });
  const effects = new Effects();
  observeVersion(store, effects, event);
  for (const part of store.parts.of(key)) {
    const object = scopedObjectOf(event.object, configRefIn(part));
    observeVersion(store, effects, { ...event, key: part, object });
  }
  return effects;
}

function observeVersion(store: Store, effects: Effects, event: Present): void {
  const { object, span } = event;
  if (isStale(store.configs.get(event.key), object)) return;
  const record = store.configRecordOf(object.ref, event.key);
  const workloads = [...store.dependents.of(event.key)];
  const difference = differenceFrom(record, event, 'nothing');
  const afterAbsence = differenceFrom(record, event, store.presence.absenceIs);
  const differenceFor = (workload: ObjectKey): Difference =>
    countsAbsence(store, workload, object.ref) ? afterAbsence : difference;
  const isAnother = isFirstAndAnother(store, record, object);
  const mayHaveChanged =
    difference.mayHaveChanged ||
    (afterAbsence.mayHaveChanged && workloads.some((each) => differenceFor(each) === afterAbsence)) ||
    (isAnother && !event.isInInitialList);
  if (mayHaveChanged) record.changedAt = Math.max(record.changedAt, span.to);
  takeVersion(record, object, span.to);
  if (isAnother) noteFound(record, event);
  if (difference.isFirst === true && object.ref.keys === undefined)
    followAppeared(store, effects, object.ref, event);
  if (workloads.length === 0) return;
  if (difference.before === undefined) effects.report({ type: 'found', config: event.key });
  if (difference.type !== undefined)
    effects.report({ type: 'change', config: object.ref, change: difference.type });
  for (const workload of workloads) {
    observeEdge(store, effects, workload, event.key, differenceFor(workload));
  }
  effects.persist(event.key);
}

/** Whether the object is seen for the first time, with another content than its entry names. */
function isFirstAndAnother(store: Store, { lastDigest }: ConfigRecord, object: ConfigObject): boolean {
  return lastDigest === undefined && store.isAnotherThanWritten(object.ref, object);
}

/** The object is seen for the first time, with another content than its entry: when it changed is not known. */
function noteFound(record: ConfigRecord, { isInInitialList, span }: Present): void {
  record.isUndated = true;
  if (isInInitialList) record.foundChangedAt = span.to;
}

function countsAbsence(store: Store, key: ObjectKey, ref: ConfigRef): boolean {
  const record = store.workloads.get(key);
  return record !== undefined && store.presence.countsAbsence(record.workload, ref);
}

/** The difference between record and event. `absenceIs`: what an absence means to pods that may have started in it. */
function differenceFrom(record: ConfigRecord, event: Present, absenceIs: AbsenceIs): Difference {
  const { object, isInInitialList, isRelisted: isAfterGap } = event;
  const { digest: before, lastDigest, mayHaveReturned, absentAfter = event.span.from } = record;
  const isFirst = lastDigest === undefined;
  const isDifferent = !isFirst && lastDigest !== object.digest;
  const isReturn = absenceIs !== 'nothing' && before === undefined;
  const isOfAbsence = mayHaveReturned || (isReturn && absenceIs === 'a gap');
  const mayHaveChanged = isDifferent || mayHaveReturned || isAfterGap || (isReturn && !isFirst);
  const isCreated = before === undefined && !isInInitialList;
  const type = isCreated ? 'created' : isDifferent ? 'updated' : undefined;
  const from = isOfAbsence ? Math.min(event.span.from, absentAfter) : event.span.from;
  const span = { from, to: event.span.to };
  return { type, before, isInInitialList, mayHaveChanged, isAfterGap, isFirst, span };
}

/**
 * After a list: an object that is absent may have existed since the last one, with another content, so its return is a change.
 */
function suspectAbsent(store: Store): void {
  for (const record of store.configs.values()) {
    if (record.absentAfter !== undefined) record.mayHaveReturned = true;
  }
}

function observeAbsent(store: Store, { key, span }: Absent): Effects {
  const effects = new Effects();
  for (const each of store.partsOf(key)) observeEnd(store, effects, each, span);
  return effects;
}

function observeEnd(store: Store, effects: Effects, key: ObjectKey, span: Span): void {
  const record = store.configs.get(key);
  if (record?.resourceVersion === undefined) return;
  record.absentAfter = Math.min(record.absentAfter ?? Number.POSITIVE_INFINITY, span.from);
  const before = record.digest;
  record.digest = undefined;
  record.resourceVersion = undefined;
  // An object that has only lost its labels may change without an event.
  if (store.settings.isSelective) record.mayHaveReturned = true;
  const workloads = [...store.dependents.of(key)];
  if (workloads.length === 0) {
    store.forgetConfig(key);
    return;
  }
  effects.report({ type: 'missing', config: key });
  effects.report({ type: 'change', config: record.ref, change: 'deleted' });
  const counts = committable(store, record) !== undefined;
  const former = counts ? before : undefined;
  const difference = { type: undefined, before: former, isInInitialList: false, mayHaveChanged: true, span };
  if (counts && Number.isFinite(span.to)) record.changedAt = Math.max(record.changedAt, span.to);
  if (!counts)
    effects.note({ reason: 'absent', config: record.ref, ...(store.settings.isSelective ? UNSELECTED : {}) });
  // Also where the absence is no content: pods of a rollout under way start without the object.
  for (const workload of workloads) observeEdge(store, effects, workload, key, difference);
  effects.persist(key);
}

/**
 * The stream of a kind has listed for the first time: objects that it does not contain are absent, which may count for edges.
 */
export function observeListed(
  store: Store,
  { kind, namespace }: Pick<Stream, 'kind' | 'namespace'>,
): Effects {
  const effects = new Effects();
  for (const [key, { ref, digest }] of store.configs) {
    if (digest !== undefined || ref.kind !== kind || (namespace ?? ref.namespace) !== ref.namespace) continue;
    for (const workload of store.dependents.of(key)) {
      observeEdge(store, effects, workload, key, NOTHING_BEFORE);
    }
  }
  return effects;
}

/** Whether the event is not newer than the record: a set of keys begins with the version of its object. */
function isStale(record: ConfigRecord | undefined, { resourceVersion: seen }: ConfigObject): boolean {
  const known = record?.resourceVersion;
  return known !== undefined && !isOlder(known, seen);
}

function observeEdge(
  store: Store,
  effects: Effects,
  workload: ObjectKey,
  config: ObjectKey,
  difference: Difference,
): void {
  const dependent = store.workloads.get(workload);
  const record = store.configs.get(config);
  const edge = dependent?.edges.get(config);
  if (!dependent || !edge || record === undefined) return;
  if (difference.before !== record.digest) dependent.takeBacks = 0;
  const observed = observedBy(store, dependent, record);
  const next =
    observed === undefined
      ? putEdge(store, dependent, config, edge)
      : observeContent(store, effects, { dependent, record, edge, observed }, difference);
  if (next !== edge) effects.persist(config);
}

/** An edge with its records and the current digest. */
interface Change {
  readonly dependent: WorkloadRecord;
  readonly record: ConfigRecord;
  readonly edge: Edge;
  readonly observed: Digest;
}

function observeContent(store: Store, effects: Effects, change: Change, difference: Difference): Edge {
  const { dependent, record, observed } = change;
  const edge = begunEdge(store, effects, change, difference);
  const [workload, config] = [keyOf(dependent.workload.ref), keyOf(record.ref)];
  const changed = begunWith(dependent, record, afterChange(edge, dependent, record, observed, difference));
  const next = putEdge(store, dependent, config, changed);
  const wasOutdated = isOutdated(edge, beforeFor(store, dependent, record, difference));
  const isNowOutdated = isOutdated(next, observed);
  const isSkipped = !isNowOutdated && isOutdated(changed, observed);
  const reason = isSkipped ? undefined : reasonOf(edge, next, wasOutdated && !isNowOutdated, difference);
  if (isSkipped) noteSkipped(store, effects, dependent, record);
  note(effects, reason, dependent, record);
  // A change back begins the quiet period again if the workload still needs a rollout for another object.
  const staysOutdated = isNowOutdated || (wasOutdated && needsRollout(store, workload));
  if (staysOutdated && (!wasOutdated || difference.mayHaveChanged))
    effects.enqueue(workload, { type: 'changed', config });
  return next;
}

/** The edge with the running digest that the state names, if the object is listed after the edge of a start began. */
function begunEdge(
  store: Store,
  effects: Effects,
  { dependent, record, edge }: Change,
  { isInInitialList, isFirst }: Difference,
): Edge {
  // An object that was absent at the start is compared with the state when it appears.
  const isOfStart = isInInitialList || (isFirst === true && dependent.isFromStart);
  if (edge.runningDigest !== undefined || !isOfStart) return edge;
  const { digest } = store.persisted.entryOf(record.ref) ?? {};
  const recorded = digest ?? digestByOtherScopes(store, effects, dependent, record);
  const running = store.presence.started(dependent.workload, record.ref, recorded);
  return nextEdge(edge, { type: 'began', running });
}

/** The digest that was current for the workload before. */
function beforeFor(
  store: Store,
  { workload }: WorkloadRecord,
  { ref }: ConfigRecord,
  difference: Difference,
): Digest | undefined {
  if (difference === NOTHING_BEFORE) return undefined;
  return store.presence.observed(workload, ref, difference.before);
}

function note(
  effects: Effects,
  reason: Reason | undefined,
  { workload }: WorkloadRecord,
  { ref, digest }: ConfigRecord,
): void {
  if (reason === undefined) return;
  effects.note({ reason, workload: workload.ref, config: ref, detail: digest ?? '' });
}

/** Notes why a change is skipped. */
function noteSkipped(store: Store, effects: Effects, dependent: WorkloadRecord, config: ConfigRecord): void {
  const { workload } = dependent;
  const { asks, because } = judge(store, dependent, config);
  const detail = asks ? 'pods are not rolled because an object is created' : POLICIES[because];
  effects.note({ reason: 'skipped', workload: workload.ref, config: config.ref, detail });
}

/** The reason to note for the step from `edge` to `next`; the rollout of a change is reported elsewhere. */
function reasonOf(
  edge: Edge,
  next: Edge,
  isUpToDateAgain: boolean,
  { isInInitialList }: Difference,
): Reason | undefined {
  if (edge.runningDigest === undefined)
    return next.runningDigest === UNKNOWN ? 'first-seen-late' : 'baseline';
  if (isUpToDateAgain) return 'changed-back';
  if (next.runningDigest !== UNKNOWN || edge.runningDigest === UNKNOWN) return undefined;
  return isInInitialList ? 'changed-before-start' : 'changed-while-rolling';
}

/** The edge after `content-changed` to `digest`. The times decide which pods may have read another content. */
function afterChange(
  edge: Edge,
  dependent: WorkloadRecord,
  record: ConfigRecord,
  digest: Digest,
  { isInInitialList, mayHaveChanged, isAfterGap = false, span }: Difference,
): Edge {
  const { followedSince } = edge;
  return nextEdge(edge, {
    type: 'content-changed',
    observed: digest,
    running: translated(edge.runningDigest, record),
    isLate: followedSince !== undefined && span.to <= followedSince.from,
    mayHaveBeenRead: mayHaveChanged && span.from < readUntil(edge, dependent, isAfterGap),
    isAfterGap,
    mayHaveStarted: isInInitialList || !dependent.workload.isRolledOut,
  });
}

/**
 * Until when pods may have started; after a gap also until the workload began to follow the object, as the gap hides contents.
 */
function readUntil({ followedSince }: Edge, { rolledUntil }: WorkloadRecord, isAfterGap: boolean): number {
  return isAfterGap && followedSince !== undefined ? Math.max(rolledUntil, followedSince.to) : rolledUntil;
}
