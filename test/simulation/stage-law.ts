/**
 * Changes in stages. Nobody begins before enough others have been ready with the content, nor with one that is halted. That none
 * waits for ever, and none is lost, is judged as without stages: in the end nothing fails any more, and people let go on what is halted.
 */

import { judgeHalt } from './halt-law.ts';
import type { ConfigName, WorkloadName } from './history.ts';
import {
  canShow,
  isEvidence,
  isFollowingSince,
  isMarkedUnhealthy,
  isResumed,
  orderAt,
  readySince,
  wasReady,
} from './stage-health.ts';
import { contentsStamped } from './stamped-contents.ts';
import { factsOf, isFollowing, type Of, writesOf } from './timeline.ts';
import type { Recorded, Trace, Violation } from './trace.ts';

type Rollout = Of<'write'>;

/** One content of one object, which a rollout brings. */
export interface StagedChange {
  readonly config: ConfigName;
  /** When it came to be in force. */
  readonly since: Of<'content'>;
  /** The numbers of workloads at the ends of stages; undefined: some are a percentage. */
  readonly ends: readonly number[] | undefined;
  /** The first rollouts of other workloads to the content, since it came to be in force, that whoever began this one had to know. */
  readonly begun: readonly Rollout[];
}

/** See the file's comment. */
export function judgeStages(trace: Trace): readonly Violation[] {
  if (trace.settings.staging === undefined) return [];
  const rollouts = factsOf(trace, 'write').filter(
    ({ to, isResume }) => to.includes('/') && isResume !== true,
  );
  return rollouts.flatMap((rollout) => {
    const changes = changesIn(trace, rollouts, rollout);
    const wrongs = [
      ...changes.flatMap((change) => [
        ...judgeTurn(trace, rollout, change),
        ...judgeHalt(trace, rollout, change),
      ]),
      ...(changes.length > 0 ? judgeMark(trace, rollout) : []),
    ];
    return wrongs.map(
      (wrong): Violation => ({
        law: 'never',
        message: `${rollout.to} was rolled at ${rollout.ms} ms, ${wrong}`,
      }),
    );
  });
}

/** The staged changes that a rollout begins with. */
function changesIn(trace: Trace, rollouts: readonly Rollout[], rollout: Rollout): readonly StagedChange[] {
  const configs = [...new Set(factsOf(trace, 'content').map(({ config }) => config))];
  return configs.flatMap((config) => {
    const since = sinceOf(trace, config, rollout.at);
    const stages = since && stagesSince(trace, config, since.at, rollout.at);
    if (since === undefined || stages === undefined || !brings(trace, rollout, since)) return [];
    if (hasBegun(trace, rollout, since)) return [];
    const begun = rollouts.filter(
      (other) => other.at > since.at && mustKnow(trace, other, rollout) && brings(trace, other, since),
    );
    const first = new Map(begun.toReversed().map((other) => [other.to, other]));
    first.delete(rollout.to);
    return { config, since, ends: endsIn(stages), begun: [...first.values()] };
  });
}

/** Whether its pods may run the content already: it was rolled to it, written by its owner, or came, since that is in force. */
function hasBegun(trace: Trace, { to, at }: Rollout, since: Of<'content'>): boolean {
  const isMeanwhile = (fact: Recorded): boolean => fact.at > since.at && fact.at < at;
  return (
    !isFollowingSince(trace, to, since.config, since.at, at) ||
    factsOf(trace, 'write').some((write) => write.to === to && isMeanwhile(write)) ||
    factsOf(trace, 'owner-write').some((fact) => fact.workload === to && isMeanwhile(fact))
  );
}

/** When the content that is in force came to be so. */
function sinceOf(trace: Trace, config: ConfigName, at: number): Of<'content'> | undefined {
  const writes = writesOf(trace, config).filter((write) => write.at <= at);
  const other = writes.findLastIndex(({ content }) => content !== writes.at(-1)?.content);
  const first = writes[other + 1];
  return first?.content === undefined ? undefined : first;
}

/** The stages that were asked for all the time; undefined: none, or others for a while. */
function stagesSince(trace: Trace, config: ConfigName, from: number, to: number): string | undefined {
  const { stages: usual } = trace.settings.staging ?? {};
  const facts = factsOf(trace, 'staged').filter((fact) => fact.config === config && fact.at <= to);
  const begin = Math.max(
    0,
    facts.findLastIndex(({ at }) => at <= from),
  );
  const [first, ...others] = facts.slice(begin).map(({ stages }) => stages ?? (usual && textOf(usual)));
  return others.every((stages) => stages === first) ? first : undefined;
}

function textOf(stages: NonNullable<NonNullable<Trace['settings']['staging']>['stages']>): string {
  return stages.map((end) => ('percent' in end ? `${end.percent}%` : end.count)).join();
}

function endsIn(stages: string): readonly number[] | undefined {
  return stages.includes('%') ? undefined : stages.split(',').map(Number);
}

/** Whether the rollout brought the content that came to be in force by `since`, which the workload did not run before. */
function brings(trace: Trace, rollout: Rollout, { config, content }: Of<'content'>): boolean {
  if (!isFollowing(trace, rollout.to, config, rollout.at)) return false;
  const isStamped = (workload: unknown): boolean => contentsStamped(workload, config).includes(content);
  return isStamped(rollout.after) && !isStamped(rollout.before);
}

/** Whether who began the second one has to know of the first: what was on its way at a take-over apart. */
function mustKnow(trace: Trace, first: Rollout, second: Rollout): boolean {
  if (first.at >= second.at) return false;
  if (first.replica === second.replica) return true;
  const listed = factsOf(trace, 'listed').find(({ replica }) => replica === second.replica);
  return first.at < (listed?.at ?? 0);
}

/** Whether it was its turn: of those before enough have been ready, and all of those whose place is before. */
function judgeTurn(
  trace: Trace,
  rollout: Rollout,
  { config, since, ends, begun }: StagedChange,
): readonly string[] {
  if (isResumed(trace, config, since.at, rollout.at)) return [];
  const counted = begun.filter(
    (other) =>
      isEvidence(trace, other, rollout) && isFollowingSince(trace, other.to, config, other.at, rollout.at),
  );
  const isUnready = (other: Rollout) => !wasReady(trace, other, rollout);
  const isLast = !canShow(trace, rollout);
  const own = orderAt(trace, rollout.to, rollout.at);
  const waited = counted.filter(
    (other) => isUnready(other) && (isLast || orderAt(trace, other.to, rollout.at) < own),
  );
  if (waited.length > 0) return [`before ${waited.map(({ to }) => to).join()} was ready with ${config}`];
  if (isLast || ends === undefined) return [];
  const needed = ends.findLast((end) => end <= counted.length) ?? 0;
  const ready =
    begun.filter((other) => !isUnready(other)).length + runningBefore(trace, rollout, since, begun);
  if (ready >= needed) return [];
  return [
    `beside ${counted.map(({ to }) => to).join()}, of which ${ready} were ready with ${config}, not ${needed}`,
  ];
}

/** How many others run the content that have not begun with it since it is in force: from before, or by an undo. */
function runningBefore(
  trace: Trace,
  rollout: Rollout,
  { config, content }: Of<'content'>,
  begun: readonly Rollout[],
): number {
  const others = new Set<WorkloadName>(factsOf(trace, 'workload').map(({ workload }) => workload));
  for (const { to } of [rollout, ...begun]) others.delete(to);
  return [...others].filter((workload) => {
    const last = factsOf(trace, 'write').findLast((write) => write.to === workload && write.at < rollout.at);
    const isOfIt = last !== undefined && contentsStamped(last.after, config).includes(content);
    return isOfIt && isFollowing(trace, workload, config, rollout.at);
  }).length;
}

/** Whether it says beside its stamps that it was not healthy before, if so, and else does not. Judged where news comes at once. */
function judgeMark(trace: Trace, rollout: Rollout): readonly string[] {
  if (trace.accounting === 'each' || isMarkedUnhealthy(rollout.before)) return [];
  const isMarked = isMarkedUnhealthy(rollout.after);
  return isMarked && readySince(trace, rollout) > 0
    ? ['and counts as unhealthy before, which it was not']
    : [];
}
