/** What follows when a stream lists, fails, may not be listed, or is watched again. */

import type { Log } from '../model/log.ts';
import { nameOf, type Stream, type SyncGate } from '../store/sync-gate.ts';

/** Whom it tells. */
export interface ListingOptions {
  readonly gate: SyncGate;
  readonly log: Log;
  /** Everything that may be listed is. */
  readonly onListed: () => void;
  /** What was left undone until a stream had listed may be done now, or without it. */
  readonly onNews: () => void;
}

/** See the file's comment. */
export class Listing {
  readonly #options: ListingOptions;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** The stream has listed. */
  synced(stream: Stream): void {
    const { gate, onNews } = this.#options;
    this.watched(stream);
    if (gate.markSynced(stream)) this.#tellIfListed();
    onNews();
  }

  /** Whether the right to list or watch the stream is known to be missing. */
  isRefused(stream: Stream): boolean {
    return this.#options.gate.isRefused(stream);
  }

  /** A list or watch of the stream failed. */
  failed(stream: Stream): void {
    if (this.#options.gate.markFailing(stream)) this.#options.onNews();
  }

  /** The stream cannot be listed or watched, which `sentence` says: all else goes on without it. */
  leaveOut(stream: Stream, sentence: string): void {
    const { gate, log, onNews } = this.#options;
    const wasListed = gate.awaited().length === 0;
    if (!gate.markRefused(stream)) return;
    log.warn(`${nameOf(stream)} ${sentence}`);
    if (!wasListed) this.#tellIfListed();
    onNews();
  }

  /** A list or watch of the stream succeeded. */
  watched(stream: Stream): void {
    const { gate, log, onNews } = this.#options;
    if (!gate.markWell(stream)) return;
    log.info(`${nameOf(stream)} may be listed and watched again`);
    onNews();
  }

  #tellIfListed(): void {
    if (this.#options.gate.awaited().length === 0) this.#options.onListed();
  }
}
