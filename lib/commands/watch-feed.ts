/** Events for the watches of an observation. */

import { isWatch } from '../kubernetes/api-path.ts';
import type { ApiRequest, ApiResponse } from '../kubernetes/transport.ts';
import type { RawObject } from '../model/raw-objects.ts';

/** Above every version of a cluster, and short enough to count as a version, see decimalOf. */
const FIRST_VERSION = 9 * 10 ** 14;

/** The events of one observation, by the path of their collection. */
export class WatchFeed {
  readonly #lines = new Map<string, string[]>();
  #more = Promise.withResolvers<void>();
  #version = FIRST_VERSION;
  /** Events that are not observed yet. */
  #open = 0;

  /** Adds an event; the object gets the next version. */
  push(path: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: RawObject): void {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.#linesAt(path).push(`${JSON.stringify({ type, object: { ...object, metadata } })}\n`);
    this.#open += 1;
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }

  /** Whether all events so far are observed. */
  get isDrained(): boolean {
    return this.#open === 0;
  }

  /** The answer to a watch, which stays open; undefined for any other request. */
  answer({ path, signal }: ApiRequest): ApiResponse | undefined {
    if (!isWatch(path)) return undefined;
    const lines = this.#linesAt(path.split('?', 1)[0] ?? '');
    return { status: 200, headers: {}, body: this.#read(lines, signal) };
  }

  #linesAt(path: string): string[] {
    const lines = this.#lines.get(path) ?? [];
    this.#lines.set(path, lines);
    return lines;
  }

  /** Who asks for the next line has observed the one before. */
  async *#read(lines: string[], signal: AbortSignal | undefined): AsyncGenerator<string> {
    const aborted = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    while (signal?.aborted !== true) {
      const line = lines.shift();
      if (line === undefined) await Promise.race([this.#more.promise, aborted]);
      else {
        yield line;
        this.#open -= 1;
      }
    }
  }
}
