/**
 * Which content counts for a workload, whether its policy asks for it, and whether an edge is out of date. `putEdge` is the
 * only way to store an edge, so that no edge is out of date for content that its policy skips.
 */

import { isUrgent } from '../annotations/gating.ts';
import { ABSENT, type Digest, translated } from '../model/digest.ts';
import { type Edge, isOutdated, type RunningDigest, recover, UNKNOWN } from '../model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { Verdict } from '../model/reasons.ts';
import { markOfFollower, type StateEntry } from '../model/state-entry.ts';
import { referenceOf } from '../model/workload.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { nextEdge } from './edge-state.ts';
import { isPartOfKnown } from './other-scopes.ts';

/** Whether `workload` has an edge that is out of date. */
export function needsRollout(store: Store, workload: ObjectKey): boolean {
  const record = store.workloads.get(workload);
  if (record === undefined) return false;
  for (const [config, edge] of record.edges) if (isOutdatedOn(store, record, config, edge)) return true;
  return false;
}

/** The objects that the workload is outdated on. */
export function outdatedObjects(store: Store, record: WorkloadRecord): readonly ConfigRecord[] {
  return [...record.edges]
    .filter(([config, edge]) => isOutdatedOn(store, record, config, edge))
    .flatMap(([config]) => store.configs.get(config) ?? []);
}

/** Whether a change that the workload needs a rollout for is urgent. */
export function isUrgentFor(store: Store, record: WorkloadRecord): boolean {
  return outdatedObjects(store, record).some(({ annotations }) => isUrgent(annotations));
}

/** Whether `edge`, of `record` and `config`, is out of date. */
export function isOutdatedOn(store: Store, record: WorkloadRecord, config: ObjectKey, edge: Edge): boolean {
  return isOutdated(edge, observedBy(store, record, store.configs.get(config)));
}

/** The current digest of an object for the workload; undefined if there is none, or it is not known. */
export function observedBy(
  store: Store,
  { workload }: WorkloadRecord,
  config: ConfigRecord | undefined,
): Digest | undefined {
  return config && store.presence.observed(workload, config.ref, config.digest);
}

/**
 * The digest that a commit of the object writes: of its content, or ABSENT if pods started with its absence; else undefined.
 */
export function committable(store: Store, config: ConfigRecord): Digest | undefined {
  if (config.digest !== undefined) return config.digest;
  const hasEntry = store.persisted.entryOf(config.ref) !== undefined;
  const isAbsence = store
    .edgesOf(keyOf(config.ref))
    .some(
      ([record, edge]) =>
        observedBy(store, record, config) === ABSENT || (!hasEntry && edge.runningDigest === ABSENT),
    );
  return isAbsence ? ABSENT : undefined;
}

/**
 * Whether a change of `config` is open: not committed yet, or a follower is out of date. Pods that an external writer starts
 * while it is open may have read any content.
 */
export function isOpen(store: Store, config: ObjectKey): boolean {
  const record = store.configs.get(config);
  const entry = record && store.persisted.entryOf(record.ref);
  const digest = record && committable(store, record);
  if (digest !== undefined && entry !== undefined && translated(entry.digest, record ?? {}) !== digest)
    return true;
  return store.edgesOf(config).some(([workload, edge]) => {
    const observed = observedBy(store, workload, record);
    return observed === undefined
      ? entry?.digest !== undefined && edge.runningDigest !== entry.digest
      : isOutdated(edge, observed);
  });
}

/** `edge`, up to date if every pod that has mounted the object began with the present content: nothing is to be rolled. */
export function begunWith(
  { workload }: WorkloadRecord,
  { ref, digest, begunWith: areBegun }: ConfigRecord,
  edge: Edge,
): Edge {
  const isMounted = areBegun === true && referenceOf(workload, ref) !== undefined;
  return isMounted ? nextEdge(edge, { type: 'pods-started', observed: digest }) : edge;
}

/** Whether edges of the object are not begun: its namespace is not selected, and there is no entry of it or of a part of it. */
export function isUnbegun(store: Store, ref: ConfigRef): boolean {
  if (store.isSelected(ref.namespace) || store.persisted.shardOf(ref) !== undefined) return false;
  return !isPartOfKnown(store, ref);
}

/**
 * Whether the policy of the workload asks for the object, by the present annotations of both; of an absent object by its last
 * ones.
 */
export function asks(store: Store, workload: WorkloadRecord, config: ConfigRecord): boolean {
  return judge(store, workload, config).asks;
}

/** The verdict of the policy, with its reason. */
export function judge(
  store: Store,
  { workload }: WorkloadRecord,
  { ref, annotations }: ConfigRecord,
): Verdict {
  if (store.isOwn(ref)) return { asks: false, because: 'state' };
  if (isUnbegun(store, ref)) return { asks: false, because: 'unselected' };
  return store.settings.vocabularies.judge(workload, ref, annotations);
}

/**
 * Stores an edge, after the policy: if it does not ask for the current content, the pods are taken to run it, so the edge is
 * up to date. Returns the stored edge. Every change of an edge goes through here.
 */
export function putEdge(store: Store, record: WorkloadRecord, config: ObjectKey, edge: Edge): Edge {
  const next = underPolicy(store, record, store.configs.get(config), edge);
  record.edges.set(config, next);
  return next;
}

function underPolicy(
  store: Store,
  record: WorkloadRecord,
  config: ConfigRecord | undefined,
  edge: Edge,
): Edge {
  if (config === undefined) return edge;
  const isAway = store.presence.beginsAbsent(record.workload, config.ref, config.digest);
  const begun =
    isAway && edge.runningDigest === undefined ? nextEdge(edge, { type: 'began', running: ABSENT }) : edge;
  const observed = observedBy(store, record, config);
  if (observed === undefined) {
    // Pods that start now start without the object: when it returns, they need a rollout; pods that started before do not.
    const startsWithout = isAway && begun.runningDigest !== ABSENT && !record.workload.isRolledOut;
    return startsWithout ? nextEdge(begun, { type: 'doubted' }) : begun;
  }
  // By default the creation or deletion of an object rolls nothing, whatever the annotations say.
  const isStep = !store.presence.counts(begun.runningDigest, observed);
  const isAsked = asks(store, record, config) && !isStep;
  return isAsked ? begun : nextEdge(begun, { type: 'skipped', observed });
}

/** The running digest that a reloader which starts from the entry now would believe of the edge. */
export function recovered(
  entry: StateEntry | undefined,
  { workload }: WorkloadRecord,
  config: ConfigRecord,
  { stamp }: Edge,
): RunningDigest | undefined {
  return translated(recover(entry, entry && markOfFollower(entry, workload.ref), stamp), config);
}

/** The objects that the workload is outdated on and that the state does not mark for it. */
export function unmarkedObjects(store: Store, record: WorkloadRecord): readonly ConfigRecord[] {
  return outdatedObjects(store, record).filter((config) => {
    const edge = record.edges.get(keyOf(config.ref));
    const entry = store.persisted.entryOf(config.ref);
    return edge !== undefined && recovered(entry, record, config, edge) !== UNKNOWN;
  });
}
