/** Logs what keeps the program from its work, again and again for as long as it does. */

import type { WatchStatus } from '../model/health.ts';
import type { Log } from '../model/log.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Assembly } from './assembly.ts';

/** The time between two log lines. */
export const COMPLAINT_MS = 60_000;

/**
 * Logs once a minute what the program waits for or, when it is ready, the streams whose watch has been down for a minute.
 * Resolves when `signal` is aborted.
 */
export async function logUnhealthy(
  assembly: Pick<Assembly, 'waitingFor' | 'watches'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  await sleep(COMPLAINT_MS, signal);
  while (!signal.aborted) {
    const waitingFor = assembly.waitingFor();
    if (waitingFor.length > 0) log.warn(`not ready: still waiting for ${waitingFor.join(', ')}`);
    else logSilentWatches(assembly.watches(), log);
    await sleep(COMPLAINT_MS, signal);
  }
}

function logSilentWatches(watches: readonly WatchStatus[], log: Log): void {
  const down = watches.filter((watch) => !watch.isUp && silentSeconds(watch) * 1000 >= COMPLAINT_MS);
  if (down.length === 0) return;
  const seconds = Math.round(Math.max(...down.map(silentSeconds)));
  const streams = down.map(({ stream }) => stream).join(', ');
  const problem = down.find((each) => each.problem !== undefined)?.problem;
  log.warn(`nothing is heard for ${seconds} s of: ${streams}`, problem === undefined ? {} : { problem });
}

/** The seconds since the last sign of life; each page of a long list is one. */
function silentSeconds({ sinceSeconds, lastSignOfLifeSeconds = sinceSeconds }: WatchStatus): number {
  return Math.min(sinceSeconds, lastSignOfLifeSeconds);
}
