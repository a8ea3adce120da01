/**
 * Undoes what another reloader has left on workloads so that they wait for it, whether they follow something or not. What is
 * to be done is read from the live workload each time, so a restart or a failure leaves nothing half done.
 */

import { cleanupPatch, cleanupText } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue } from '../queue/retry-queue.ts';
import { LivePatches, type PatchingOptions } from './live-patches.ts';

/** See the file's comment. */
export class WaveCleanup {
  readonly #options: PatchingOptions;
  readonly #queue: RetryQueue;
  readonly #patches: LivePatches;
  /** The workloads that wait, as they were seen last. */
  readonly #parked = new Map<ObjectKey, Workload>();

  constructor(options: PatchingOptions) {
    this.#options = options;
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
    const unfinishedOf = () => 'left waiting by wave, and tried again until it is not';
    this.#patches = new LivePatches({ ...options, queue: this.#queue, unfinishedOf });
  }

  /** News of a workload. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present') return;
    const { key, object: workload } = event;
    const isKnown = this.#parked.has(key);
    if (workload.waveLeftovers === undefined || this.#options.client.patch === undefined) this.#forget(key);
    else this.#parked.set(key, workload);
    if (this.#parked.has(key) && !isKnown) this.#queue.add(key);
  }

  /** Workloads of these namespaces are written from now on. */
  select(namespaces: ReadonlySet<string>): void {
    for (const [key, { ref }] of this.#parked) if (namespaces.has(ref.namespace)) this.#queue.add(key);
  }

  /** Begins nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  #forget(key: ObjectKey): void {
    if (this.#parked.delete(key)) this.#queue.forget(key);
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const parked = this.#parked.get(key);
    if (parked === undefined || !this.#options.store.isSelected(parked.ref.namespace)) return 'done';
    let words = '';
    return await this.#patches.patch(key, parked, {
      bodyFor: (live) => {
        if (live.waveLeftovers === undefined) {
          this.#forget(key);
          return undefined;
        }
        words = cleanupText(live.waveLeftovers);
        return cleanupPatch(live, live.waveLeftovers);
      },
      isDone: (answered) => answered.waveLeftovers === undefined,
      accepted: (object) => {
        const message = `wave had left it waiting: ${words}`;
        this.#options.say(parked, { reason: 'wave-cleaned-up', about: 'parking', message });
        // Of a dry run it stays as it is: what is known of it keeps the same from being said with all news.
        if (object !== undefined) this.#parked.delete(key);
      },
    });
  }
}
