/**
 * Finishes recreations of Jobs that were left in the middle: a placeholder Job that stays was left by a process that died, or
 * its next step is refused. It is retried until the Job exists again, even if the workload no longer asks for rollouts.
 */

import type { Finding } from '../model/finding.ts';
import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { BackoffBounds } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';

/** The collaborators of this class. */
export interface JobRecreationsOptions extends Pick<RetryQueueOptions, 'isShared' | 'random' | 'log'> {
  /** Takes the remaining steps; `ref`: the placeholder Job. Accepted: nothing is left to do. Never rejects. */
  readonly finish: (ref: WorkloadRef) => Promise<WriteResult<undefined>>;
  /** Reports on the placeholder Job why it stays. */
  readonly say: (copy: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
}

/** An existing placeholder Job. */
interface Copy {
  readonly workload: Workload;
  /** The message of the refusal that was reported last. */
  reported?: string;
}

const CONCURRENCY = 4;
/** The usual time of a recreation: a placeholder that is younger belongs to a process that is still at work. */
const USUAL_MS = 1_000;
const BACKOFF: BackoffBounds = { baseMs: 500, capMs: 300_000 };

/** See the file's comment. */
export class JobRecreations {
  readonly #options: JobRecreationsOptions;
  readonly #queue: RetryQueue;
  readonly #copies = new Map<ObjectKey, Copy>();

  constructor(options: JobRecreationsOptions) {
    this.#options = options;
    const reconcile = (key: string): Promise<Result> => this.#reconcile(key);
    this.#queue = new RetryQueue({ ...options, reconcile, concurrency: CONCURRENCY });
  }

  /** An event of any workload. */
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
      this.#report(copy, result);
      return this.#queue.backOff(key, { bounds: BACKOFF });
    }
    this.#copies.delete(key);
    return 'done';
  }

  /** Reports a refusal; the same one once. */
  #report(copy: Copy, result: WriteResult<undefined>): void {
    if (result.kind !== 'rejected' || result.message === copy.reported) return;
    copy.reported = result.message;
    const message = `the Job that it is the copy of is not created anew yet: ${result.message}`;
    this.#options.say(copy.workload, { reason: 'refused', about: result.message, message });
  }
}
