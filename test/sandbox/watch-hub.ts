/** The open watches: who gets which event, in the order of the stream, and what may befall a stream. */

import { EventStream } from './event-stream.ts';
import { type CallFacts, type CallMatch, connectionError, matches, type WatchEffect } from './faults.ts';
import type { ResourceRow } from './resource-table.ts';
import type { Selector } from './selectors.ts';
import type { Spelling } from './spelling.ts';
import { expired, StatusError } from './status-error.ts';
import type { Change, Store } from './store.ts';
import { objectText, type StoredObject } from './stored-object.ts';

/** How often a quiet watch with bookmarks gives a sign of life. */
export const BOOKMARK_MS = 60_000;
/** How long a watch lasts that does not say so itself. */
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** A watch as it is asked for. */
export interface WatchRequest {
  readonly call: CallFacts;
  readonly row: ResourceRow;
  readonly namespace: string | undefined;
  readonly selector: Selector | undefined;
  /** From which write on; undefined: begin with what there is. */
  readonly since: number | undefined;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Parcel {
  readonly text: string;
  isDue: boolean;
}

class Watch {
  readonly request: WatchRequest;
  readonly stream: EventStream;
  readonly #timers = new Set<NodeJS.Timeout>();
  #delayed: Parcel[] = [];
  #isSilent = false;

  constructor(request: WatchRequest, onClose: () => void) {
    this.request = request;
    this.stream = new EventStream(request.signal, () => {
      for (const timer of this.#timers) clearTimeout(timer);
      onClose();
    });
  }

  /** Runs `action` after `ms` unless the stream closes before. */
  after(ms: number, action: () => void): void {
    if (this.stream.isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }

  /** Sends one line `ms` from now, never before a line that was sent earlier. */
  send(text: string, ms: number): void {
    if (ms <= 0 && this.#delayed.length === 0) {
      this.#deliver(text);
      return;
    }
    const parcel: Parcel = { text, isDue: ms <= 0 };
    this.#delayed.push(parcel);
    if (!parcel.isDue) this.after(ms, () => this.#arrive(parcel));
  }

  /** Ends the body in the ordinary way; a silent one never ends. */
  end(): void {
    if (!this.#isSilent) this.stream.end();
  }

  suffer(effect: WatchEffect): void {
    if (this.#isSilent) return;
    switch (effect.kind) {
      case 'cut':
        if (effect.how === 'end') this.stream.end();
        else this.stream.fail(connectionError('ECONNRESET'));
        return;
      case 'silent':
        this.#isSilent = true;
        return;
      case 'garbage':
        this.stream.push('{"type":"MODIFIED","object":\u2026}\n');
        return;
      case 'truncated':
        this.stream.push(`{"type":"MODIFIED","object":{"kind":"${this.request.row.kind}","metadata":{"na`);
        this.stream.end();
        return;
      case 'error':
        this.stream.push(errorLine(ERRORS[effect.code]));
        this.stream.end();
    }
  }

  #arrive(parcel: Parcel): void {
    parcel.isDue = true;
    const late = this.#delayed.findIndex((each) => !each.isDue);
    const due = this.#delayed.splice(0, late < 0 ? this.#delayed.length : late);
    for (const each of due) this.#deliver(each.text);
  }

  #deliver(text: string): void {
    if (!this.#isSilent) this.stream.push(text);
  }
}

/** All open watches of a store. */
export class WatchHub {
  readonly #store: Store;
  readonly #spelling: Spelling;
  readonly #watches = new Map<ResourceRow, Set<Watch>>();
  readonly #delays = new Map<string, number>();

  constructor(store: Store, spelling: Spelling) {
    this.#store = store;
    this.#spelling = spelling;
    store.onChange((row, change) => {
      for (const watch of this.#watches.get(row) ?? []) this.#tell(watch, change);
    });
  }

  /** Opens a watch; an expired version gives a stream of one ERROR event. */
  add(request: WatchRequest): AsyncIterable<string> {
    const { row, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = request;
    const open = this.#watches.get(row) ?? new Set<Watch>();
    this.#watches.set(row, open);
    const watch: Watch = new Watch(request, () => open.delete(watch));
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) {
      watch.send(errorLine(refusal), 0);
      watch.end();
      return watch.stream;
    }
    if (!watch.stream.isClosed) open.add(watch);
    this.#begin(watch);
    watch.after(timeoutSeconds * 1000, () => watch.end());
    if (request.bookmarks) this.#bookmarkLater(watch);
    return watch.stream;
  }

  /** Does something to every open watch that matches; answers how many there were. */
  disturb(match: CallMatch, effect: WatchEffect): number {
    const hit = this.#all().filter((watch) => matches(match, watch.request.call));
    for (const watch of hit) watch.suffer(effect);
    return hit.length;
  }

  /** From now on every line of the watches on `resource` comes `ms` late; 0 ends it. The order in a stream is kept. */
  setDelay(resource: string, ms: number): void {
    this.#delays.set(resource, ms);
  }

  /** The calls whose watches are open. */
  get openCalls(): readonly CallFacts[] {
    return this.#all().map((watch) => watch.request.call);
  }

  #all(): readonly Watch[] {
    return [...this.#watches.values()].flatMap((watches) => [...watches]);
  }

  #refusalOf({ row, since }: WatchRequest): StatusError | undefined {
    if (since === undefined || !this.#store.isExpired(row, since)) return undefined;
    const [asked, current] = [since, this.#store.sequence].map((each) => this.#store.versionOf(row, each));
    return expired(`too old resource version: ${asked} (${current})`);
  }

  #begin(watch: Watch): void {
    const { row, since } = watch.request;
    if (since !== undefined) {
      for (const change of this.#store.since(row, since)) this.#tell(watch, change);
      return;
    }
    for (const object of this.#store.all(row)) {
      if (isWanted(watch.request, object)) this.#send(watch, eventLine('ADDED', row, object));
    }
  }

  #tell(watch: Watch, { type, sequence, object, previous }: Change): void {
    const { request } = watch;
    if (request.since !== undefined && sequence <= request.since) return;
    const was = previous !== undefined && isWanted(request, previous);
    const is = type !== 'DELETED' && isWanted(request, object);
    if (!was && !is) return;
    const told = was && is ? 'MODIFIED' : is ? 'ADDED' : 'DELETED';
    this.#send(watch, eventLine(told, request.row, told === 'DELETED' ? lastOf(object, previous) : object));
  }

  #bookmarkLater(watch: Watch): void {
    watch.after(BOOKMARK_MS, () => {
      // A server says nothing before it has reached the version that was asked for.
      if ((watch.request.since ?? 0) <= this.#store.sequence) this.#bookmark(watch);
      this.#bookmarkLater(watch);
    });
  }

  #bookmark(watch: Watch): void {
    const { row } = watch.request;
    const resourceVersion = this.#store.versionOf(row, this.#store.sequence);
    const metadata = { resourceVersion, creationTimestamp: null };
    const object = { kind: row.kind, apiVersion: row.apiVersion, metadata };
    this.#send(watch, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #send(watch: Watch, line: string): void {
    watch.send(this.#spelling.of(line), this.#delays.get(watch.request.row.resource) ?? 0);
  }
}

function isWanted({ namespace, selector }: WatchRequest, object: StoredObject): boolean {
  return (namespace === undefined || object.metadata.namespace === namespace) && (selector?.(object) ?? true);
}

/** What a watch sees last of an object that leaves it: the state it knew, under the version of the change. */
function lastOf(object: StoredObject, previous: StoredObject | undefined): StoredObject {
  if (previous === undefined) return object;
  return {
    ...previous,
    metadata: { ...previous.metadata, resourceVersion: object.metadata.resourceVersion },
  };
}

function eventLine(type: string, row: ResourceRow, object: StoredObject): string {
  return `{"type":"${type}","object":${objectText(row, object)}}\n`;
}

function errorLine(error: StatusError): string {
  return `${JSON.stringify({ type: 'ERROR', object: error.toStatus() })}\n`;
}

const ERRORS: Readonly<Record<410 | 500, StatusError>> = {
  410: expired('The resourceVersion for the provided watch is too old.'),
  500: new StatusError(500, 'InternalError', 'Internal error occurred: the sandbox was told to fail'),
};
