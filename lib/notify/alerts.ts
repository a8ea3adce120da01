/**
 * Sends an alert for each rollout, and for each cause of workloads that are not rolled, in the format of the sink, one after the other and in
 * the background: no rollout waits for one or fails with one.
 */

import type { Log } from '../model/log.ts';
import { type ConfigRef, configKindOf, describe, type WorkloadRef } from '../model/object-ref.ts';
import type { FailureInfo, RolloutInfo } from '../model/outcome.ts';
import type { AlertOptions, AlertResult, AlertSink } from '../model/settings.ts';
import { cutToBytes, listedText } from '../model/text.ts';
import { backoffMs } from '../model/time.ts';
import type { HttpPoster, PostBody } from './http-post.ts';

/** The parts of Alerts. */
export interface AlertsOptions {
  readonly poster: Pick<HttpPoster, 'origin' | 'post'>;
  readonly settings: AlertStyle;
  readonly log: Log;
  readonly onResult: (result: AlertResult) => void;
  readonly random: () => number;
  /** Resolves after `ms` or when `signal` is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The capacity of the queue: when it is full, the oldest alert is dropped. @default 500 */
  readonly capacity?: number;
}

const CAPACITY = 500;
/** How long workloads of one cause are collected for its alert. */
export const COLLECT_MS = 10_000;
/** How many causes are remembered, so that a later workload sends no second alert. */
const KNOWN_CAUSES = 1000;
const TRIES = 4;
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };
/** How long the end of the program waits for queued alerts. */
export const LONGEST_FAREWELL_MS = 5_000;

/** One alert; `workload`: the first that it is about. */
interface Alert {
  readonly workload: WorkloadRef;
  readonly body: PostBody;
}

/** A queue and, while it is not empty, one worker. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #queue: Alert[] = [];
  /** The workloads of each cause that has no alert yet. */
  readonly #collected = new Map<string, [FailureInfo, ...FailureInfo[]]>();
  /** The last causes that have one, the newest last. */
  readonly #known = new Set<string>();
  /** Aborted when the program ends: retries no longer wait. */
  readonly #closing = new AbortController();
  /** Aborted when the time for queued alerts is over: no more requests. */
  readonly #end = new AbortController();
  #worker: Promise<void> | undefined;
  /** Whether the log has reported dropped alerts since the queue was last empty. */
  #hasLoggedFull = false;

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  /** Queues an alert and returns; never throws. */
  record(rollout: RolloutInfo): void {
    this.#enqueue({ workload: rollout.workload, body: alertBodyOf(rollout, this.#options.settings) });
  }

  /** Queues an alert with all workloads of the cause that follow within COLLECT_MS, unless the cause has had one. */
  fail(failure: FailureInfo): void {
    const { cause } = failure;
    const collected = this.#collected.get(cause);
    if (collected !== undefined) collected.push(failure);
    if (collected !== undefined || this.#known.has(cause)) return;
    this.#collected.set(cause, [failure]);
    const { wait } = this.#options;
    void wait(COLLECT_MS, this.#closing.signal).then(() => this.#report(cause));
  }

  #report(cause: string): void {
    const failures = this.#collected.get(cause);
    if (failures === undefined) return;
    this.#collected.delete(cause);
    this.#known.add(cause);
    const [oldest] = this.#known;
    if (this.#known.size > KNOWN_CAUSES && oldest !== undefined) this.#known.delete(oldest);
    const body = failureBodyOf(failures, this.#options.settings);
    this.#enqueue({ workload: failures[0].workload, body });
  }

  #enqueue(alert: Alert): void {
    if (this.#queue.length >= (this.#options.capacity ?? CAPACITY)) this.#dropOldest();
    this.#queue.push(alert);
    this.#worker ??= this.#work();
  }

  /** Sends queued alerts, each at most once more; resolves when all are sent, or after LONGEST_FAREWELL_MS. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const cause of [...this.#collected.keys()]) this.#report(cause);
    const timer = setTimeout(() => this.#end.abort(), LONGEST_FAREWELL_MS);
    await this.#worker;
    clearTimeout(timer);
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    for (let alert = this.#queue.shift(); alert !== undefined; alert = this.#queue.shift()) {
      if (this.#end.signal.aborted) {
        this.#dropRest();
        break;
      }
      await this.#deliver(alert);
    }
    this.#worker = undefined;
    this.#hasLoggedFull = false;
  }

  async #deliver({ workload, body }: Alert): Promise<void> {
    const { poster, log, onResult, wait, random } = this.#options;
    const [closing, end] = [this.#closing.signal, this.#end.signal];
    let result = await poster.post(body, end);
    for (
      let failures = 0;
      result.kind === 'later' && failures + 1 < TRIES && !closing.aborted;
      failures += 1
    ) {
      const backoff = backoffMs(failures, BACKOFF, random);
      await wait(Math.max(result.retryAfterMs ?? 0, backoff), closing);
      result = await poster.post(body, end);
    }
    onResult(result.kind === 'taken' ? 'sent' : 'failed');
    if (result.kind === 'taken') return;
    const about = { object: describe(workload), namespace: workload.namespace };
    log.warn('alert not sent', { ...about, error: result.message });
  }

  #dropOldest(): void {
    const { log, onResult, poster } = this.#options;
    this.#queue.shift();
    onResult('dropped');
    if (!this.#hasLoggedFull) log.warn(`dropping alerts: too many are queued for ${poster.origin}`);
    this.#hasLoggedFull = true;
  }

  /** Counts the alerts that were not sent in time as dropped, including the one in progress. */
  #dropRest(): void {
    const { log, onResult } = this.#options;
    const rest = 1 + this.#queue.splice(0).length;
    for (let i = 0; i < rest; i += 1) onResult('dropped');
    log.warn('dropping alerts: no time left to send them', { alerts: rest });
  }
}

/** How many objects or workloads a message names. */
const MOST_NAMES = 20;
/** Bytes of a text: Teams refuses a post of more than 28 KB. */
const LONGEST_TEXT = 20_000;

/** What the text of an alert is made with. */
type AlertStyle = Pick<AlertOptions, 'sink' | 'additionalInfo' | 'clusterName'>;

/** The alert of one rollout, in the wording of Stakater Reloader, which receivers may parse. */
export function alertBodyOf({ workload, objects }: RolloutInfo, style: AlertStyle): PostBody {
  const { kind, namespace, name } = workload;
  const detected = `Reloader detected changes in ${listed(objects)} in namespace *${namespace}*.`;
  const reloaded = `Hence reloaded *${name}* of type *${kind}* in namespace *${namespace}*`;
  return bodyOf(`${detected} ${reloaded}`, 'good', style);
}

/** The alert of workloads that are not rolled for the same cause, with the message about the first one. */
export function failureBodyOf(
  failures: readonly [FailureInfo, ...FailureInfo[]],
  style: AlertStyle,
): PostBody {
  const [{ workload, objects, reason, message }] = failures;
  const detected = `Reloader detected changes in ${listed(objects)} in namespace *${workload.namespace}*.`;
  const workloads = listed(failures.map((each) => each.workload));
  const colour = reason === 'ApprovalRequired' ? 'warning' : 'danger';
  return bodyOf(`${detected} ${workloads}: ${message} (${reason})`, colour, style);
}

/** Slack's colours. */
type Colour = 'good' | 'warning' | 'danger';

function bodyOf(text: string, colour: Colour, { sink, additionalInfo, clusterName }: AlertStyle): PostBody {
  const cluster = clusterName === undefined ? '' : `[${clusterName}] `;
  const info = additionalInfo === undefined ? '' : `${additionalInfo} : `;
  return BODIES[sink](cutToBytes(`${cluster}${info}${text}`, LONGEST_TEXT), colour);
}

const BODIES: Readonly<Record<AlertSink, (text: string, colour: Colour) => PostBody>> = {
  slack: (text, color) => json({ attachments: [{ color, author_name: 'Reloader', text }] }),
  teams: (text) => json({ type: 'message', attachments: [cardOf(text)] }),
  gchat: (text) => json({ text }),
  raw: (text) => ({ contentType: 'text/plain; charset=utf-8', text: text.replaceAll('*', '') }),
};

/** Workflows, the only webhook that Teams still has, post an Adaptive Card and ignore any other text. */
function cardOf(text: string): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
  };
  return { contentType: 'application/vnd.microsoft.card.adaptive', content };
}

function json(body: object): PostBody {
  return { contentType: 'application/json', text: JSON.stringify(body) };
}

function listed(objects: readonly (ConfigRef | WorkloadRef)[]): string {
  // In the words of Stakater Reloader: objects in capitals, workloads as they are.
  const names = objects.map(({ kind, name }) => {
    const type = configKindOf(kind) === undefined ? kind : kind.toUpperCase();
    return `*${name}* of type *${type}*`;
  });
  return listedText(names, MOST_NAMES);
}
