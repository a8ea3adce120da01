/** Keeps a screen up to date until the person quits. */

import { monotonicMs, secondsOf } from '../../model/time.ts';
import { sleep } from '../../queue/abortable-sleep.ts';
import { CommandError } from '../connect.ts';
import type { Screen } from './screen.ts';
import { timeOf } from './top-text.ts';

/** What is shown again and again. */
export interface Live<T> {
  readonly first: T;
  /** Reads the next one. @throws CommandError if that fails: then the last one stays */
  readonly look: () => Promise<T>;
  readonly intervalMs: number;
  /** The lines of one; `trouble`: why it is not the present one. */
  readonly draw: (shown: T, trouble: string | undefined) => readonly string[];
}

/** Resolves when the person quits, without waiting for a read under way. */
export async function showLive<T>(
  screen: Pick<Screen, 'show' | 'onResize' | 'quit'>,
  { first, look, intervalMs, draw }: Live<T>,
): Promise<void> {
  const { quit } = screen;
  let shown = { answer: first, at: monotonicMs() };
  let failure: string | undefined;
  const redraw = (): void => screen.show(draw(shown.answer, troubleOf(failure, shown.at)));
  const quitting = new Promise<void>((resolve) => quit.addEventListener('abort', () => resolve()));
  const lookAgain = async (): Promise<void> => {
    try {
      shown = { answer: await look(), at: monotonicMs() };
      failure = undefined;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      failure = error.message;
    }
  };
  screen.onResize(redraw);
  while (!quit.aborted) {
    redraw();
    await sleep(intervalMs, quit);
    if (!quit.aborted) await Promise.race([lookAgain(), quitting]);
  }
}

function troubleOf(failure: string | undefined, since: number): string | undefined {
  if (failure === undefined) return undefined;
  const age = timeOf(secondsOf(monotonicMs() - since), false);
  return `not read again for ${age}: ${failure}`;
}
