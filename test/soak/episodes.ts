/** What happens to the reloader that is never killed, one thing after the other. */

import { pause } from '../faults/churn.ts';
import { FAULTS, type Fault } from '../faults/faults.ts';
import type { Scene } from '../faults/scene.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import type { SoakCluster } from './soak-cluster.ts';
import type { Turns } from './turns.ts';

/** Whom it happens to. */
export interface Patient {
  readonly scene: Scene;
  readonly reloader: ReloaderProcess;
  readonly on: SoakCluster;
  /** What makes the API server go away waits for its turn. */
  readonly turns: Turns;
  readonly random: () => number;
}

/** One thing that happens while ConfigMaps change; it is over when it resolves. */
export interface Episode {
  readonly name: string;
  /** How long it may take; it happens once only if that is more than a few seconds. */
  readonly seconds: number;
  readonly isPossible: (on: SoakCluster) => boolean;
  readonly play: (patient: Patient) => Promise<void>;
}

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

function faultEpisode([name, fault]: [string, Fault]): Episode {
  return {
    name,
    seconds: secondsOf(fault),
    isPossible: () => true,
    play: async ({ scene, reloader, random }) => {
      // Only what is said from now on counts, and here nobody hurries.
      const known = reloader.stderr.length;
      const end = await fault.begin(scene.proxy);
      await pause(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
      const hasSaid = (words: RegExp): boolean => words.test(reloader.stderr.slice(known));
      if (fault.needsHurry)
        await untilWithin(MINUTES_OF_SILENCE_SECONDS, () => fault.says.every(hasSaid), name);
      await end();
      scene.proxy.clear();
    },
  };
}

const OTHERS: readonly Episode[] = [
  {
    name: 'it is stopped, and another one takes over',
    seconds: FEW_SECONDS,
    isPossible: () => true,
    play: async ({ scene, reloader, random }) => {
      const [, proxy = await scene.addProxy()] = scene.proxies;
      const held = scene.proxy.hold({ verb: 'patch' });
      await scene.stage.until('a write is on its way', held.hasArrived);
      reloader.pause();
      const other = await scene.start({ proxy });
      await pause(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
      await held.release();
      reloader.resume();
      await other.stop();
    },
  },
  {
    name: 'etcd forgets what the watches missed',
    seconds: FEW_SECONDS,
    isPossible: () => true,
    play: async ({ scene, on }) => {
      await scene.proxy.disappear();
      await pause(SHORTEST_MS);
      await on.cluster.compact();
      await scene.proxy.appear();
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
export const EPISODES: readonly Episode[] = [...Object.entries(FAULTS).map(faultEpisode), ...OTHERS];

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
