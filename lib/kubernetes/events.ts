/** Records Events on objects, slowly and on the side: nothing waits for them and nothing fails with them. */

import { type Log, NO_LOG } from '../model/log.ts';
import { describe } from '../model/object-ref.ts';
import { EVENTS, type EventRecord, eventNameOf } from '../model/reasons.ts';
import { cutToBytes, plain } from '../model/text.ts';
import { backoffMs } from '../model/time.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { ApiError } from './api-error.ts';
import { collectionPath, EVENT_OBJECTS, FIELD_MANAGER } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';

/** What a recorder is made of. */
export interface EventRecorderOptions {
  readonly send: Send;
  readonly log?: Log;
  /** The longest queue; of what comes on top a Warning takes the place of something Normal. @default 500 */
  readonly capacity?: number;
  /** @default Math.random */
  readonly random?: () => number;
}

const NO_QUEUE: ReadonlyMap<string, PendingReason> = new Map();
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };
const ATTEMPTS = 4;
/** From one Event to the next: 50 leave within 5 s. */
const INTERVAL_MS = 100;
/** In bytes: the API server takes no more. */
const LONGEST_MESSAGE = 1_024;
/** Of so many namespaces it is remembered that nothing can be recorded there. */
const MOST_FORBIDDEN = 100;

/** What waits to be recorded. */
interface PendingReason {
  readonly name: string;
  readonly news: EventRecord;
  readonly at: string;
}

/** A queue for each namespace, each of which has its turn, and one worker. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #log: Log;
  /** By namespace, the one whose turn it is first, and by the name of the Event. */
  readonly #queues = new Map<string, Map<string, PendingReason>>();
  #size = 0;
  #wake: (() => void) | undefined;
  /** Namespaces in which Events are refused, and of which that was said; the oldest first. */
  readonly #forbidden = new Set<string>();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#log = options.log ?? NO_LOG;
  }

  /** Takes note and returns; never throws. What `run` has not sent when it ends is not recorded. */
  record(news: EventRecord): void {
    const name = eventNameOf(news);
    const { namespace } = news.regarding;
    if (this.#queues.get(namespace)?.has(name) === true) return;
    if (this.#size >= (this.#options.capacity ?? 500) && !this.#makeRoomFor(news)) {
      this.#log.debug('an Event is dropped: too many are waiting', { object: describe(news.regarding) });
      return;
    }
    const queue = this.#queues.get(namespace) ?? new Map<string, PendingReason>();
    this.#queues.set(namespace, queue.set(name, { name, news, at: new Date().toISOString() }));
    this.#size += 1;
    this.#wake?.();
  }

  /** Sends what is recorded, one after the other; resolves when `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const next = this.#next();
      if (next === undefined) await this.#news();
      else {
        await this.#deliver(next.news, next.at, signal);
        await sleep(INTERVAL_MS, signal);
      }
    }
    signal.removeEventListener('abort', wake);
  }

  /** The oldest of the namespace whose turn it is: that is the last one to have the next. */
  #next(): PendingReason | undefined {
    const [turn] = this.#queues;
    if (turn === undefined) return undefined;
    const [namespace, queue] = turn;
    const [next] = queue.values();
    if (next !== undefined) this.#remove(next);
    this.#queues.delete(namespace);
    if (queue.size > 0) this.#queues.set(namespace, queue);
    return next;
  }

  #remove({ name, news }: PendingReason): void {
    const { namespace } = news.regarding;
    const queue = this.#queues.get(namespace);
    if (queue?.delete(name) === true) this.#size -= 1;
    if (queue?.size === 0) this.#queues.delete(namespace);
  }

  /** A Warning is worth more than the oldest news that is none, and any news more than the newest of who has the most. */
  #makeRoomFor({ reason, regarding }: EventRecord): boolean {
    const queues = [...this.#queues.values()];
    const isNormal = ({ news }: PendingReason): boolean => EVENTS[news.reason].type === 'Normal';
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

  async #news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }

  async #deliver(news: EventRecord, at: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(this.#eventOf(news, at));
    const path = collectionPath(EVENT_OBJECTS, news.regarding.namespace);
    for (let attempt = 0; attempt < ATTEMPTS && !signal.aborted; attempt += 1) {
      try {
        await callJson(this.#options.send, { method: 'POST', path, body, signal });
        return;
      } catch (thrown) {
        const error = ApiError.from(thrown);
        if (!this.#isWorthARetry(error, news)) return;
        const pause = backoffMs(attempt, BACKOFF, this.#options.random ?? Math.random);
        if (attempt + 1 < ATTEMPTS) await sleep(Math.max(pause, error.retryAfterMs ?? 0), signal);
      }
    }
  }

  #isWorthARetry({ code, message }: ApiError, { regarding }: EventRecord): boolean {
    const fields = { object: describe(regarding), namespace: regarding.namespace, error: message };
    switch (code) {
      case 'already-exists':
      case 'conflict':
        return false; // it is recorded
      case 'forbidden':
        this.#sayForbidden(regarding.namespace, fields);
        return false;
      case 'throttled':
      case 'unavailable':
      case 'unauthorized':
      case 'silent':
      case 'unanswered':
        return true;
      default:
        this.#log.debug('an Event is dropped', fields);
        return false;
    }
  }

  /** For each namespace by itself: one that is about to go or full of Events refuses too, and is not a right that is missing. */
  #sayForbidden(namespace: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#forbidden.has(namespace)) return;
    const [oldest] = this.#forbidden;
    if (oldest !== undefined && this.#forbidden.size >= MOST_FORBIDDEN) this.#forbidden.delete(oldest);
    this.#forbidden.add(namespace);
    this.#log.warn(`Events cannot be recorded in ${namespace}; said once`, fields);
  }

  #eventOf(news: EventRecord, at: string): object {
    const { regarding, uid, reason, message } = news;
    const { kind, namespace, name } = regarding;
    const { group, version } = workloadKindOf(kind);
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: eventNameOf(news), namespace },
      involvedObject: {
        apiVersion: `${group}/${version}`,
        kind,
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
