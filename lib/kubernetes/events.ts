/** Records Events on objects, in the background and at a limited rate: no rollout waits for an Event or fails with one. */

import { once } from 'node:events';
import type { Log, LogFields } from '../model/log.ts';
import { configKindOf, describe, SOURCE_KINDS } from '../model/object-ref.ts';
import { EVENTS, type EventRecord, eventNameOf } from '../model/reasons.ts';
import { cutToBytes, plain } from '../model/text.ts';
import { atMostEvery, type BackoffBounds } from '../model/time.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { type Result, RetryQueue } from '../queue/retry-queue.ts';
import { TokenBucket } from '../queue/token-bucket.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { apiVersionOf, collectionPath, EVENT_OBJECTS, FIELD_MANAGER } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** The collaborators of a recorder. */
export interface EventRecorderOptions {
  readonly send: Send;
  readonly log: Log;
  /** The most Events that wait in one namespace; beyond that a Warning displaces a Normal one. @default 500 */
  readonly capacity?: number;
  /** Answers a number in [0, 1). */
  readonly random: () => number;
}

const BACKOFF: BackoffBounds = { baseMs: 1_000, capMs: 30_000 };
const ATTEMPTS = 4;
/** The errors that may pass. */
const PASSING: ReadonlySet<ApiErrorCode> = new Set([
  'throttled',
  'unavailable',
  'unauthorized',
  'silent',
  'unanswered',
]);
/** 50 are sent within 5 s. */
const EVENTS_PER_SECOND = 10;
/** A namespace has one worker at a time: where its Events are slow, for example because of a webhook, the others have the rest. */
const WORKERS = 8;
/** In bytes: the API server takes no more. */
const LONGEST_MESSAGE = 1_024;
/** The least time between two log lines about Events that may not be recorded. */
const REFUSALS_MS = 60_000;

/** An Event that waits to be sent; `at`: when it was recorded, as RFC 3339. */
interface PendingEvent {
  readonly name: string;
  readonly record: EventRecord;
  readonly at: string;
  attempts: number;
}

/** One queue per namespace, and namespaces take turns: one with many Events, or with slow ones, does not delay the others. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  /** By namespace, then by the name of the Event. An Event stays until it is sent or given up. */
  readonly #queues = new Map<string, Map<string, PendingEvent>>();
  /** The namespaces with Events. */
  readonly #turns: RetryQueue;
  readonly #bucket = new TokenBucket(EVENTS_PER_SECOND, 1);
  /** Aborted: nothing is sent, as before and after `run`. */
  #signal: AbortSignal = AbortSignal.abort();
  /** A namespace that is terminating or has a quota refuses too, so it is no proof of a missing right. */
  readonly #sayForbidden: (fields: LogFields) => void;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#sayForbidden = atMostEvery(REFUSALS_MS, (fields) =>
      options.log.warn('cannot record Events; logged once a minute', fields),
    );
    const reconcile = (namespace: string): Promise<Result> => this.#sendOne(namespace);
    this.#turns = new RetryQueue({ ...options, reconcile, concurrency: WORKERS, isShared: true });
  }

  /** Queues an Event and returns; never throws. An Event that `run` has not sent when it ends is lost. */
  record(record: EventRecord): void {
    const { log, capacity = 500 } = this.#options;
    const name = eventNameOf(record);
    const { namespace } = record.regarding;
    const queue = this.#queues.get(namespace) ?? new Map<string, PendingEvent>();
    if (queue.has(name)) return;
    if (queue.size >= capacity) {
      const weakest = isNormal({ record }) ? undefined : [...queue.values()].find(isNormal);
      if (weakest === undefined) {
        log.debug('dropping an Event: too many are queued', { object: describe(record.regarding) });
        return;
      }
      queue.delete(weakest.name);
    }
    this.#queues.set(namespace, queue.set(name, { name, record, at: new Date().toISOString(), attempts: 0 }));
    if (!this.#signal.aborted) this.#turns.add(namespace);
  }

  /** Sends the Events; resolves when `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const namespace of this.#queues.keys()) this.#turns.add(namespace);
    if (!signal.aborted) await once(signal, 'abort');
    await this.#turns.close();
  }

  /** Sends the oldest Warning, else the oldest Event, of the namespace. */
  async #sendOne(namespace: string): Promise<Result> {
    await this.#paced();
    const queue = [...(this.#queues.get(namespace)?.values() ?? [])];
    const next = queue.find((event) => !isNormal(event)) ?? queue[0];
    if (next === undefined || this.#signal.aborted) return 'done';
    next.attempts += 1;
    const error = await this.#send(next);
    if (error !== undefined && this.#isWorthARetry(error, next.record) && next.attempts < ATTEMPTS)
      return this.#turns.backOff(namespace, {
        bounds: BACKOFF,
        atLeastMs: error.retryAfterMs,
        times: next.attempts,
      });
    this.#remove(next);
    return this.#queues.has(namespace) ? 'again' : 'done';
  }

  async #paced(): Promise<void> {
    const { waitMs } = this.#bucket;
    this.#bucket.take();
    if (waitMs > 0) await sleep(waitMs, this.#signal);
  }

  #remove({ name, record }: PendingEvent): void {
    const { namespace } = record.regarding;
    const queue = this.#queues.get(namespace);
    queue?.delete(name);
    if (queue?.size === 0) this.#queues.delete(namespace);
  }

  async #send({ record, at }: PendingEvent): Promise<ApiError | undefined> {
    const path = collectionPath(EVENT_OBJECTS, record.regarding.namespace);
    const body = JSON.stringify(this.#eventOf(record, at));
    try {
      await callJson(this.#options.send, { method: 'POST', path, body, signal: this.#signal });
      return undefined;
    } catch (thrown) {
      return ApiError.from(thrown);
    }
  }

  /** One that exists was recorded by an earlier attempt, or by this program before a restart. */
  #isWorthARetry({ code, message }: ApiError, { regarding }: EventRecord): boolean {
    if (PASSING.has(code)) return true;
    const fields = { object: describe(regarding), namespace: regarding.namespace, error: message };
    if (code === 'forbidden') this.#sayForbidden(fields);
    else if (code !== 'already-exists' && code !== 'conflict')
      this.#options.log.debug('dropping an Event', fields);
    return false;
  }

  #eventOf(record: EventRecord, at: string): object {
    const { regarding, uid, reason, message } = record;
    const { kind, namespace, name } = regarding;
    const source = configKindOf(kind);
    const row: Pick<WorkloadKind, 'group' | 'version' | 'objectKind'> =
      source === undefined ? workloadKindOf(kind) : SOURCE_KINDS[source];
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventNameOf(record), namespace },
      involvedObject: {
        apiVersion: apiVersionOf(row),
        kind: row.objectKind ?? kind,
        namespace,
        name,
        ...(uid === '' ? {} : { uid }),
      },
      type: EVENTS[reason].type,
      reason,
      message: cutToBytes(plain(cutToBytes(message)), LONGEST_MESSAGE),
      source: { component: FIELD_MANAGER },
      reportingComponent: FIELD_MANAGER,
      reportingInstance: FIELD_MANAGER,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
  }
}

function isNormal({ record }: Pick<PendingEvent, 'record'>): boolean {
  return EVENTS[record.reason].type === 'Normal';
}
