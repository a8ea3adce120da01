/** What happens to two reloaders that are never killed, one thing after the other. */

import { pause } from '../faults/churn.ts';
import { DEAFNESS, FAULTS, type Fault } from '../faults/faults.ts';
import type { Member, Pair } from '../faults/pair.ts';
import type { SoakCluster } from './soak-cluster.ts';
import type { Turns } from './turns.ts';

/** Whom it happens to. */
export interface Patient {
  readonly pair: Pair;
  readonly on: SoakCluster;
  /** What makes the API server go away waits for its turn. */
  readonly turns: Turns;
  readonly random: () => number;
  readonly say: (words: string) => void;
}

/** One thing that happens while ConfigMaps change; it is over when it resolves. */
export interface Episode {
  readonly name: string;
  /** How long it may take; it happens once only if that is more than a few seconds. */
  readonly seconds: number;
  readonly isPossible: (on: SoakCluster) => boolean;
  readonly play: (patient: Patient) => Promise<void>;
}

/** What costs a leader its lead, though it lives on; the function answered lets it go on. */
type LostOptIn = (leader: Member, pair: Pair) => Promise<() => Promise<unknown>>;

const SHORTEST_MS = 1000;
const LONGEST_MS = 5000;
/** What an ordinary episode takes. */
export const FEW_SECONDS = 8;
/** To the end of the patience with an answer, and of the pause before the next try. */
const ANSWER_SECONDS = 60;
/** To the end of a silence, of the answer that does not come after it, and of the pause before the next try. */
const MINUTES_OF_SILENCE_SECONDS = 240;

function secondsOf({ needsHurry, says }: Fault): number {
  if (!needsHurry) return FEW_SECONDS;
  return says.length > 0 ? MINUTES_OF_SILENCE_SECONDS : ANSWER_SECONDS;
}

/** The leader or the standby, by chance. */
export function either(pair: Pair, random: () => number): Member {
  return random() < 0.5 ? pair.leader : pair.standby;
}

async function aWhile(random: () => number): Promise<void> {
  await pause(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
}

function faultEpisode([name, fault]: [string, Fault]): Episode {
  return {
    name,
    seconds: secondsOf(fault),
    isPossible: () => true,
    play: async ({ pair, random, say }) => {
      const victim = either(pair, random);
      const { proxy, process } = victim;
      say(`to ${victim.pod}, which ${pair.isHeldBy(victim) ? 'leads' : 'stands by'}`);
      // Only what is said from now on counts, and here nobody hurries.
      const known = process.log.length;
      const end = await fault.begin(proxy);
      await aWhile(random);
      const hasSaid = (words: RegExp): boolean => words.test(process.log.slice(known));
      if (fault.needsHurry)
        await untilWithin(MINUTES_OF_SILENCE_SECONDS, () => fault.says.every(hasSaid), name);
      await end();
      proxy.clear();
    },
  };
}

const LOSSES: Readonly<Record<string, LostOptIn>> = {
  'the leader is stopped for longer than its lease': async ({ process }) => {
    process.pause();
    return async () => process.resume();
  },
  'the leader is stopped, and a write of it comes late': async ({ process, proxy }, { scene }) => {
    const held = proxy.hold({ verb: 'patch' });
    await scene.stage.until('a write is on its way', held.hasArrived);
    process.pause();
    return async () => {
      await held.release();
      process.resume();
    };
  },
  'the leader is cut off': async ({ proxy }) => {
    await proxy.disappear();
    return () => proxy.appear();
  },
  'the leader is cut off, and the standby has heard nothing': async ({ proxy }, { scene, standby }) => {
    const hear = await DEAFNESS.begin(standby.proxy);
    // Where nothing tells it that something is newer it may roll for what it knows, and once more when it hears.
    await scene.commitsNewer();
    await proxy.disappear();
    return async () => {
      await hear();
      await proxy.appear();
    };
  },
};

function lossEpisode([name, begin]: [string, LostOptIn]): Episode {
  return {
    name,
    seconds: FEW_SECONDS,
    isPossible: () => true,
    play: async ({ pair, random }) => {
      const { leader, standby } = pair;
      const end = await begin(leader, pair);
      try {
        await pair.isLedBy(standby);
        await aWhile(random);
      } finally {
        await end();
      }
    },
  };
}

const OTHERS: readonly Episode[] = [
  {
    name: 'etcd forgets what the watches missed',
    seconds: FEW_SECONDS,
    isPossible: () => true,
    play: async ({ pair, on, random }) => {
      const { proxy } = either(pair, random);
      await proxy.disappear();
      await pause(SHORTEST_MS);
      await on.cluster.compact();
      await proxy.appear();
    },
  },
  {
    name: 'the API server is killed and etcd compacted',
    seconds: FEW_SECONDS,
    isPossible: ({ plane }) => plane !== undefined,
    play: async ({ on: { plane }, turns, random }) => {
      await turns.take(async () => {
        await plane?.compact();
        await plane?.killApiServer();
        await pause(random() * LONGEST_MS);
        await plane?.startApiServer();
      });
    },
  },
];

/** All that can happen. */
export const EPISODES: readonly Episode[] = [
  ...Object.entries(FAULTS).map(faultEpisode),
  ...Object.entries(LOSSES).map(lossEpisode),
  ...OTHERS,
];

async function untilWithin(seconds: number, condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`${what}: the log does not say so`);
    await pause(200);
  }
}

/** Which comes next; what takes long comes once, and only if there is time. */
export function nextEpisode(
  on: SoakCluster,
  played: ReadonlyMap<string, number>,
  secondsLeft: number,
  random: () => number,
): Episode | undefined {
  const possible = EPISODES.filter(({ name, seconds, isPossible }) => {
    const isLong = seconds > FEW_SECONDS;
    return isPossible(on) && seconds <= secondsLeft && !(isLong && played.has(name));
  });
  // What takes minutes comes first, while there is time; then what was not played yet.
  const fresh = possible.filter(({ name }) => !played.has(name));
  const longest = fresh.filter(({ seconds }) => seconds === MINUTES_OF_SILENCE_SECONDS);
  const choice = [longest, fresh].find((each) => each.length > 0) ?? possible;
  return choice[Math.floor(random() * choice.length)];
}
