/**
 * Undoes what another reloader has left on workloads so that they wait for it, whether they follow something or not. What is
 * to be done is read from the live workload each time, so a restart or a failure leaves nothing half done.
 */

import {
  type BackoffBounds,
  backoffMs,
  CONFLICT_BACKOFF,
  LATER_BACKOFF,
  REFUSAL_BACKOFF,
} from '../model/backoff.ts';
import type { InformerEvent } from '../model/informer-event.ts';
import type { Notice } from '../model/notice.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import { type Parking, unparkingPatch, unparkingWords } from '../model/parking.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WriteResult } from '../model/write-result.ts';
import { WorkQueue } from '../queue/work-queue.ts';
import type { Edges } from './edges.ts';
import type { WorkloadClient } from './rollout-attempt.ts';

/** What it is done with. */
export interface UnparkingOptions {
  readonly edges: Edges;
  readonly client: WorkloadClient;
  /** Tells people. */
  readonly say: (workload: Pick<Workload, 'ref' | 'uid'>, notice: Notice) => void;
  readonly concurrency: number;
  readonly random: () => number;
}

/** One workload that waits, as it was seen last. */
interface Parked {
  workload: Workload;
  failures: number;
}

/** See the file's comment. */
export class Unparking {
  readonly #options: UnparkingOptions;
  readonly #queue: WorkQueue;
  readonly #parked = new Map<ObjectKey, Parked>();

  constructor(options: UnparkingOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ work: (key) => this.#work(key), concurrency: options.concurrency });
  }

  /** News of a workload. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#forget(event.key);
    if (event.type !== 'present') return;
    const { key, object: workload } = event;
    const known = this.#parked.get(key);
    if (workload.parking === undefined || this.#options.client.patch === undefined) this.#forget(key);
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

  /** A defect of ours must not end the process. */
  async #work(key: ObjectKey): Promise<void> {
    const parked = this.#parked.get(key);
    if (parked === undefined || !this.#options.edges.isSelected(parked.workload.ref.namespace)) return;
    try {
      await this.#unpark(key, parked);
    } catch (error) {
      this.#putOff(key, parked, { reason: 'retry', message: `internal error: ${String(error)}` });
    }
  }

  async #unpark(key: ObjectKey, parked: Parked): Promise<void> {
    const { client, edges } = this.#options;
    const { ref } = parked.workload;
    const reading = await client.get(ref);
    if (reading.kind === 'gone') return this.#forget(key);
    if (reading.kind === 'failed') return this.#putOff(key, parked, { reason: 'retry', ...reading });
    const workload = workloadOf(workloadKindOf(ref.kind), reading.object, edges.dialect);
    const { parking } = workload;
    if (parking === undefined) return this.#forget(key);
    const result = await client.patch?.(ref, unparkingPatch(workload, parking));
    if (result !== undefined) this.#answered(key, parked, parking, result);
  }

  #answered(
    key: ObjectKey,
    parked: Parked,
    parking: Parking,
    result: WriteResult<RawWorkload | undefined>,
  ): void {
    switch (result.kind) {
      case 'accepted': {
        const message = `wave had left it waiting: ${unparkingWords(parking)}`;
        this.#options.say(parked.workload, { reason: 'unparked', about: 'parking', message });
        // Of a dry run it stays as it is: what is known of it keeps the same from being said with all news.
        if (result.object !== undefined) this.#parked.delete(key);
        break;
      }
      case 'conflict':
        this.#again(key, parked, CONFLICT_BACKOFF);
        break;
      case 'gone':
        this.#forget(key);
        break;
      case 'rejected':
        this.#putOff(key, parked, { reason: 'refused', message: result.message });
        break;
      case 'throttled':
      case 'unanswered':
        this.#putOff(key, parked, { reason: 'retry', ...result });
        break;
    }
  }

  #putOff(
    key: ObjectKey,
    parked: Parked,
    failure: {
      readonly reason: 'retry' | 'refused';
      readonly message: string;
      readonly retryAfterMs?: number;
    },
  ): void {
    const { reason, message, retryAfterMs } = failure;
    const text = `left waiting by wave, and tried again until it is not: ${message}`;
    this.#options.say(parked.workload, { reason, about: message, message: text });
    this.#again(key, parked, reason === 'refused' ? REFUSAL_BACKOFF : LATER_BACKOFF, retryAfterMs);
  }

  #again(key: ObjectKey, parked: Parked, bounds: BackoffBounds, atLeastMs = 0): void {
    const ms = Math.max(atLeastMs, backoffMs(parked.failures, bounds, this.#options.random));
    parked.failures += 1;
    this.#queue.addAfter(key, ms);
  }
}
