/**
 * A model of changes in stages: objects, followers, contents, failures, pauses, scaling, restarts. It decides by the rules of the
 * program; a test replaces one by a wrong one. The stages are `1,100%`; a soak is two ticks, a progress deadline four.
 */

import {
  type Member,
  nextSeen,
  planStages,
  type Seen,
  type StagePlan,
  standsStill,
} from '../../../lib/blockers/stage-plan.ts';

/** What the process decides by; `fact`: what it knows of a member. */
export interface Rules {
  readonly plan: typeof planStages<number>;
  readonly seen: typeof nextSeen;
  readonly fact: (member: Member) => Member;
}
/** Those of the program. */
export const RULES: Rules = { plan: planStages, seen: nextSeen, fact: (member) => member };

/** One follower; `runs`: by object, the content of its template. */
export interface Follower {
  readonly key: string;
  readonly follows: readonly number[];
  /** `still`: never ready; `flaps`: ready every other tick; `kept`: no patch replaces its pods. */
  health: 'well' | 'still' | 'flaps' | 'kept';
  runs: readonly number[];
  is: 'there' | 'paused' | 'without pods' | 'deleted';
  isBlocked: boolean;
  isUndone: boolean;
  /** Until it is ready, and only in the memory of the process. */
  stoodStill: boolean;
  isReady: boolean;
  seen: Seen | undefined;
}
/** One object; pods fail with its content 1 where `isBad`. Halts: keys of followers; `-`: none shows anything. */
export interface Content {
  readonly isBad: boolean;
  content: number;
  halts: readonly string[];
  resumed: number;
  proven: readonly string[];
  stoodStill: readonly string[];
}
/** `acts`: how often people did what may spread a content. */
export interface World {
  readonly followers: readonly Follower[];
  readonly objects: readonly Content[];
  acts: number;
}

const SOAK = 2;
const MEMBER = { order: 0, replicas: 1, deadlineMs: 4, failure: undefined };
const STAGES = [{ count: 1 }, { percent: 100 }];

/** The objects whose present content the follower does not run. */
export function outdated({ follows, runs, is }: Follower, { objects }: World): readonly number[] {
  return is === 'deleted' ? [] : follows.filter((o) => runs[o] !== objects[o]?.content);
}

/** Whether it runs a bad content. */
export function isSpoilt({ follows, runs }: Follower, { objects }: World): boolean {
  return follows.some((o) => objects[o]?.isBad === true && runs[o] === 1);
}

function act(world: World, follower: Follower, change: Partial<Follower>): boolean {
  if (follower.is !== 'there') return false;
  Object.assign(follower, change);
  world.acts += 1;
  return true;
}

/** What happens to a follower, or to an object; false: it cannot. */
export const EVENTS: Readonly<Record<string, (world: World, to: Follower, object: Content) => boolean>> = {
  change: ({ followers }, _, object) => {
    for (const f of followers) f.isUndone = false;
    Object.assign(object, { content: object.content + 1, halts: [], resumed: 0, proven: [], stoodStill: [] });
    return true;
  },
  pause: (world, f) => act(world, f, { is: 'paused' }),
  scale: (world, f) => act(world, f, { is: 'without pods' }),
  delete: (world, f) => act(world, f, { is: 'deleted' }),
  undo: (world, f) =>
    f.runs.some((content) => content > 0) &&
    act(world, f, { runs: f.runs.map(() => 0), isUndone: true, isReady: false }),
  block: (_, f) => Object.assign(f, { isBlocked: !f.isBlocked }).is === 'there',
  // Of its own accord, while no content can be blamed for it.
  sicken: ({ objects }, f) => {
    const isSafe = f.follows.every((o) => f.runs[o] === 0 || objects[o]?.proven.includes(f.key));
    if (isSafe) Object.assign(f, { health: 'still', isReady: false });
    return isSafe;
  },
  resume: (world, _, object) => {
    world.acts += object.halts.length - object.resumed;
    object.resumed = object.halts.length;
    return true;
  },
  restart: ({ followers }) =>
    followers.map((f) => Object.assign(f, { seen: undefined, stoodStill: false })).length > 0,
  tick: (world) => {
    const older = (at: number): number => Math.max(-9, at - 1);
    for (const f of world.followers) {
      const { is, health, isReady, seen } = f;
      if (is === 'there')
        f.isReady = health === 'flaps' ? !isReady : health !== 'still' && !isSpoilt(f, world);
      const readyAt = seen?.readyAt === undefined ? undefined : older(seen.readyAt);
      f.seen = seen && { ...seen, movedAt: older(seen.movedAt), readyAt };
    }
    return true;
  },
};

function podsOf({ is, health, isReady }: Follower): Member['pods'] {
  if (is === 'without pods') return 'none';
  if (is === 'paused' || health === 'kept') return 'kept';
  return isReady ? 'ready' : 'unready';
}

function memberOf(object: Content, o: number, f: Follower, { seen, fact }: Rules): Member {
  const { key, runs, isBlocked, isUndone } = f;
  const pods = podsOf(f);
  const rollout = `${runs} ${pods === 'kept' || pods === 'none'}`;
  f.seen = seen(f.seen, { rollout, progress: 0, isReady: pods === 'ready' }, 0, SOAK);
  const { readyAt, movedAt, isAlive } = f.seen;
  const state = runs[o] === object.content ? 'begun' : isBlocked ? 'blocked' : 'waiting';
  const isBegun = state === 'begun';
  const stoodStill = isBegun ? object.stoodStill.includes(key) : f.stoodStill;
  const isMute = stoodStill || isUndone || object.halts.slice(0, object.resumed).includes(key);
  const sinceMs = isBegun || isAlive ? -(readyAt ?? movedAt) : Number.POSITIVE_INFINITY;
  const isProven = object.proven.includes(key);
  const member = { ...MEMBER, key, state, pods, sinceMs, isMute, isProven } as const;
  f.stoodStill = pods === 'unready' && (f.stoodStill || (!isBegun && standsStill(member)));
  return fact(member);
}

/** One look of the process; whether it did anything. */
export function look(world: World, rules: Rules): boolean {
  const { objects, followers } = world;
  const before = JSON.stringify(objects);
  const changes = objects.map((object, o) => {
    const own = followers.filter(({ is, follows }) => is !== 'deleted' && follows.includes(o));
    const members = object.content === 0 ? [] : own.map((f) => memberOf(object, o, f, rules));
    const isHalted = object.halts.slice(object.resumed).some((key) => key !== '-');
    return { members, stages: STAGES, isHalted, isLetGo: object.resumed > 0 };
  });
  const plans = rules.plan(new Map(changes.entries()), SOAK);
  for (const [o, plan] of plans) record(objects[o] as Content, plan);
  const isNext = (f: Follower): boolean => outdated(f, world).every((o) => plans.get(o)?.next.has(f.key));
  const next = followers.filter((f) => outdated(f, world).length > 0 && isNext(f));
  for (const f of next) {
    f.runs = objects.map(({ content }, o) => (f.follows.includes(o) ? content : 0));
    f.isReady &&= f.health === 'kept';
  }
  return next.length > 0 || before !== JSON.stringify(objects);
}

function record(object: Content, { verdicts, isUnprovable, next }: StagePlan): void {
  const all = [...verdicts.values()];
  if (all.every(([, { state }]) => state === 'begun')) return;
  const of = (is: string): Member[] => all.flatMap(([verdict, one]) => (verdict === is ? [one] : []));
  const still = of('last').filter(({ key, pods }) => next.has(key) && pods === 'unready');
  object.stoodStill = withKeys(object.stoodStill, still);
  object.proven = withKeys(object.proven, of('proven'));
  const isOver = (key: string): boolean => (key === '-' ? !isUnprovable : object.proven.includes(key));
  object.halts = object.halts.filter((key, at) => at < object.resumed || !isOver(key));
  const failed = verdicts.size > 1 ? of('failed').map(({ key }) => key) : [];
  const halts = [...object.halts, ...(isUnprovable ? ['-'] : failed)].slice(0, object.resumed + 1);
  if (object.halts.length === object.resumed) object.halts = halts;
}

function withKeys(keys: readonly string[], members: readonly Member[]): readonly string[] {
  return [...new Set([...keys, ...members.map(({ key }) => key)])].toSorted();
}
