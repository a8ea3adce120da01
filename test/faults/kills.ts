/** Reloaders that are killed, and started, and killed. */

import { pause } from './churn.ts';
import type { Scene } from './scene.ts';

const EARLIEST_MS = 50;

/** How often, and when. */
export interface KillOptions {
  readonly kills: number;
  /** How long after its start: it may not have read its state, be about to patch, or have done everything. */
  readonly latestMs?: number;
  readonly random: () => number;
  /** Starts what does not run; the function answered kills one. */
  readonly start: () => Promise<() => Promise<void>>;
  readonly onKill?: () => void;
}

/** What was done. */
export interface Killed {
  /** How many of the kills found something that was not committed yet. */
  readonly openKills: number;
}

/** Starts a reloader and kills one at a random moment, again and again; the last one killed is not started again. */
export async function killAgainAndAgain(scene: Pick<Scene, 'isOpen'>, options: KillOptions): Promise<Killed> {
  const { kills, random, latestMs = 1200, start, onKill } = options;
  let openKills = 0;
  for (let done = 1; done <= kills; done += 1) {
    const kill = await start();
    // The moment is the point: how long is left to chance, and it need not be long enough for anything.
    await pause(EARLIEST_MS + random() * (latestMs - EARLIEST_MS));
    await kill();
    if (await isOpen(scene)) openKills += 1;
    onKill?.();
  }
  return { openKills };
}

/** Who cannot be asked may have been in the middle of it. */
async function isOpen(scene: Pick<Scene, 'isOpen'>): Promise<boolean> {
  try {
    return await scene.isOpen();
  } catch {
    return true;
  }
}
