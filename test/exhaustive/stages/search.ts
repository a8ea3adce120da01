/** The laws of changes in stages, and a search through every order of events in a small world. */

import assert from 'node:assert/strict';
import { EVENTS, type Follower, isSpoilt, look, outdated, type Rules, type World } from './model.ts';

/** Followers as the objects that each follows, and their health; the objects with a bad content; the events. */
export interface Scene {
  readonly followers: readonly (readonly [follows: string, health?: Follower['health']])[];
  readonly bad?: readonly number[];
  /** Each happens once, to any follower or object. */
  readonly events: readonly string[];
}

/** A history after which a law is broken. */
export interface Broken {
  readonly law: string;
  readonly trace: string;
}

const OBJECTS = [0, 1];
const TICKS = 6;
/** Enough for every wait to end. */
const LONG = 16;
const MOST_LOOKS = 20;

/** The first broken law; undefined: none. `onWorld` is called with each world. */
export function search(scene: Scene, rules: Rules, onWorld = (): void => undefined): Broken | undefined {
  const [seen, rested] = [new Set<string>(), new Set<string>()];
  const visit = (history: History): string | undefined => {
    const text = JSON.stringify(history.world);
    onWorld();
    const law = history.law ?? (rested.has(text) ? undefined : lawAtRest(history.world, rules));
    rested.add(text);
    return law;
  };
  const isNew = ({ world, left }: History): boolean => {
    const before = seen.size;
    return seen.add(`${JSON.stringify(world)} ${left.join()}`).size > before;
  };
  const left = [...scene.events, ...new Array<string>(TICKS).fill('tick')];
  let queue: readonly History[] = [{ world: worldOf(scene), left, trace: '' }];
  while (queue.length > 0) {
    queue = queue.flatMap((before) => following(before, rules)).filter(isNew);
    for (const history of queue) {
      const law = visit(history);
      if (law !== undefined) return { law, trace: history.trace };
    }
  }
  return undefined;
}

interface History {
  readonly world: World;
  readonly left: readonly string[];
  readonly trace: string;
  readonly law?: string | undefined;
}

function following({ world, left, trace }: History, rules: Rules): History[] {
  return [...new Set(left)].flatMap((event) => {
    const isOfAll = event === 'tick' || event === 'restart';
    return [...(isOfAll ? [0] : world.followers.keys())].flatMap((index): History[] => {
      const next = after(world, event, index, rules);
      const others = left.toSpliced(left.indexOf(event), 1);
      const story = `${trace} > ${event} ${index}`;
      return next === undefined ? [] : [{ ...next, left: others, trace: story }];
    });
  });
}

function worldOf({ followers, bad = [] }: Scene): World {
  return {
    followers: followers.map(([follows, health = 'well'], index) => ({
      key: `${index}`,
      follows: [...follows].map(Number),
      health,
      runs: OBJECTS.map(() => 0),
      pods: health === 'kept' ? health : health === 'still' ? 'unready' : 'ready',
      isBlocked: false,
      isUndone: false,
      seen: undefined,
    })),
    objects: OBJECTS.map((o) => ({ isBad: bad.includes(o), content: 0, halt: undefined, notes: [] })),
    acts: 0,
  };
}

function copy({ followers, objects, acts }: World): World {
  return { followers: followers.map((f) => ({ ...f })), objects: objects.map((o) => ({ ...o })), acts };
}

/** The world after the event, once the process has nothing more to do, and a law that broke. */
function after(
  world: World,
  event: string,
  index: number,
  rules: Rules,
): Pick<History, 'world' | 'law'> | undefined {
  const next = copy(world);
  const [follower, object] = [next.followers[index], next.objects[index]];
  const needed = event === 'change' || event === 'resume' ? object : follower;
  if (needed === undefined || EVENTS[event]?.(next, follower as Follower, object as never) === false)
    return undefined;
  let forced: string | undefined;
  const plan: Rules['plan'] = (changes, soakMs) => {
    const plans = rules.plan(changes, soakMs);
    forced ??= lawOfPlans(next, plans);
    return plans;
  };
  for (let i = 0; look(next, { ...rules, plan }); i += 1)
    assert.ok(i < MOST_LOOKS, `the process comes to rest: ${JSON.stringify(next)}`);
  return { world: next, law: forced ?? lawOf(next) };
}

function lawOfPlans(world: World, plans: ReturnType<Rules['plan']>): string | undefined {
  const next = [...plans.values()].flatMap((plan) => [...plan.next]);
  const all = [...plans.values()].flatMap(({ waiting }) => [...waiting]);
  const isNamed = (f: Follower): boolean =>
    f.isBlocked || outdated(f, world).length === 0 || all.includes(f.key);
  if (world.followers.some(({ key, isBlocked }) => isBlocked && next.includes(key)))
    return 'what something else prevents is not tried';
  return world.followers.every(isNamed) ? undefined : 'who waits is named';
}

/** The laws of every world. */
function lawOf(world: World): string | undefined {
  const spoilt = world.followers.filter((f) => isSpoilt(f, world));
  if (spoilt.length > 1 + world.acts) return 'a bad content reaches no second follower';
  // A follower is blamed for all contents that it runs.
  const isRight = (key: string): boolean => {
    const f = world.followers[Number(key)];
    return f === undefined || f.health === 'flaps' || isSpoilt(f, world);
  };
  const good = world.objects.filter(({ isBad, content }) => !isBad || content !== 1);
  return good.every(({ halt = '-' }) => isRight(halt)) ? undefined : 'a good content is not blamed';
}

function rest(world: World, rules: Rules): World & { law?: string | undefined } {
  let now: Pick<History, 'world' | 'law'> = { world };
  for (let tick = 0; tick < LONG && now.law === undefined; tick += 1)
    now = after(now.world, 'tick', 0, rules) ?? now;
  return Object.assign(now.world, { law: now.law });
}

/** The laws of a world in which nothing happens any more. */
function lawAtRest(world: World, rules: Rules): string | undefined {
  const now = rest(world, rules);
  return now.law ?? lawOfWaits(now) ?? lawOfSilence(now) ?? lawOfEnds(now, rules);
}

/** Who waits does so for another object that is halted, or for the only followers that could show something. */
function lawOfWaits(world: World): string | undefined {
  const mayWait = (o: number): boolean => {
    const { halt, notes = [] } = world.objects[o] ?? {};
    const isProven = notes.some((note) => note.startsWith('proven'));
    return (
      halt !== undefined || (!isProven && world.followers.some((f) => f.isBlocked && f.follows.includes(o)))
    );
  };
  const waits = world.followers.filter((f) => !f.isBlocked).map((f) => outdated(f, world));
  if (waits.every((objects) => objects.length === 0 || objects.some(mayWait))) return undefined;
  const isHalted = world.objects.some(({ halt }) => halt !== undefined);
  return isHalted ? 'a halt delays no other object' : 'every wait has an end';
}

/** Where none can show anything, a person decides. */
function lawOfSilence({ followers, objects, acts }: World): string | undefined {
  const isSilent = (o: number): boolean =>
    followers
      .filter(({ follows }) => follows.includes(o))
      .every(({ health }) => health === 'kept' || health === 'still');
  const silent = [...objects.keys()].filter((o) => isSilent(o) && acts === 0 && objects[o]?.content !== 0);
  const isBegun = silent.some((o) =>
    followers.some(({ follows, runs }) => follows.includes(o) && runs[o] !== 0),
  );
  return isBegun ? 'without evidence nothing begins' : undefined;
}

/** Once nothing is blocked, and a person lets each halt go, all get the present contents. */
function lawOfEnds(world: World, rules: Rules): string | undefined {
  let now = rest(
    Object.assign(copy(world), { followers: world.followers.map((f) => ({ ...f, isBlocked: false })) }),
    rules,
  );
  for (let round = 0; round < 2 * now.followers.length && now.law === undefined; round += 1) {
    const o = now.objects.findIndex(({ halt }) => halt !== undefined);
    if (o === -1) break;
    const resumed = after(now, 'resume', o, rules);
    if (resumed !== undefined) now = rest(resumed.world, rules);
  }
  if (now.law !== undefined) return now.law;
  return now.followers.some((f) => outdated(f, now).length > 0) ? 'a person ends every halt' : undefined;
}
