/**
 * Judges a run by pods, contents and writes. It is written from the model alone: a workload owes an object when its pods
 * started with another content than the one in force; nothing else is asked of the reloader, and nothing less.
 */

import { resourceOf } from './api.ts';
import { judgeBudget } from './budget-law.ts';
import { startedUntold } from './class-laws.ts';
import { judgeConvergence } from './convergence.ts';
import { judgeEconomy } from './economy.ts';
import { judgeEntries } from './entries.ts';
import { judgeEvictions } from './eviction-laws.ts';
import { foreignChange, isStampOf } from './foreign-change.ts';
import { judgeHeld } from './held.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import { judgeJobs } from './job-laws.ts';
import { judgeLeads } from './leads.ts';
import { judgePauses } from './pausing.ts';
import { judgePunctuality } from './punctuality.ts';
import { judgeRing, judgeSecrecy } from './ring-law.ts';
import { judgeRollouts } from './rollout-laws.ts';
import { judgeSelection } from './selection.ts';
import { judgeStages } from './stage-law.ts';
import {
  absencesOf,
  baselinesOf,
  contentAt,
  countsCreation,
  endOf,
  factsOf,
  hasWitness,
  inForceAt,
  isCopyUnsilenced,
  isFollowing,
  isSelectedAt,
  type MissingObject,
  type Of,
  type Pod,
  podsOf,
  readBy,
  workloadAt,
  writesOf,
} from './timeline.ts';
import type { Belief, Trace, Violation, WriteFact } from './trace.ts';
import { judgeTries } from './tries.ts';

/** Every law that the run breaks; empty: it is as it must be. */
export function judge(trace: Trace): readonly Violation[] {
  const ofStamps = [judgeSelection, judgeEconomy, judgeTries, judgePunctuality];
  const ofGates = [judgeBudget, judgeHeld, judgeStages];
  return [
    judgeNever,
    judgeSecrecy,
    judgeRing,
    judgeEntries,
    judgeSafety,
    ...(trace.settings.evictions === undefined ? ofStamps : [judgeEvictions]),
    ...ofGates,
    judgePauses,
    judgeJobs,
    judgeRollouts,
    judgeLeads,
    judgeConvergence,
  ].flatMap((law) => law(trace));
}

/** In the end each pod has read what is in force, or ran when its edge's baseline was taken and that is in force again. */
function judgeSafety(trace: Trace): readonly Violation[] {
  const end = endOf(trace);
  const violations: Violation[] = [];
  if (!isSelectedAt(trace, end)) return violations;
  for (const pod of podsOf(trace)) {
    const workload = workloadAt(trace, pod.workload, end);
    if (pod.started > end || pod.gone <= end || workload?.rollable !== true) continue;
    const asked = workload.follows.filter((config) => isFollowing(trace, pod.workload, config, end));
    for (const config of asked) {
      if (isAccountedFor(trace, pod, config, end)) continue;
      const [read, now] = [readBy(trace, pod, config), inForceAt(trace, config, end)];
      const message = `${pod.name} of ${pod.workload} runs ${config} as ${read}, in force is ${now}`;
      violations.push({ law: 'safety', message });
    }
  }
  return violations;
}

/** Whether it has read what is in force, or the limits excuse it. */
function isAccountedFor(trace: Trace, pod: Pod, config: ConfigName, end: number): boolean {
  if (isRead(trace, pod, config, end)) return true;
  return isUpToDate(trace, pod, config, end) || isExcused(trace, pod, config);
}

/** Whether the pod has read what is in force. */
function isRead(trace: Trace, pod: Pod, config: ConfigName, end: number): boolean {
  const inForce = inForceAt(trace, config, end);
  if (inForce === undefined || readBy(trace, pod, config) === inForce) return true;
  return inForce === '-' && pod.reads[config] === undefined;
}

function isUpToDate(trace: Trace, pod: Pod, config: ConfigName, end: number): boolean {
  if (isRead(trace, pod, config, end)) return true;
  const inForce = inForceAt(trace, config, end);
  return baselinesOf(trace, pod.workload, config, end).some(
    (baseline) => pod.started < baseline && (contentAt(trace, config, baseline) ?? '-') === inForce,
  );
}

/** The limits of the model, most of which need a process that died. */
function isExcused(trace: Trace, pod: Pod, config: ConfigName): boolean {
  return (
    startedUntold(pod, config) ||
    startedUnseen(trace, pod, config) ||
    startedWithout(trace, pod, config) ||
    hasRunBefore(trace, pod, config) ||
    changedUnlisted(trace, pod, config) ||
    wasLostInMemory(trace, pod, config)
  );
}

/**
 * Where the creation of runs is not answered, and the content goes there and back meanwhile, the last run of a CronJob may be
 * one of between: that of the content in force was created before.
 */
function hasRunBefore(trace: Trace, { workload }: Pod, config: ConfigName): boolean {
  if (!workload.startsWith('CronJob/') || trace.accounting !== 'each') return false;
  const inForce = inForceAt(trace, config, endOf(trace));
  const runs = podsOf(trace).filter((other) => other.workload === workload);
  return runs.slice(1).some((run) => readBy(trace, run, config) === inForce);
}

/** It counted as ready without the object, and it does not count that this comes to be: when it reads is not known. */
function startedWithout(trace: Trace, pod: Pod, config: ConfigName): boolean {
  if (pod.reads[config] !== undefined || countsCreation(trace, config)) return false;
  const back = writesOf(trace, config).find(({ at, content }) => at > pod.started && content !== undefined);
  const isReady = factsOf(trace, 'rolling').findLast(
    ({ workload, at }) => workload === pod.workload && at <= (back?.at ?? 0),
  );
  return isReady?.rolling === false && isReady.at >= pod.started;
}

/**
 * It started while no reloader was looking, and what it read was gone when one looked again: unless the workload came
 * meanwhile, and the state said that what was there then was new.
 */
function startedUnseen(trace: Trace, pod: Pod, config: ConfigName): boolean {
  return absencesOf(trace).some(
    (missingObject) =>
      missingObject.from < pod.started &&
      pod.started <= missingObject.to &&
      readBy(trace, pod, config) !== inForceAt(trace, config, missingObject.to) &&
      !wasNewToNewcomer(trace, pod, config, missingObject),
  );
}

/** Whether the entry said something else than was in force to a workload that came in the absence, with no stamp of another. */
function wasNewToNewcomer(
  trace: Trace,
  { workload }: Pod,
  config: ConfigName,
  { from, to }: MissingObject,
): boolean {
  const entry = factsOf(trace, 'listed').find(({ at }) => at === to)?.state.entries[config];
  if (entry === undefined || entry === inForceAt(trace, config, to)) return false;
  const isNew = workloadAt(trace, workload, from) === undefined && isFollowing(trace, workload, config, to);
  return isNew && !isCopyUnsilenced(trace, workload, to);
}

/** The longest pause between two lists that are refused, and some. */
const UNTIL_LISTED_MS = 60_000;

/**
 * The object got its present content while the kind of the workload might not be listed, and a process began or died in that
 * time: no process that lived on knew what the pods ran. Or the object was deleted meanwhile, and nobody else followed it.
 */
function changedUnlisted(trace: Trace, pod: Pod, config: ConfigName): boolean {
  const rights = factsOf(trace, 'rights').filter(({ resource }) => resource === resourceOf(pod.workload));
  const writes = writesOf(trace, config);
  const change = writes.findLast(({ content }, index) => content !== writes[index - 1]?.content);
  const loss = rights.findLast(({ allowed, at }) => !allowed && at <= (change?.at ?? 0));
  if (change === undefined || loss === undefined) return false;
  const allowed = rights.find((fact) => fact.allowed && fact.at > loss.at);
  // Once it may be listed it is, after a pause.
  const until = (allowed?.ms ?? Number.POSITIVE_INFINITY) + UNTIL_LISTED_MS;
  const isMeanwhile = ({ at, ms }: { readonly at: number; readonly ms: number }) =>
    at >= loss.at && ms <= until;
  const ends = [...factsOf(trace, 'listed'), ...factsOf(trace, 'died')];
  const isForgotten = writes.some((fact) => fact.content === undefined && isMeanwhile(fact));
  return isMeanwhile(change) && (isForgotten || ends.some(isMeanwhile));
}

/**
 * A process died that alone could know, and its belief about the pod was not sure or not right and not recorded: a pod that
 * restarted without the workload being seen to roll, or an edge that was dirty but neither patched nor recorded.
 */
function wasLostInMemory(trace: Trace, pod: Pod, config: ConfigName): boolean {
  return factsOf(trace, 'died').some((death) => {
    if (death.at < pod.started || death.at > pod.gone || !isBeforeTheEnd(trace, death)) return false;
    if (hasWitness(trace, death.replica, pod.started, death.ms)) return false;
    const belief = death.beliefs.find((one) => one.workload === pod.workload && one.config === config);
    if (belief?.runningDigest === undefined || wasRecorded(trace, death, pod.workload, config)) return false;
    if (belief.mixedPods || isUnwritten(trace, death, belief)) return true;
    return !isTold(pod, belief.runningDigest) && belief.runningDigest !== readBy(trace, pod, config);
  });
}

/** Whether the state tells that the pod may run another content; it tells of each Rollout whose old pods may come back. */
function isTold({ workload }: Pod, digest: string): boolean {
  return workload.startsWith('Rollout/') || digest === '?';
}

/** Whether the state says that nobody knows what the pods run, and no later stamp says something else. */
function wasRecorded(
  trace: Trace,
  { at, state }: Of<'died'>,
  workload: WorkloadName,
  config: ConfigName,
): boolean {
  if (isStampLast(trace, { workload, config }, at) || isCopyUnsilenced(trace, workload, at)) return false;
  return state.overrides[workload]?.[config] === '?';
}

/**
 * Whether a start would believe something else than the process did, where something may have hindered the write: the state
 * says something else, and no later stamp; or a stamp was later, of content that was declined just then, or with an owner's
 * write later still, which may have brought back another one that speaks.
 */
function isUnwritten(trace: Trace, death: Of<'died'>, { workload, config, runningDigest }: Belief): boolean {
  if (trace.accounting === 'strict') return false;
  const { at, state } = death;
  const said = state.overrides[workload]?.[config] ?? state.entries[config];
  const isUnsaid = isStampLast(trace, { workload, config }, at)
    ? isOwnerLast(trace, workload, at) || isSkipped(trace, { workload, config, runningDigest }, death)
    : said !== runningDigest;
  return isUnsaid || isCopyUnsilenced(trace, workload, at);
}

/** To write the state at once. */
const AT_ONCE_MS = 100;

/** Whether what the pods count as having read is in force and not asked for, and came so late that no write may have told it. */
function isSkipped(
  trace: Trace,
  { workload, config, runningDigest }: Pick<Belief, 'workload' | 'config' | 'runningDigest'>,
  { at, ms }: Of<'died'>,
): boolean {
  const content = writesOf(trace, config).findLast((fact) => fact.at <= at);
  const isLate = content !== undefined && ms - content.ms <= AT_ONCE_MS;
  return isLate && content.content === runningDigest && !isFollowing(trace, workload, config, at);
}

/** Whether its owner has written the workload since our last patch of it, by when somebody looks again. */
function isOwnerLast(trace: Trace, workload: WorkloadName, at: number): boolean {
  const looked = factsOf(trace, 'listed').find((listed) => listed.at > at)?.at ?? endOf(trace);
  const patch = factsOf(trace, 'write').findLast((write) => write.to === workload && write.at <= at);
  const owners = factsOf(trace, 'owner-write').findLast(
    (fact) => fact.workload === workload && fact.at <= looked,
  );
  return (owners?.at ?? 0) > (patch?.at ?? 0);
}

/**
 * Whether our last stamp of the object on the workload, not on one of its name before it, is later than our last write of the
 * state.
 */
function isStampLast(
  trace: Trace,
  { workload, config }: Pick<Belief, 'workload' | 'config'>,
  at: number,
): boolean {
  const writes = factsOf(trace, 'write').filter((write) => write.at <= at);
  const stamp = writes.findLast((write) => write.to === workload && isStampOf(write, config));
  const written = writes.findLast((write) => write.to === 'state');
  const deletion = factsOf(trace, 'workload').findLast(
    (fact) => fact.workload === workload && !fact.exists && fact.at <= at,
  );
  return (stamp?.at ?? 0) > Math.max(written?.at ?? 0, deletion?.at ?? 0);
}

/**
 * Whether the process died while there was something to do: the one that is stopped at rest had all the time it needs. Where
 * versions do not compare it may not know, at rest, what a late stream hid from it.
 */
function isBeforeTheEnd(trace: Trace, death: Of<'died'>): boolean {
  if (trace.settings.versions !== 'comparable') return true;
  const settled = trace.facts.findIndex(({ type }) => type === 'settled');
  return settled < 0 || trace.facts.indexOf(death) < settled;
}

/** What no write and no output may ever do. */
function judgeNever(trace: Trace): readonly Violation[] {
  const messages = trace.facts.flatMap((fact): string[] => {
    if (fact.type === 'write') return wrongsOfWrite(fact);
    if (fact.type === 'two-in-flight')
      return [`replica ${fact.replica} sent two patches of ${fact.workload} at once`];
    if (fact.type === 'runaway') return [`replica ${fact.replica} sends requests without end`];
    if (fact.type === 'stuck') return [`replica ${fact.replica} is stuck: ${fact.loops.join(', ')}`];
    if (fact.type !== 'output') return [];
    const leaked = trace.markers.find((marker) => fact.text.includes(marker));
    return leaked === undefined ? [] : [`${fact.where} holds a value: ${fact.text.slice(0, 200)}`];
  });
  return messages.map((message) => ({ law: 'never', message }));
}

function wrongsOfWrite(write: WriteFact): string[] {
  const changed = foreignChange(write.to, write.before, write.after);
  return [
    ...(write.fenced ? [] : [`a write to ${write.to} does not say which version it is based on`]),
    ...(changed === undefined ? [] : [`a write to ${write.to} changed what is not ours: ${changed}`]),
  ];
}
