/** The line between one process and the API server: it can be cut, fall silent, or be late with one stream. */

import type { ApiRequest, ApiResponse, Piece, Send } from '../../lib/kubernetes/transport.ts';
import { abortError } from '../sandbox/abort.ts';
import { connectionError } from '../sandbox/faults.ts';
import type { Resource } from './history.ts';
import { outside, type Stoppable } from './stoppable.ts';

/** A time that passes, or is cut short. */
class Time {
  readonly #over = Promise.withResolvers<void>();
  readonly over: Promise<void> = this.#over.promise;

  constructor(ms: number) {
    outside(() => setTimeout(() => this.end(), ms));
  }

  end(): void {
    this.#over.resolve();
  }
}

/** One line. */
export class Line {
  /** What the process gets as its transport. */
  readonly send: Send = (request) => this.#pass(request);
  readonly #inner: Send;
  readonly #process: Stoppable;
  /** Aborted when the line is cut. */
  #cut = new AbortController();
  #isCut = false;
  #isShut = false;
  #silence: Time | undefined;
  readonly #stalls = new Map<Resource, Time>();

  constructor(inner: Send, process: Stoppable) {
    this.#inner = inner;
    this.#process = process;
  }

  /** For so long every request fails at once, and every stream has ended. */
  cut(ms: number): void {
    this.#isCut = true;
    this.#cut.abort();
    setTimeout(() => {
      this.#isCut = false;
      this.#cut = new AbortController();
    }, ms);
  }

  /** For so long nothing arrives, on either side; it does afterwards, also a write that the process gave up meanwhile. */
  silence(ms: number): void {
    const silence = new Time(ms);
    this.#silence = silence;
    void silence.over.then(() => {
      if (this.#silence === silence) this.#silence = undefined;
    });
  }

  /** For so long the streams of `resource` tell nothing. */
  stall(resource: Resource, ms: number): void {
    this.#stalls.set(resource, new Time(ms));
  }

  /** Whatever was wrong with it is over. */
  open(): void {
    this.#isCut = false;
    this.#cut = new AbortController();
    this.#silence?.end();
    for (const stall of this.#stalls.values()) stall.end();
  }

  /** Nothing is on its way any more. */
  shut(): void {
    this.#isShut = true;
  }

  async #pass(request: ApiRequest): Promise<ApiResponse> {
    if (this.#isCut) throw connectionError('ECONNREFUSED');
    const cut = this.#cut.signal;
    const silence = this.#silence;
    const asked =
      silence === undefined ? this.#ask(request, cut) : silence.over.then(() => this.#askLate(request, cut));
    asked.catch(() => undefined);
    const response = await endedBy(request.signal, asked);
    await this.#arrival(undefined, request.signal);
    return { ...response, body: this.#passedOn(request, response.body, cut) };
  }

  /** A write was on its way, whether or not its answer is waited for. */
  async #askLate(request: ApiRequest, cut: AbortSignal): Promise<ApiResponse> {
    const { signal, ...rest } = request;
    if (signal?.aborted !== true) return await this.#ask(request, cut);
    if (request.method !== 'GET' && !this.#isShut) await this.#ask(rest, cut);
    throw abortError(signal);
  }

  async #ask({ signal, ...rest }: ApiRequest, cut: AbortSignal): Promise<ApiResponse> {
    const either = signal === undefined ? cut : AbortSignal.any([signal, cut]);
    try {
      return await outside(() => this.#inner({ ...rest, signal: either }));
    } catch (error) {
      throw cut.aborted && signal?.aborted !== true ? connectionError('ECONNRESET') : error;
    }
  }

  async *#passedOn(
    { path, signal }: ApiRequest,
    body: AsyncIterable<Piece>,
    cut: AbortSignal,
  ): AsyncGenerator<Piece> {
    const iterator = outside(() => body[Symbol.asyncIterator]());
    const stream = path.includes('watch=') ? /\/([a-z]+)\?/.exec(path)?.[1] : undefined;
    try {
      for (;;) {
        const next = await outside(() => iterator.next());
        await this.#arrival(stream as Resource | undefined, signal);
        if (cut.aborted) throw connectionError('ECONNRESET');
        if (next.done === true) return;
        yield next.value;
      }
    } catch (error) {
      throw cut.aborted && signal?.aborted !== true ? connectionError('ECONNRESET') : error;
    } finally {
      await outside(() => iterator.return?.());
    }
  }

  /** Resolves when what the server says reaches the process: not while that is stopped. */
  async #arrival(stream: Resource | undefined, signal: AbortSignal | undefined): Promise<void> {
    const stall = stream && this.#stalls.get(stream);
    const waits = [this.#silence?.over, stall?.over, this.#process.stopped];
    for (const wait of waits) if (wait !== undefined) await endedBy(signal, wait);
    if (this.#silence !== undefined || this.#process.stopped !== undefined) {
      await this.#arrival(stream, signal);
    }
  }
}

/** `work`, unless `signal` is aborted before. */
async function endedBy<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(abortError(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
