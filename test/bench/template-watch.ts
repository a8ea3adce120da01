/** The instrument: watches the Deployments of a namespace and notes when their pod templates change. */

import { sourceOf } from '../../lib/kubernetes/sources.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import type { RawObject, RawWorkload } from '../../lib/model/raw-objects.ts';
import { Stream } from './stream.ts';

const PATIENCE_MS = 120_000;
/** Without news for so long, what was set off is over. */
const CALM_MS = 1_500;
const POLL_MS = 100;

/** See the file's comment. */
export class TemplateWatch implements AsyncDisposable {
  /** When the news of each change came, on the clock of `performance.now()`. */
  readonly changes: number[] = [];
  readonly #templates = new Map<string, string>();
  #lastNews = performance.now();
  #onChange: () => void = () => undefined;
  #stream: Stream | undefined;

  /** Resolves when the watch is open. */
  static async open(send: Send, namespace: string): Promise<TemplateWatch> {
    const watch = new TemplateWatch();
    const source = sourceOf({ kind: 'Deployment', namespace });
    watch.#stream = await Stream.open(send, source, (object) => watch.#see(object));
    return watch;
  }

  /** Resolves with the `count` changes after the first `from`, once there are so many. */
  async next(from: number, count: number): Promise<readonly number[]> {
    await new Promise<void>((resolve, reject) => {
      const give = (): void =>
        reject(new Error(`waited in vain for ${count} rollouts, there were ${this.changes.length - from}`));
      const timer = setTimeout(give, PATIENCE_MS);
      this.#onChange = () => {
        if (this.changes.length < from + count) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onChange();
    });
    return this.changes.slice(from, from + count);
  }

  /** Resolves when there has been no news for a while. */
  async calm(): Promise<void> {
    while (performance.now() - this.#lastNews < CALM_MS)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
  }

  #see(object: RawObject): void {
    const at = performance.now();
    this.#lastNews = at;
    const { name } = object.metadata;
    const template = JSON.stringify((object as RawWorkload).spec?.template);
    const before = this.#templates.get(name);
    this.#templates.set(name, template);
    if (before === undefined || before === template) return;
    this.changes.push(at);
    this.#onChange();
  }
}
