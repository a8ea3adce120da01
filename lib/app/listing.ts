/**
 * Follows the lists of all streams: what happens when one completes, fails, is refused, or works again. Decisions that need
 * complete lists wait on the SyncGate that this class updates.
 */

import type { Log } from '../model/log.ts';
import { nameOf, type Stream, type SyncGate } from '../store/sync-gate.ts';

/** The collaborators of a `Listing`. */
export interface ListingOptions {
  readonly gate: SyncGate;
  readonly log: Log;
  /** Called when every stream that is not left out has listed. */
  readonly onListed: () => void;
  /** Called when work that waited for a stream may be possible: it has listed, or work goes on without it. */
  readonly onNews: () => void;
}

/** See the file's comment. */
export class Listing {
  readonly #options: ListingOptions;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** A list of the stream is complete. */
  synced(stream: Stream): void {
    const { gate, onListed, onNews } = this.#options;
    this.watched(stream);
    if (gate.markSynced(stream) && gate.awaited().length === 0) onListed();
    onNews();
  }

  /** The stream cannot be listed or watched; all else goes on without it. `sentence`: the reason, for the log, if it is news. */
  leaveOut(stream: Stream, sentence?: string): void {
    const { log } = this.#options;
    const say = (): void => void (sentence && log.warn(`${nameOf(stream)} ${sentence}`));
    this.change((gate) => gate.mark(stream, 'refused'), say);
  }

  /** A list or watch of the stream succeeded. */
  watched(stream: Stream): void {
    const { log } = this.#options;
    const say = (): void => log.info(`${nameOf(stream)} can be listed and watched again`);
    this.change((gate) => gate.markWell(stream), say);
  }

  /** Marks a stream; if that changes anything, `say` logs it, and what waited for the stream is notified. */
  change(mark: (gate: SyncGate) => boolean, say = (): void => undefined): void {
    const { gate, onListed, onNews } = this.#options;
    const wasListed = gate.awaited().length === 0;
    if (!mark(gate)) return;
    say();
    if (!wasListed && gate.awaited().length === 0) onListed();
    onNews();
  }
}
