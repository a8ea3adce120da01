/** The rules of changes in stages: who begins, is waited for, fails or proves a content. Pure; see test/exhaustive/stages. */

import type { ObjectKey } from '../model/object-ref.ts';
import type { StageEnd } from '../model/settings.ts';
import type { ChangeStatus } from '../model/status-report.ts';
import { formatDuration } from '../model/time.ts';

/** A workload that the change of a content concerns. */
export interface Member {
  readonly key: ObjectKey;
  /** Each one is a stage of its own. */
  readonly order: number;
  readonly replicas: number;
  /** `blocked`: it waits, but not only for stages; `begun`: it carries the content. */
  readonly state: 'waiting' | 'blocked' | 'begun';
  /** `kept`: no patch replaces them; `none`: there are none, or its kind has no rollouts. */
  readonly pods: 'ready' | 'unready' | 'kept' | 'none';
  /** For how long they are ready or kept; else since the last progress. */
  readonly sinceMs: number;
  readonly deadlineMs: number;
  /** Why they fail, as the controller or the pods say. */
  readonly failure: string | undefined;
  /** Their failure shows nothing: as before, by evictions, after an undo, or a person let it go on. */
  readonly isMute: boolean;
  readonly isProven: boolean;
}

/** The change of one object. */
export interface Change {
  readonly members: readonly Member[];
  readonly stages: readonly StageEnd[];
  /** Whether a follower has halted the content, and no person has resumed it. */
  readonly isHalted: boolean;
  /** Whether a person let the content go on after a halt. */
  readonly isLetGo: boolean;
}

/** `last`: it has to be rolled, and shows nothing; `rolling`: it is waited for; `passed`: it does not count. */
export type Verdict = 'waiting' | 'last' | 'blocked' | 'rolling' | 'failed' | 'proven' | 'passed';

/** How far a change has come. */
export interface StagePlan extends Pick<Change, 'stages'> {
  /** How many have begun at the end of each stage. */
  readonly ends: readonly number[];
  readonly progress: Pick<ChangeStatus, 'stage' | 'stages' | 'total' | 'begun' | 'ready'>;
  readonly verdicts: ReadonlyMap<ObjectKey, readonly [Verdict, Member]>;
  readonly waiting: ReadonlySet<ObjectKey>;
  readonly next: ReadonlySet<ObjectKey>;
  /** Nothing begins, since no follower can show anything. */
  readonly isUnprovable: boolean;
  readonly isOver: boolean;
}

/** The plan of one change alone, and its room: for so many, up to an order; for those that come last. */
interface Room extends StagePlan {
  readonly next: Set<ObjectKey>;
  readonly isFailed: boolean;
  readonly places: number;
  readonly order: number;
  readonly isLastOpen: boolean;
}

/** What the observations of a workload have shown. */
export interface Seen {
  readonly rollout: string;
  readonly progress: number;
  readonly movedAt: number;
  readonly readyAt: number | undefined;
  /** It is not ready, and was seen to move since: any other may have stood still for long. */
  readonly isAlive: boolean;
}

/** The last stage is all of them, whatever the stages say. */
const ALL: StageEnd = { percent: 100 };

/** With one more observation. To be ready for less than the soak is no progress: what flaps fails. */
export function nextSeen(
  before: Seen | undefined,
  { rollout, progress, isReady }: Pick<Seen, 'rollout' | 'progress'> & { readonly isReady: boolean },
  now: number,
  soakMs: number,
): Seen {
  const first = { rollout, progress, movedAt: now, readyAt: isReady ? now : undefined, isAlive: false };
  if (before === undefined) return first;
  const { readyAt = now, isAlive, movedAt } = before;
  const isMoving = before.rollout !== rollout || progress > before.progress;
  const hasSoaked = !isReady && now - readyAt >= soakMs;
  return {
    ...first,
    ...(!isMoving && !hasSoaked && { movedAt }),
    ...(isReady && before.rollout === rollout && { readyAt }),
    isAlive: !isReady && (isMoving || isAlive),
  };
}

/** What is ready again and again after the progress deadline counts as not ready, until it has stayed so for the soak. */
export function readyInTime(seen: Seen, now: number, deadlineMs: number, soakMs: number): Seen {
  const isLate = now - seen.movedAt >= deadlineMs + soakMs && now - (seen.readyAt ?? now) < soakMs;
  return isLate ? { ...seen, readyAt: undefined } : seen;
}

function verdictOf(member: Member, isAlone: boolean, soakMs: number): Verdict {
  const { state, pods, sinceMs, isMute } = member;
  const isStill = standsStill(member);
  if (state !== 'begun' && !isMute && !isStill) return state;
  if (state !== 'begun') return state === 'waiting' ? 'last' : 'passed';
  if (member.isProven || (pods === 'ready' && sinceMs >= soakMs)) return 'proven';
  if (!isStill) return 'rolling';
  // A halt would protect no other.
  return isAlone ? 'passed' : verdictOfStill(member, soakMs);
}

/** After a pause or a scaling to zero the next one begins in its place, after a soak. */
function verdictOfStill({ pods, failure, sinceMs, isMute }: Member, soakMs: number): Verdict {
  if (isMute) return 'passed';
  if (pods === 'unready' || failure !== undefined) return 'failed';
  return sinceMs < soakMs ? 'rolling' : 'passed';
}

/** Whether no patch replaces its pods, or they make no progress. */
export function standsStill({ pods, failure, sinceMs, deadlineMs }: Member): boolean {
  return pods !== 'ready' && (pods !== 'unready' || failure !== undefined || sinceMs >= deadlineMs);
}

/** In how many ms the member changes without an observation. */
export function msUntilNews({ pods, sinceMs, deadlineMs }: Member, soakMs: number): number {
  const leftMs = (pods === 'unready' ? deadlineMs : soakMs) - sinceMs;
  return leftMs > 0 ? leftMs : Number.POSITIVE_INFINITY;
}

/** Why the member is waited for, or has failed. */
export function reasonOf({ failure, pods, deadlineMs }: Member, verdict: Verdict): string {
  const why = pods === 'ready' ? 'it has to stay ready for the soak' : 'its pods are not ready yet';
  const overdue = `it has made no progress for ${formatDuration(deadlineMs)}`;
  return failure ?? (verdict === 'failed' ? overdue : why);
}

/** The plans of all changes in progress. Who waits in several begins when all have room. */
export function planStages<Key>(changes: ReadonlyMap<Key, Change>, soakMs: number): Map<Key, StagePlan> {
  const rooms = roomsOf(changes, soakMs);
  const all = [...changes.values()].flatMap(({ members }) => members).toSorted(inTurn);
  const members = new Map(all.map((member) => [member.key, member]));
  const begin = (member: Member, isLast: boolean): void => {
    const { key, order } = member;
    const own = [...rooms].filter(([, { verdicts }]) => verdicts.has(key));
    if (!own.every(([, room]) => !room.next.has(key) && hasRoom(room, member, isLast))) return;
    for (const [object, room] of own.filter(([, { waiting }]) => waiting.has(key))) {
      room.next.add(key);
      if (room.verdicts.get(key)?.[0] === 'waiting')
        rooms.set(object, { ...room, places: room.places - 1, order, isLastOpen: false });
    }
  };
  for (const isLast of [false, true]) for (const member of members.values()) begin(member, isLast);
  return rooms;
}

/** `isLast`: all that have their turn in each change had it. */
function hasRoom(room: Room, { key, order }: Member, isLast: boolean): boolean {
  const [verdict] = room.verdicts.get(key) ?? [];
  if (verdict === 'waiting') return room.places > 0 && order <= room.order;
  if (!isLast) return verdict !== 'last';
  // What stands still may do so because of the other content.
  return verdict === 'last' ? room.isLastOpen : verdict !== 'rolling';
}

/** Who waits in a halted change does not count in others; if none is left there, the one that failed begins. */
function roomsOf<Key>(changes: ReadonlyMap<Key, Change>, soakMs: number): Map<Key, Room> {
  const rooms = new Map([...changes].map(([object, change]) => [object, roomOf(change, soakMs)] as const));
  const halted = [...rooms.values()].filter(({ isFailed }) => isFailed);
  const kept = new Set(halted.flatMap(({ waiting }) => [...waiting]));
  const failed = new Set(
    halted.flatMap(({ verdicts }) => [...verdicts].flatMap(([key, [is]]) => (is === 'failed' ? [key] : []))),
  );
  for (const [object, change] of halted.length === 0 ? [] : changes) {
    if (rooms.get(object)?.isFailed !== false) continue;
    const others = edited(change, kept, { state: 'blocked', isMute: true });
    const room = roomOf(others, soakMs);
    const mends = edited(others, failed, { isMute: false, pods: 'ready' });
    const isBegun = change.members.some(({ state }) => state === 'begun');
    rooms.set(object, room.isUnprovable && !isBegun ? roomOf(mends, soakMs) : room);
  }
  return rooms;
}

function edited(change: Change, keys: ReadonlySet<ObjectKey>, edit: Partial<Member>): Change {
  const isMeant = ({ key, state }: Member): boolean => state === 'waiting' && keys.has(key);
  return { ...change, members: change.members.map((one) => (isMeant(one) ? { ...one, ...edit } : one)) };
}

function roomOf({ members, stages, isHalted, isLetGo }: Change, soakMs: number): Room {
  const isAlone = members.length < 2;
  const verdicts = new Map(members.map((one) => [one.key, [verdictOf(one, isAlone, soakMs), one] as const]));
  const of = (wanted: Verdict): Member[] =>
    members.filter(({ key }) => verdicts.get(key)?.[0] === wanted).toSorted(inTurn);
  const [waiting, last, rolling] = [of('waiting'), of('last'), of('rolling')];
  const [failed, ready] = [of('failed').length, of('proven').length];
  const begun = rolling.length + failed + ready;
  const total = begun + waiting.length;
  const ends = endsOf(stages, total);
  const at = ends.findIndex((end) => end > ready);
  const isShown = isAlone || isLetGo || ready > 0;
  const canShow = total + of('blocked').length > 0;
  const isUnprovable = !isShown && !canShow && last.some(({ pods }) => pods !== 'none');
  const isFailed = isHalted || failed > 0;
  const isOpen = !isFailed && !isUnprovable;
  return {
    progress: { stage: at === -1 ? ends.length : at + 1, stages: ends.length, total, begun, ready },
    stages,
    ends,
    verdicts,
    waiting: new Set([...waiting, ...last].map(({ key }) => key)),
    next: new Set(),
    isUnprovable,
    isOver: begun === ready && members.every(({ state }) => state === 'begun'),
    isFailed,
    places: isOpen ? (ends[at] ?? 0) - begun : 0,
    order: Math.min(...rolling.map(({ order }) => order)),
    isLastOpen: isOpen && begun === ready && (isShown || !canShow),
  };
}

/** How many have begun at the end of each stage: rounded up, each at least one more, the last one all. */
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
