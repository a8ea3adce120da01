/** The process's time. */

import { Timeline } from '../../lib/model/timeline.ts';
import type { World } from './world.ts';

/** Asks a Timeline that stands where the world's does. */
export function timeOf<T>(world: World, ask: (timeline: Timeline) => T): T {
  const timeline = new Timeline();
  for (let count = 0; count < world.arrivals; count += 1) timeline.sign('');
  timeline.comparable = world.comparable;
  const result = ask(timeline);
  world.arrivals = timeline.sign('').arrival - 1;
  return result;
}
