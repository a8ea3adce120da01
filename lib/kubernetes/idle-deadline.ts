/** A signal that ends a request when the caller says so, or when nothing was heard for too long. */

import { ApiError } from './api-error.ts';
import type { Piece } from './transport.ts';

/** Why nothing goes on after `end()`. One for all: without it each request would make an error, with a stack that nobody reads. */
const OVER = new ApiError('aborted', 'the request is over');

/** Runs from its construction; `end()` must be called, whatever happens. */
export class IdleDeadline {
  readonly #controller = new AbortController();
  readonly #idleMs: number;
  readonly #parent: AbortSignal | undefined;
  readonly #expired: () => Error;
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param idleMs the longest time between two calls of `touch()`, after which it ends with what `expired` makes. */
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

  /** Aborted with the parent's reason, with what `expired` makes, or by `end()`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something was heard: the time starts anew. */
  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(this.#expired()), this.#idleMs);
  }

  /** The request is over: lets go of the parent and the timer and cuts what may still be open. */
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

  /** The pieces of `body`; each one touches the deadline, and the signal ends the waiting for the next. */
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
      // Not awaited: a body that hangs would hang here again; the signal cuts it.
      void pieces.return?.().catch(() => undefined);
    }
  }
}
