/**
 * Patches that are read off the live workload each time, and tried again until they are accepted: so neither a restart nor a
 * failure leaves anything half done.
 */

import type { Finding } from '../model/finding.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { CONFLICT_BACKOFF, LATER_BACKOFF, REFUSAL_BACKOFF } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { Result, RetryQueue, RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** What patches are made with. */
export interface PatchingOptions extends Pick<RetryQueueOptions, 'concurrency' | 'random' | 'log'> {
  readonly store: Store;
  readonly client: WorkloadClient;
  /** Tells people. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
}

/** Whose patches they are. */
export interface LivePatchesOptions extends PatchingOptions {
  /** The keys of the workloads. */
  readonly queue: RetryQueue;
  /** What is said of a workload before what is in the way. */
  readonly unfinishedOf: (workload: Workload) => string;
}

/** One patch. */
export interface LivePatch {
  /** The patch of the workload as it is now; undefined: none is needed now. */
  readonly bodyFor: (live: Workload) => object | undefined;
  /** Whether the workload in an answer shows that the patch is in force. */
  readonly isDone: (answered: Workload) => boolean;
  /** It is in force; in a dry run there is no object. */
  readonly accepted: (object: RawWorkload | undefined) => void;
}

/** Why one was not accepted. */
interface Problem {
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

  /** One attempt to patch `workload`, which is as it was seen last. */
  async patch(key: ObjectKey, workload: Workload, { bodyFor, isDone, accepted }: LivePatch): Promise<Result> {
    const { client, store, queue } = this.#options;
    const { ref } = workload;
    const reading = await client.get(ref);
    if (reading.kind === 'gone') return 'done';
    if (reading.kind === 'failed') return this.#putOff(key, workload, 'retry', reading);
    const body = bodyFor(store.viewOf(ref, reading.object));
    const result = body && (await client.patch?.(ref, body));
    if (result === undefined) return 'done';
    switch (result.kind) {
      case 'accepted': {
        const { object } = result;
        if (object !== undefined && !(hasVersion(object) && isDone(store.viewOf(ref, object))))
          return this.#putOff(key, workload, 'retry', { message: NOT_IN_THE_ANSWER });
        accepted(object);
        return 'done';
      }
      case 'conflict':
        return queue.backOff(key, { bounds: CONFLICT_BACKOFF });
      case 'gone':
        return 'done';
      case 'rejected':
        return this.#putOff(key, workload, 'refused', result);
      case 'throttled':
      case 'unanswered':
        return this.#putOff(key, workload, 'retry', result);
    }
  }

  #putOff(key: ObjectKey, workload: Workload, reason: 'retry' | 'refused', problem: Problem): Result {
    const { say, unfinishedOf, queue } = this.#options;
    const { message, retryAfterMs: atLeastMs } = problem;
    say(workload, { reason, about: message, message: `${unfinishedOf(workload)}: ${message}` });
    return queue.backOff(key, { bounds: reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF, atLeastMs });
  }
}

/** Whether it is a workload at all: an answer may be anything. */
function hasVersion({ metadata }: Partial<RawWorkload>): boolean {
  return metadata?.resourceVersion !== undefined;
}
