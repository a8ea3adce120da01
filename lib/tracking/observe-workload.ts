/**
 * The rules for an observed workload, by its informer, or in the answer to a read or a patch: which edges begin, go on and
 * end, and which writes an external writer or another reloader has made.
 */

import { competitorIn } from '../annotations/other-writers.ts';
import { stampVariablesOf } from '../annotations/stamp-variables.ts';
import type { Edge } from '../model/edge.ts';
import { type ConfigRef, configRefIn, keyOf, type ObjectKey, wholeOf } from '../model/object-ref.ts';
import { carries } from '../model/rollout-plan.ts';
import type { InformerEvent } from '../model/timeline.ts';
import { isLater, type Workload } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { appearingEdge, type Beginning, edgeAtStart, followedEdge } from './edge-observation.ts';
import { isOutdatedOn, outdatedObjects, putEdge } from './edge-policy.ts';
import { nextEdge } from './edge-state.ts';
import { Effects } from './effects.ts';
import { followExternalRollout } from './external-rollout.ts';
import { lookFor, rescope } from './rescope.ts';
import { acceptRollout } from './rollout-decision.ts';
import { countTakeBack } from './take-backs.ts';
import { diffWorkload, type WorkloadDiff, type WorkloadPresent } from './workload-diff.ts';

type WorkloadAbsent = Extract<InformerEvent<Workload>, { type: 'absent' }>;

/** Observes one event: updates the store and returns the effects. Synchronous; it sends no request. */
export function observeWorkload(store: Store, event: InformerEvent<Workload>): Effects {
  const effects = new Effects();
  switch (event.type) {
    case 'present':
      observePresent(store, effects, event);
      break;
    case 'absent':
      observeAbsent(store, effects, event);
      break;
    case 'synced':
      break;
  }
  return effects;
}

function observePresent(store: Store, effects: Effects, event: WorkloadPresent): void {
  const { key, object: workload } = event;
  const known = knownRecord(store, key, workload);
  // The record is newer than the event if the workload was read outside its stream.
  if (known !== undefined && !isLater(workload, known.workload)) return;
  takeReferenced(store, effects, event);
  if (known !== undefined) acceptIfCarried(store, effects, known, event);
  const { vocabularies } = store.settings;
  const refs = vocabularies.follows(workload, store.namesIn(workload.ref.namespace));
  const hasPatterns = vocabularies.hasPatterns(workload);
  const mayFollow = !isUnable(store, key, workload);
  const asks = refs.length > 0 || hasPatterns;
  if (known === undefined || !mayFollow) forgetDeleted(store, effects, key);
  else if (!asks) forget(store, effects, key);
  if (!mayFollow || !asks) return;
  const record = known ?? newRecord(event);
  store.workloads.set(key, record);
  store.withPatterns[hasPatterns ? 'add' : 'delete'](key);
  const { workload: before } = record;
  const diff = diffWorkload(effects, record, event);
  noticeCompetitor(diff, before);
  record.variables = stampVariablesOf(refs);
  followExternalRollout(store, diff);
  rescope(store, diff, refs);
  unfollow(store, diff, refs);
  for (const ref of refs) follow(store, diff, ref);
  store.outdatedWhenDeleted.delete(key);
  noteTakeBack(diff);
}

/** Whether it follows nothing, whatever it asks for: above all while it is being deleted. */
function isUnable(store: Store, key: ObjectKey, workload: Workload): boolean {
  const { isLeftAlone, lacksTemplate } = workload;
  if (isLeftAlone || store.referring.of(key).size > 0) return true;
  // A restart needs no template.
  return lacksTemplate === true && !store.settings.vocabularies.restarts(workload);
}

/** The Deployment that has the template of a Rollout is no workload of its own, and a placeholder stands for a Job. */
function takeReferenced(store: Store, effects: Effects, event: WorkloadPresent): void {
  const { ref, referenced, isCopy } = event.object;
  if (isCopy) store.copies.add(event.key);
  const isDeployment = referenced?.kind === 'Deployment';
  const deployment = isDeployment ? keyOf({ ...ref, kind: 'Deployment', name: referenced.name }) : undefined;
  store.refer(event.key, deployment);
  if (deployment !== undefined) forget(store, effects, deployment);
}

/** Forgets a deleted workload, unless a newer one of its name is known. */
function observeAbsent(store: Store, effects: Effects, { key, span }: WorkloadAbsent): void {
  const record = store.workloads.get(key);
  if (record !== undefined && span.to < record.knownAt) return;
  store.refer(key, undefined);
  store.copies.delete(key);
  forgetDeleted(store, effects, key);
}

/** The event may show our own patch before its answer arrives: then the patch is accepted now. */
function acceptIfCarried(
  store: Store,
  effects: Effects,
  known: WorkloadRecord,
  event: WorkloadPresent,
): void {
  if (known.inFlight === undefined || !carries(event.object, known.inFlight)) return;
  acceptRollout(store, effects, known.inFlight, event.object, event.span);
}

/** The record of this workload by its uid: a former one of the same name is another workload. */
function knownRecord(store: Store, key: ObjectKey, workload: Workload): WorkloadRecord | undefined {
  const record = store.workloads.get(key);
  return record?.workload.uid === workload.uid ? record : undefined;
}

function newRecord({ object: workload, span, isInInitialList }: WorkloadPresent): WorkloadRecord {
  return {
    workload,
    variables: new Map(),
    edges: new Map(),
    isFromStart: isInInitialList,
    rolledUntil: span.to,
    knownAt: span.from,
    externalRollout: undefined,
    patchedAfter: undefined,
    takeBacks: 0,
    inFlight: undefined,
  };
}

/** Computes the next value of one edge, or begins it. */
function follow(store: Store, diff: WorkloadDiff, ref: ConfigRef): void {
  const { effects, record, event } = diff;
  const config = keyOf(ref);
  const edge = record.edges.get(config);
  if (edge === undefined) {
    begin(store, { effects, record, span: event.span }, ref, event.isInInitialList);
    return;
  }
  const wasOutdated = isOutdatedOn(store, record, config, edge);
  const next = putEdge(store, record, config, followedEdge(store, diff, store.configRecordOf(ref), edge));
  addEffects(store, effects, record, config, next, wasOutdated);
}

/** Begins an edge; `isAtStart`: the state names its running digest. */
function begin(store: Store, beginning: Beginning, ref: ConfigRef, isAtStart: boolean): void {
  const { effects, record } = beginning;
  const key = keyOf(record.workload.ref);
  const config = keyOf(ref);
  const configRecord = store.configRecordOf(ref);
  const edge = (isAtStart ? edgeAtStart : appearingEdge)(store, beginning, configRecord);
  const isStillOutdated = store.outdatedWhenDeleted.get(key)?.has(config) === true;
  const next = putEdge(store, record, config, isStillOutdated ? nextEdge(edge, { type: 'doubted' }) : edge);
  lookFor(effects, config, configRecord);
  store.dependents.add(config, key);
  addEffects(store, effects, record, config, next, false);
}

/** Adds the effects of the edge as it is now. */
function addEffects(
  store: Store,
  effects: Effects,
  record: WorkloadRecord,
  config: ObjectKey,
  edge: Edge,
  wasOutdated: boolean,
): void {
  if (isOutdatedOn(store, record, config, edge) && !wasOutdated)
    effects.enqueue(keyOf(record.workload.ref), { type: 'changed', config });
  effects.persist(config);
}

/** An object is seen for the first time: workloads whose expressions match its name begin to follow it. */
export function followAppeared(
  store: Store,
  effects: Effects,
  ref: ConfigRef,
  { isInInitialList, span }: Pick<WorkloadPresent, 'isInInitialList' | 'span'>,
): void {
  const config = keyOf(ref);
  for (const key of store.withPatterns) {
    const record = store.workloads.get(key);
    if (record?.workload.ref.namespace !== ref.namespace || record.edges.has(config)) continue;
    const refs = store.settings.vocabularies.follows(record.workload, (kind) =>
      kind === ref.kind ? [ref.name] : [],
    );
    const followed = refs.find((one) => keyOf(wholeOf(one)) === config);
    if (followed === undefined || record.edges.has(keyOf(followed))) continue;
    const others = [...record.edges.keys()].flatMap((other) => store.configs.get(other)?.ref ?? []);
    record.variables = stampVariablesOf([...others, followed]);
    // If the object was created after the last pods started, none of them can have read an earlier content.
    const from = span.from < record.rolledUntil ? span.from : span.to;
    begin(
      store,
      { effects, record, span: { from, to: span.to } },
      followed,
      isInInitialList && record.isFromStart,
    );
  }
}

/** Reports a competing reloader: its write changes nothing but stamps. */
function noticeCompetitor({ effects, record, onlyMarksChanged }: WorkloadDiff, before: Workload): void {
  const competitor = onlyMarksChanged ? competitorIn(before, record.workload) : undefined;
  if (competitor !== undefined) effects.report({ type: 'competitor', competitor });
}

/**
 * Counts a reverted stamp, and one of a peer: two processes that both act would roll the workload in turns. One that is
 * reverted after the rollout may be the undo of a person, and is not reported.
 */
function noteTakeBack({ effects, key, record, takenBack }: WorkloadDiff): void {
  if (takenBack === undefined) return;
  countTakeBack(effects, key, record);
  if (!takenBack) return;
  const { ref, lastManager } = record.workload;
  effects.note({ reason: 'stamp-reverted', workload: ref, detail: lastManager ?? 'an unknown manager' });
}

/** Ends the edges to objects that are not in `refs`. */
function unfollow(store: Store, { effects, key, record }: WorkloadDiff, refs: readonly ConfigRef[]): void {
  const wanted = new Set(refs.map(keyOf));
  for (const config of [...record.edges.keys()]) {
    if (!wanted.has(config)) endEdge(store, effects, key, record, config);
  }
}

/** For so many deleted workloads it is remembered that they were out of date. */
const MOST_REMEMBERED = 10_000;

/**
 * Forgets a deleted workload. If it was out of date, so are the same edges of the next workload of its name: that one may adopt
 * its pods (`--cascade=orphan`). A Job that is recreated starts new ones.
 */
function forgetDeleted(store: Store, effects: Effects, key: ObjectKey): void {
  const { outdatedWhenDeleted, workloads } = store;
  const record = workloads.get(key);
  if (record === undefined) return;
  const isReplaced = workloadKindOf(record.workload.ref.kind).rollout === 'recreate';
  const outdated = outdatedObjects(store, record).map(({ ref }) => keyOf(ref));
  if (outdated.length > 0 && !isReplaced) outdatedWhenDeleted.set(key, new Set(outdated));
  const [oldest] = outdatedWhenDeleted.keys();
  if (oldest !== undefined && outdatedWhenDeleted.size > MOST_REMEMBERED) outdatedWhenDeleted.delete(oldest);
  forget(store, effects, key);
}

/** Forgets a workload that does not exist or follows nothing any more, with all its edges. */
function forget(store: Store, effects: Effects, key: ObjectKey): void {
  const record = store.workloads.get(key);
  if (record === undefined) return;
  for (const config of [...record.edges.keys()]) endEdge(store, effects, key, record, config);
  store.workloads.delete(key);
  store.withPatterns.delete(key);
  effects.enqueue(key, { type: 'forgotten' });
}

/** Ends one edge. */
function endEdge(
  store: Store,
  effects: Effects,
  key: ObjectKey,
  record: WorkloadRecord,
  config: ObjectKey,
): void {
  record.edges.delete(config);
  store.dependents.delete(config, key);
  effects.note({ reason: 'unfollowed', workload: record.workload.ref, config: configRefIn(config) });
  effects.persist(config);
  store.forgetConfig(config);
}
