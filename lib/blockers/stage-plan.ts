/**
 * Which workloads may begin now, of those that one change concerns. The change goes to the first part of them, and to the next one
 * when all before have stayed ready. Only workloads that can give evidence are counted: those that can give none go after the last
 * stage, so that they hold up no other. Pure: all of it follows from what the workloads run, so a process that takes over goes on.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { StageEnd } from '../model/settings.ts';
import type { ChangeStatus } from '../model/status-report.ts';

/** One workload that the change concerns, and that nothing but the stages may keep from being rolled. */
export interface Member {
  readonly key: ObjectKey;
  /** See rolloutOrderOf: each one is a stage of its own. */
  readonly order: number;
  readonly replicas: number;
  /** Whether pods with the new content can show that it is good. */
  readonly givesEvidence: boolean;
  /** `waiting`: it has to be rolled; `rolling`: its pods are not all ready with it, or not for long enough; else `ready`. */
  readonly state: 'waiting' | 'rolling' | 'ready';
}

/** The last stage is all of them, whatever the stages say. */
const ALL: StageEnd = { percent: 100 };

/** How far a change has come. */
export interface StagePlan extends Pick<ChangeStatus, 'stage' | 'stages' | 'total' | 'begun' | 'ready'> {
  /** Those that may begin now. */
  readonly next: readonly ObjectKey[];
  /** All that have not begun, in their turn. */
  readonly waiting: readonly ObjectKey[];
}

/** The stage in which a workload begins, from 1, of so many, and where that stage ends. */
export interface Turn {
  readonly stage: number;
  readonly stages: number;
  readonly end: StageEnd;
}

/** The plan for these workloads. */
export function planStages(members: readonly Member[], stages: readonly StageEnd[]): StagePlan {
  const counted = members.filter(({ givesEvidence }) => givesEvidence);
  const of = (state: Member['state']): Member[] => counted.filter((member) => member.state === state);
  const [waiting, rolling, ready] = [of('waiting').toSorted(inTurn), of('rolling'), of('ready')];
  // Those that can give no evidence begin once all others are ready, at the pace of the budget.
  const rest = keysOf(members.filter(({ givesEvidence, state }) => !givesEvidence && state === 'waiting'));
  const begun = rolling.length + ready.length;
  const ends = endsOf(stages, counted.length);
  const at = ends.findIndex((end) => (rolling.length > 0 ? end >= begun : end > begun));
  const progress = {
    stage: at === -1 ? ends.length : at + 1,
    stages: ends.length,
    total: counted.length,
    begun,
    ready: ready.length,
    waiting: [...keysOf(waiting), ...rest],
  };
  if (waiting.length === 0) return { ...progress, next: rolling.length > 0 ? [] : rest };
  const order = Math.min(...[...waiting, ...rolling].map((member) => member.order));
  const first = waiting.filter((member) => member.order === order);
  return { ...progress, next: keysOf(first.slice(0, Math.max(0, (ends[at] ?? 0) - begun))) };
}

/** The turns of those that have not begun; undefined for one that begins after the last stage. */
export function turnsOf(
  { waiting, begun, total }: StagePlan,
  stages: readonly StageEnd[],
): ReadonlyMap<ObjectKey, Turn | undefined> {
  const ends = endsOf(stages, total);
  const turnOf = (place: number): Turn | undefined => {
    const at = ends.findIndex((end) => begun + place < end);
    return at === -1 ? undefined : { stage: at + 1, stages: ends.length, end: stages[at] ?? ALL };
  };
  return new Map(waiting.map((key, place) => [key, turnOf(place)]));
}

/** How many workloads have begun at the end of each stage: rounded up, each at least one more than the one before, the last one all. */
export function endsOf(stages: readonly StageEnd[], total: number): readonly number[] {
  const ends: number[] = [];
  for (const stage of [...stages, ALL]) {
    const last = ends.at(-1) ?? 0;
    if (last >= total) break;
    const wanted = 'percent' in stage ? Math.ceil((stage.percent * total) / 100) : stage.count;
    ends.push(Math.min(total, Math.max(last + 1, wanted)));
  }
  return ends;
}

function inTurn(one: Member, other: Member): number {
  return one.order - other.order || one.replicas - other.replicas || (one.key < other.key ? -1 : 1);
}

function keysOf(members: readonly Member[]): readonly ObjectKey[] {
  return members.map(({ key }) => key);
}
