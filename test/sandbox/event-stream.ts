/** Bodies of answers: one text, or a stream that is written to while somebody reads it. */

import { abortError } from './abort.ts';

type PendingReason = {
  readonly resolve: (result: IteratorResult<string>) => void;
  readonly reject: (error: Error) => void;
};

/** A body of one piece; an aborted `signal` ends it. */
export async function* textBody(text: string, signal?: AbortSignal): AsyncGenerator<string, void> {
  if (signal?.aborted) throw abortError(signal);
  yield text;
}

/**
 * A body that grows. What was pushed and not read yet is read as one piece. It ends by `end`, `fail`, the reader's
 * return or the signal; `onClose` is then called once.
 */
export class EventStream implements AsyncIterable<string>, AsyncIterator<string> {
  readonly #signal: AbortSignal | undefined;
  readonly #onClose: () => void;
  readonly #abort: () => void;
  #buffered = '';
  #waiting: PendingReason | undefined;
  #closed: { readonly error?: Error } | undefined;

  constructor(signal: AbortSignal | undefined, onClose: () => void) {
    this.#signal = signal;
    this.#onClose = onClose;
    this.#abort = (): void => {
      this.#buffered = '';
      if (signal) this.fail(abortError(signal));
    };
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.#abort();
  }

  /** Whether nothing can be pushed any more. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  push(text: string): void {
    if (this.#closed) return;
    if (this.#waiting === undefined) this.#buffered += text;
    else this.#take()?.resolve({ done: false, value: text });
  }

  /** Ends the body after what was pushed. */
  end(): void {
    this.#close({});
  }

  /** Breaks the body off with `error` after what was pushed. */
  fail(error: Error): void {
    this.#close({ error });
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this;
  }

  next(): Promise<IteratorResult<string>> {
    if (this.#buffered !== '') {
      const value = this.#buffered;
      this.#buffered = '';
      return Promise.resolve({ done: false, value });
    }
    if (this.#closed?.error) return Promise.reject(this.#closed.error);
    if (this.#closed) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<string>> {
    this.#buffered = '';
    this.#close({});
    return Promise.resolve(DONE);
  }

  #close(how: { readonly error?: Error }): void {
    if (this.#closed) return;
    this.#closed = how;
    this.#signal?.removeEventListener('abort', this.#abort);
    const waiting = this.#take();
    if (how.error) waiting?.reject(how.error);
    else waiting?.resolve(DONE);
    this.#onClose();
  }

  #take(): PendingReason | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}

const DONE: IteratorResult<string> = { done: true, value: undefined };
