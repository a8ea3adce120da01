/**
 * Repairs of workloads by patches. Each attempt reads the live workload and derives from it what is due and the patch; it is
 * repeated until the patch is accepted. So neither a restart nor a failure leaves a repair half done.
 */

import type { Finding } from '../model/finding.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { WorkloadClient } from '../model/outcome.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { CONFLICT_BACKOFF, LATER_BACKOFF, REFUSAL_BACKOFF } from '../model/time.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** What every kind of repair needs. */
export interface PatchingOptions extends Pick<RetryQueueOptions, 'concurrency' | 'random' | 'log'> {
  readonly store: Store;
  readonly client: WorkloadClient;
  /** Reports a finding about a workload. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, finding: Finding) => void;
}

/** A workload for which a repair is due, as it was observed last. */
export interface RepairTask<Due> {
  workload: Workload;
  readonly due: Due;
  /** Whether it has waited for a rollout: it does so once. */
  hasWaited: boolean;
}

/** One kind of repair. */
export interface RepairRule<Due> {
  /** The repair that is due for the workload, now or later; undefined: none. */
  readonly dueOf: (workload: Workload) => Due | undefined;
  /** Whether the same repair is due as before. */
  readonly isSame: (one: Due, other: Due) => boolean;
  /** How long the first attempt waits, in ms. */
  readonly delayOf: (due: Due, isInInitialList: boolean) => number;
  /** Whether a task has to wait when its turn comes, and how; undefined: it need not. */
  readonly waitOf: (key: ObjectKey, task: RepairTask<Due>) => Result | undefined;
  readonly write: (client: WorkloadClient, live: Workload, due: Due) => ReturnType<Patch> | undefined;
  /** The finding that reports an accepted patch of `live`. */
  readonly doneOf: (live: Workload, due: Due) => Finding;
  /** The beginning of the finding about a patch that was not accepted. */
  readonly unfinishedOf: (workload: Workload) => string;
}

type Patch = NonNullable<WorkloadClient['patch']>;

/** Why a patch was not accepted. */
interface Problem {
  readonly message: string;
  readonly retryAfterMs?: number;
}

const NOT_IN_THE_ANSWER = 'the API server accepted the patch, but its answer does not show it';

/** The repairs of one kind. */
export class LivePatches<Due> {
  readonly #options: PatchingOptions;
  readonly #rule: RepairRule<Due>;
  readonly #queue: RetryQueue;
  readonly #tasks = new Map<ObjectKey, RepairTask<Due>>();

  constructor(options: PatchingOptions, rule: RepairRule<Due>) {
    this.#options = options;
    this.#rule = rule;
    this.#queue = new RetryQueue({ ...options, reconcile: (key) => this.#reconcile(key) });
  }

  /** A workload was observed. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present' || this.#options.client.patch === undefined) return;
    const { key, object: workload, isInInitialList } = event;
    const known = this.#tasks.get(key);
    const due = this.#rule.dueOf(workload);
    if (due === undefined) this.#forget(key);
    else if (known !== undefined && this.#rule.isSame(known.due, due)) known.workload = workload;
    else this.#begin(key, workload, due, isInInitialList);
  }

  /** An attempt to roll the workload ended: a repair that waited for it continues. */
  proceed(workload: ObjectKey): void {
    if (this.#tasks.get(workload)?.hasWaited) this.#queue.add(workload);
  }

  /** Starts no further attempt; resolves when those under way are answered. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  #begin(key: ObjectKey, workload: Workload, due: Due, isInInitialList: boolean): void {
    this.#forget(key);
    this.#tasks.set(key, { workload, due, hasWaited: false });
    const afterMs = this.#rule.delayOf(due, isInInitialList);
    if (afterMs > 0) this.#queue.addAfter(key, afterMs);
    else this.#queue.add(key);
  }

  #forget(key: ObjectKey): void {
    this.#tasks.delete(key);
    this.#queue.forget(key);
  }

  async #reconcile(key: ObjectKey): Promise<Result> {
    const { client, store } = this.#options;
    const task = this.#tasks.get(key);
    if (task === undefined) return 'done';
    const wait = this.#rule.waitOf(key, task);
    if (wait !== undefined) return wait;
    const { ref } = task.workload;
    const reading = await client.get(ref);
    if (reading.kind === 'gone') return 'done';
    if (reading.kind === 'failed') return this.#putOff(key, task, 'retry', reading);
    const live = store.viewOf(ref, reading.object);
    const due = this.#rule.dueOf(live);
    if (due === undefined) this.#forget(key);
    else if (this.#rule.delayOf(due, false) > 0) this.#begin(key, live, due, false);
    else return await this.#patch(key, task, live, due);
    return 'done';
  }

  async #patch(key: ObjectKey, task: RepairTask<Due>, live: Workload, due: Due): Promise<Result> {
    const { client, say } = this.#options;
    const result = await this.#rule.write(client, live, due);
    switch (result?.kind) {
      case 'accepted': {
        const { object } = result;
        if (object !== undefined && !(hasVersion(object) && this.#isDone(live, object)))
          return this.#putOff(key, task, 'retry', { message: NOT_IN_THE_ANSWER });
        say(task.workload, this.#rule.doneOf(live, due));
        // In a dry run the workload keeps its task, so that the next event does not report the same again.
        if (object !== undefined) this.#tasks.delete(key);
        return 'done';
      }
      case 'conflict':
        return this.#queue.backOff(key, { bounds: CONFLICT_BACKOFF });
      case 'rejected':
        return this.#putOff(key, task, 'refused', result);
      case 'throttled':
      case 'unanswered':
        return this.#putOff(key, task, 'retry', result);
      case 'gone':
      case undefined:
        return 'done';
    }
  }

  #isDone({ ref }: Workload, answered: RawWorkload): boolean {
    return this.#rule.dueOf(this.#options.store.viewOf(ref, answered)) === undefined;
  }

  #putOff(
    key: ObjectKey,
    { workload }: RepairTask<Due>,
    reason: 'retry' | 'refused',
    { message, retryAfterMs: atLeastMs }: Problem,
  ): Result {
    const unfinished = this.#rule.unfinishedOf(workload);
    this.#options.say(workload, { reason, about: message, message: `${unfinished}: ${message}` });
    const bounds = reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF;
    return this.#queue.backOff(key, { bounds, atLeastMs });
  }
}

/** Whether it is a workload at all: an answer may be anything. */
function hasVersion({ metadata }: Partial<RawWorkload>): boolean {
  return metadata?.resourceVersion !== undefined;
}
