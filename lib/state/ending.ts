/** The end: what is under way is finished, but not for longer than a pod is given. */

import type { Log } from '../model/log.ts';
import type { StateCommitter } from './state-committer.ts';

/** How long the end may take once it was asked for; a pod is given 30 s by default. */
export const LONGEST_END_MS = 20_000;

/** What has to end. */
export interface Ending {
  /** Each begins nothing more; what is under way is answered before the last commit. */
  readonly parts: readonly { readonly close: () => Promise<void> }[];
  readonly committer: Pick<StateCommitter, 'close' | 'halt'>;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log: Log;
}

/** Resolves when all is finished, or the time is over: then nothing more is begun, and the next start finds what is left. */
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
  if (!isDone) log.warn('the API server does not answer: what was under way is left to the next start');
}
