/**
 * Reads objects and workloads outside their streams, which may be late, and observes them as if a list had delivered them. If
 * the stream delivers another version during a read, the result is dropped and the read repeated.
 */

import type { ConfigObject } from '../model/config-object.ts';
import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef, wholeKeyOf } from '../model/object-ref.ts';
import type { Reading, WorkloadClient } from '../model/outcome.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { LATER_BACKOFF } from '../model/time.ts';
import { EVER, type InformerEvent, type Span, type Timeline } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { Store } from '../store/store.ts';

/** The collaborators of the refetcher. */
export interface RefetcherOptions extends Pick<RetryQueueOptions, 'random' | 'log'> {
  readonly store: Store;
  readonly timeline: Timeline;
  /** Reads one object from the API server. Never rejects. */
  readonly readConfig: (ref: ConfigRef) => Promise<Reading<RawConfigObject>>;
  readonly client: Pick<WorkloadClient, 'get'>;
  /** What is kept of a ConfigMap or Secret. */
  readonly project: (kind: ConfigRef['kind'], raw: RawConfigObject) => ConfigObject;
  readonly onConfig: (event: Exclude<InformerEvent<ConfigObject>, { type: 'synced' }>) => void;
  readonly onWorkload: (event: Exclude<InformerEvent<Workload>, { type: 'synced' }>) => void;
}

/** Neither of the first list nor of a watch: several writes may lie between this version and the one before. */
const OUTSIDE_THE_STREAM = { isInInitialList: false, isRelisted: true } as const;

/** See the file's comment. */
export class Refetcher {
  readonly #options: RefetcherOptions;
  /** Objects to look at later, one after the other: no rollout waits for them. */
  readonly #queue: RetryQueue;

  constructor(options: RefetcherOptions) {
    this.#options = options;
    const reconcile = async (config: ObjectKey): Promise<Result> =>
      (await this.atConfig(config)) ? 'done' : this.#queue.backOff(config, { bounds: LATER_BACKOFF });
    this.#queue = new RetryQueue({ ...options, reconcile, concurrency: 1, isShared: true });
  }

  /** Looks at an object until that succeeds; never blocks. */
  later(config: ObjectKey): void {
    this.#queue.add(config);
  }

  /** Looks at nothing more later; resolves when the look under way has ended. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  /** Looks at an object, once more where the stream was faster; false: it failed, or the stream was faster again. */
  async atConfig(config: ObjectKey): Promise<boolean> {
    const isSeen = (await this.#look(config)) ?? (await this.#look(config));
    return isSeen ?? false;
  }

  /** Whether a read succeeded; undefined: the stream was faster, and the version that was read may be older than its. */
  async #look(config: ObjectKey): Promise<boolean | undefined> {
    const { store, timeline, readConfig, project, onConfig } = this.#options;
    const whole = wholeKeyOf(config);
    const record = store.configs.get(whole);
    if (record === undefined) return true;
    const { resourceVersion, absentAfter } = record;
    const reading = await readConfig(record.ref);
    const isOvertaken = record.resourceVersion !== resourceVersion || record.absentAfter !== absentAfter;
    if (isOvertaken || reading.kind === 'failed') return isOvertaken ? undefined : false;
    if (reading.kind === 'absent') {
      onConfig({ type: 'absent', key: whole, span: EVER });
      return true;
    }
    const object = project(record.ref.kind, reading.object);
    const before = record.resourceVersion === undefined ? undefined : { at: record.writtenAt, arrival: 0 };
    const span = timeline.ofListed(object.resourceVersion, before);
    onConfig({ type: 'present', key: whole, object, span, ...OUTSIDE_THE_STREAM });
    return true;
  }

  /** Looks at a workload; false: it failed. */
  async atWorkload(ref: WorkloadRef): Promise<boolean> {
    const { store, client, timeline, onWorkload } = this.#options;
    const key = keyOf(ref);
    const isKnown = store.workloads.has(key);
    const reading = await client.get(ref);
    if (reading.kind === 'failed') return false;
    // One that is gone is left to its stream.
    if (reading.kind === 'absent') return true;
    const object = store.viewOf(ref, reading.object);
    const span = timeline.ofListed(object.resourceVersion, undefined);
    if (isKnown) this.take(ref, object);
    else onWorkload({ type: 'present', key, object, span, isInInitialList: true, isRelisted: false });
    return true;
  }

  /** Takes in a workload as it was seen, or answered to a write at `written`. */
  take(ref: WorkloadRef, workload: Workload, written?: Span): void {
    const { store, timeline, onWorkload } = this.#options;
    const key = keyOf(ref);
    const record = store.workloads.get(key);
    // The stream has shown its deletion during the read: an older version must not bring it back.
    if (record === undefined) return;
    const before = { at: record.knownAt, arrival: record.knownAt };
    const span = written ?? timeline.ofListed(workload.resourceVersion, before);
    onWorkload({ type: 'present', key, object: workload, span, ...OUTSIDE_THE_STREAM });
  }
}
