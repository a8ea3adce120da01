/**
 * Jobs that are being created anew: a copy that stays longer than it takes was left by a process that died, or waits for what
 * the API server refuses. It is tried until the Job is there again, whatever becomes of the wish for it.
 */

import type { Finding } from '../model/finding.ts';
import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { BackoffBounds } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';

/** What it is made of. */
export interface UnfinishedJobRecreationsOptions extends Pick<RetryQueueOptions, 'random' | 'log'> {
  /** Goes on where a process left off; `ref` is that of the copy. Accepted: nothing is left to do. Never throws. */
  readonly finish: (ref: WorkloadRef) => Promise<WriteResult<undefined>>;
  /** Tells people who look at the copy why it stays. */
  readonly say: (copy: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
}

/** A copy that is there. */
interface Copy {
  readonly workload: Workload;
  /** The refusal that was told last. */
  told?: string;
}

const CONCURRENCY = 4;
/** The process that made the copy has finished by then. */
const USUAL_MS = 1_000;
const BACKOFF: BackoffBounds = { baseMs: 500, capMs: 300_000 };

/** See the file's comment. */
export class UnfinishedJobRecreations {
  readonly #options: UnfinishedJobRecreationsOptions;
  readonly #queue: RetryQueue;
  readonly #copies = new Map<ObjectKey, Copy>();

  constructor(options: UnfinishedJobRecreationsOptions) {
    this.#options = options;
    const reconcile = (key: string): Promise<Result> => this.#reconcile(key);
    this.#queue = new RetryQueue({ ...options, reconcile, concurrency: CONCURRENCY });
  }

  /** News of anything in the streams of workloads. */
  observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { key } = event;
    if (event.type === 'absent' || !event.object.isCopy) {
      if (this.#copies.delete(key)) this.#queue.forget(key);
      return;
    }
    if (this.#copies.has(key)) return;
    this.#copies.set(key, { workload: event.object });
    if (event.isInInitialList) this.#queue.add(key);
    else this.#queue.addAfter(key, USUAL_MS);
  }

  /** Begins nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const copy = this.#copies.get(key);
    if (copy === undefined) return 'done';
    const result = await this.#options.finish(copy.workload.ref);
    if (result.kind !== 'accepted') {
      this.#tell(copy, result);
      return this.#queue.backOff(key, { bounds: BACKOFF });
    }
    this.#copies.delete(key);
    return 'done';
  }

  /** The same refusal of a copy is told once. */
  #tell(copy: Copy, result: WriteResult<undefined>): void {
    if (result.kind !== 'rejected' || result.message === copy.told) return;
    copy.told = result.message;
    const message = `the Job that it is the copy of is not created anew yet: ${result.message}`;
    this.#options.say(copy.workload, { reason: 'refused', about: result.message, message });
  }
}
