/** Whether every rollout has its reason: an upper bound on our rollouts of each workload, from what happened around it. */

import { resourceOf } from './api.ts';
import { takenBackFor } from './class-laws.ts';
import type { Content, WorkloadName } from './history.ts';
import {
  absencesOf,
  contentAt,
  countsCreation,
  countsDeletion,
  doubtMsOf,
  endOf,
  factsOf,
  hasEntryAt,
  inForceAt,
  isCopyUnsilenced,
  isFollowing,
  isSelectedAt,
  type Of,
  rolloutsOf,
  workloadAt,
  workloadsOf,
  writesOf,
} from './timeline.ts';
import type { Belief, Read, Recorded, StateFact, Trace, Violation } from './trace.ts';

/** The first and the last of some changes. */
interface Ends {
  readonly first: Of<'content'>;
  readonly last: Of<'content'>;
}

/** The workloads that were rolled more often than there was reason. */
export function judgeEconomy(trace: Trace): readonly Violation[] {
  const end = endOf(trace);
  return workloadsOf(trace).flatMap((workload) => {
    const rollouts = rolloutsOf(trace, workload).filter(({ at }) => at <= end).length;
    const reasons = reasonsToRoll(trace, workload);
    const allowed = Object.values(reasons).reduce((sum, count) => sum + count, 0);
    if (rollouts <= allowed) return [];
    const message = `${workload} was rolled ${rollouts} times, with reason for ${allowed}: ${JSON.stringify(reasons)}`;
    return [{ law: 'economy', message } as const];
  });
}

function reasonsToRoll(trace: Trace, workload: WorkloadName): Readonly<Record<string, number>> {
  const changes = changesFor(trace, workload);
  const rolling = changes.filter((change) => mayBeRolling(trace, workload, change));
  const owners = factsOf(trace, 'owner-write').filter((fact) => fact.workload === workload);
  const isUnseen = (fact: Recorded) =>
    absencesOf(trace).some(({ from, to }) => from < fact.at && fact.at <= to) ||
    factsOf(trace, 'died').some(({ at }) => at >= fact.at && isCopyUnsilenced(trace, workload, at));
  return {
    groups: trace.accounting === 'each' ? 2 * changes.length : mostGroupsOf(trace, workload, changes),
    whileRolling: rolling.length,
    ownerWrites: owners.filter((fact) => !fact.copied).length,
    copiesUnseen: owners.filter((fact) => fact.copied && isUnseen(fact)).length,
    // Of what may not be listed nobody sees the pods start: it is rolled once in doubt when it may.
    rightsReturned: factsOf(trace, 'rights').filter(
      ({ resource, allowed }) => allowed && resource === resourceOf(workload),
    ).length,
    owedAgain: changes.filter((change) => isOwedAgain(trace, workload, change)).length,
    hindrances: factsOf(trace, 'hindered').reduce((sum, fact) => sum + heardLate(trace, changes, fact), 0),
    sharedNames: sharedNamesOf(trace, workload),
    takenBack: takenBackFor(trace, workload),
    restarts: factsOf(trace, 'listed').filter((fact) => isUnfinished(trace, workload, fact)).length,
  };
}

/**
 * How often it is rolled for what a process has missed, and hears of when it no longer knows which pods started meanwhile: once,
 * but without a quiet period for each change.
 */
function heardLate(
  { settings }: Trace,
  changes: readonly Of<'content'>[],
  { ms, forMs }: Of<'hindered'>,
): number {
  const late = changes.filter((change) => change.ms >= ms && change.ms <= ms + forMs);
  return settings.coalescePeriodMs === 0 ? Math.max(1, late.length) : 1;
}

/** Objects whose names are one to a variable. */
const NAMESAKES = ['ConfigMap/a-b', 'ConfigMap/a.b'];

/** How often it ceased to follow one of the two, whose stamp then speaks of the other as long as that has no entry. */
function sharedNamesOf(trace: Trace, workload: WorkloadName): number {
  const facts = factsOf(trace, 'workload').filter((fact) => fact.workload === workload);
  return facts.filter(({ follows, at }, index) => {
    const [left, ...others] = NAMESAKES.filter((config) => follows.includes(config));
    const before = facts[index - 1]?.follows ?? [];
    const hadBoth = NAMESAKES.every((config) => before.includes(config));
    return hadBoth && left !== undefined && others.length === 0 && !hasEntryAt(trace, left, at - 1);
  }).length;
}

/** Whether the workload was deleted while the change was under way, and recreated. */
function isOwedAgain(trace: Trace, workload: WorkloadName, { config, at, ms }: Of<'content'>): boolean {
  const later = factsOf(trace, 'workload').filter((fact) => fact.workload === workload && fact.at > at);
  const end = later.findIndex(({ exists }) => !exists);
  const from = later[end];
  if (from === undefined || !later.slice(end).some(({ follows }) => follows.includes(config))) return false;
  return trace.accounting !== 'strict' || from.ms - ms <= trace.settings.maxWaitMs;
}

/** The changes of content that concern the workload: of objects that it names then, or at once, or when one looks again. */
function changesFor(trace: Trace, workload: WorkloadName): readonly Of<'content'>[] {
  const isLate = trace.accounting === 'each';
  const slackMs = isLate ? Number.POSITIVE_INFINITY : doubtMsOf(trace);
  const later = (fact: Of<'content'>) =>
    [...factsOf(trace, 'workload'), ...writesOf(trace, fact.config)].filter(
      (other) => other.at > fact.at && other.ms - fact.ms <= slackMs,
    );
  const missingObjects = absencesOf(trace);
  return factsOf(trace, 'content').filter((fact) => {
    const { config, at } = fact;
    if (!isChange(trace, workload, fact) || !mayEverBeOwed(trace, workload, fact)) return false;
    const looked = missingObjects.find(({ from, to }) => from < at && at <= to);
    return [at, looked?.to ?? at, ...later(fact).map((other) => other.at)].some((moment) =>
      isFollowing(trace, workload, config, moment),
    );
  });
}

/** Whether there is something else to read than before, or may be. */
function isChange(trace: Trace, workload: WorkloadName, fact: Of<'content'>): boolean {
  const { config, content } = fact;
  if (content === undefined) return countsDeletion(trace, config);
  const before = lastContentBefore(trace, fact);
  const deletion = deletionBefore(trace, fact);
  const isAppearance = before === undefined || deletion !== undefined;
  if (isAppearance && countsCreation(trace, config)) return isCreation(trace, workload, fact, deletion);
  if (before === undefined) return isListedFirst(trace, fact);
  if (trace.accounting === 'each' || isUnfinishedReturn(trace, fact)) return true;
  const isFollowed = deletion !== undefined && countsDeletion(trace, config);
  if (isFollowed) return isUnfinishedDeletion(trace, fact, deletion);
  return content !== before || mayBeTakenForChange(trace, workload, fact);
}

/** Of what a list shows first, after a while unseen, nobody knows whether it was another before. */
function isListedFirst(trace: Trace, { config, at }: Of<'content'>): boolean {
  const resource = resourceOf(config);
  const isRelisted = factsOf(trace, 'relisted').some((list) => list.resource === resource && list.at >= at);
  return trace.accounting === 'each' && isRelisted;
}

/** Who begins to read a key does not know which keys the last edit was of. */
function mayBeTakenForChange(trace: Trace, workload: WorkloadName, { config, at }: Of<'content'>): boolean {
  return trace.settings.keys?.noise === true && !isFollowing(trace, workload, config, at);
}

/** Whether the object comes to be for pods that may have started without it, or is another than before. */
function isCreation(
  trace: Trace,
  workload: WorkloadName,
  fact: Of<'content'>,
  deletion: Of<'content'> | undefined,
): boolean {
  // Whatever there is as one looks first has not come to be.
  if (fact.at <= (factsOf(trace, 'listed')[0]?.at ?? 0)) return false;
  const isOther = fact.content !== lastContentBefore(trace, fact) || countsDeletion(trace, fact.config);
  return isOther || mayHaveStartedSince(trace, workload, deletion);
}

/** Once a deletion is rolled out the return does not count. */
function isUnfinishedDeletion(
  { settings, accounting }: Trace,
  { ms }: Of<'content'>,
  deletion: Of<'content'>,
): boolean {
  return ms - deletion.ms <= settings.maxWaitMs || accounting !== 'strict';
}

/** The deletion that the return `fact` ends; undefined: it is no return. */
function deletionBefore(trace: Trace, { config, at }: Of<'content'>): Of<'content'> | undefined {
  const last = writesOf(trace, config).findLast((fact) => fact.at < at);
  return last?.content === undefined ? last : undefined;
}

/** Whether pods of the workload may have started after the deletion, or it began to follow something. */
function mayHaveStartedSince(
  trace: Trace,
  workload: WorkloadName,
  deletion: Of<'content'> | undefined,
): boolean {
  const isLater = (fact: { readonly workload: WorkloadName; readonly at: number }) =>
    fact.workload === workload && fact.at > (deletion?.at ?? 0);
  return (
    factsOf(trace, 'pod-started').some(isLater) ||
    // One without pods counts as rolling for a moment, too.
    factsOf(trace, 'rolling').some(isLater) ||
    factsOf(trace, 'workload').some(isLater) ||
    mayBeRolling(trace, workload, deletion ?? { at: 0, ms: 0 })
  );
}

/**
 * Whether the change is one that is owed where nothing is selected: its object was begun, or pods start that may be seen to
 * start later, and something is selected later.
 */
function mayEverBeOwed(trace: Trace, workload: WorkloadName, fact: Of<'content'>): boolean {
  if (trace.accounting === 'each' || isSelectedAt(trace, fact.at)) return true;
  if (!Number.isFinite(dueMsOf(trace, fact))) return false;
  return hasEntryAt(trace, fact.config, fact.at) || mayBeRolling(trace, workload, fact);
}

/** When the change may be rolled out: at once, or once the namespace is selected again. */
function dueMsOf(trace: Trace, { at, ms }: Of<'content'>): number {
  if (isSelectedAt(trace, at)) return ms;
  const selection = factsOf(trace, 'selection').find((fact) => fact.selected && fact.at > at);
  return selection?.ms ?? Number.POSITIVE_INFINITY;
}

/** What was there to be read before the change. */
function valueBefore(trace: Trace, fact: Of<'content'>): Read | undefined {
  const { config } = fact;
  const isAbsence = countsCreation(trace, config) || countsDeletion(trace, config);
  const wasAbsent = contentAt(trace, config, fact.at - 1) === undefined;
  return isAbsence && wasAbsent ? '-' : lastContentBefore(trace, fact);
}

/** A deletion is no change of content, and a return is one only if it brings another. */
function lastContentBefore(trace: Trace, fact: Of<'content'>): Content | undefined {
  const earlier = factsOf(trace, 'content').filter(
    ({ config, at, content }) => config === fact.config && at < fact.at && content !== undefined,
  );
  return earlier.at(-1)?.content;
}

/** Who begins to name an object that is absent begins with its return, whatever was before the deletion. */
function deletedAt(trace: Trace, { config, at }: Of<'content'>): number | undefined {
  const earlier = factsOf(trace, 'content').findLast((fact) => fact.config === config && fact.at < at);
  return earlier?.content === undefined ? earlier?.at : undefined;
}

/** An object that was deleted before its last change can have been rolled out, and comes back with it. */
function isUnfinishedReturn(trace: Trace, fact: Of<'content'>): boolean {
  const earlier = factsOf(trace, 'content').filter(
    ({ config, at }) => config === fact.config && at < fact.at,
  );
  const deletion = earlier.at(-1);
  const change = earlier.findLast(({ content }) => content !== undefined);
  if (deletion === undefined || deletion.content !== undefined || change === undefined) return false;
  return deletion.ms - change.ms <= trace.settings.maxWaitMs;
}

/** A return that brings nothing new may begin the quiet period again, or not: then there are more groups. */
function mostGroupsOf(trace: Trace, workload: WorkloadName, changes: readonly Of<'content'>[]): number {
  const news = changes.filter((change) => change.content !== lastContentBefore(trace, change));
  return Math.max(groupsOf(trace, workload, changes), groupsOf(trace, workload, news));
}

/** A group of changes ends by the quiet period or by the maximum wait. In a strict account one that undoes itself is none. */
function groupsOf(trace: Trace, workload: WorkloadName, changes: readonly Of<'content'>[]): number {
  const { coalescePeriodMs, maxWaitMs } = trace.settings;
  const due = changes.map((change) => ({ ...change, ms: dueMsOf(trace, change) }));
  const bursts = splitWhere(due, (change, { last }) => change.ms - last.ms >= coalescePeriodMs);
  return bursts
    .map((burst) => splitWhere(burst, (change, { first }) => change.ms - first.ms >= maxWaitMs))
    .filter((groups) => trace.accounting !== 'strict' || !isUndone(trace, workload, groups))
    .reduce((sum, groups) => sum + groups.length, 0);
}

/** The changes in order, in parts that begin where `isNew` says so. */
function splitWhere(
  changes: readonly Of<'content'>[],
  isNew: (change: Of<'content'>, part: Ends) => boolean,
): readonly (readonly Of<'content'>[])[] {
  const parts: Of<'content'>[][] = [];
  for (const change of changes) {
    const part = parts.at(-1);
    const [first, last] = [part?.[0], part?.at(-1)];
    if (first && last && !isNew(change, { first, last })) part?.push(change);
    else parts.push([change]);
  }
  return parts;
}

/** Where the maximum wait cuts a burst depends on what was owed when it began: only one that is not cut can undo itself. */
function isUndone(
  trace: Trace,
  workload: WorkloadName,
  [group = [], ...others]: readonly (readonly Of<'content'>[])[],
): boolean {
  return others.length === 0 && undoesItself(trace, workload, group);
}

/** Whether all is again as before the group, for one who saw all of it, and no pod may have started meanwhile. */
function undoesItself(trace: Trace, workload: WorkloadName, group: readonly Of<'content'>[]): boolean {
  const [begin, end] = [group[0]?.at ?? 0, group.at(-1)?.at ?? 0];
  const isSeen = !absencesOf(trace).some(({ from, to }) => from < end && to >= begin);
  const isBack = [...new Set(group.map(({ config }) => config))].every((config) => {
    const first = group.find((change) => change.config === config);
    const before = first && valueBefore(trace, first);
    const moments = [first?.at ?? 0, first && deletedAt(trace, first), end].filter((at) => at !== undefined);
    const meanwhile = [...factsOf(trace, 'workload'), ...writesOf(trace, config)]
      .map(({ at }) => at)
      .filter((at) => at >= (first?.at ?? 0) && at <= end);
    const isFollowed = [...moments, ...meanwhile].every((at) => isFollowing(trace, workload, config, at));
    return isFollowed && before === inForceAt(trace, config, end);
  });
  const mayHaveStarted = factsOf(trace, 'rolling').some(
    (fact) => fact.workload === workload && fact.rolling && begin < fact.at && fact.at <= end,
  );
  const isFinished = !group.some((change) => isUnfinishedReturn(trace, change));
  return isSeen && isBack && !mayHaveStarted && isFinished;
}

/** Whether pods of the workload may have started just then, as far as one can know who hears of both on two streams. */
function mayBeRolling(
  trace: Trace,
  workload: WorkloadName,
  { at, ms }: Pick<Recorded, 'at' | 'ms'>,
): boolean {
  const rolling = factsOf(trace, 'rolling').filter((fact) => fact.workload === workload);
  const isRolling = rolling.findLast((fact) => fact.at <= at)?.rolling === true;
  const doubtMs = doubtMsOf(trace);
  // A run of a CronJob starts pods, and makes nothing roll.
  const starts = [...rolling, ...rolloutsOf(trace, workload)];
  const isNear = doubtMs > 0 && starts.some((fact) => Math.abs(fact.ms - ms) <= doubtMs);
  return isRolling || isNear || workloadAt(trace, workload, at)?.rollable === false;
}

function lastDeathBefore({ facts }: Trace, listed: Of<'listed'>): Of<'died'> | undefined {
  return facts.slice(0, facts.indexOf(listed)).findLast((fact) => fact.type === 'died');
}

/** Whether a start had something of the workload to finish: an open object, an edge that owed, an exception. */
function isUnfinished(trace: Trace, workload: WorkloadName, listed: Of<'listed'>): boolean {
  const death = lastDeathBefore(trace, listed);
  const first = factsOf(trace, 'listed')[0] === listed;
  if (first) return false;
  const isOpen = ({ entries, overrides }: StateFact, at: number) =>
    overrides[workload] !== undefined ||
    (workloadAt(trace, workload, at)?.follows ?? []).some(
      (config) => entries[config] !== undefined && entries[config] !== inForceAt(trace, config, at),
    );
  const needsRollout = (belief: Belief) =>
    belief.workload === workload && (belief.needsRollout || belief.mixedPods || belief.runningDigest === '?');
  return (
    isOpen(listed.state, listed.at) ||
    (death !== undefined && (isOpen(death.state, death.at) || death.beliefs.some(needsRollout)))
  );
}
