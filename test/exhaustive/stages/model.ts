/** A model of changes in stages, which decides by the rules of the program. A soak is two ticks, a progress deadline four. */

import * as stages from '../../../lib/blockers/stage-plan.ts';

/** What the process decides by. */
export interface Rules {
  readonly plan: typeof stages.planStages<number>;
  readonly seen: typeof stages.nextSeen;
}
/** Those of the program. */
export const RULES: Rules = { plan: stages.planStages, seen: stages.nextSeen };
const SOAK = 2;

/** One follower; `runs`: by object, the content of its template. */
export interface Follower {
  readonly key: string;
  follows: readonly number[];
  /** `still`: never ready; `flaps`: ready every other tick; `kept`: no patch replaces its pods. */
  health: 'well' | 'still' | 'flaps' | 'kept';
  runs: readonly number[];
  pods: stages.Member['pods'];
  isBlocked: boolean;
  isUndone: boolean;
  /** The memory of the process; `isStill`: since before its turn. */
  seen: (stages.Seen & { readonly isStill: boolean }) | undefined;
}
/** One object; pods fail with its content 1 where `isBad`. */
export interface Content {
  readonly isBad: boolean;
  content: number;
  /** Who halts the content; `-`: none shows anything. */
  halt: string | undefined;
  /** Who has `proven` it, was `still` before its turn, or was let `go` after its halt. */
  notes: readonly string[];
}

/** `acts`: how often people did what may spread a content. */
export interface World {
  readonly followers: readonly Follower[];
  readonly objects: readonly Content[];
  acts: number;
}

/** The objects whose present content the follower does not run. */
export function outdated({ follows, runs }: Follower, { objects }: World): readonly number[] {
  return follows.filter((o) => runs[o] !== objects[o]?.content);
}

/** Whether it runs a bad content. */
export function isSpoilt({ follows, runs }: Follower, { objects }: World): boolean {
  return follows.some((o) => objects[o]?.isBad === true && runs[o] === 1);
}

type Happens = (world: World, to: Follower, object: Content) => unknown;
const hasPods = ({ pods }: Follower): boolean => pods === 'ready' || pods === 'unready';

function act(change: Partial<Follower>): Happens {
  return (world, f) =>
    hasPods(f) && Object.assign(world, { acts: world.acts + 1 }) && Object.assign(f, change);
}

/** What happens to a follower, or to an object; false: it cannot. */
export const EVENTS: Readonly<Record<string, Happens>> = {
  change: ({ followers }, _, object) => {
    for (const f of followers) f.isUndone = false;
    Object.assign(object, { content: object.content + 1, halt: undefined, notes: [] });
  },
  pause: act({ pods: 'kept' }),
  scale: act({ pods: 'none' }),
  delete: act({ pods: 'none', follows: [] }),
  undo: (world, f, o) =>
    f.runs.some(Boolean) && act({ runs: [0, 0], isUndone: true, pods: 'unready' })(world, f, o),
  block: (_, f) => hasPods(f) && Object.assign(f, { isBlocked: !f.isBlocked }),
  // No content can be blamed for it.
  sicken: ({ objects }, f) =>
    f.follows.every((o) => f.runs[o] === 0 || objects[o]?.notes.includes(`proven ${f.key}`)) &&
    Object.assign(f, { health: 'still' }, hasPods(f) && { pods: 'unready' }),
  resume: (world, _, object) =>
    object.halt !== undefined &&
    Object.assign(world, { acts: world.acts + 1 }) &&
    Object.assign(object, { notes: [...object.notes, `go ${object.halt}`], halt: undefined }),
  restart: ({ followers }) => followers.map((f) => Object.assign(f, { seen: undefined })),
  tick: (world) => {
    const older = (at?: number): number | undefined => (at === undefined ? at : Math.max(-9, at - 1));
    for (const f of world.followers) {
      const { health, pods, seen } = f;
      const isReady = health === 'flaps' ? pods !== 'ready' : health === 'well' && !isSpoilt(f, world);
      if (hasPods(f)) f.pods = isReady ? 'ready' : 'unready';
      const ages = { movedAt: older(seen?.movedAt), readyAt: older(seen?.readyAt) };
      f.seen = seen && Object.assign({}, seen, ages);
    }
  },
};

function memberOf(object: Content, o: number, f: Follower, rules: Rules): stages.Member {
  const { key, runs, pods, isBlocked, isUndone } = f;
  const rollout = `${runs} ${hasPods(f)}`;
  const seen = rules.seen(f.seen, { rollout, progress: 0, isReady: pods === 'ready' }, 0, SOAK);
  const { readyAt = seen.movedAt } = seen;
  const isNoted = (note: string): boolean => object.notes.includes(`${note} ${key}`);
  const [isBegun, wasStill] = [runs[o] === object.content, f.seen?.isStill === true];
  const member = {
    ...{ key, pods, order: 0, replicas: 1, deadlineMs: 4, failure: undefined },
    state: isBegun ? 'begun' : isBlocked ? 'blocked' : 'waiting',
    sinceMs: isBegun || seen.isAlive ? -readyAt : Number.POSITIVE_INFINITY,
    isMute: isUndone || isNoted('go') || (isBegun ? isNoted('still') : wasStill),
    isProven: isNoted('proven'),
  } as const;
  const isStill = pods === 'unready' && (wasStill || (!isBegun && stages.standsStill(member)));
  f.seen = { ...seen, isStill };
  return member;
}

/** One look of the process; whether it did anything. */
export function look(world: World, rules: Rules): boolean {
  const { objects, followers } = world;
  const before = JSON.stringify(objects);
  const changes = objects.map((object, o) => {
    const own = object.content === 0 ? [] : followers.filter(({ follows }) => follows.includes(o));
    return {
      members: own.map((f) => memberOf(object, o, f, rules)),
      stages: [{ count: 1 }, { percent: 100 }],
      isHalted: (object.halt ?? '-') !== '-',
      isLetGo: object.notes.some((note) => note.startsWith('go')),
    };
  });
  const plans = rules.plan(new Map(changes.entries()), SOAK);
  for (const [o, plan] of plans) record(objects[o] as Content, plan);
  const next = followers.filter((f) => {
    const due = outdated(f, world);
    return due.length > 0 && due.every((o) => plans.get(o)?.next.has(f.key));
  });
  const runs = objects.map(({ content }) => content);
  for (const f of next) Object.assign(f, { runs }, hasPods(f) && { pods: 'unready' });
  return next.length > 0 || before !== JSON.stringify(objects);
}

function record(object: Content, { verdicts, isUnprovable, next }: stages.StagePlan): void {
  const all = [...verdicts.values()];
  if (all.every(([, { state }]) => state === 'begun')) return;
  const notes = all.flatMap(([verdict, { key, pods }]) => {
    if (verdict === 'proven') return [`proven ${key}`];
    return verdict === 'last' && next.has(key) && pods === 'unready' ? [`still ${key}`] : [];
  });
  object.notes = [...new Set([...object.notes, ...notes])].toSorted();
  const { halt = '' } = object;
  if (halt === '-' ? !isUnprovable : object.notes.includes(`proven ${halt}`)) object.halt = undefined;
  const [, failed] = all.find(([verdict]) => verdict === 'failed' && all.length > 1) ?? [];
  object.halt ??= isUnprovable ? '-' : failed?.key;
}
