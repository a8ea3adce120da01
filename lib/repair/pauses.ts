/**
 * Ends the pauses that reloaders began, also of Deployments that follow no object. The Deployment's annotations alone decide
 * whether a pause is over; a timer only decides when to read them. Each attempt reads the live Deployment, and is repeated until
 * its patch is accepted. So neither a restart nor a failure leaves a Deployment paused, whichever reloader paused it. If a person
 * ended the pause early, the annotation with its begin is removed, so that a later pause by a person does not count as this one.
 */

import type { Finding } from '../model/finding.ts';
import { type Pause, remainingMs } from '../model/hold.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { isTwice, type WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { CONFLICT_BACKOFF, LATER_BACKOFF, REFUSAL_BACKOFF } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { pauseEnd } from '../model/workload-patch.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** The collaborators and times of `Pauses`. */
export interface PausesOptions extends Omit<RetryQueueOptions, 'reconcile'> {
  readonly store: Store;
  readonly client: WorkloadClient;
  /** Reports a finding about a workload. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
  /** Whether a rollout of the workload is about to be written: then the end of the pause waits for it, once. */
  readonly isWaiting: (workload: ObjectKey) => boolean;
  /** The quiet period: after a start, a pause ends only when changes of that long are known. */
  readonly quietMs: number;
  /** The maximum wait for that rollout. */
  readonly maxWaitMs: number;
}

/** A pause, and its workload as it was observed last. */
interface Paused {
  workload: Workload;
  readonly pause: Pause;
  /** Whether its end has waited for a rollout. */
  hasWaited: boolean;
  /** Why the last patch failed its tests, as the API server said. */
  refused?: string | undefined;
}

/** Why a pause is not ended yet. */
interface Problem {
  readonly message: string;
  readonly retryAfterMs?: number;
}

const ROLLS_NOW = 'its pause is over: it rolls once with all that changed meanwhile';
const RESUMED_BEFORE =
  'its pause was ended before its time: the annotation that says its beginning is removed';
const NOT_RESUMED = 'not resumed, and tried again until it is';
const STILL_MARKED =
  'resumed, but the annotation that says the beginning of its pause is not removed, which is tried again until it is';
const NOT_IN_THE_ANSWER = 'the API server accepted the patch, but its answer does not show it';

/** A pause ends by the time of day, which may be set at any moment: it is checked at least this often. */
const LONGEST_SLEEP_MS = 60_000;

/** See the file's comment. */
export class Pauses {
  readonly #options: PausesOptions;
  readonly #queue: RetryQueue;
  readonly #paused = new Map<ObjectKey, Paused>();

  constructor(options: PausesOptions) {
    this.#options = options;
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
  }

  /** A workload was observed. */
  observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { client, quietMs } = this.#options;
    const { key } = event;
    if (client.patch === undefined) return;
    const pause = event.type === 'present' ? this.#pauseOf(event.object) : undefined;
    const known = this.#paused.get(key);
    if (event.type === 'absent' || pause === undefined) this.#forget(key);
    else if (known?.pause.since === pause.since && known.pause.endsAt === pause.endsAt)
      known.workload = event.object;
    else this.#begin(key, event.object, pause, event.isInInitialList ? quietMs : 0);
  }

  /** An attempt to roll the workload ended: a pause whose end waited for it is ended. */
  proceed(workload: ObjectKey): void {
    if (this.#paused.get(workload)?.hasWaited) this.#queue.add(workload);
  }

  /** Starts no further attempt; resolves when those under way are answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  /** The pause that is to be ended, now or later, or the annotation that one has left behind. */
  #pauseOf(workload: Workload): Pause | undefined {
    const { pausing } = this.#options.store.settings.vocabularies;
    return workload.isLeftAlone ? undefined : (pausing.pauseOf(workload) ?? pausing.leftBehind(workload));
  }

  #begin(key: ObjectKey, workload: Workload, pause: Pause, leastMs: number): void {
    this.#forget(key);
    this.#paused.set(key, { workload, pause, hasWaited: false });
    const afterMs = Math.max(leastMs, sleepOf(pause));
    if (afterMs > 0) this.#queue.addAfter(key, afterMs);
    else this.#queue.add(key);
  }

  #forget(key: ObjectKey): void {
    this.#paused.delete(key);
    this.#queue.forget(key);
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const { client, store, isWaiting, maxWaitMs } = this.#options;
    const paused = this.#paused.get(key);
    if (paused === undefined) return 'done';
    const afterMs = sleepOf(paused.pause);
    if (afterMs > 0) return { afterMs };
    const { workload } = paused;
    if (workload.isPaused === true && !paused.hasWaited && isWaiting(key)) {
      paused.hasWaited = true;
      return { afterMs: maxWaitMs };
    }
    const reading = await client.get(workload.ref);
    if (reading.kind === 'absent') return 'done';
    if (reading.kind === 'failed') return this.#putOff(key, paused, 'retry', reading);
    const live = store.viewOf(workload.ref, reading.object);
    const pause = this.#pauseOf(live);
    if (pause === undefined) this.#forget(key);
    else if (sleepOf(pause) > 0) this.#begin(key, live, pause, 0);
    else return await this.#end(key, paused, live, pause);
    return 'done';
  }

  async #end(key: ObjectKey, paused: Paused, live: Workload, { since }: Pause): Promise<Result> {
    const { client, store, say } = this.#options;
    const { pausing } = store.settings.vocabularies;
    const result = await client.patch?.(live.ref, pauseEnd(live, pausing.end(live)));
    switch (result?.kind) {
      case 'accepted': {
        const { object } = result;
        if (object !== undefined && !this.#isEnded(live, object))
          return this.#putOff(key, paused, 'retry', { message: NOT_IN_THE_ANSWER });
        const message = live.isPaused === true ? ROLLS_NOW : RESUMED_BEFORE;
        say(paused.workload, { reason: 'resumed', about: since, message });
        // In a dry run the pause stays known, so that the next event does not report the same again.
        if (object !== undefined) this.#paused.delete(key);
        return 'done';
      }
      case 'conflict': {
        const { message = '' } = result;
        // A webhook may refuse without causes.
        if (isTwice(paused, result.message)) return this.#putOff(key, paused, 'refused', { message });
        return this.#queue.backOff(key, { bounds: CONFLICT_BACKOFF });
      }
      case 'rejected':
        return this.#putOff(key, paused, 'refused', result);
      case 'throttled':
      case 'unanswered':
        return this.#putOff(key, paused, 'retry', result);
      case 'gone':
      case undefined:
        return 'done';
    }
  }

  /** Whether the answer shows it: it may be no workload at all. */
  #isEnded({ ref }: Workload, answered: Partial<RawWorkload>): boolean {
    const { metadata } = answered;
    if (metadata?.resourceVersion === undefined) return false;
    return this.#pauseOf(this.#options.store.viewOf(ref, { ...answered, metadata })) === undefined;
  }

  #putOff(
    key: ObjectKey,
    { workload }: Paused,
    reason: 'retry' | 'refused',
    { message, retryAfterMs: atLeastMs }: Problem,
  ): Result {
    const unfinished = workload.isPaused === true ? NOT_RESUMED : STILL_MARKED;
    this.#options.say(workload, { reason, about: message, message: `${unfinished}: ${message}` });
    const bounds = reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF;
    return this.#queue.backOff(key, { bounds, atLeastMs });
  }
}

/** The time until the next check of a pause. */
function sleepOf(pause: Pause): number {
  return Math.min(remainingMs(pause, Date.now()), LONGEST_SLEEP_MS);
}
