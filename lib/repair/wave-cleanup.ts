/**
 * Undoes what another reloader has left on workloads so that they wait for it, whether they follow something or not. What is
 * to be done is read from the live workload each time, so a restart or a failure leaves nothing half done.
 */

import { cleanupPatch, cleanupText } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import { LivePatches, type Patched, type PatchingOptions } from './live-patches.ts';

/** What it is done with. */
export interface WaveCleanupOptions extends PatchingOptions {
  readonly concurrency: number;
}

/** One workload that waits, as it was seen last. */
interface Parked extends Patched {
  workload: Workload;
}

/** See the file's comment. */
export class WaveCleanup {
  readonly #options: WaveCleanupOptions;
  readonly #queue: WorkQueue;
  readonly #patches: LivePatches;
  readonly #parked = new Map<ObjectKey, Parked>();

  constructor(options: WaveCleanupOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), concurrency: options.concurrency });
    this.#patches = new LivePatches({
      ...options,
      unfinishedOf: () => 'left waiting by wave, and tried again until it is not',
      tryAfter: (key, ms) => this.#queue.addAfter(key, ms),
      forget: (key) => this.#forget(key),
    });
  }

  /** News of a workload. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present') return;
    const { key, object: workload } = event;
    const known = this.#parked.get(key);
    if (workload.waveLeftovers === undefined || this.#options.client.patch === undefined) this.#forget(key);
    else if (known !== undefined) known.workload = workload;
    else {
      this.#parked.set(key, { workload, failures: 0 });
      this.#queue.add(key);
    }
  }

  /** Workloads of these namespaces are written from now on. */
  select(namespaces: ReadonlySet<string>): void {
    for (const [key, { workload }] of this.#parked)
      if (namespaces.has(workload.ref.namespace)) this.#queue.add(key);
  }

  /** Begins nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  #forget(key: ObjectKey): void {
    if (this.#parked.delete(key)) this.#queue.forget(key);
  }

  async #work(key: ObjectKey): Promise<void> {
    const parked = this.#parked.get(key);
    if (parked === undefined || !this.#options.store.isSelected(parked.workload.ref.namespace)) return;
    await this.#patches.fenced(key, parked, () => this.#unpark(key, parked));
  }

  async #unpark(key: ObjectKey, parked: Parked): Promise<void> {
    let words = '';
    await this.#patches.patch(key, parked, {
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
        this.#options.say(parked.workload, { reason: 'wave-cleaned-up', about: 'parking', message });
        // Of a dry run it stays as it is: what is known of it keeps the same from being said with all news.
        if (object !== undefined) this.#parked.delete(key);
      },
    });
  }
}
