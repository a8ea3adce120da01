/**
 * What stands between one replica of the reloader and the API server: it notes what the replica sends and hears, and shuts
 * when the replica is killed. What a dead process sent has no effect any more, and what it waits for never comes.
 */

import type { ApiRequest, ApiResponse, Piece, Send } from '../../lib/kubernetes/transport.ts';
import { monotonicMs } from '../../lib/model/time.ts';
import { nameOfPath } from './api.ts';
import { RENEW_DEADLINE_MS } from './replica.ts';

/** What a gate tells of. */
export interface GateObserver {
  /** The body of a write, Events included. */
  onBody(text: string, path: string): void;
  /** A second patch of one workload was sent before the first was answered. */
  onTwoInFlight(workload: string): void;
  /** A stream was told everything up to this version. */
  onHeard(resource: string, resourceVersion: string): void;
  /** The replica sends without end: it is not answered any more. */
  onRunaway(): void;
  /** A write was sent so long after its last renewal of the Lease was sent; undefined: it holds none. */
  onUnled(path: string, ms: number | undefined): void;
  /** The crash that was planned is due: the gate is shut already. */
  onCrash(): void;
}

/** A planned death: at the nth write from now, before or after it takes effect. */
export interface CrashPlan {
  writesLeft: number;
  readonly effect: 'before' | 'after';
  readonly of?: 'lease';
}

/** More requests than any history has use for; a loop that does not wait would never let the test end. */
const MOST_REQUESTS = 1000;

/** Of these there is one in each retry period. */
const MOST_REQUESTS_OF_LEASES = 5000;

/** What changes nothing that anybody decides by. */
const NO_WRITES = /\/events|accessreviews/;
const LEASES = /\/leases/;

/** The gate of one replica. */
export class Gate {
  /** What the replica gets as its transport. */
  readonly send: Send = (request) => this.#pass(request);
  /** Aborted when the replica is killed: frees what its requests hold in the server. */
  readonly #death = new AbortController();
  readonly #inner: Send;
  readonly #replica: number;
  readonly #observer: GateObserver;
  readonly #inFlight = new Set<string>();
  #plan: CrashPlan | undefined;
  #requests = 0;
  #requestsOfLeases = 0;
  #isRunaway = false;
  /** When the last successful write of the Lease was sent that took or renewed it; who may not write it leads for ever. */
  #renewedMs: number | undefined;
  readonly #elects: boolean;

  constructor(replica: number, inner: Send, elects: boolean, observer: GateObserver) {
    this.#replica = replica;
    this.#elects = elects;
    this.#inner = inner;
    this.#observer = observer;
  }

  /** Whether the replica is dead. */
  get isShut(): boolean {
    return this.#death.signal.aborted;
  }

  /** Plans the death; an earlier plan is forgotten. */
  plan(plan: CrashPlan): void {
    this.#plan = plan;
  }

  /** Nothing passes any more, in either direction. */
  shut(): void {
    this.#death.abort();
  }

  async #pass(request: ApiRequest): Promise<ApiResponse> {
    if (this.#isUnheard(request)) return await never();
    const patched = request.method === 'PATCH' ? nameOfPath(request.path) : undefined;
    if (request.method !== 'GET') this.#observer.onBody(request.body ?? '', request.path);
    if (patched !== undefined) this.#begin(patched);
    this.#judge(request);
    const isDue = this.#isDue(request);
    if (isDue === 'before') return await this.#crash();
    try {
      const answer = await this.#answer(request);
      return isDue === 'after' ? await this.#crash() : answer;
    } catch (error) {
      if (isDue === 'after') return await this.#crash();
      throw error;
    } finally {
      if (patched !== undefined) this.#inFlight.delete(patched);
    }
  }

  /** What the server says, or that there was no answer; nothing at all once the replica is dead. */
  async #answer(request: ApiRequest): Promise<ApiResponse> {
    const sentMs = monotonicMs();
    try {
      const response = await this.#inner(this.#marked(request));
      this.#noteLease(request, sentMs, response.status);
      return this.isShut ? await never() : { ...response, body: this.#passedOn(request, response.body) };
    } catch (error) {
      if (this.isShut) return await never();
      throw error;
    }
  }

  #isUnheard({ path }: ApiRequest): boolean {
    if (LEASES.test(path)) this.#requestsOfLeases += 1;
    else this.#requests += 1;
    const isMost = this.#requests >= MOST_REQUESTS || this.#requestsOfLeases >= MOST_REQUESTS_OF_LEASES;
    if (isMost && !this.#isRunaway) this.#observer.onRunaway();
    this.#isRunaway ||= isMost;
    return this.isShut || isMost;
  }

  /** Nothing is written without a lead that is valid. */
  #judge({ method, path }: ApiRequest): void {
    if (!this.#elects || method === 'GET' || NO_WRITES.test(path) || LEASES.test(path)) return;
    const ms = this.#renewedMs === undefined ? undefined : monotonicMs() - this.#renewedMs;
    if (ms === undefined || ms >= RENEW_DEADLINE_MS) this.#observer.onUnled(path, ms);
  }

  #noteLease({ method, path, body = '{}' }: ApiRequest, sentMs: number, status: number): void {
    if (LEASES.test(path) && status === 403) this.#renewedMs = Number.POSITIVE_INFINITY;
    if (method === 'GET' || !LEASES.test(path) || status >= 300) return;
    const { spec } = JSON.parse(body) as { readonly spec?: { readonly holderIdentity?: string } };
    this.#renewedMs = spec?.holderIdentity ? sentMs : undefined;
  }

  #begin(workload: string): void {
    if (this.#inFlight.has(workload)) this.#observer.onTwoInFlight(workload);
    this.#inFlight.add(workload);
  }

  #isDue({ method, path }: ApiRequest): 'before' | 'after' | undefined {
    if (this.#plan === undefined || method === 'GET' || NO_WRITES.test(path)) return undefined;
    if (LEASES.test(path) !== (this.#plan.of === 'lease')) return undefined;
    this.#plan.writesLeft -= 1;
    return this.#plan.writesLeft > 0 ? undefined : this.#plan.effect;
  }

  #crash(): Promise<never> {
    this.shut();
    this.#observer.onCrash();
    return never();
  }

  #marked(request: ApiRequest): ApiRequest {
    const signals = [this.#death.signal, ...(request.signal === undefined ? [] : [request.signal])];
    const headers = { ...request.headers, 'user-agent': `replica-${this.#replica}` };
    return { ...request, headers, signal: AbortSignal.any(signals) };
  }

  async *#passedOn(request: ApiRequest, body: AsyncIterable<Piece>): AsyncGenerator<Piece> {
    const ear = this.#earFor(request);
    try {
      for await (const piece of body) {
        if (this.isShut) await never();
        if (typeof piece === 'string') ear(piece); // as every piece of the sandbox is
        yield piece;
      }
    } catch (error) {
      if (this.isShut) await never();
      throw error;
    }
  }

  /** Listens to a body and tells of the versions in it: of each event of a watch, of a list with its last page. */
  #earFor({ method, path }: ApiRequest): (piece: string) => void {
    const resource = /\/([a-z]+)(?:\?|$)/.exec(path)?.[1] ?? '';
    let text = '';
    if (path.includes('watch=')) {
      return (piece) => {
        text = this.#hearLines(resource, text + piece);
      };
    }
    return (piece) => {
      text += piece;
      const isList = method === 'GET' && text.includes('"items":[');
      if (isList && !text.includes('"continue":')) this.#hear(resource, text);
    };
  }

  #hear(resource: string, text: string): void {
    const version = /"resourceVersion":"([^"]+)"/.exec(text)?.[1];
    if (version !== undefined) this.#observer.onHeard(resource, version);
  }

  /** Tells of all whole lines; answers the rest. */
  #hearLines(resource: string, text: string): string {
    const lines = text.split('\n');
    for (const line of lines.slice(0, -1)) this.#hear(resource, line);
    return lines.at(-1) ?? '';
  }
}

/** Nobody answers a dead process. A new one each time: what waits for it must be free to go. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
