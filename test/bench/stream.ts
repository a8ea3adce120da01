/** Follows one kind in one namespace, for as long as something is measured. */

import { type ListWatchSource, listPage, openWatch } from '../../lib/kubernetes/list-watch.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import type { RawObject } from '../../lib/model/raw-objects.ts';

/** Longer than anything is measured. */
const LONGEST_SECONDS = 3600;

/** A list and the watch after it. */
export class Stream implements AsyncDisposable {
  readonly #end = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** Resolves when everything is listed and the watch is open; `see` is called with each object, then with each news. */
  static async open(send: Send, source: ListWatchSource, see: (object: RawObject) => void): Promise<Stream> {
    const stream = new Stream();
    const { signal } = stream.#end;
    let resourceVersion = '';
    const whole = { continue: undefined, isWhole: true };
    for await (const news of listPage(send, source, whole, signal)) {
      resourceVersion = news.resourceVersion;
      if (news.object !== undefined) see(news.object);
    }
    const patience = { timeoutSeconds: LONGEST_SECONDS, silenceMs: LONGEST_SECONDS * 1000 };
    const opened = (): ReturnType<typeof openWatch> =>
      openWatch(send, source, { resourceVersion, ...patience, signal });
    let events = await opened();
    stream.#running = (async () => {
      // A server ends the watch of those who read too slowly, as happens where processors are few: it goes on where it was.
      for (; ; events = await opened()) {
        for await (const event of events) {
          resourceVersion = event.resourceVersion;
          if (event.type !== 'BOOKMARK') see(event.object);
        }
      }
    })();
    stream.#running.catch(() => undefined); // told when the stream is disposed of, unless it was ended
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running.catch((error: unknown) => {
      if (!this.#end.signal.aborted) throw error;
    });
    this.#end.abort();
    await running;
  }
}
