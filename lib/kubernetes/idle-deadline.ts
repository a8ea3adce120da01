/** A deadline for silence: a signal that is aborted by the caller's signal, or when no byte arrived for too long. */

import { ApiError } from './api-error.ts';
import type { Piece } from './transport.ts';

/** The abort reason of `end()`. One for all: a new error per request would collect a stack for nothing. */
const OVER = new ApiError('aborted', 'the request is over');

/** Runs from its construction. The caller has to call `end()` in every case, or the timer and the listener leak. */
export class IdleDeadline {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  readonly #parent: AbortSignal | undefined;
  readonly #expired: () => Error;
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param idleMs the longest time without a `touch()`; then the signal is aborted with the error that `expired` makes. */
  constructor(
    idleMs: number,
    parent?: AbortSignal,
    expired = (): Error => new ApiError('silent', `nothing was heard for ${idleMs / 1000} s`),
  ) {
    this.#expired = expired;
    this.#idleMs = idleMs;
    this.#parent = parent;
    if (parent?.aborted) this.#onParentAbort();
    parent?.addEventListener('abort', this.#onParentAbort, { once: true });
    this.touch();
  }

  /** Aborted with the parent's reason, with the error of `expired`, or by `end()`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A byte arrived: restarts the time. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(this.#expired()), this.#idleMs);
  }

  /** The request is over: removes listener and timer, and aborts a body that may still be open. */
  end(): void {
    clearTimeout(this.#timer);
    this.#parent?.removeEventListener('abort', this.#onParentAbort);
    this.#controller.abort(OVER);
  }

  /** Settles with `promise`, or rejects with the signal's reason if that comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** The pieces of `body`. Each one restarts the time, and the signal ends the wait for the next one. */
  async *over(body: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await this.race(pieces.next());
        if (piece.done === true) return;
        this.touch();
        yield piece.value;
      }
    } finally {
      // Not awaited: a body that hangs would hang here as well; the signal cuts it.
      void pieces.return?.().catch(() => undefined);
    }
  }
}
