/**
 * Knows the shards of the state: which there are, in which version, what has to be read again, and what follows when
 * others wrote. Every write goes through it, fenced by the version of its own shard.
 */

import type { WriteResult } from '../model/outcome.ts';
import {
  EMPTY_STATE,
  parseState,
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
} from '../model/persisted-state.ts';
import { formatEntry, type StateKey } from '../model/state-entry.ts';
import {
  FULL_BYTES,
  MOST_SHARDS,
  placerFor,
  STATE_SHARDS_ANNOTATION,
  shardNames,
  shardsToldBy,
  sizeOf,
} from '../model/state-shards.ts';
import { annotationsOf, contests, markIn, type TermMark } from '../model/term.ts';
import { latestOf } from '../model/time.ts';
import { isOlder } from '../model/timeline.ts';
import type { AllShards, Failure, StateClient, StateVersion } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { type DecisionLog, Effects } from '../tracking/effects.ts';
import { noteParts } from '../tracking/other-scopes.ts';
import { type Comparison, takeInForeign } from './foreign-state.ts';
import { applyStateWrite, noteSent, reviewState, type StateWrite, shardAfter } from './state-write.ts';

/** How the state is laid out. */
export interface StateLayout {
  /** The name of the first shard. */
  readonly name: string;
  /** A new entry goes to the first shard that stays below this with it. */
  readonly shardBytes: number;
}

/** What it is made of. */
export interface KnownStateOptions extends StateLayout {
  readonly store: Store;
  readonly stateClient: StateClient;
  readonly journal: DecisionLog;
  /** Carries out the consequences of what was learned. */
  readonly apply: (effects: Effects) => void;
  /** What may have to be written because of what was learned or written. */
  readonly review: (effects: Effects) => void;
  /** The state was written by a later version of this program: nothing may be written or rolled any more. */
  readonly onUnknownVersion: (version: string) => void;
  /** What every write leaves on its shard. @default nothing */
  readonly mark?: TermMark | undefined;
  /**
   * Told once, of the first shard that is read with another mark and none of an earlier term: nothing is written to the state
   * from then on. @default whose marks there are is no matter
   */
  readonly onContested?: ((contest: Contest) => void) | undefined;
}

/** Who else holds a shard. */
export interface Contest extends TermMark {
  readonly shard: number;
}

/** A write that did not take effect, as far as is known. */
export type Refusal = Exclude<WriteResult<never>, { kind: 'accepted' }>;

/** Above it is said again once there is no room. */
const ROOMY_BYTES = FULL_BYTES * 0.9;

/** See the file's comment. */
export class KnownState {
  readonly #options: KnownStateOptions;
  /** The version that the next write of each shard is made from; undefined where it is not there. */
  readonly #versions: (string | undefined)[] = [undefined];
  readonly #bytes: number[] = [0];
  /** How many shards the first one tells of. */
  #told = 1;
  #isVersioned = false;
  /** Shards that others wrote, or whose answer was lost: read before anything is written. */
  readonly #stale = new Set<number>();
  /** What the stream showed last of each shard and has not been weighed yet. */
  readonly #noticed = new Map<number, string | undefined>();
  /** Writes that may or may not be in force. */
  readonly #sent = new Map<number, StateWrite>();
  /** Shards that are said to be full. */
  readonly #full = new Set<number>();
  #hasStoodDown = false;

  constructor(options: KnownStateOptions) {
    this.#options = options;
  }

  /** The bytes of all keys and values, as last read or answered. */
  get bytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** How many shards there are, those included that are missing. */
  get count(): number {
    return this.#versions.length;
  }

  /** Whether something has to be read before anything is written. */
  get isStale(): boolean {
    return this.#stale.size > 0;
  }

  /** Whether a shard is missing, or the first one does not tell of all: a start would not read what is known here. */
  get isBroken(): boolean {
    return this.count > 1 && (this.#told < this.count || this.#versions.includes(undefined));
  }

  /** Whether it belongs to a later version of this program, or to another leader. */
  get hasStoodDown(): boolean {
    return this.#hasStoodDown;
  }

  /** The bytes of one shard. */
  bytesOf(shard: number): number {
    return this.#bytes[shard] ?? 0;
  }

  /** Takes the state as it was read at the start. */
  begin(shards: AllShards): void {
    for (const [shard, version] of [...shards.entries()].reverse()) {
      this.#extendTo(shard + 1);
      if (version !== undefined) this.#take(shard, version);
      else if (shards.length > 1) this.#note('state-missing', shard);
    }
    const { store } = this.#options;
    store.persisted.writtenAt = latestOf(shards.map((version) => version?.lastWrite));
    noteParts(store);
    this.#stale.clear();
  }

  /** The stream of ConfigMaps shows a shard in this version, or gone (undefined): weighed when no write is under way. */
  notice(shard: number, resourceVersion: string | undefined): void {
    this.#noticed.set(shard, resourceVersion);
  }

  /** What was noticed and is none of the versions that this process knows has to be read. */
  weighNotices(): void {
    for (const [shard, seen] of this.#noticed) {
      const known = this.#versions[shard];
      if (seen === known) continue;
      if (seen === undefined || known === undefined || !isOlder(seen, known)) this.#stale.add(shard);
    }
    this.#noticed.clear();
  }

  /** By how many bytes a shard may grow; what the law demands is written beyond that too. */
  roomIn(shard: number): number {
    return FULL_BYTES - this.bytesOf(shard);
  }

  /** These have no room for all that is to be written, which is said once for as long as it is so. */
  noteFull(shards: Iterable<number>): void {
    for (const shard of shards) {
      if (!this.#full.has(shard)) this.#note('state-full', shard);
      this.#full.add(shard);
    }
  }

  /** Chooses shards for new entries; `mayGrow`: a shard more may be made. */
  placer(mayGrow: boolean): (bytes: number) => number {
    const most = mayGrow ? MOST_SHARDS : this.count;
    return placerFor({ bytes: this.#bytes, most, limitBytes: this.#options.shardBytes });
  }

  /**
   * Reads what is stale; answers what kept it from that: nothing may be written before. Of a state that it must not touch it
   * answers nothing, see hasStoodDown.
   */
  async settle(): Promise<Refusal | undefined> {
    for (let [shard] = this.#stale; shard !== undefined; [shard] = this.#stale) {
      const refusal = await this.#readAgain(shard);
      if (refusal !== undefined || this.#hasStoodDown) return refusal;
    }
    return undefined;
  }

  /** Whether a write may go to the shard: it is there, and the first one tells of it. */
  isReady(shard: number): boolean {
    return this.#versions[shard] !== undefined && (shard === 0 || shard < this.#told);
  }

  /**
   * Makes the first `count` shards ready. A new one is created empty, then the first one tells of it; only then is it known
   * here, and anything written to it: a crash in between loses nothing.
   */
  async prepare(count: number): Promise<Refusal | undefined> {
    const fresh = new Map<number, StateVersion>();
    for (let shard = 0; shard < count; shard += 1) {
      if (this.#versions[shard] !== undefined) continue;
      const result = await this.#options.stateClient.create(shard);
      if (result.kind !== 'accepted') return result;
      if (shard < this.count) this.#receive(shard, result.object);
      else fresh.set(shard, result.object);
    }
    if (this.#told >= count || this.#hasStoodDown) return undefined;
    const result = await this.#send(0, {}, Math.max(count, this.count));
    if (result.kind !== 'accepted') return result;
    for (const [shard, version] of fresh) this.#receive(shard, version);
    return undefined;
  }

  /** Sends one write; what it says is known if it was accepted. */
  async write(write: StateWrite): Promise<WriteResult<unknown>> {
    const { store, review } = this.#options;
    noteSent(store, write);
    this.#sent.set(write.shard, write);
    const result = await this.#send(write.shard, write.data, this.count);
    if (result.kind !== 'accepted') return result;
    const effects = new Effects();
    applyStateWrite(store, effects, write);
    review(effects);
    return result;
  }

  /** Every write of the first shard tells how many there are; its first one gives it a version. */
  async #send(shard: number, changes: StateWrite['data'], count: number): Promise<WriteResult<StateVersion>> {
    const resourceVersion = this.#versions[shard];
    if (resourceVersion === undefined) return { kind: 'gone' };
    const told = shard === 0 && count > 1 ? { [STATE_SHARDS_ANNOTATION]: String(count) } : {};
    const mark = this.#options.mark && annotationsOf(this.#options.mark);
    const annotations = { [STATE_VERSION_ANNOTATION]: STATE_VERSION, ...told, ...mark };
    const data = shard === 0 ? { ...this.#versionedOrphans(), ...changes } : changes;
    const result = await this.#options.stateClient.patch(shard, { resourceVersion, data, annotations });
    if (result.kind === 'conflict' || result.kind === 'unanswered') this.#stale.add(shard);
    else this.#sent.delete(shard);
    if (result.kind === 'gone') this.#lose(shard);
    if (result.kind === 'accepted') this.#know(shard, result.object);
    return result;
  }

  async #readAgain(shard: number): Promise<Refusal | undefined> {
    const { store, stateClient } = this.#options;
    const reading = await stateClient.read(shard);
    const isKnown = shard < this.count;
    if (reading.kind === 'failed' && (isKnown || reading.isForbidden !== true)) return refusalOf(reading);
    const sent = this.#sent.get(shard);
    this.#stale.delete(shard);
    this.#sent.delete(shard);
    if (reading.kind !== 'found') {
      if (isKnown) this.#lose(shard);
      return undefined;
    }
    const held = store.persisted.state.shards[shard]?.entries.size ?? 0;
    const before = store.persisted.state;
    const ifInForce = sent && store.persisted.withShard(shard, shardAfter(store, sent));
    if (!this.#take(shard, reading.state)) return undefined;
    const isEmptied = held > 0 && store.persisted.state.shards[shard]?.entries.size === 0;
    if (isEmptied) this.#note('state-damaged', shard);
    this.#judgeForeign({ before, sent: ifInForce, isEmptied });
    return undefined;
  }

  /** It was created; it may have come to be meanwhile, and hold what others wrote. */
  #receive(shard: number, version: StateVersion): void {
    const before = this.#options.store.persisted.state;
    this.#stale.delete(shard);
    if (this.#take(shard, version)) this.#judgeForeign({ before, isEmptied: false });
  }

  /** What others did to the entries. */
  #judgeForeign(comparison: Comparison): void {
    const { store, journal, apply } = this.#options;
    const { effects, foreign } = takeInForeign(store, comparison);
    apply(effects);
    for (const { ref, how } of foreign) journal.note({ reason: 'state-foreign', config: ref, detail: how });
    this.reviewAll();
  }

  /** All that is followed may have to be written. */
  reviewAll(): void {
    const { store, review } = this.#options;
    const effects = new Effects();
    for (const config of store.dependents.configs()) reviewState(store, effects, config);
    review(effects);
  }

  /** The shard is not there: what it held is made again from memory. */
  #lose(shard: number): void {
    const { store } = this.#options;
    const held = store.persisted.state.shards[shard]?.entries.size ?? 0;
    this.#versions[shard] = undefined;
    this.#bytes[shard] = 0;
    if (shard === 0) {
      this.#told = 1;
      this.#isVersioned = false;
    }
    store.persisted.takeShard(shard, EMPTY_STATE);
    if (held > 0 || this.count > 1) this.#note('state-damaged', shard);
    this.reviewAll();
  }

  /** Takes a version as what is known; false, and nothing is taken, if this program must not touch it. */
  #take(shard: number, version: StateVersion): boolean {
    const { store, journal, onUnknownVersion } = this.#options;
    const parsed = parseState(version.data, version.annotations, store.settings.homeNamespace, shard === 0);
    if (parsed.type === 'unknown-version') {
      this.#hasStoodDown = true;
      onUnknownVersion(parsed.version);
      return false;
    }
    if (this.isContested(shard, version)) return false;
    for (const key of parsed.unreadable) journal.note({ reason: 'state-unreadable', detail: key });
    this.#extendTo(shard + 1);
    store.persisted.takeShard(shard, parsed.state);
    for (const key of parsed.unreadable)
      if (!store.persisted.state.homes.has(key)) store.persisted.places.set(key, shard);
    this.#know(shard, version);
    return true;
  }

  /** Whether another leader holds the shard; then this one leaves the state alone. */
  isContested(shard: number, { annotations }: Pick<StateVersion, 'annotations'>): boolean {
    const { mark, onContested } = this.#options;
    const found = markIn(annotations);
    if (mark === undefined || onContested === undefined || !contests(found, mark)) return false;
    if (!this.#hasStoodDown) onContested({ shard, ...found });
    this.#hasStoodDown = true;
    return true;
  }

  #know(shard: number, { resourceVersion, data, annotations }: StateVersion): void {
    this.#versions[shard] = resourceVersion;
    this.#bytes[shard] = sizeOf(data);
    if (shard === 0) {
      this.#isVersioned = annotations[STATE_VERSION_ANNOTATION] !== undefined;
      this.#told = shardsToldBy(annotations);
      this.#extendTo(this.#told);
    }
    this.#warnIfFull(shard);
  }

  /** There are at least so many shards; what they say has to be read. */
  #extendTo(count: number): void {
    for (let shard = this.count; shard < count; shard += 1) {
      this.#versions.push(undefined);
      this.#bytes.push(0);
      this.#stale.add(shard);
    }
  }

  #warnIfFull(shard: number): void {
    const bytes = this.bytesOf(shard);
    if (bytes < ROOMY_BYTES) this.#full.delete(shard);
    else if (bytes >= FULL_BYTES) this.noteFull([shard]);
  }

  #note(reason: 'state-damaged' | 'state-missing' | 'state-full', shard: number): void {
    const detail = shardNames(this.#options.name)[shard] ?? '';
    this.#options.journal.note({ reason, detail });
  }

  /** The first write gives the state a version, so entries of the older formula have to name it from then on. */
  #versionedOrphans(): Record<StateKey, string> {
    if (this.#isVersioned) return {};
    const entries = this.#options.store.persisted.state.shards[0]?.entries ?? new Map();
    return Object.fromEntries([...entries].map(([key, entry]) => [key, formatEntry(entry)]));
  }
}

/** What has to be read before a write keeps that from taking effect as a refusal of its own would. */
function refusalOf({ message, isForbidden, retryAfterMs }: Failure): Refusal {
  if (isForbidden === true) return { kind: 'rejected', code: 'forbidden', message };
  return { kind: 'unanswered', message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
