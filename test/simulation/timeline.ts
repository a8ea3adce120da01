/** Questions about a trace: what was in force when, who was there, who looked. */

import { BOOKMARK_MS } from '../sandbox/watch-hub.ts';
import { resourceOf } from './api.ts';
import type { ConfigName, Content, TemplateStamp, WorkloadName } from './history.ts';
import type { Asked } from './manifests.ts';
import type { Fact, Read, Recorded, Trace } from './trace.ts';

/** A fact of one type. */
export type Of<T extends Fact['type']> = Extract<Recorded, { readonly type: T }>;

/** A pod's life. `gone` is Infinity for one that still runs. */
export interface Pod {
  readonly name: string;
  readonly workload: WorkloadName;
  readonly started: number;
  readonly gone: number;
  readonly reads: Readonly<Record<ConfigName, Content | undefined>>;
}

/** A stretch of the trace, by positions, in which no reloader was looking. */
export interface Absence {
  /** What came after this may not have been written down any more. */
  readonly from: number;
  /** When the next reloader had listed everything; Infinity: never. */
  readonly to: number;
  readonly toMs: number;
}

/** Until a pause that is over is ended, and what is late is heard. */
export const LATE_MS = 130_000;
/** Which of two came first in one moment, no two streams tell. */
const ABOUT_MS = 100;
/** The longest pause between two lists that are refused, and some. */
const UNTIL_LISTED_MS = 60_000;
/** From an event to the write that it makes due, where every request is answered. */
/** Until who has met a contest leads again, and has listed. */
const CONTEST_MS = 15_000;
const MOMENT_MS = 1500;

/** The facts of one type, in order. Sorted out once per trace: a trace that is judged does not grow. */
export function factsOf<T extends Fact['type']>(trace: Trace, type: T): readonly Of<T>[] {
  const types = SORTED.get(trace) ?? Map.groupBy(trace.facts, (fact) => fact.type);
  SORTED.set(trace, types);
  return (types.get(type) ?? []) as readonly Recorded[] as readonly Of<T>[];
}

const SORTED = new WeakMap<Trace, Map<Fact['type'], Recorded[]>>();

/** The position from which on nothing happens any more. */
export function endOf(trace: Trace): number {
  return factsOf(trace, 'settled')[0]?.at ?? trace.facts.length;
}

/** Whether requests or streams have gone wrong until position `at`: whatever is seen from then on may be late, or not be answered. */
export function isTroubledAt(trace: Trace, at: number): boolean {
  return troublesOf(trace).some((fact) => fact.at <= at);
}

/** When requests or streams begin to go wrong. */
export function troublesOf(trace: Trace): readonly Recorded[] {
  return [...factsOf(trace, 'trouble'), ...factsOf(trace, 'hindered'), ...factsOf(trace, 'rights')];
}

/** Whether a blocker may make the workload wait, or who takes its stamps back. */
export function mayWait(trace: Trace, workload: WorkloadName): boolean {
  const { pace, budget, staging, selected, argo, classes, evictions } = trace.settings;
  return (
    (pace ?? budget ?? staging ?? selected ?? argo ?? classes ?? evictions) !== undefined ||
    about(trace, 'workload', workload).some(({ isHeld }) => isHeld) ||
    [...about(trace, 'refused', workload), ...about(trace, 'taken-back', workload)].length > 0
  );
}

/** The content in force just after position `at`; undefined: absent. */
export function contentAt(trace: Trace, config: ConfigName, at: number): Content | undefined {
  return writesOf(trace, config).findLast((fact) => fact.at <= at)?.content;
}

/** Whether pods are rolled because the object comes to be that they started without: only if they can do without it. */
export function countsCreation({ settings }: Trace, config: ConfigName): boolean {
  return settings.presence?.onCreate === true && settings.required?.includes(config) !== true;
}

/** Whether pods are rolled because the object is deleted: only if they can do without it. */
export function countsDeletion({ settings }: Trace, config: ConfigName): boolean {
  return settings.presence?.onDelete === true && settings.required?.includes(config) !== true;
}

/** What pods should have read just after position `at`; undefined: nothing is asked of an object that is absent. */
export function inForceAt(trace: Trace, config: ConfigName, at: number): Read | undefined {
  return contentAt(trace, config, at) ?? (countsDeletion(trace, config) ? '-' : undefined);
}

/** The same; of an object that is absent what it was last, unless its deletion counts. */
export function lastInForceAt(trace: Trace, config: ConfigName, at: number): Read | undefined {
  const last = writesOf(trace, config).findLast((fact) => fact.at <= at && fact.content !== undefined);
  return inForceAt(trace, config, at) ?? last?.content ?? (countsCreation(trace, config) ? '-' : undefined);
}

/** Whether people want rollouts in the namespace, just after position `at`. */
export function isSelectedAt(trace: Trace, at: number): boolean {
  const { selected } = trace.settings;
  if (selected === undefined) return true;
  return factsOf(trace, 'selection').findLast((fact) => fact.at <= at)?.selected ?? selected;
}

/** What a workload was just after position `at`; undefined: it does not exist. */
export function workloadAt(trace: Trace, workload: WorkloadName, at: number): Of<'workload'> | undefined {
  const fact = about(trace, 'workload', workload).findLast((candidate) => candidate.at <= at);
  return fact?.exists === true ? fact : undefined;
}

/** The facts of one type about a workload. */
export function about<T extends OfWorkload['type']>(
  trace: Trace,
  type: T,
  workload: WorkloadName,
): readonly Of<T>[] {
  const facts = factsOf(trace, type) as readonly Recorded[] as readonly OfWorkload[];
  return facts.filter((fact) => fact.workload === workload) as readonly Recorded[] as readonly Of<T>[];
}

type OfWorkload = Extract<Recorded, { readonly workload: WorkloadName }>;

/** Whether the workload exists and asks for the object, as both are just after position `at`. */
export function isFollowing(trace: Trace, workload: WorkloadName, config: ConfigName, at: number): boolean {
  const fact = workloadAt(trace, workload, at);
  if (fact?.follows.includes(config) !== true) return false;
  const { names, by, excludes }: Asked = fact.asked ?? { names: fact.follows, by: 'names', excludes: [] };
  // The native words about marks and what is excluded are not those of the pattern.
  if (by === 'pattern') return true;
  const mark = markAt(trace, config, at);
  if (mark === 'ignore' || excludes.includes(config)) return false;
  return names.includes(config) || by === 'auto' || (by === 'search' && mark === 'match');
}

function markAt(trace: Trace, config: ConfigName, at: number): TemplateStamp | undefined {
  return writesOf(trace, config).findLast((write) => write.at <= at)?.mark;
}

/** How long after a change pods may have started with what was before, for all that a process knows. */
export function doubtMsOf({ settings }: Trace): number {
  // A watch that has just begun anew gives its first sign of life after as long again.
  return settings.versions === 'comparable' ? 0 : 2 * BOOKMARK_MS + 1000;
}

/** Everything that was written to the object. */
export function writesOf(trace: Trace, config: ConfigName): readonly Of<'content'>[] {
  return factsOf(trace, 'content').filter((fact) => fact.config === config);
}

/** Our rollouts of the workload, as they were written. */
export function rolloutsOf(trace: Trace, workload: WorkloadName): readonly Of<'write'>[] {
  return factsOf(trace, 'write').filter(({ to, isResume }) => to === workload && isResume !== true);
}

/** Whether some pod of the workload is not one of its present template. */
export function isRollingAt(trace: Trace, workload: WorkloadName, until: number): boolean {
  return about(trace, 'rolling', workload).findLast(({ at }) => at <= until)?.rolling === true;
}

/** All workloads that ever were. */
export function workloadsOf(trace: Trace): readonly WorkloadName[] {
  return [...new Set(factsOf(trace, 'workload').map(({ workload }) => workload))];
}

/** Those of the kinds that are stamped, and whose pods were never to be evicted. */
export function stampedIn(trace: Trace): readonly WorkloadName[] {
  const evicts = (name: WorkloadName): boolean =>
    about(trace, 'workload', name).some((fact) => fact.evicts === true);
  return workloadsOf(trace).filter((name) => /^(Deploy|Stateful|Daemon)/.test(name) && !evicts(name));
}

/** Whether the changes of some object waited for nothing. */
export function hasUrgent(trace: Trace): boolean {
  return factsOf(trace, 'staged').some(({ isUrgent }) => isUrgent === true);
}

/** All pods that ever were. */
export function podsOf(trace: Trace): readonly Pod[] {
  const gone = new Map(factsOf(trace, 'pod-gone').map(({ pod, at }) => [pod, at]));
  return factsOf(trace, 'pod-started').map(({ pod, workload, reads, at }) => {
    return { name: pod, workload, started: at, gone: gone.get(pod) ?? Number.POSITIVE_INFINITY, reads };
  });
}

/**
 * What a pod counts as having read of an object. Where it does not count that one comes to be, one that was absent is waited
 * for, as a kubelet does.
 */
export function readBy(trace: Trace, pod: Pod, config: ConfigName): Read | undefined {
  const read = pod.reads[config];
  if (read !== undefined) return read;
  if (countsCreation(trace, config)) return '-';
  const first = writesOf(trace, config).find(({ at, content }) => at > pod.started && content !== undefined);
  return first?.content ?? inForceAt(trace, config, pod.started);
}

/** When no reloader was looking, or may not have written down any more what it saw. */
export function absencesOf(trace: Trace): readonly Absence[] {
  const absences: Absence[] = [];
  const looking = new Set<number>();
  let from: number | undefined = 0;
  for (const fact of trace.facts) {
    if (fact.type === 'listed') {
      if (from !== undefined) absences.push({ from, to: fact.at, toMs: fact.ms });
      from = undefined;
      looking.add(fact.replica);
    }
    if (fact.type === 'died' && looking.delete(fact.replica) && looking.size === 0)
      from = Math.min(fact.knewUntil, writtenBefore(trace, fact));
  }
  if (from !== undefined)
    absences.push({ from, to: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY });
  // Who finds the mark of another cluster leads no more for ten seconds, without a last write.
  const contests = factsOf(trace, 'lease-edited').map(({ ms }) => {
    const toMs = ms + CONTEST_MS;
    return { from: positionAt(trace, ms - MOMENT_MS), to: positionAt(trace, toMs), toMs };
  });
  return [...absences, ...contests];
}

/** Whether the object changed while the workload's kind was not listed for want of rights, and a process died since those went. */
export function changedUnlisted(trace: Trace, workload: WorkloadName, config: ConfigName): boolean {
  const rights = factsOf(trace, 'rights').filter(({ resource }) => resource === resourceOf(workload));
  const last = factsOf(trace, 'died').findLast(({ at }) => at < endOf(trace))?.at ?? -1;
  return writesOf(trace, config).some(({ at, ms }) => {
    const [right, gone] = [true, false].map((isAny) =>
      rights.findLast((fact) => fact.at <= at && (isAny || !fact.allowed)),
    );
    const isUnlisted = right !== undefined && (!right.allowed || ms - right.ms < UNTIL_LISTED_MS);
    return isUnlisted && last >= (gone?.at ?? Number.POSITIVE_INFINITY);
  });
}

type At = Pick<Recorded, 'at' | 'ms'>;

/** Since when it is known what the workload runs: it asks for the object, which is there, where rollouts are wanted; each time that this begins. */
export function beginningsOf(trace: Trace, workload: WorkloadName, config: ConfigName, until: At): At[] {
  const [listed = { at: 0, ms: 0 }] = factsOf(trace, 'listed');
  const wishes = [...about(trace, 'workload', workload), ...factsOf(trace, 'selection')];
  const isKnown = ({ at }: At): boolean =>
    isSelectedAt(trace, at) &&
    lastInForceAt(trace, config, at) !== undefined &&
    isFollowing(trace, workload, config, at);
  const moments: readonly At[] = [listed, ...wishes, ...writesOf(trace, config)]
    .filter(({ at }) => at >= listed.at && at <= until.at)
    .toSorted((a, b) => a.at - b.at);
  return moments.filter((moment, index) => {
    const before = moments[index - 1];
    return isKnown(moment) && !(before !== undefined && isKnown(before));
  });
}

/** Whether the object, which was there, was written about then: which of both came first, nobody can know. */
export function isWrittenNear(trace: Trace, config: ConfigName, { ms }: At): boolean {
  const nearMs = Math.max(ABOUT_MS, doubtMsOf(trace));
  return writesOf(trace, config).some(
    (write) => Math.abs(write.ms - ms) <= nearMs && contentAt(trace, config, write.at - 1) !== undefined,
  );
}

/** Whether a content came and went, and what was there before came back, while a late stream told of neither. */
export function wasBrief(trace: Trace, came: Recorded, gone: Recorded, config: ConfigName): boolean {
  const isBack = contentAt(trace, config, came.at - 1) === contentAt(trace, config, gone.at);
  const isLate = troublesOf(trace).some(({ at, ms }) => at <= came.at && gone.ms - ms < LATE_MS);
  return doubtMsOf(trace) > 0 && isBack && isLate;
}

/** Up to where a process that died has certainly written down what was due. */
function writtenBefore(trace: Trace, { at, ms }: Of<'died'>): number {
  const moment = positionAt(trace, ms - MOMENT_MS);
  if (!isTroubledAt(trace, at)) return moment;
  const written = factsOf(trace, 'write').findLast((write) => write.to === 'state' && write.at <= at);
  return Math.min(moment, written?.at ?? 0);
}

/** The last position until that time. */
export function positionAt(trace: Trace, untilMs: number): number {
  return trace.facts.findLast(({ ms }) => ms <= untilMs)?.at ?? 0;
}

/** Whether a pod that started after the position `since` runs something else at `at` than what is current. */
export function runsOther(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  since: number,
  at: number,
): boolean {
  const there = podsOf(trace).filter(({ started, gone }) => started > since && started <= at && gone > at);
  const current = lastInForceAt(trace, config, at);
  return there.some((pod) => pod.workload === workload && ![undefined, current].includes(pod.reads[config]));
}

/** Whether one of its objects, its template or its pods changed between the two positions. */
export function isAffected(trace: Trace, workload: WorkloadName, from: number, to: number): boolean {
  const named = about(trace, 'workload', workload).flatMap(({ follows }) => follows);
  return trace.facts.some((fact) => {
    const isOfIt =
      fact.type === 'content'
        ? named.includes(fact.config)
        : ('workload' in fact && fact.workload === workload) ||
          (fact.type === 'write' && fact.to === workload);
    return isOfIt && fact.at > from && fact.at <= to;
  });
}
