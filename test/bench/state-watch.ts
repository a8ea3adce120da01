/** What the reloader writes to its state, seen from outside. */

import { sourceOf } from '../../lib/kubernetes/sources.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import type { RawConfigObject, RawObject } from '../../lib/model/raw-objects.ts';
import { Stream } from './stream.ts';

const NAME = 'reloader-state';

/** Counts the versions of the state and the bytes in which they differ. */
export class StateWatch implements AsyncDisposable {
  /** Writes so far. */
  writes = 0;
  /** Keys and values that were written so far. */
  bytes = 0;
  #data: Readonly<Record<string, string>> = {};
  #stream: Stream | undefined;

  /** Resolves when the watch is open. */
  static async open(send: Send, namespace: string): Promise<StateWatch> {
    const watch = new StateWatch();
    const source = { ...sourceOf({ kind: 'ConfigMap', namespace }), fieldSelector: `metadata.name=${NAME}` };
    watch.#stream = await Stream.open(send, source, (object) => watch.#see(object));
    watch.writes = 0;
    watch.bytes = 0;
    return watch;
  }

  /** The size of what it holds now. */
  get size(): number {
    return sizeOf(Object.entries(this.#data));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
  }

  #see(object: RawObject): void {
    const { data = {} } = object as RawConfigObject;
    const removed = Object.keys(this.#data).filter((key) => !(key in data));
    this.writes += 1;
    this.bytes += sizeOf(Object.entries(data).filter(([key, value]) => this.#data[key] !== value));
    this.bytes += sizeOf(removed.map((key) => [key, '']));
    this.#data = data;
  }
}

function sizeOf(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
}
