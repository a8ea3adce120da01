/** The parts of a soak, two reloaders each: some are never killed, some always are, and some have a limit of rollouts. */

import { peakBytes, residentBytes } from '../bench/process-facts.ts';
import type { Progress } from '../bench/progress.ts';
import { whileChanging } from '../faults/churn.ts';
import { FAULTS } from '../faults/faults.ts';
import { killAgainAndAgain } from '../faults/kills.ts';
import { ENDS, type Pair } from '../faults/pair.ts';
import { type Scene, WEB } from '../faults/scene.ts';
import { randomOf } from '../simulation/random.ts';
import { either, FEW_SECONDS, nextEpisode } from './episodes.ts';
import type { SoakCluster } from './soak-cluster.ts';
import { inSeconds, PendingChanges } from './tally.ts';
import type { Turns } from './turns.ts';

/** What all are given. */
export interface Soak {
  readonly on: SoakCluster;
  readonly seed: number;
  readonly progress: Progress;
  /** Who makes the API server go away, and who needs it to judge by. */
  readonly turns: Turns;
  /** In ms of the clock. */
  readonly until: number;
}

/** One part. */
export interface Player {
  readonly heading: string;
  /** Of both reloaders. What is judged by patience must not be slowed: the limit has a part of its own. */
  readonly flags: readonly string[];
  readonly play: (soak: Soak, pair: Pair, pending: PendingChanges) => Promise<void>;
}

const KILLS_UNDER_A_FAULT = 5;
const KILLS_BEFORE_AN_END = 4;
const MOST_ROLLOUTS = 5;

/** Both suffer one thing after the other; all is judged after each. */
async function neverKilled(soak: Soak, pair: Pair, pending: PendingChanges): Promise<void> {
  const { on, turns, progress, until } = soak;
  const { scene } = pair;
  const random = randomOf(soak.seed);
  const say = (words: string): void => progress.step(`never killed: ${words}`);
  // However long the start took: one episode there is.
  while ((pending.faults.size === 0 || Date.now() < until) && pending.lost.length === 0) {
    const left = (until - Date.now()) / 1000;
    const seconds = pending.faults.size === 0 ? Math.max(left, FEW_SECONDS) : left;
    const episode = nextEpisode(on, pending.faults, seconds, random);
    if (episode === undefined) break;
    say(`${episode.name}; so far ${counted(scene)}, ${Math.round(pending.memory.end / 1e6)} MB`);
    pending.fault(episode.name);
    await noted(pending, scene, episode.name, async () => {
      await whileChanging(scene, random, () => episode.play({ pair, on, turns, random, say }));
      await turns.take(() => pair.isRight());
    });
    measure(pending, pair);
    say(`the end of "${episode.name}": ${counted(scene)}`);
  }
}

/** Kills one container after the other, of either, at random moments; all run again, or begin to, when this resolves. */
function killerOf(
  pair: Pair,
  random: () => number,
  pending: PendingChanges,
  onKill: () => void,
): (kills: number) => Promise<void> {
  const start = async (): Promise<() => Promise<void>> => {
    await pair.startAgain();
    return () => either(pair, random).process.kill();
  };
  return async (kills) => {
    const { openKills } = await killAgainAndAgain(pair.scene, { kills, random, start, onKill });
    pending.openKills += openKills;
    await pair.startAgain();
  };
}

/** Containers are killed all the time, and the leader's pod ends now and then; all is judged after each batch. */
async function killedAllTheTime(soak: Soak, pair: Pair, pending: PendingChanges): Promise<void> {
  const { turns, progress, until } = soak;
  const { scene } = pair;
  const random = randomOf(soak.seed + 1);
  const say = (words: string): void => progress.step(`killed: ${words}`);
  const onKill = (more = ''): void => {
    pending.kills += 1;
    say(`number ${pending.kills}${more}`);
  };
  const kill = killerOf(pair, random, pending, onKill);
  const batch = async (name: string): Promise<void> => {
    const { proxy } = either(pair, random);
    say(`it begins that ${name}`);
    const end = await FAULTS[name]?.begin(proxy);
    await kill(KILLS_UNDER_A_FAULT);
    await end?.();
    proxy.clear();
    say(`it ends that ${name}`);
    for (const signal of ENDS) {
      await kill(KILLS_BEFORE_AN_END);
      await pair.areReady();
      const { leaseMs } = await pair.replaceLeader(signal);
      onKill(`, by ${signal}: the other one leads after ${inSeconds(leaseMs)}`);
    }
  };
  const quick = Object.keys(FAULTS).filter((name) => !FAULTS[name]?.needsHurry);
  while ((pending.kills === 0 || Date.now() < until) && pending.lost.length === 0) {
    const name = quick[Math.floor(random() * quick.length)] ?? '';
    pending.fault(name);
    await noted(pending, scene, `kills while ${name}`, async () => {
      await whileChanging(scene, random, () => batch(name));
      await turns.take(() => pair.isRight());
    });
    measure(pending, pair);
    progress.step(`${pending.kills} kills: ${counted(scene)}`);
  }
}

/** Objects change without a pause: beyond the limit a workload waits longer, and in the end it runs the current content. */
async function changedAllTheTime(
  { turns, progress, seed }: Soak,
  pair: Pair,
  pending: PendingChanges,
): Promise<void> {
  const { scene } = pair;
  progress.step('limited: objects change all the time');
  await noted(pending, scene, 'changes all the time', async () => {
    // The one that takes over knows of no rollouts before.
    const isBeyond = async (): Promise<boolean> =>
      scene.rollouts(WEB) >= MOST_ROLLOUTS + 2 &&
      Number(await pair.leader.process.metric('reloader_slowed_workloads')) > 0;
    const slowed = (): Promise<void> => scene.stage.until('a workload is beyond its limit', isBeyond);
    await whileChanging(scene, randomOf(seed + 2), slowed);
    progress.step(`limited: no more changes: ${counted(scene)}`);
    await turns.take(() => pair.isRight());
  });
  progress.step(`limited: the end: ${counted(scene)}`);
}

/** All of them. */
export const PLAYERS: readonly Player[] = [
  { heading: 'never killed', flags: [], play: neverKilled },
  { heading: 'killed all the time', flags: [], play: killedAllTheTime },
  { heading: 'limited', flags: ['--rollout-limit', `${MOST_ROLLOUTS}/1h`], play: changedAllTheTime },
];

/** Plays one part to its end, that of its reloaders included. */
export async function played(soak: Soak, { play }: Player, pair: Pair): Promise<PendingChanges> {
  const pending = new PendingChanges();
  measure(pending, pair);
  await play(soak, pair, pending);
  pending.tooOften = pair.needless(pending.openKills + pair.witness.takeOvers.length);
  pending.takeOvers = pair.witness.takeOvers;
  await takeLeave(pending, pair);
  pending.intrusions = pair.intrusions();
  return pending;
}

/** What goes wrong in `action` is noted, and is the end of the soak. */
async function noted(
  pending: PendingChanges,
  scene: Scene,
  what: string,
  action: () => Promise<void>,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    const lost = await scene.lost().catch(() => ['nobody knows what']);
    pending.lost.push(`${what}: ${lost.join(', ') || 'late'}: ${String(error)}`);
  }
}

/** How much memory each of those takes that run. */
function measure({ memory }: PendingChanges, { members }: Pair): void {
  const pids = members.filter(({ process }) => process.exit === undefined).map(({ process }) => process.pid);
  memory.end = Math.max(0, ...pids.map(residentBytes));
  memory.begin ||= memory.end;
  memory.peak = Math.max(memory.peak, ...pids.map(peakBytes));
}

/** Both end as they are asked to, the leader last. */
async function takeLeave(pending: PendingChanges, pair: Pair): Promise<void> {
  for (const { pod, process } of pair.members.toSorted((one) => (pair.isHeldBy(one) ? 1 : -1))) {
    const watches = process.exit === undefined ? (await process.status()).watches : [];
    pending.watchRestarts += watches.reduce((total, { restarts }) => total + restarts, 0);
    const exit = await process.stop();
    if (exit.code !== 0)
      pending.lost.push(`${pod} has ended: ${JSON.stringify(exit)}\n${process.log.slice(-4000)}`);
  }
}

function counted({ changedAt, allRollouts }: Scene): string {
  return `${changedAt.length} changes, ${allRollouts} rollouts`;
}
