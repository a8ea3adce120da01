/** Faults on demand, as plain JSON: which calls go wrong, and how. */

import { type Json, stringOf } from './json.ts';
import { rowOfResource } from './resource-table.ts';
import { qualified, StatusError, versionTooLarge } from './status-error.ts';

/** What a request is, seen from outside. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete';

/** A request as faults and audits see it. */
export interface CallFacts {
  readonly verb: Verb;
  /** The plural; `events` for both groups. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userAgent: string;
}

/** Which calls; what is absent matches everything. `verb: 'write'` is create, update, patch, apply and delete. */
export interface CallMatch {
  readonly verb?: Verb | 'write';
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** A prefix. */
  readonly userAgent?: string;
}

/** What befalls a watch stream that is open. */
export type WatchEffect =
  /** The body ends, or its reading throws. */
  | { readonly kind: 'cut'; readonly how: 'end' | 'throw' }
  /** No more bytes, bookmarks included, and no end either. */
  | { readonly kind: 'silent' }
  /** A line that is no JSON; the stream goes on. */
  | { readonly kind: 'garbage' }
  /** Half a line, then the end. */
  | { readonly kind: 'truncated' }
  /** An ERROR event, then the end. */
  | { readonly kind: 'error'; readonly code: 410 | 500 };

/** What befalls one request. */
export type CallEffect =
  /** Answered so, without effect. */
  | {
      readonly kind: 'status';
      readonly code: 400 | 401 | 403 | 409 | 422 | 429 | 500 | 503 | 504;
      readonly retryAfterSeconds?: number;
      readonly message?: string;
      /** 504 only: it is a version from the future, not a gateway's timeout. */
      readonly versionTooLarge?: boolean;
    }
  /** It takes effect, then sending rejects. */
  | { readonly kind: 'lost' }
  /** Sending rejects, without effect. */
  | { readonly kind: 'refused' }
  /** No answer at all until the request is aborted; `effect` tells whether it takes effect at once. */
  | { readonly kind: 'hang'; readonly effect: boolean }
  /** It takes so long. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** A list or get shows the store as it was so many writes ago. */
  | { readonly kind: 'stale'; readonly writes: number }
  /** The body breaks off in the middle. */
  | { readonly kind: 'cutBody' };

/** One fault: the `nth` matching call (default 1) and each `every`-th that follows (default 1), `times` in all (default 1). */
export interface FaultRule {
  readonly match: CallMatch;
  readonly nth?: number;
  readonly every?: number;
  readonly times?: number | 'always';
  readonly effect: CallEffect;
}

/** What a request must suffer. */
export interface Suffering {
  readonly latencyMs: number;
  readonly effect: CallEffect | undefined;
}

interface ActiveRule {
  readonly rule: FaultRule;
  seen: number;
}

/** Whether `match` covers `call`. */
export function matches(match: CallMatch, call: CallFacts): boolean {
  return (
    (match.verb === undefined ||
      match.verb === call.verb ||
      (match.verb === 'write' && !READS.has(call.verb))) &&
    (match.resource === undefined || match.resource === call.resource) &&
    (match.namespace === undefined || match.namespace === call.namespace) &&
    (match.name === undefined || match.name === call.name) &&
    (match.userAgent === undefined || call.userAgent.startsWith(match.userAgent))
  );
}

const READS: ReadonlySet<Verb> = new Set(['get', 'list', 'watch']);

/** The faults in force. Every rule counts every call that matches it; latencies add up, of the rest the first rule wins. */
export class Faults {
  #rules: ActiveRule[] = [];

  /** Puts a fault in force; the function answered takes it back. */
  add(rule: FaultRule): () => void {
    const active: ActiveRule = { rule, seen: 0 };
    this.#rules.push(active);
    return () => {
      this.#rules = this.#rules.filter((each) => each !== active);
    };
  }

  /** Takes all faults back. */
  clear(): void {
    this.#rules = [];
  }

  /** Counts a call and tells what it must suffer. */
  take(call: CallFacts): Suffering {
    if (this.#rules.length === 0) return UNHARMED;
    let latencyMs = 0;
    let effect: CallEffect | undefined;
    for (const active of this.#rules) {
      if (!matches(active.rule.match, call)) continue;
      active.seen += 1;
      if (!isDue(active)) continue;
      if (active.rule.effect.kind === 'latency') latencyMs += active.rule.effect.ms;
      else effect ??= active.rule.effect;
    }
    this.#rules = this.#rules.filter((active) => !isSpent(active));
    return { latencyMs, effect };
  }
}

const UNHARMED: Suffering = { latencyMs: 0, effect: undefined };

function lastOf({ nth = 1, every = 1, times = 1 }: FaultRule): number {
  return times === 'always' ? Number.POSITIVE_INFINITY : nth + (times - 1) * every;
}

function isDue({ rule, seen }: ActiveRule): boolean {
  const { nth = 1, every = 1 } = rule;
  return seen >= nth && seen <= lastOf(rule) && (seen - nth) % every === 0;
}

function isSpent({ rule, seen }: ActiveRule): boolean {
  return seen >= lastOf(rule);
}

/** What a connection that breaks off looks like to a client. */
export function connectionError(code: 'ECONNREFUSED' | 'ECONNRESET'): Error {
  const text = code === 'ECONNREFUSED' ? 'connect ECONNREFUSED' : 'socket hang up';
  return Object.assign(new Error(text), { code });
}

/** The answer that a `status` effect stands for. */
export function statusFault(effect: CallEffect & { readonly kind: 'status' }, call: CallFacts): StatusError {
  const [reason, text] = REASONS[effect.code];
  const row = rowOfResource(call.resource);
  const { retryAfterSeconds, code } = effect;
  if (code === 504 && effect.versionTooLarge) return versionTooLarge('999999999', '1');
  const about = `${qualified(row)} "${call.name ?? ''}"`;
  const message = effect.message ?? text.replace('{}', about).replace('{verb}', call.verb);
  return new StatusError(code, reason, message, {
    row,
    ...(call.name === undefined ? {} : { name: call.name }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

const REASONS: Readonly<Record<(CallEffect & { kind: 'status' })['code'], readonly [string, string]>> = {
  400: ['BadRequest', '{} is refused: the sandbox was told so'],
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', '{} is forbidden: User "sandbox" cannot {verb} it'],
  409: [
    'Conflict',
    'Operation cannot be fulfilled on {}: the object has been modified; please apply your changes to the latest version and try again',
  ],
  422: ['Invalid', '{} is invalid: the sandbox was told to refuse it'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  500: ['InternalError', 'Internal error occurred: the sandbox was told to fail'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
};

/** The manager that a request writes as: its `fieldManager`, else the user agent up to the slash. */
export function managerOf(fieldManager: Json | undefined, userAgent: string): string {
  return stringOf(fieldManager) || userAgent.split('/', 1)[0] || 'unknown';
}
