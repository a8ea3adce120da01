/**
 * Patches that are read off the live workload each time, and tried again until they are accepted: so neither a restart nor a
 * failure leaves anything half done.
 */

import type { Finding } from '../model/finding.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import {
  type BackoffBounds,
  backoffMs,
  CONFLICT_BACKOFF,
  LATER_BACKOFF,
  REFUSAL_BACKOFF,
} from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { Store } from '../store/store.ts';

/** What patches are made with. */
export interface PatchingOptions {
  readonly store: Store;
  readonly client: WorkloadClient;
  /** Tells people. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
  readonly random: () => number;
}

/** Whose patches they are. */
export interface LivePatchesOptions extends PatchingOptions {
  /** What is said of a workload before what is in the way. */
  readonly unfinishedOf: (workload: Workload) => string;
  /** Tries the workload again in so many ms. */
  readonly tryAfter: (workload: ObjectKey, ms: number) => void;
  /** There is no such workload any more. */
  readonly forget: (workload: ObjectKey) => void;
}

/** A workload that is to be patched, as it was seen last. */
export interface Patched {
  readonly workload: Workload;
  failures: number;
}

/** One patch. */
export interface LivePatch {
  /** The patch of the workload as it is now; undefined: none is needed, and whoever says so has done what follows. */
  readonly bodyFor: (live: Workload) => object | undefined;
  /** Whether the workload in an answer shows that the patch is in force. */
  readonly isDone: (answered: Workload) => boolean;
  /** It is in force; in a dry run there is no object. */
  readonly accepted: (object: RawWorkload | undefined) => void;
}

/** Why one was not accepted. */
interface Failure {
  readonly reason: 'retry' | 'refused';
  readonly message: string;
  readonly retryAfterMs?: number;
}

const NOT_IN_THE_ANSWER = 'the API server accepted the patch, but its answer does not show it';

/** See the file's comment. */
export class LivePatches {
  readonly #options: LivePatchesOptions;

  constructor(options: LivePatchesOptions) {
    this.#options = options;
  }

  /** Never rejects: a defect of ours must not end the process, nor leave the workload as it is. */
  async fenced(key: ObjectKey, subject: Patched, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#putOff(key, subject, { reason: 'retry', message: `internal error: ${String(error)}` });
    }
  }

  /** One attempt. */
  async patch(key: ObjectKey, subject: Patched, { bodyFor, isDone, accepted }: LivePatch): Promise<void> {
    const { client, store, forget } = this.#options;
    const { ref } = subject.workload;
    const reading = await client.get(ref);
    if (reading.kind === 'gone') return forget(key);
    if (reading.kind === 'failed') return this.#putOff(key, subject, { reason: 'retry', ...reading });
    const body = bodyFor(store.viewOf(ref, reading.object));
    const result = body && (await client.patch?.(ref, body));
    if (result === undefined) return;
    switch (result.kind) {
      case 'accepted': {
        const { object } = result;
        if (object === undefined || (hasVersion(object) && isDone(store.viewOf(ref, object))))
          return accepted(object);
        return this.#putOff(key, subject, { reason: 'retry', message: NOT_IN_THE_ANSWER });
      }
      case 'conflict':
        return this.#again(key, subject, CONFLICT_BACKOFF);
      case 'gone':
        return forget(key);
      case 'rejected':
        return this.#putOff(key, subject, { reason: 'refused', message: result.message });
      case 'throttled':
      case 'unanswered':
        return this.#putOff(key, subject, { reason: 'retry', ...result });
    }
  }

  #putOff(key: ObjectKey, subject: Patched, { reason, message, retryAfterMs }: Failure): void {
    const text = `${this.#options.unfinishedOf(subject.workload)}: ${message}`;
    this.#options.say(subject.workload, { reason, about: message, message: text });
    this.#again(key, subject, reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF, retryAfterMs);
  }

  #again(key: ObjectKey, subject: Patched, bounds: BackoffBounds, atLeastMs = 0): void {
    const ms = Math.max(atLeastMs, backoffMs(subject.failures, bounds, this.#options.random));
    subject.failures += 1;
    this.#options.tryAfter(key, ms);
  }
}

/** Whether it is a workload at all: an answer may be anything. */
function hasVersion({ metadata }: Partial<RawWorkload>): boolean {
  return metadata?.resourceVersion !== undefined;
}
