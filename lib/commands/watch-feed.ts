/** Events for the watches of an observation: so what a plan applies reaches the program. */

import { isWatch } from '../kubernetes/api-path.ts';
import type { ApiRequest, ApiResponse } from '../kubernetes/transport.ts';
import type { RawObject } from '../model/raw-objects.ts';

/** Above every version of a cluster, and short enough to count as a version, see decimalOf. */
const FIRST_VERSION = 9 * 10 ** 14;

interface Watch {
  readonly lines: string[];
  wake: () => void;
}

/** The events of one observation, by the path of their collection. */
export class WatchFeed {
  readonly #watches = new Map<string, Watch>();
  #version = FIRST_VERSION;
  /** Events that are not observed yet. */
  #open = 0;

  /** Adds an event; the object gets the next version. */
  push(path: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: RawObject): void {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const watch = this.#watchOf(path);
    watch.lines.push(`${JSON.stringify({ type, object: { ...object, metadata } })}\n`);
    this.#open += 1;
    watch.wake();
  }

  /** Whether all events so far are observed. */
  get isDrained(): boolean {
    return this.#open === 0;
  }

  /** The answer to a watch; undefined for any other request. */
  answer({ path, signal }: ApiRequest): ApiResponse | undefined {
    if (!isWatch(path)) return undefined;
    const watch = this.#watchOf(path.split('?', 1)[0] ?? '');
    return { status: 200, headers: {}, body: this.#linesOf(watch, signal) };
  }

  #watchOf(path: string): Watch {
    const watch = this.#watches.get(path) ?? { lines: [], wake: () => undefined };
    this.#watches.set(path, watch);
    return watch;
  }

  /** Who asks for the next line has observed the one before. */
  async *#linesOf(watch: Watch, signal: AbortSignal | undefined): AsyncGenerator<string> {
    while (signal?.aborted !== true) {
      const line = watch.lines.shift();
      if (line !== undefined) {
        yield line;
        this.#open -= 1;
        continue;
      }
      await new Promise<void>((resolve) => {
        watch.wake = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }
}
