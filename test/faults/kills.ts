/** A reloader that is killed, and started, and killed. */

import { pause } from './churn.ts';
import type { Scene, SceneReloaderOptions } from './scene.ts';

const EARLIEST_MS = 50;

/** How often, and when. */
export interface KillOptions {
  readonly kills: number;
  /** How long after its start: it may not have read its state, be about to patch, or have done everything. */
  readonly latestMs?: number;
  readonly random: () => number;
  readonly reloader?: SceneReloaderOptions;
  readonly onKill?: (done: number) => void;
}

/** What was done. */
export interface Killed {
  /** How many of the kills found something that was not committed yet. */
  readonly openKills: number;
}

/** Starts a reloader and kills it at a random moment, again and again; none runs when this resolves. */
export async function killAgainAndAgain(scene: Scene, options: KillOptions): Promise<Killed> {
  const { kills, random, latestMs = 1200, reloader = {}, onKill } = options;
  let openKills = 0;
  for (let done = 1; done <= kills; done += 1) {
    const process = await scene.start(reloader);
    // The moment is the point: how long is left to chance, and it need not be long enough for anything.
    await pause(EARLIEST_MS + random() * (latestMs - EARLIEST_MS));
    await process.kill();
    if (await isOpen(scene)) openKills += 1;
    onKill?.(done);
  }
  return { openKills };
}

/** Who cannot be asked may have been in the middle of it. */
async function isOpen(scene: Scene): Promise<boolean> {
  try {
    return await scene.isOpen();
  } catch {
    return true;
  }
}
