/**
 * What stands between one replica of the reloader and the API server: it notes what the replica sends and hears, and shuts
 * when the replica is killed. What a dead process sent has no effect any more, and what it waits for never comes.
 */

import type { ApiRequest, ApiResponse, Send } from '../../lib/kubernetes/transport.ts';
import { nameOfPath } from './api.ts';

/** What a gate tells of. */
export interface GateObserver {
  /** The body of a write, Events included. */
  onBody(text: string): void;
  /** A second patch of one workload was sent before the first was answered. */
  onTwoInFlight(workload: string): void;
  /** A stream was told everything up to this version. */
  onHeard(resource: string, resourceVersion: string): void;
  /** The replica sends without end: it is not answered any more. */
  onRunaway(): void;
  /** The crash that was planned is due: the gate is shut already. */
  onCrash(): void;
}

/** A planned death: at the nth write from now, before or after it takes effect. */
export interface CrashPlan {
  writesLeft: number;
  readonly effect: 'before' | 'after';
}

/** More requests than any history has use for; a loop that does not wait would never let the test end. */
const MOST_REQUESTS = 2000;

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

  constructor(replica: number, inner: Send, observer: GateObserver) {
    this.#replica = replica;
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
    this.#requests += 1;
    if (this.#requests === MOST_REQUESTS) this.#observer.onRunaway();
    if (this.isShut || this.#requests >= MOST_REQUESTS) return await new Promise(NEVER);
    const patched = request.method === 'PATCH' ? nameOfPath(request.path) : undefined;
    if (request.method !== 'GET') this.#observer.onBody(request.body ?? '');
    if (patched !== undefined) this.#begin(patched);
    const isDue = this.#isDue(request);
    if (isDue === 'before') return await this.#crash();
    try {
      const response = await this.#inner(this.#marked(request));
      if (isDue === 'after') return await this.#crash();
      return this.isShut
        ? await new Promise(NEVER)
        : { ...response, body: this.#heard(request, response.body) };
    } catch (error) {
      if (isDue === 'after') return await this.#crash();
      if (this.isShut) return await new Promise(NEVER);
      throw error;
    } finally {
      if (patched !== undefined) this.#inFlight.delete(patched);
    }
  }

  #begin(workload: string): void {
    if (this.#inFlight.has(workload)) this.#observer.onTwoInFlight(workload);
    this.#inFlight.add(workload);
  }

  #isDue({ method, path }: ApiRequest): 'before' | 'after' | undefined {
    if (this.#plan === undefined || method !== 'PATCH' || path.includes('/events')) return undefined;
    this.#plan.writesLeft -= 1;
    return this.#plan.writesLeft > 0 ? undefined : this.#plan.effect;
  }

  #crash(): Promise<never> {
    this.shut();
    this.#observer.onCrash();
    return new Promise(NEVER);
  }

  #marked(request: ApiRequest): ApiRequest {
    const signals = [this.#death.signal, ...(request.signal === undefined ? [] : [request.signal])];
    const headers = { ...request.headers, 'user-agent': `replica-${this.#replica}` };
    return { ...request, headers, signal: AbortSignal.any(signals) };
  }

  async *#heard(request: ApiRequest, body: AsyncIterable<string>): AsyncGenerator<string> {
    const resource = /\/([a-z]+)(?:\?|$)/.exec(request.path)?.[1] ?? '';
    let text = '';
    const isWatch = request.path.includes('watch=');
    try {
      for await (const piece of body) {
        if (this.isShut) await new Promise(NEVER);
        if (isWatch) text = this.#hearLines(resource, text + piece);
        else if (request.method === 'GET') text += piece;
        yield piece;
      }
    } catch (error) {
      if (this.isShut) await new Promise(NEVER);
      throw error;
    }
    if (!isWatch && text.includes('"items"')) this.#observer.onHeard(resource, versionOf(text));
  }

  /** Tells of all whole lines; answers the rest. */
  #hearLines(resource: string, text: string): string {
    const lines = text.split('\n');
    for (const line of lines.slice(0, -1)) {
      const version = versionOf(line);
      if (version !== '') this.#observer.onHeard(resource, version);
    }
    return lines.at(-1) ?? '';
  }
}

function versionOf(text: string): string {
  return /"resourceVersion":"([^"]+)"/.exec(text)?.[1] ?? '';
}

const NEVER = (): void => {
  // Nobody answers a dead process.
};
