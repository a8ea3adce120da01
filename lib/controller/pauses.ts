/**
 * Ends the pauses that reloaders began. When one is over is said by the Deployment alone: a timer only says when to look.
 * So neither a restart nor a failure leaves one paused, whichever reloader paused it, followed or not.
 */

import {
  type BackoffBounds,
  backoffMs,
  CONFLICT_BACKOFF,
  LATER_BACKOFF,
  REFUSAL_BACKOFF,
} from '../model/backoff.ts';
import { MAX_DURATION_MS } from '../model/duration.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import type { Notice } from '../model/notice.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { type Pause, remainingMs } from '../model/pause.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { fencedPause } from '../model/rollout-plan.ts';
import type { Workload } from '../model/workload.ts';
import type { WriteResult } from '../model/write-result.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Edges } from './edges.ts';
import type { WorkloadClient } from './rollout-attempt.ts';

/** What the pauses are ended with. */
export interface PausesOptions {
  readonly edges: Edges;
  readonly client: WorkloadClient;
  /** Whether a rollout of the workload is about to be written: then it goes with the others that the pause held up. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
  /** Tells people. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, notice: Notice) => void;
  /** The quiet period, which lets a process that has just begun hear of the rest first. */
  readonly quietMs: number;
  /** The longest that the end of a pause is put off for a rollout. */
  readonly maxWaitMs: number;
  readonly concurrency: number;
  readonly random: () => number;
}

/** One workload that is paused, as it was seen last. */
interface Paused {
  readonly workload: Workload;
  readonly pause: Pause;
  failures: number;
  /** Whether the end was put off for a rollout: that is done once. */
  hasWaited: boolean;
}

/** See the file's comment. */
export class Pauses {
  readonly #options: PausesOptions;
  readonly #queue: WorkQueue;
  readonly #paused = new Map<ObjectKey, Paused>();

  constructor(options: PausesOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), concurrency: options.concurrency });
  }

  /** News of a workload. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present') return;
    const { key, object: workload } = event;
    const pause = this.#pauseOf(workload);
    const known = this.#paused.get(key)?.pause;
    if (pause === undefined) this.#forget(key);
    else if (known?.since !== pause.since || known.endsAt !== pause.endsAt)
      this.#lookLater(key, workload, pause, event.isInInitialList ? this.#options.quietMs : 0);
  }

  /** An attempt to roll the workload ended: the end of its pause need not wait for it any more. */
  proceed(workload: ObjectKey): void {
    if (this.#paused.get(workload)?.hasWaited) this.#queue.add(workload);
  }

  /** Ends no more pauses; resolves when what is under way is answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  #pauseOf(workload: Workload): Pause | undefined {
    const { client, edges } = this.#options;
    if (client.patch === undefined || workload.isLeftAlone) return undefined;
    return edges.dialect.pausing.pauseOf(workload);
  }

  #lookLater(key: ObjectKey, workload: Workload, pause: Pause, atLeastMs: number): void {
    this.#paused.set(key, { workload, pause, failures: 0, hasWaited: false });
    const ms = Math.max(atLeastMs, remainingMs(pause, Date.now()));
    this.#queue.addAfter(key, Math.min(ms, MAX_DURATION_MS));
  }

  #forget(key: ObjectKey): void {
    this.#paused.delete(key);
    this.#queue.forget(key);
  }

  /** A defect of ours must not end the process, nor leave the workload paused. */
  async #work(key: ObjectKey): Promise<void> {
    const paused = this.#paused.get(key);
    if (paused === undefined) return;
    try {
      await this.#end(key, paused);
    } catch (error) {
      this.#putOff(key, paused, { reason: 'retry', message: `internal error: ${String(error)}` });
    }
  }

  async #end(key: ObjectKey, paused: Paused): Promise<void> {
    const { client, isWaiting, maxWaitMs } = this.#options;
    if (!paused.hasWaited && isWaiting(key)) {
      paused.hasWaited = true;
      this.#queue.addAfter(key, maxWaitMs);
      return;
    }
    const { ref } = paused.workload;
    const reading = await client.get(ref);
    if (reading.kind === 'gone') return this.#forget(key);
    if (reading.kind === 'failed') return this.#putOff(key, paused, { reason: 'retry', ...reading });
    const workload = this.#options.edges.viewOf(ref, reading.object);
    const pause = this.#pauseOf(workload);
    if (pause === undefined) return this.#forget(key);
    if (remainingMs(pause, Date.now()) > 0) return this.#lookLater(key, workload, pause, 0);
    const body = fencedPause(workload, this.#options.edges.dialect.pausing.end());
    const result = await client.patch?.(ref, body);
    if (result !== undefined) this.#answered(key, paused, result);
  }

  #answered(key: ObjectKey, paused: Paused, result: WriteResult<RawWorkload | undefined>): void {
    const { workload, pause } = paused;
    switch (result.kind) {
      case 'accepted': {
        const message = 'its pause is over: it rolls once with all that changed meanwhile';
        this.#options.say(workload, { reason: 'resumed', about: pause.since, message });
        // Of a dry run it stays paused: what is known of it keeps the same from being said with all news.
        if (result.object !== undefined) this.#paused.delete(key);
        break;
      }
      case 'conflict':
        this.#again(key, paused, CONFLICT_BACKOFF);
        break;
      case 'gone':
        this.#forget(key);
        break;
      case 'rejected':
        this.#putOff(key, paused, { reason: 'refused', message: result.message });
        break;
      case 'throttled':
      case 'unanswered':
        this.#putOff(key, paused, { reason: 'retry', ...result });
        break;
    }
  }

  #putOff(
    key: ObjectKey,
    paused: Paused,
    failure: {
      readonly reason: 'retry' | 'refused';
      readonly message: string;
      readonly retryAfterMs?: number;
    },
  ): void {
    const { reason, message, retryAfterMs } = failure;
    const text = `not resumed, and tried again until it is: ${message}`;
    this.#options.say(paused.workload, { reason, about: message, message: text });
    this.#again(key, paused, reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF, retryAfterMs);
  }

  #again(key: ObjectKey, paused: Paused, bounds: BackoffBounds, atLeastMs = 0): void {
    const ms = Math.max(atLeastMs, backoffMs(paused.failures, bounds, this.#options.random));
    paused.failures += 1;
    this.#queue.addAfter(key, ms);
  }
}
