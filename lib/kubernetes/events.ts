/** Records Events on objects, in the background and at a limited rate: no rollout waits for an Event or fails with one. */

import type { Log } from '../model/log.ts';
import { configKindOf, describe, SOURCE_KINDS } from '../model/object-ref.ts';
import { EVENTS, type EventRecord, eventNameOf } from '../model/reasons.ts';
import { cutToBytes, plain } from '../model/text.ts';
import { backoffMs } from '../model/time.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import { apiVersionOf, collectionPath, EVENT_OBJECTS, FIELD_MANAGER } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** The collaborators of a recorder. */
export interface EventRecorderOptions {
  readonly send: Send;
  readonly log: Log;
  /** The most Events that wait; beyond that a Warning displaces a Normal one, see `#makeRoomFor`. @default 500 */
  readonly capacity?: number;
  /** Answers a number in [0, 1). */
  readonly random: () => number;
}

const NO_QUEUE: ReadonlyMap<string, PendingEvent> = new Map();
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };
const ATTEMPTS = 4;
/** The errors that may pass. */
const PASSING: ReadonlySet<ApiErrorCode> = new Set([
  'throttled',
  'unavailable',
  'unauthorized',
  'silent',
  'unanswered',
]);
/** The pause after each Event: 50 are sent within 5 s. */
const INTERVAL_MS = 100;
/** In bytes: the API server takes no more. */
const LONGEST_MESSAGE = 1_024;
/** The most namespaces of which a refusal is remembered, so that it is logged once. */
const MOST_FORBIDDEN = 100;

/** An Event that waits to be sent; `at`: when it was recorded, as RFC 3339. */
interface PendingEvent {
  readonly name: string;
  readonly record: EventRecord;
  readonly at: string;
}

/** One worker over one queue per namespace, in rotation: a namespace with many Events does not delay the others. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  /** By namespace, the next one in turn first, then by the name of the Event. */
  readonly #queues = new Map<string, Map<string, PendingEvent>>();
  /** The number of Events in all queues. */
  #size = 0;
  /** Ends the worker's wait for an Event; undefined while it does not wait. */
  #wake: (() => void) | undefined;
  /** Namespaces in which Events were refused with a log line, the oldest first. */
  readonly #forbidden = new Set<string>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Queues an Event and returns; never throws. An Event that `run` has not sent when it ends is lost. */
  record(record: EventRecord): void {
    const name = eventNameOf(record);
    const { namespace } = record.regarding;
    if (this.#queues.get(namespace)?.has(name) === true) return;
    if (this.#size >= (this.#options.capacity ?? 500) && !this.#makeRoomFor(record)) {
      this.#options.log.debug('an Event is dropped: too many are waiting', {
        object: describe(record.regarding),
      });
      return;
    }
    const queue = this.#queues.get(namespace) ?? new Map<string, PendingEvent>();
    this.#queues.set(namespace, queue.set(name, { name, record, at: new Date().toISOString() }));
    this.#size += 1;
    this.#wake?.();
  }

  /** Sends the Events one after the other; resolves when `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const next = this.#next();
      if (next === undefined) await this.#recorded();
      else {
        await this.#deliver(next.record, next.at, signal);
        await sleep(INTERVAL_MS, signal);
      }
    }
    signal.removeEventListener('abort', wake);
  }

  /** Takes the oldest Warning, else the oldest Event, of the namespace whose turn it is, which then has its turn last. */
  #next(): PendingEvent | undefined {
    const [turn] = this.#queues;
    if (turn === undefined) return undefined;
    const [namespace, queue] = turn;
    const [oldest] = queue.values();
    const next = [...queue.values()].find((event) => !isNormal(event)) ?? oldest;
    if (next !== undefined) this.#remove(next);
    this.#queues.delete(namespace);
    if (queue.size > 0) this.#queues.set(namespace, queue);
    return next;
  }

  #remove({ name, record }: PendingEvent): void {
    const { namespace } = record.regarding;
    const queue = this.#queues.get(namespace);
    if (queue?.delete(name) === true) this.#size -= 1;
    if (queue?.size === 0) this.#queues.delete(namespace);
  }

  /**
   * Drops a waiting Event in favour of a new one; whether there is room now. A Warning displaces the oldest Normal Event. Any
   * Event displaces the newest of the namespace with the most, if that has at least two more than its own namespace.
   */
  #makeRoomFor({ reason, regarding }: EventRecord): boolean {
    const queues = [...this.#queues.values()];
    const longest = queues.reduce((most, queue) => (queue.size > most.size ? queue : most), NO_QUEUE);
    const isAhead = longest.size > (this.#queues.get(regarding.namespace)?.size ?? 0) + 1;
    const weakest =
      EVENTS[reason].type === 'Normal'
        ? undefined
        : queues.flatMap((queue) => [...queue.values()]).find(isNormal);
    const last = weakest ?? (isAhead ? [...longest.values()].at(-1) : undefined);
    if (last !== undefined) this.#remove(last);
    return last !== undefined;
  }

  /** Resolves when the next Event is recorded, or at the end of `run`. */
  async #recorded(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  async #deliver(record: EventRecord, at: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(this.#eventOf(record, at));
    const path = collectionPath(EVENT_OBJECTS, record.regarding.namespace);
    for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
      try {
        await callJson(this.#options.send, { method: 'POST', path, body, signal });
        return;
      } catch (thrown) {
        const error = ApiError.from(thrown);
        if (!this.#isWorthARetry(error, record)) return;
        const pause = backoffMs(attempt, BACKOFF, this.#options.random);
        if (attempt + 1 < ATTEMPTS) await sleep(Math.max(pause, error.retryAfterMs ?? 0), signal);
      }
    }
  }

  /** One that exists was recorded by an earlier attempt, or by this program before a restart. */
  #isWorthARetry({ code, message }: ApiError, { regarding }: EventRecord): boolean {
    if (PASSING.has(code)) return true;
    const fields = { object: describe(regarding), namespace: regarding.namespace, error: message };
    if (code === 'forbidden') this.#sayForbidden(regarding.namespace, fields);
    else if (code !== 'already-exists' && code !== 'conflict')
      this.#options.log.debug('an Event is dropped', fields);
    return false;
  }

  /**
   * Logs a refusal once per namespace: one that is terminating or has a quota refuses too, so it is no proof of a missing
   * right.
   */
  #sayForbidden(namespace: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#forbidden.has(namespace)) return;
    const [oldest] = this.#forbidden;
    if (oldest !== undefined && this.#forbidden.size >= MOST_FORBIDDEN) this.#forbidden.delete(oldest);
    this.#forbidden.add(namespace);
    this.#options.log.warn(`Events cannot be recorded in ${namespace}; said once`, fields);
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

function isNormal({ record }: PendingEvent): boolean {
  return EVENTS[record.reason].type === 'Normal';
}
