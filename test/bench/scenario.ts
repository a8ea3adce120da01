/** What a scenario is given, and what it finds. */

import type { LineChart } from './chart.ts';
import type { Figure } from './figures.ts';
import type { Floor } from './floor.ts';
import type { Progress } from './progress.ts';
import type { Target } from './target.ts';

/** Everything to measure with. */
export interface Bench {
  readonly target: Target;
  readonly floor: Floor;
  readonly progress: Progress;
  /** A tenth of everything: to see that it works, not to judge by. */
  readonly quick: boolean;
  /** For the Node that the reloader runs on, e.g. to profile it. */
  readonly nodeOptions: string;
}

/** What was found. */
export interface Findings {
  readonly figures: readonly Figure[];
  readonly charts: readonly LineChart[];
}

/** Waits for `ms`. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
