/**
 * The orderly end of a leader: rollouts and repairs under way are finished, then the last commit is written. All of it takes
 * less time than the grace period of a pod; the next start can recover whatever is left.
 */

import type { Log } from '../model/log.ts';
import type { StateCommitter } from '../state/state-committer.ts';

/** The longest time for the end; terminationGracePeriodSeconds is 30 by default. */
export const LONGEST_END_MS = 20_000;

/** What has to end. */
export interface Ending {
  /**
   * `close` begins nothing more and resolves once all answers have arrived; all close before the last commit, which records
   * them.
   */
  readonly parts: readonly { readonly close: () => Promise<void> }[];
  readonly committer: Pick<StateCommitter, 'close' | 'halt'>;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
}

/** Resolves when all is finished, or after LONGEST_END_MS: then nothing more is begun, and the next start does the rest. */
export async function finishInTime({ parts, committer, wait, log }: Ending): Promise<void> {
  const end = new AbortController();
  let isDone = false;
  const again = async (ms: number): Promise<boolean> => {
    if (ms > 0) await wait(ms, end.signal);
    return !end.signal.aborted;
  };
  const finish = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.close()));
    await committer.close(again);
    isDone = true;
  };
  await Promise.race([finish(), wait(LONGEST_END_MS, end.signal)]);
  end.abort();
  committer.halt();
  if (!isDone) log.warn('no answer from the API server: the next start completes unfinished work');
}
