/**
 * Keeps the state ConfigMap true to the law: what must not be forgotten is written at once, the rest at most once per
 * second, never two writes at a time, every write fenced by the version that it was made from.
 */

import { type BackoffBounds, backoffMs } from '../model/backoff.ts';
import type { Heartbeat } from '../model/heartbeat.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import {
  EMPTY_STATE,
  type PersistedState,
  parseState,
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
} from '../model/persisted-state.ts';
import { formatEntry, type StateKey } from '../model/state-entry.ts';
import { isOlder } from '../model/timeline.ts';
import type { WriteResult } from '../model/write-result.ts';
import type { Edges } from './edges.ts';
import { Effects } from './effects.ts';
import { takeInForeign } from './foreign-state.ts';
import type { Journal } from './journal.ts';
import {
  applyStateWrite,
  planStateWrite,
  raiseFloors,
  reviewState,
  type StatePlan,
  type StateWrite,
  type WriteGate,
} from './state-write.ts';

/** One version of the state ConfigMap. */
export interface StateVersion {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Knows how to read and write the state ConfigMap. Never throws. */
export interface StateStore {
  readonly read: () => Promise<
    | { readonly kind: 'found'; readonly state: StateVersion }
    | { readonly kind: 'absent' }
    | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number }
  >;
  /** Creates it without data; one that is there keeps its data. */
  readonly create: (annotations: Readonly<Record<string, string>>) => Promise<WriteResult<StateVersion>>;
  readonly patch: (patch: {
    readonly resourceVersion: string;
    readonly data: Readonly<Record<string, string | null>>;
    readonly annotations: Readonly<Record<string, string>>;
  }) => Promise<WriteResult<StateVersion>>;
}

/** What the committer is made of. */
export interface StateCommitterOptions {
  readonly edges: Edges;
  readonly store: StateStore;
  readonly gate: WriteGate;
  readonly heartbeat: Heartbeat;
  readonly journal: Journal;
  /** Carries out the consequences of what was learned. */
  readonly apply: (effects: Effects) => void;
  /** Looks afresh at an object whose entry somebody else wrote, and takes in what it sees; false: it failed. */
  readonly lookAt: (config: ObjectKey) => Promise<boolean>;
  /** Each answer to a write of the state. `nextTryMs` is set where it has to be sent again. */
  readonly onCommit: (result: WriteResult<unknown>, nextTryMs: number | undefined) => void;
  /** The state was written by a later version of this program: nothing may be written or rolled any more. */
  readonly onUnknownVersion: (version: string) => void;
  readonly random: () => number;
}

const LOOP = 'the state';
/** Several calls, each of which may take half a minute to be answered. */
const LONGEST_FLUSH_MS = 120_000;
const BATCH_MS = 1000;
type Sent = Pick<StateWrite, 'entries' | 'exceptions'>;
const NOTHING_SENT: Sent = { entries: new Map(), exceptions: new Map() };

const BACKOFF: BackoffBounds = { baseMs: 500, capMs: 30_000 };
const ANNOTATIONS = { [STATE_VERSION_ANNOTATION]: STATE_VERSION };

/** See the file's comment. */
export class StateCommitter {
  readonly #options: StateCommitterOptions;
  /** Objects whose entries may differ from what they should be. */
  readonly #candidates = new Set<ObjectKey>();
  /** Those of them that are written although workloads are waiting. */
  readonly #urgent = new Set<ObjectKey>();
  /** Candidates that could not be written when last tried; tried again when something changed. */
  readonly #postponed = new Set<ObjectKey>();
  /** The version that the next write is made from; undefined where there is no ConfigMap. */
  #resourceVersion: string | undefined;
  #isVersioned = false;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #running: Promise<void> | undefined;
  #isClosed = false;
  /** What is not sent until this moment, after a failure. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  /** What the stream showed last and has not been weighed yet. */
  #noticed: { readonly resourceVersion: string | undefined } | undefined;
  /** Objects whose entries somebody else wrote, and that could not be looked at yet: nothing is written before. */
  readonly #unseen = new Set<ObjectKey>();
  /** Somebody else wrote the state: it is read before anything is written. */
  #mustRead = false;

  constructor(options: StateCommitterOptions) {
    this.#options = options;
  }

  /** The size of the state's data in bytes, as last read or answered. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the state as it was read at the start; undefined if there is none. */
  begin(version: StateVersion | undefined): void {
    if (version !== undefined) this.#take(version);
  }

  /** These objects' state may have to be written: `now` at once, `soon` with the next batch. */
  request(now: ReadonlySet<ObjectKey>, soon: ReadonlySet<ObjectKey>): void {
    if (now.size === 0 && soon.size === 0) return;
    this.#add(now, soon);
    this.#schedule();
  }

  /** Something changed that a postponed write may have waited for. */
  kick(): void {
    this.#add([], this.#postponed);
    this.#postponed.clear();
    this.#schedule();
  }

  /**
   * The stream of ConfigMaps shows the state in this version, or gone (undefined). If that is none that this process knows,
   * somebody else wrote it: it is read again, with the next batch.
   */
  notice(resourceVersion: string | undefined): void {
    this.#noticed = { resourceVersion };
    if (this.#running === undefined) this.#weighNotice();
  }

  /**
   * Writes what can be written once more, then nothing any more. What fails is tried again as long as `again`, which waits
   * so many ms, says that there is time.
   */
  async close(again: (ms: number) => Promise<boolean>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    this.#add([], this.#postponed);
    do await this.#fencedFlush();
    while (this.#candidates.size > 0 && (await again(Math.max(0, this.#notBefore - Date.now()))));
  }

  #weighNotice(): void {
    const seen = this.#noticed;
    const known = this.#resourceVersion;
    this.#noticed = undefined;
    if (seen === undefined || seen.resourceVersion === known) return;
    if (seen.resourceVersion !== undefined && known !== undefined && isOlder(seen.resourceVersion, known))
      return;
    this.#mustRead = true;
    this.#schedule();
  }

  #add(now: Iterable<ObjectKey>, soon: Iterable<ObjectKey>): void {
    for (const config of now) {
      this.#urgent.add(config);
      this.#candidates.add(config);
    }
    for (const config of soon) this.#candidates.add(config);
  }

  #schedule(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    const isUrgent = this.#hasUrgent();
    const earliest = isUrgent ? this.#notBefore : Math.max(this.#notBefore, this.#lastWriteAt + BATCH_MS);
    const now = Date.now();
    const at = Math.max(now, earliest);
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#fire(), at - now);
  }

  #hasUrgent(): boolean {
    for (const config of this.#urgent) if (this.#candidates.has(config)) return true;
    return false;
  }

  #fire(): void {
    this.#timer = undefined;
    this.#running = this.#fencedFlush().finally(() => {
      this.#running = undefined;
      this.#weighNotice();
      if (this.#mustRead || this.#candidates.size > 0) this.#schedule();
    });
  }

  /** A defect of ours must not end the process: what is to be written stays so. */
  async #fencedFlush(): Promise<void> {
    const { heartbeat } = this.#options;
    heartbeat.sleeps(LOOP, Date.now() + LONGEST_FLUSH_MS);
    try {
      await this.#flush();
    } catch (error) {
      this.#reviewAll();
      const message = `internal error: ${String(error)}`;
      this.#options.onCommit({ kind: 'unanswered', message }, this.#putOff(0, false));
    } finally {
      heartbeat.idle(LOOP);
    }
  }

  async #flush(): Promise<void> {
    const { edges, gate, store } = this.#options;
    if (!(await this.#lookAround())) {
      this.#putOff(0, false);
      return;
    }
    const plan = (): StatePlan => planStateWrite(edges, this.#candidates, this.#urgent, gate);
    const mustCreate = this.#resourceVersion === undefined && plan().write !== undefined;
    if (mustCreate && !(await this.#create())) return;
    // Planned after the wait for the creation, since what was asked for meanwhile belongs to this write.
    const { write, postponed } = plan();
    this.#keep(postponed);
    if (write === undefined || this.#resourceVersion === undefined) return;
    raiseFloors(edges, write);
    const data = { ...this.#versionedOrphans(), ...write.data };
    const patch = { resourceVersion: this.#resourceVersion, data, annotations: ANNOTATIONS };
    const result = await store.patch(patch);
    this.#lastWriteAt = Date.now();
    await this.#answered(write, result);
  }

  /** Reads what somebody else wrote, and looks at the objects that it is about; false if that failed. */
  async #lookAround(): Promise<boolean> {
    if (this.#mustRead && !(await this.#readAgain(NOTHING_SENT))) return false;
    for (const config of [...this.#unseen]) {
      if (!(await this.#options.lookAt(config))) return false;
      this.#unseen.delete(config);
    }
    return true;
  }

  /** After a plan nothing is a candidate any more; what it postponed waits for something to change. */
  #keep(postponed: ReadonlySet<ObjectKey>): void {
    this.#candidates.clear();
    for (const config of [...this.#urgent]) if (!postponed.has(config)) this.#urgent.delete(config);
    for (const config of postponed) this.#postponed.add(config);
  }

  async #answered(write: StateWrite, result: WriteResult<StateVersion>): Promise<void> {
    if (result.kind === 'accepted') {
      this.#failures = 0;
      this.#resourceVersion = result.object.resourceVersion;
      this.#isVersioned = true;
      this.#bytes = sizeOf(result.object.data);
      const effects = new Effects();
      applyStateWrite(this.#options.edges, effects, write);
      this.#options.onCommit(result, undefined);
      this.#add(effects.writeNow, effects.writeSoon);
      return;
    }
    this.#add(write.touched, []);
    if (result.kind === 'gone') this.#lost();
    const isUnclear = result.kind === 'conflict' || result.kind === 'unanswered';
    const isClear = !isUnclear || (await this.#readAgain(write));
    const mayGoOn = isClear && (result.kind === 'conflict' || result.kind === 'gone') && this.#failures === 0;
    this.#options.onCommit(result, this.#putOff(mayGoOn ? 0 : retryAfterOf(result), mayGoOn));
  }

  async #create(): Promise<boolean> {
    const result = await this.#options.store.create({});
    if (result.kind === 'accepted') {
      // It may have come to be meanwhile, and hold what another process wrote.
      return this.#take(result.object) && (await this.#judgeForeign(EMPTY_STATE, NOTHING_SENT));
    }
    this.#options.onCommit(result, this.#putOff(retryAfterOf(result), false));
    return false;
  }

  /** The ConfigMap went away under us: it is made again from memory. */
  #lost(): void {
    const { edges, journal } = this.#options;
    this.#resourceVersion = undefined;
    if (edges.state.entries.size > 0) {
      journal.note({ reason: 'state-damaged' });
      edges.state = EMPTY_STATE;
    }
    this.#reviewAll();
  }

  /** Reads what is there after a conflict or a lost answer; false if that fails too. */
  async #readAgain(sent: Sent): Promise<boolean> {
    const { edges, store, journal } = this.#options;
    const reading = await store.read();
    if (reading.kind === 'failed') return false;
    this.#mustRead = false;
    if (reading.kind === 'absent') {
      this.#lost();
      return true;
    }
    const before = edges.state;
    if (!this.#take(reading.state)) return false;
    if (edges.state.entries.size === 0 && before.entries.size > 0) journal.note({ reason: 'state-damaged' });
    const isClear = await this.#judgeForeign(before, sent);
    this.#reviewAll();
    return isClear;
  }

  /** What somebody else did to the entries; false if an object that has to be looked at afresh could not be. */
  async #judgeForeign(before: PersistedState, sent: Sent): Promise<boolean> {
    const { edges, journal, apply, lookAt } = this.#options;
    const { effects, foreign } = takeInForeign(edges, before, sent);
    apply(effects);
    let isClear = true;
    for (const { config, ref, how } of foreign) {
      journal.note({ reason: 'state-foreign', config: ref, detail: how });
      if (how !== 'changed' || (await lookAt(config))) continue;
      this.#unseen.add(config);
      isClear = false;
    }
    return isClear;
  }

  #reviewAll(): void {
    const effects = new Effects();
    for (const config of this.#options.edges.dependents.configs())
      reviewState(this.#options.edges, effects, config);
    this.#add(effects.writeNow, effects.writeSoon);
  }

  #putOff(atLeastMs: number, isFree: boolean): number {
    const ms = isFree ? 0 : Math.max(atLeastMs, backoffMs(this.#failures, BACKOFF, this.#options.random));
    this.#failures += 1;
    this.#notBefore = Date.now() + ms;
    return ms;
  }

  /** Takes a version as what is known; false, and nothing is taken, if this program must not touch it. */
  #take(version: StateVersion): boolean {
    const { edges, journal, onUnknownVersion } = this.#options;
    const parsed = parseState(version.data, version.annotations, edges.homeNamespace);
    if (parsed.type === 'unknown-version') {
      this.#isClosed = true;
      this.#candidates.clear();
      onUnknownVersion(parsed.version);
      return false;
    }
    for (const key of parsed.unreadable) journal.note({ reason: 'state-unreadable', detail: key });
    edges.state = parsed.state;
    this.#resourceVersion = version.resourceVersion;
    this.#isVersioned = version.annotations[STATE_VERSION_ANNOTATION] !== undefined;
    this.#bytes = sizeOf(version.data);
    return true;
  }

  /** The first write gives the state a version, so entries of the older formula have to name it from then on. */
  #versionedOrphans(): Record<StateKey, string> {
    if (this.#isVersioned) return {};
    const { entries } = this.#options.edges.state;
    return Object.fromEntries([...entries].map(([key, entry]) => [key, formatEntry(entry)]));
  }
}

function sizeOf(data: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) bytes += key.length + value.length;
  return bytes;
}

function retryAfterOf(result: WriteResult<unknown>): number {
  return 'retryAfterMs' in result ? (result.retryAfterMs ?? 0) : 0;
}
