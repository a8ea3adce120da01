/**
 * One POST to an address whose path, query and password are secrets: no result or message of this file reveals more than
 * its scheme and host.
 */

import { once } from 'node:events';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ConnectionError } from '../model/settings.ts';

/** The body of a post. */
export interface PostBody {
  readonly contentType: string;
  readonly text: string;
  /** The header x-reloader-signature. @default none */
  readonly signature?: string;
}

/** The result of a post. `message` is for people. */
export type PostResult =
  /** Any 2xx. */
  | { readonly kind: 'taken' }
  /** A retry would not help: a redirect, or a permanent 4xx. */
  | { readonly kind: 'refused'; readonly message: string }
  /** No answer, a 5xx, or too many requests: the receiver may have accepted the post. */
  | { readonly kind: 'later'; readonly message: string; readonly retryAfterMs?: number };

/** The parts of an HttpPoster. */
export interface HttpPosterOptions {
  /** http: or https:, maybe with user name and password. */
  readonly url: string;
  /** The URL of the proxy to it. @default none */
  readonly proxy?: string | undefined;
  /** The user agent of the program. */
  readonly userAgent: string;
  /** The longest duration of one post in ms. @default 10000 */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const LONGEST_RETRY_AFTER_S = 300;
/** Statuses below 500 after which the same request may succeed later. */
const TEMPORARY: readonly number[] = [408, 425, 429];

/** Scheme and host of an address: the part that may be shown. */
export function originOf(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Posts to one address, on a new connection each time, since an idle one would mostly be closed before the next rollout. */
export class HttpPoster {
  /** Scheme and host: the part of the address that may be shown. */
  readonly origin: string;
  readonly #url: URL;
  readonly #options: HttpPosterOptions;
  readonly #agent: HttpAgent;
  readonly #timeoutMs: number;

  /** @throws ConnectionError if a proxy of the environment is invalid */
  constructor(options: HttpPosterOptions) {
    this.#options = options;
    this.#url = new URL(options.url);
    this.origin = originOf(options.url);
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    // The timeout ends the socket to a proxy that hangs, which belongs to no request.
    const proxyEnv = { HTTP_PROXY: options.proxy, HTTPS_PROXY: options.proxy };
    const settings = { proxyEnv, timeout: this.#timeoutMs };
    try {
      this.#agent = this.#isPlain ? new HttpAgent(settings) : new HttpsAgent(settings);
    } catch {
      const variable = this.#isPlain ? 'HTTP_PROXY' : 'HTTPS_PROXY';
      throw new ConnectionError(`${variable}: expected the URL of a proxy`);
    }
  }

  /**
   * Posts within the timeout; the head of the answer is the result. Never rejects; an abort by `signal` counts as a post without an
   * answer. While a proxy hangs, a destroyed request emits no further event, so the signals end the wait.
   */
  async post(body: PostBody, signal?: AbortSignal): Promise<PostResult> {
    const late = AbortSignal.timeout(this.#timeoutMs);
    const end = signal === undefined ? late : AbortSignal.any([signal, late]);
    let call: ClientRequest | undefined;
    try {
      call = this.#start(body);
      const answered = once(call, 'response', { signal: end });
      call.on('error', () => undefined); // after the head nothing more is needed
      call.end(body.text);
      const [answer] = (await answered) as [IncomingMessage];
      answer.destroy(); // its body is not used
      return this.#resultOf(answer);
    } catch (error) {
      call?.destroy();
      const { code, name } = error as NodeJS.ErrnoException;
      if (signal?.aborted) return this.#unanswered('before the end');
      return this.#unanswered(late.aborted ? `within ${this.#timeoutMs / 1000} s` : `(${code ?? name})`);
    }
  }

  get #isPlain(): boolean {
    return this.#url.protocol === 'http:';
  }

  #start({ contentType, text, signature }: PostBody): ClientRequest {
    const start = this.#isPlain ? httpRequest : httpsRequest;
    return start(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': contentType,
        'content-length': Buffer.byteLength(text),
        'user-agent': this.#options.userAgent,
        ...(signature === undefined ? {} : { 'x-reloader-signature': signature }),
      },
    });
  }

  /** The messages of errors are not quoted: some contain the address, or that of a proxy. */
  #unanswered(why: string): PostResult {
    return { kind: 'later', message: `no answer from ${this.origin} ${why}`.trimEnd() };
  }

  #resultOf({ statusCode: status = 0, headers }: IncomingMessage): PostResult {
    const message = `${this.origin} answered ${status}`;
    if (status >= 200 && status < 300) return { kind: 'taken' };
    if (status >= 300 && status < 400)
      return { kind: 'refused', message: `${message}, a redirect, which is not followed` };
    if (status < 500 && !TEMPORARY.includes(status)) return { kind: 'refused', message };
    const text = headers['retry-after'] ?? '';
    if (!/^\d{1,9}$/.test(text)) return { kind: 'later', message };
    return { kind: 'later', message, retryAfterMs: Math.min(Number(text), LONGEST_RETRY_AFTER_S) * 1000 };
  }
}
