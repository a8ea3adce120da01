/** The process's time. */

import { Timeline } from '../../lib/model/timeline.ts';
import type { World } from './world.ts';

/** A Timeline that stands where the world's does. */
export function timelineOf({ arrivals, comparable }: World): Timeline {
  const timeline = new Timeline();
  for (let count = 0; count < arrivals; count += 1) timeline.sign('');
  timeline.comparable = comparable;
  return timeline;
}

/** The world's stands where `timeline` does, of which nothing is asked any more. */
export function keepTime(world: World, timeline: Timeline): void {
  world.arrivals = timeline.sign('').arrival - 1;
}

/** Asks a Timeline that stands where the world's does. */
export function timeOf<T>(world: World, ask: (timeline: Timeline) => T): T {
  const timeline = timelineOf(world);
  const result = ask(timeline);
  keepTime(world, timeline);
  return result;
}
