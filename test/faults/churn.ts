/** ConfigMaps change and change. */

import type { Scene } from './scene.ts';

const NAMES = ['web', 'other'];
const SHORTEST_MS = 30;
const LONGEST_MS = 400;
const AFTER_FAILURE_MS = 200;

/** Changes that come until they are ended. */
export class Churn {
  readonly #scene: Scene;
  readonly #random: () => number;
  readonly #running: Promise<void>;
  #isEnded = false;

  /** @param random decides what changes and when */
  constructor(scene: Scene, random: () => number) {
    this.#scene = scene;
    this.#random = random;
    this.#running = this.#run();
  }

  /** Resolves when the last one is made. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isEnded) {
      await pause(SHORTEST_MS + this.#random() * (LONGEST_MS - SHORTEST_MS));
      const name = NAMES[Math.floor(this.#random() * NAMES.length)] ?? '';
      try {
        await this.#scene.change(name);
      } catch {
        await pause(AFTER_FAILURE_MS); // the API server is away: people try again too
      }
    }
  }
}

/** Waits for `ms`. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
