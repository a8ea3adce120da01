/** Questions about a trace: what was in force when, who was there, who looked. */

import type { ConfigName, Content, WorkloadName } from './history.ts';
import type { Asked } from './manifests.ts';
import type { Fact, Recorded, Trace } from './trace.ts';

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
  readonly from: number;
  /** When the next reloader had listed everything; Infinity: never. */
  readonly to: number;
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
  const mark = writesOf(trace, config).findLast((write) => write.at <= at)?.mark;
  if (mark === 'ignore' || excludes.includes(config)) return false;
  return names.includes(config) || by === 'auto' || (by === 'search' && mark === 'match');
}

/** Everything that was written to the object. */
export function writesOf(trace: Trace, config: ConfigName): readonly Of<'content'>[] {
  return factsOf(trace, 'content').filter((fact) => fact.config === config);
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

/** What a pod reads of an object: one that was absent is waited for, as a kubelet does. */
export function readBy(trace: Trace, pod: Pod, config: ConfigName): Content | undefined {
  const first = () =>
    factsOf(trace, 'content').find(
      (fact) => fact.config === config && fact.at > pod.started && fact.content !== undefined,
    );
  return pod.reads[config] ?? first()?.content;
}

/** When no reloader was looking. What its streams had not yet told one that died counts as after its death. */
export function absencesOf(trace: Trace): readonly Absence[] {
  const absences: Absence[] = [];
  const looking = new Set<number>();
  let from: number | undefined = 0;
  for (const fact of trace.facts) {
    if (fact.type === 'listed') {
      if (from !== undefined) absences.push({ from, to: fact.at });
      from = undefined;
      looking.add(fact.replica);
    }
    if (fact.type === 'died' && looking.delete(fact.replica) && looking.size === 0) from = fact.knewUntil;
  }
  if (from !== undefined) absences.push({ from, to: Number.POSITIVE_INFINITY });
  return absences;
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

/** Who began to ask in an absence is taken to run what the state says, where the next start finds just that in force. */
function foundAsWritten(trace: Trace, config: ConfigName, begin: number): Of<'listed'> | undefined {
  const absence = absencesOf(trace).find(({ from, to }) => from < begin && begin <= to);
  const listed = factsOf(trace, 'listed').find(({ at }) => at === absence?.to);
  const content = listed && contentAt(trace, config, listed.at);
  return content !== undefined && listed?.state.entries[config] === content ? listed : undefined;
}

/**
 * Where the edge's baseline was taken, as of position `end`: since the workload asks for the object (again), the object
 * exists, and a reloader has listed it that did not know it from the state. A mark that comes with new content asks for
 * that content: what was before is the baseline.
 */
export function baselineOf(trace: Trace, workload: WorkloadName, config: ConfigName, end: number): number {
  const ofWorkload = factsOf(trace, 'workload').filter((fact) => fact.workload === workload);
  const begins = [...ofWorkload, ...writesOf(trace, config)]
    .filter(({ at }) => at <= end && isFollowing(trace, workload, config, at))
    .filter(({ at }) => !isFollowing(trace, workload, config, at - 1))
    .map(({ type, at }) => (type === 'content' ? at - 1 : at));
  let begin = begins.length === 0 ? end : Math.max(...begins);
  for (const { lost, at } of factsOf(trace, 'listed')) {
    if (at <= end && (lost.configs.includes(config) || lost.workloads.includes(workload)))
      begin = Math.max(begin, at);
  }
  begin = foundAsWritten(trace, config, begin)?.at ?? begin;
  if (contentAt(trace, config, begin) !== undefined) return begin;
  const first = factsOf(trace, 'content').find(
    (fact) => fact.config === config && fact.at > begin && fact.content !== undefined,
  );
  return first?.at ?? end;
}
