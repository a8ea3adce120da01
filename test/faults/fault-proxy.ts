/** A proxy between a reloader and an API server that does to their conversation what rules say, and counts what it did. */

import { readText } from '../../lib/kubernetes/json-call.ts';
import type { ApiRequest, ApiResponse, Send } from '../../lib/kubernetes/transport.ts';
import { delay, untilAborted } from '../sandbox/abort.ts';
import { textBody } from '../sandbox/event-stream.ts';
import {
  type CallEffect,
  type CallFacts,
  type CallMatch,
  connectionError,
  type FaultRule,
  Faults,
  matches,
  statusFault,
} from '../sandbox/faults.ts';
import type { Json } from '../sandbox/json.ts';
import { EXTENSIONS } from '../sandbox/resource-table.ts';
import { apiCallOf } from '../sandbox/routes.ts';
import { type Served, type ServeOptions, serve } from '../sandbox/serve.ts';
import { ServedKinds } from '../sandbox/served-kinds.ts';
import { type RelayEffect, RelayedWatch } from './relayed-watch.ts';
import { objectIn, type RelayedWrite, writeOf } from './relayed-write.ts';

/** What requests are understood; the server behind it may serve less. */
const SERVED = new ServedKinds(Object.values(EXTENSIONS));

/** What the proxy can do to one request: all that needs no look into the server. */
type ProxyEffect = Exclude<CallEffect, { readonly kind: 'stale' | 'cutBody' }>;

/** What is counted. */
type Deed = ProxyEffect['kind'] | RelayEffect | 'disappeared';

/** One fault, as data. */
export interface ProxyRule extends FaultRule {
  readonly effect: ProxyEffect;
}

/** What waits in the proxy: the request, or the answer to one that was carried out. */
export type HeldPart = 'request' | 'answer';

/** A request that waits in the proxy, whatever becomes of who sent it. */
export interface Held {
  /** Whether what waits is here. */
  readonly hasArrived: () => boolean;
  /** Sends it on; resolves with the status that it is answered, 0 if there is no answer. */
  readonly release: () => Promise<number>;
}

/** Is told of each write, and of the object since, before whoever sent it is. */
export type OnWrite = (write: RelayedWrite, object: Json | undefined) => void;

interface Hold {
  readonly match: CallMatch;
  readonly part: HeldPart;
  /** So many that match go on before. */
  passing: number;
  hasArrived: boolean;
  readonly released: PromiseWithResolvers<void>;
  readonly answered: PromiseWithResolvers<number>;
}

/** Which kinds there are: no fault concerns it. */
const DISCOVERY = /^\/apis(\/[^/]+){0,2}$/;

/** Listens on 127.0.0.1 and passes everything on, as whoever asked; without rules it changes nothing. */
export class FaultProxy implements AsyncDisposable {
  /** How often it did what, by the kind of effect. */
  readonly counts: Map<Deed, number> = new Map();
  /** Every write that was sent on, in the order of the answers. */
  readonly writes: RelayedWrite[] = [];
  /** The resource of every list that was asked for; a look at one object by its name is none. */
  readonly lists: string[] = [];
  readonly #upstream: Send;
  readonly #tls: ServeOptions['tls'];
  readonly #onWrite: OnWrite | undefined;
  readonly #faults = new Faults();
  readonly #watches = new Set<RelayedWatch>();
  readonly #holds = new Set<Hold>();
  #served: Served | undefined;
  #port = 0;

  private constructor(upstream: Send, tls: ServeOptions['tls'], onWrite?: OnWrite) {
    this.#upstream = upstream;
    this.#tls = tls;
    this.#onWrite = onWrite;
  }

  /**
   * Starts one.
   *
   * @param upstream must leave the headers of a request as they are: who asks stands in them
   * @param tls see ServeOptions
   */
  static async start(upstream: Send, tls?: ServeOptions['tls'], onWrite?: OnWrite): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream, tls, onWrite);
    await proxy.appear();
    return proxy;
  }

  /** Its address, always the same one. */
  get url(): string {
    return `${this.#tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.#port}`;
  }

  /** How often it did anything. */
  get deeds(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Begins to answer, at the address that it has always had. */
  async appear(): Promise<void> {
    const tls = this.#tls === undefined ? {} : { tls: this.#tls };
    this.#served = await serve((request) => this.#handle(request), { port: this.#port, ...tls });
    this.#port = this.#served.port;
  }

  /** Breaks off all connections and refuses new ones. */
  async disappear(): Promise<void> {
    this.#count('disappeared');
    await this.#served?.close();
  }

  /** Puts a fault in force; the function answered takes it back. */
  add(rule: ProxyRule): () => void {
    return this.#faults.add(rule);
  }

  /** Takes all faults back; a watch that is silent stays so. */
  clear(): void {
    this.#faults.clear();
  }

  /** Does something to all open watches that match; answers how many there were. */
  disturb(match: CallMatch, effect: RelayEffect): number {
    const hit = [...this.#watches].filter((watch) => matches(match, watch.call));
    for (const watch of hit) watch.suffer(effect);
    return hit.length;
  }

  /** The next request that matches waits here, or its answer; `passing`: so many that match go on before. */
  hold(match: CallMatch, part: HeldPart = 'request', passing = 0): Held {
    const hold: Hold = {
      match,
      part,
      passing,
      hasArrived: false,
      released: Promise.withResolvers(),
      answered: Promise.withResolvers(),
    };
    this.#holds.add(hold);
    const release = (): Promise<number> => {
      hold.released.resolve();
      return hold.answered.promise;
    };
    return { hasArrived: () => hold.hasArrived, release };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served?.close();
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    if (DISCOVERY.test(request.path)) return await this.#upstream(request);
    const call = apiCallOf(request, SERVED);
    if (call.verb === 'list' && call.name === undefined) this.lists.push(call.resource);
    const hold = [...this.#holds].find(({ match }) => matches(match, call));
    if (hold?.passing === 0) return await this.#held(hold, call, request);
    if (hold !== undefined) hold.passing -= 1;
    const { latencyMs, effect } = this.#faults.take(call);
    if (latencyMs > 0) {
      this.#count('latency');
      await delay(latencyMs, request.signal);
    }
    if (effect === undefined) return await this.#relay(call, request);
    this.#count(effect.kind as ProxyEffect['kind']);
    return await this.#afflicted(call, request, effect as ProxyEffect);
  }

  async #afflicted(call: CallFacts, request: ApiRequest, effect: ProxyEffect): Promise<ApiResponse> {
    switch (effect.kind) {
      case 'status':
        throw statusFault(effect, call);
      case 'hang':
        if (effect.effect) await this.#relay(call, request);
        return await untilAborted(request.signal);
      case 'lost':
        await this.#relay(call, request);
        throw connectionError('ECONNRESET');
      case 'refused':
        throw connectionError('ECONNRESET');
      case 'latency':
        throw new Error('a latency is no effect of its own');
    }
  }

  async #held(hold: Hold, call: CallFacts, request: ApiRequest): Promise<ApiResponse> {
    this.#holds.delete(hold);
    const released = (): Promise<void> => {
      hold.hasArrived = true;
      return hold.released.promise;
    };
    try {
      if (hold.part === 'request') await released();
      const response = await this.#relay(call, request, true);
      if (hold.part === 'answer') await released();
      hold.answered.resolve(response.status);
      return response;
    } catch (error) {
      hold.answered.resolve(0);
      throw error;
    }
  }

  async #relay(call: CallFacts, request: ApiRequest, wasHeld = false): Promise<ApiResponse> {
    if (call.verb === 'watch') return await this.#relayWatch(call, request);
    if (call.verb === 'get' || call.verb === 'list') return await this.#upstream(request);
    // A write that is on its way arrives, whatever becomes of who sent it.
    const { signal: _, ...lasting } = request;
    let status = 0;
    let text = '';
    try {
      const response = await this.#upstream(lasting);
      text = await readText(response);
      status = response.status;
      return { ...response, body: textBody(text) };
    } finally {
      const body = objectIn(text);
      const write = writeOf(call, request, { status, body, wasHeld });
      this.writes.push(write);
      this.#onWrite?.(write, body);
    }
  }

  async #relayWatch(call: CallFacts, request: ApiRequest): Promise<ApiResponse> {
    const watch = new RelayedWatch(call, request.signal, (effect) => this.#count(effect));
    this.#watches.add(watch);
    const close = (): void => void this.#watches.delete(watch);
    try {
      const response = await this.#upstream({ ...request, signal: watch.signal });
      return { ...response, body: watch.over(response.body, close) };
    } catch (error) {
      close();
      throw error;
    }
  }

  #count(what: Deed): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
