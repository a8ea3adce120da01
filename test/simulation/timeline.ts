/** Questions about a trace: what was in force when, who was there, who looked. */

import { BOOKMARK_MS } from '../sandbox/watch-hub.ts';
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
export interface MissingObject {
  readonly from: number;
  /** When the next reloader had listed everything; Infinity: never. */
  readonly to: number;
}

/** What is different in the entries since the fact before. */
export interface EntryChange {
  readonly fact: Of<'entries'>;
  readonly begun: readonly ConfigName[];
  readonly gone: readonly ConfigName[];
}

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

/** The content in force just after position `at`; undefined: absent. */
export function contentAt(trace: Trace, config: ConfigName, at: number): Content | undefined {
  return factsOf(trace, 'content').findLast((fact) => fact.config === config && fact.at <= at)?.content;
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

/** To hear of a selection and to write the state. */
const ENOUGH_MS = 100;

/** Whether people want rollouts in the namespace, just after position `at`. */
export function isSelectedAt(trace: Trace, at: number): boolean {
  const { selected } = trace.settings;
  if (selected === undefined) return true;
  return factsOf(trace, 'selection').findLast((fact) => fact.at <= at)?.selected ?? selected;
}

/** The same, and from `begin` on for long enough to be acted on. */
function isSelectedForLong(trace: Trace, at: number, begin: number): boolean {
  const facts = factsOf(trace, 'selection');
  const [selected, end] = [facts.findLast((fact) => fact.at <= at), facts.find((fact) => fact.at > at)];
  const since = Math.max(selected?.ms ?? 0, trace.facts.findLast((fact) => fact.at <= begin)?.ms ?? 0);
  return isSelectedAt(trace, at) && (end?.ms ?? Number.POSITIVE_INFINITY) - since >= ENOUGH_MS;
}

/** Whether the state has an entry of the object just after position `at`. */
export function hasEntryAt(trace: Trace, config: ConfigName, at: number): boolean {
  return (
    factsOf(trace, 'entries')
      .findLast((fact) => fact.at <= at)
      ?.of.includes(config) === true
  );
}

/** What each write of the state began and gave up entries of; none where people edit the state themselves. */
export function entryChangesOf(trace: Trace): readonly EntryChange[] {
  if (factsOf(trace, 'state-edited').length > 0) return [];
  const facts = factsOf(trace, 'entries').filter(({ at }) => at <= endOf(trace));
  return facts.map((fact, index) => {
    const before = facts[index - 1]?.of ?? [];
    return {
      fact,
      begun: fact.of.filter((config) => !before.includes(config)),
      gone: before.filter((config) => !fact.of.includes(config)),
    };
  });
}

/** What a workload was just after position `at`; undefined: it does not exist. */
export function workloadAt(trace: Trace, workload: WorkloadName, at: number): Of<'workload'> | undefined {
  const fact = factsOf(trace, 'workload').findLast(
    (candidate) => candidate.workload === workload && candidate.at <= at,
  );
  return fact?.exists === true ? fact : undefined;
}

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

/**
 * How long after a change a workload that begins to name the object may still have read what was before: where versions
 * cannot be compared, since the last sign of life of its stream.
 */
export function doubtMsOf({ settings }: Trace): number {
  return settings.versions === 'comparable' ? 0 : BOOKMARK_MS + 1000;
}

/** Everything that was written to the object. */
export function writesOf(trace: Trace, config: ConfigName): readonly Of<'content'>[] {
  return factsOf(trace, 'content').filter((fact) => fact.config === config);
}

/** Our rollouts of the workload, as they were written. */
export function rolloutsOf(trace: Trace, workload: WorkloadName): readonly Of<'write'>[] {
  return factsOf(trace, 'write').filter(({ to, isResume }) => to === workload && isResume !== true);
}

/** All workloads that ever were. */
export function workloadsOf(trace: Trace): readonly WorkloadName[] {
  return [...new Set(factsOf(trace, 'workload').map(({ workload }) => workload))];
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
  return firstAfter(trace, config, pod.started)?.content ?? inForceAt(trace, config, pod.started);
}

/** When the object comes to be after position `at`. */
function firstAfter(trace: Trace, config: ConfigName, at: number): Of<'content'> | undefined {
  return writesOf(trace, config).find((fact) => fact.at > at && fact.content !== undefined);
}

/** When no reloader was looking. What its streams had not yet told one that died counts as after its death. */
export function absencesOf(trace: Trace): readonly MissingObject[] {
  const missingObjects: MissingObject[] = [];
  const looking = new Set<number>();
  let from: number | undefined = 0;
  for (const fact of trace.facts) {
    if (fact.type === 'listed') {
      if (from !== undefined) missingObjects.push({ from, to: fact.at });
      from = undefined;
      looking.add(fact.replica);
    }
    if (fact.type === 'died' && looking.delete(fact.replica) && looking.size === 0) from = fact.knewUntil;
  }
  if (from !== undefined) missingObjects.push({ from, to: Number.POSITIVE_INFINITY });
  return missingObjects;
}

/** Whether a replica other than `but` had listed before `before` and is alive a second after `ms`. */
export function hasWitness(trace: Trace, but: number, before: number, ms: number): boolean {
  return factsOf(trace, 'listed').some(
    ({ replica, at }) =>
      replica !== but &&
      at < before &&
      !factsOf(trace, 'died').some((death) => death.replica === replica && death.ms <= ms + 1000),
  );
}

/**
 * Who began to ask in an absence is taken to run what the state says: where the next start finds just that in force, as of
 * that start; where it finds nothing, as of when that was in force last.
 */
function foundAsWritten(trace: Trace, config: ConfigName, begin: number): number | undefined {
  const missingObject = absencesOf(trace).find(({ from, to }) => from < begin && begin <= to);
  const listed = factsOf(trace, 'listed').find(({ at }) => at === missingObject?.to);
  const written = listed?.state.entries[config];
  if (listed === undefined || written === undefined) return undefined;
  const content = inForceAt(trace, config, listed.at);
  if (content !== undefined) return content === written ? listed.at : undefined;
  return writesOf(trace, config).findLast((write) => write.at < listed.at && write.content === written)?.at;
}

/** What was before new content that brought a mark with it. */
function beforeMark(trace: Trace, workload: WorkloadName, { config, at }: Of<'content'>): number {
  return contentAt(trace, config, at - 1) === undefined ? lastNamed(trace, workload, config, at) : at - 1;
}

/**
 * When there was content of an object last that is not there until position `at`, while the workload named it, asked for or
 * not: its pods count as having read that.
 */
function lastNamed(trace: Trace, workload: WorkloadName, config: ConfigName, at: number): number {
  // Its absence was followed too, and that it comes to be rolls nothing.
  if (countsDeletion(trace, config) && !countsCreation(trace, config)) return at;
  const last = writesOf(trace, config).findLast((write) => write.at < at && write.content !== undefined);
  const names = (moment: number) => workloadAt(trace, workload, moment)?.follows.includes(config) === true;
  const begin = factsOf(trace, 'workload').findLast(
    (fact) => fact.workload === workload && fact.at <= at && names(fact.at) && !names(fact.at - 1),
  );
  return Math.max(last?.at ?? at - 1, begin?.at ?? 0);
}

/**
 * Where the edge's baseline was taken, as of position `end`: since the workload asks for the object (again), the object
 * exists, and a reloader has listed it that did not know it from the state. A mark that comes with new content asks for
 * that content: what was before is the baseline.
 */
export function baselineOf(trace: Trace, workload: WorkloadName, config: ConfigName, end: number): number {
  const asked = lastAsked(trace, workload, config, end);
  const there = firstThere(trace, config, foundAsWritten(trace, config, asked) ?? asked) ?? end;
  return firstThere(trace, config, begunAt(trace, config, there) ?? end) ?? end;
}

/**
 * The same, and when its entry came to be: where news may be late, what came before that may never have been heard of, or it
 * may.
 */
export function baselinesOf(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  end: number,
): readonly number[] {
  const first = baselineOf(trace, workload, config, end);
  return trace.accounting === 'each' ? [first, sinceWritten(trace, config, first)] : [first];
}

/** Since when the workload asks for the object, or a reloader has listed either that did not know it from the state. */
function lastAsked(trace: Trace, workload: WorkloadName, config: ConfigName, end: number): number {
  return Math.max(...askedSince(trace, workload, config, end));
}

/**
 * Since a reloader listed either that did not know it from the state: each time when the workload began to ask for the
 * object. What is not asked for is followed all the same, so that the first of them may be what its pods still run.
 */
export function askedSince(
  trace: Trace,
  workload: WorkloadName,
  config: ConfigName,
  end: number,
): readonly number[] {
  const ofWorkload = factsOf(trace, 'workload').filter((fact) => fact.workload === workload);
  const begins = [...ofWorkload, ...writesOf(trace, config)]
    .filter(({ at }) => at <= end && isFollowing(trace, workload, config, at))
    .filter(({ at }) => !isFollowing(trace, workload, config, at - 1))
    .map((fact) => {
      if (fact.type === 'content') return beforeMark(trace, workload, fact);
      return isAwaited(trace, config, fact.at) ? lastNamed(trace, workload, config, fact.at) : fact.at;
    });
  if (begins.length === 0) return [end];
  const lost = factsOf(trace, 'listed')
    .filter(({ at }) => at <= end)
    .filter((listed) => isLost(listed, workload, config))
    .at(-1);
  return lost === undefined ? begins : [lost.at, ...begins.filter((at) => at > lost.at)];
}

/** Whether what the state said of the edge is lost. Beside an entry whose key is lost an exception still says that something is owed. */
function isLost({ lost, state }: Of<'listed'>, workload: WorkloadName, config: ConfigName): boolean {
  if (lost.workloads.includes(workload)) return true;
  const isSaid = lost.keyed?.includes(config) === true && state.overrides[workload]?.[config] !== undefined;
  return lost.configs.includes(config) && !isSaid;
}

/** Whether the object is not there, and nothing counts until it is. */
function isAwaited(trace: Trace, config: ConfigName, at: number): boolean {
  return inForceAt(trace, config, at) === undefined && !countsCreation(trace, config);
}

/** From position `begin` on: when there is content, or its absence counts as such. */
function firstThere(trace: Trace, config: ConfigName, begin: number): number | undefined {
  if (contentAt(trace, config, begin) !== undefined || countsCreation(trace, config)) return begin;
  return firstAfter(trace, config, begin)?.at ?? (countsDeletion(trace, config) ? begin : undefined);
}

/** The guarantees count from the entry on. */
function sinceWritten(trace: Trace, config: ConfigName, begin: number): number {
  if (hasEntryAt(trace, config, begin)) return begin;
  const written = factsOf(trace, 'entries').find(({ at, of }) => at > begin && of.includes(config));
  return written?.at ?? begin;
}

/** Whether there is something at position `at` that an entry could say. */
function isThere(trace: Trace, config: ConfigName, at: number): boolean {
  return firstThere(trace, config, at) === at;
}

/** When the object came to be that is there at position `at`. */
function cameAt(trace: Trace, config: ConfigName, at: number): number {
  const writes = writesOf(trace, config).filter((write) => write.at <= at);
  const absent = writes.findLastIndex(({ content }) => content === undefined);
  return writes[absent + 1]?.at ?? 0;
}

/**
 * Since when what is in force is known of an object that somebody follows: where namespaces are selected, since the state has
 * an entry of it, or since its namespace is selected and it is followed, if one hears of that at once and there is the time
 * to write it.
 */
function begunAt(trace: Trace, config: ConfigName, begin: number): number | undefined {
  const isHeard = trace.accounting !== 'each';
  const isBegun = (at: number): boolean =>
    hasEntryAt(trace, config, at) ||
    (isHeard &&
      isThere(trace, config, at) &&
      isSelectedForLong(trace, at, Math.max(begin, cameAt(trace, config, at))));
  if (trace.settings.selected === undefined || isBegun(begin)) return begin;
  return [...factsOf(trace, 'entries'), ...factsOf(trace, 'selection'), ...writesOf(trace, config)]
    .map(({ at }) => at)
    .sort((a, b) => a - b)
    .find((at) => at > begin && isBegun(at));
}

/** Whether the state has not been written since the workload came with a copied stamp, which a start would believe. */
export function isCopyUnsilenced(trace: Trace, workload: WorkloadName, at: number): boolean {
  const copy = factsOf(trace, 'owner-write').findLast(
    (fact) => fact.copied && fact.workload === workload && fact.at <= at,
  );
  const written = factsOf(trace, 'write').findLast((write) => write.to === 'state' && write.at <= at);
  return copy !== undefined && (written?.at ?? 0) < copy.at;
}
