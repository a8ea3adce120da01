/** ConfigMaps change and change. */

import { CHANGING, type Scene } from './scene.ts';

const SHORTEST_MS = 30;
const LONGEST_MS = 400;
const AFTER_FAILURE_MS = 200;

/** Runs `act` while these change, until it has ended; `random` decides what changes and when. @default those of a Scene */
export async function whileChanging<T>(
  scene: Pick<Scene, 'change'>,
  random: () => number,
  act: () => Promise<T>,
  changing: readonly string[] = CHANGING,
): Promise<T> {
  let isOver = false;
  const churn = (async () => {
    while (!isOver) {
      await pause(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
      const name = changing[Math.floor(random() * changing.length)] ?? '';
      try {
        await scene.change(name);
      } catch {
        await pause(AFTER_FAILURE_MS); // the API server is away: people try again too
      }
    }
  })();
  try {
    return await act();
  } finally {
    isOver = true;
    await churn;
  }
}

/** Waits for `ms`. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
