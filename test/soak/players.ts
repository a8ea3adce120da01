/** The parts of a soak: the reloader that is never killed, those that always are, and one that has a limit of rollouts. */

import { peakBytes, residentBytes } from '../bench/process-facts.ts';
import type { Progress } from '../bench/progress.ts';
import { Churn } from '../faults/churn.ts';
import { FAULTS } from '../faults/faults.ts';
import { killAgainAndAgain } from '../faults/kills.ts';
import { Scene, WEB, WORKLOADS } from '../faults/scene.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { randomOf } from '../simulation/random.ts';
import { FEW_SECONDS, nextEpisode, type Patient } from './episodes.ts';
import type { SoakCluster } from './soak-cluster.ts';
import { type Column, Tally } from './tally.ts';
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

const PERIOD_MS = 200;
/** What is judged by patience must not be slowed: the limit has a part of its own. */
const UNLIMITED = { periodMs: PERIOD_MS, flags: ['--rollout-limit', 'off'] };
const KILLS_UNDER_A_FAULT = 5;
const MOST_ROLLOUTS = 5;
const KILLS_AFTER_IT = 15;

/** One reloader suffers one thing after the other; it is judged after each. */
export async function neverKilled(soak: Soak, stack: AsyncDisposableStack): Promise<Column> {
  const { on, turns, progress, until } = soak;
  const random = randomOf(soak.seed);
  const scene = stack.use(await Scene.open(on.cluster));
  const reloader = await scene.reloader(UNLIMITED);
  const tally = new Tally();
  tally.memory.begin = residentBytes(reloader.pid);
  const patient: Patient = { scene, reloader, on, turns, random };
  // However long the start took: one episode there is.
  while ((tally.faults.size === 0 || Date.now() < until) && tally.lost.length === 0) {
    const left = (until - Date.now()) / 1000;
    const seconds = tally.faults.size === 0 ? Math.max(left, FEW_SECONDS) : left;
    const episode = nextEpisode(on, tally.faults, seconds, random);
    if (episode === undefined) break;
    progress.step(`never killed: ${episode.name}; so far ${counted(scene)}, ${memoryOf(reloader)}`);
    tally.fault(episode.name);
    const churn = new Churn(scene, random);
    await noted(tally, scene, episode.name, async () => {
      await episode.play(patient).finally(() => churn.end());
      await turns.take(() => scene.isRight(reloader));
    });
    progress.step(`never killed: the end of "${episode.name}": ${counted(scene)}`);
  }
  tally.tooOften = scene.rolledTooOften(0);
  if (reloader.exit === undefined) await takeLeave(tally, reloader);
  else
    tally.lost.push(
      `the reloader has ended: ${JSON.stringify(reloader.exit)}\n${reloader.stderr.slice(-4000)}`,
    );
  return { heading: 'never killed', scene, tally, periodMs: PERIOD_MS };
}

/** Reloaders are killed at random moments; the last of each batch is judged, and ends as it should. */
export async function killedAllTheTime(soak: Soak, stack: AsyncDisposableStack): Promise<Column> {
  const { on, turns, progress, until } = soak;
  const random = randomOf(soak.seed + 1);
  const scene = stack.use(await Scene.open(on.cluster));
  await (await turns.take(() => scene.reloader(UNLIMITED))).kill();
  const tally = new Tally();
  let done = 0;
  const onKill = (): void => {
    done += 1;
    progress.step(`killed: number ${done}`);
  };
  const kill = async (kills: number): Promise<void> => {
    const { openKills } = await killAgainAndAgain(scene, { kills, random, reloader: UNLIMITED, onKill });
    tally.kills += kills;
    tally.openKills += openKills;
  };
  const quick = Object.entries(FAULTS).filter(([, { needsHurry }]) => !needsHurry);
  while ((tally.kills === 0 || Date.now() < until) && tally.lost.length === 0) {
    const [name, fault] = quick[Math.floor(random() * quick.length)] ?? [];
    if (name === undefined || fault === undefined) break;
    tally.fault(name);
    const churn = new Churn(scene, random);
    await noted(tally, scene, `kills while ${name}`, async () => {
      progress.step(`killed: it begins that ${name}`);
      const end = await fault.begin(scene.proxy);
      await kill(KILLS_UNDER_A_FAULT);
      await end();
      scene.proxy.clear();
      progress.step(`killed: it ends that ${name}`);
      await kill(KILLS_AFTER_IT).finally(() => churn.end());
      await turns.take(async () => {
        const last = await scene.reloader(UNLIMITED);
        await scene.isRight(last);
        tally.memory.end = residentBytes(last.pid);
        tally.memory.begin ||= tally.memory.end;
        tally.memory.peak = Math.max(tally.memory.peak, peakBytes(last.pid));
        await last.stop();
      });
    });
    progress.step(`${tally.kills} kills: ${counted(scene)}`);
  }
  tally.tooOften = scene.rolledTooOften(tally.openKills);
  return { heading: 'killed all the time', scene, tally, periodMs: PERIOD_MS };
}

/** Objects change without a pause: beyond the limit a workload waits longer, and in the end it runs what is in force. */
export async function changedAllTheTime(soak: Soak, stack: AsyncDisposableStack): Promise<Column> {
  const { on, turns, progress } = soak;
  const scene = stack.use(await Scene.open(on.cluster));
  const limit = ['--rollout-limit', `${MOST_ROLLOUTS}/1h`];
  const reloader = await turns.take(() => scene.reloader({ periodMs: PERIOD_MS, flags: limit }));
  const tally = new Tally();
  tally.memory.begin = residentBytes(reloader.pid);
  const churn = new Churn(scene, randomOf(soak.seed + 2));
  progress.step('limited: objects change all the time');
  await noted(tally, scene, 'changes all the time', async () => {
    const isBeyond = (): boolean => scene.rollouts(WEB) >= MOST_ROLLOUTS + 2;
    await scene.stage.until('a workload is beyond its limit', isBeyond).finally(() => churn.end());
    progress.step(`limited: no more changes: ${counted(scene)}`);
    if ((await reloader.metric('reloader_slowed_workloads')) === 0) tally.lost.push('no workload is slowed');
    await turns.take(() => scene.isRight(reloader));
  });
  progress.step(`limited: the end: ${counted(scene)}`);
  tally.tooOften = scene.rolledTooOften(0);
  await takeLeave(tally, reloader);
  return { heading: 'limited', scene, tally, periodMs: PERIOD_MS };
}

/** What goes wrong in `action` is noted, and is the end of the soak. */
async function noted(tally: Tally, scene: Scene, what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const lost = await scene.lost().catch(() => ['nobody knows what']);
    tally.lost.push(`${what}: ${lost.join(', ') || 'late'}: ${String(error)}`);
  }
}

async function takeLeave(tally: Tally, reloader: ReloaderProcess): Promise<void> {
  tally.memory.end = residentBytes(reloader.pid);
  tally.memory.peak = peakBytes(reloader.pid);
  const { watches } = await reloader.status();
  tally.watchRestarts = watches.reduce((total, { restarts }) => total + restarts, 0);
  await reloader.stop();
}

function counted(scene: Scene): string {
  const rollouts = WORKLOADS.reduce((total, each) => total + scene.rollouts(each), 0);
  return `${scene.changedAt.length} changes, ${rollouts} rollouts`;
}

function memoryOf({ pid, exit }: ReloaderProcess): string {
  return exit === undefined ? `${Math.round(residentBytes(pid) / 1e6)} MB` : 'and it has ended';
}
