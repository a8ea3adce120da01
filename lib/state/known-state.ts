/**
 * The shards of the state as this process last read or wrote them: which exist, at which resourceVersion, and which have to be
 * read again. Every write goes through this class and carries the resourceVersion of its shard, so a write that is based on
 * an old version fails with a conflict instead of overwriting another client's write.
 */

import type { Reading, WriteResult } from '../model/outcome.ts';
import {
  parseState,
  STATE_VERSION,
  STATE_VERSION_ANNOTATION,
  type StateVersion,
} from '../model/persisted-state.ts';
import {
  annotationsOf,
  contests,
  FULL_BYTES,
  MOST_SHARDS,
  markIn,
  placerFor,
  STATE_SHARDS_ANNOTATION,
  shardNames,
  shardsToldBy,
  sizeOf,
  type TermMark,
} from '../model/shards.ts';
import { type StateKey, unknownAlgorithms } from '../model/state-entry.ts';
import { isOlder } from '../model/timeline.ts';
import type { AllShards, StateClient } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { reviewState } from '../tracking/edge-policy.ts';
import { type DecisionLog, Effects } from '../tracking/effects.ts';
import { type Comparison, takeInForeign } from './foreign-state.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { applyStateWrite, noteSent, type StateWrite, shardAfter } from './state-write.ts';

/** How the state is split into ConfigMaps. */
export interface StateLayout {
  /** The name of the first shard. */
  readonly name: string;
  /** In bytes of keys and values: a new entry goes to the first shard that stays below this size with it. */
  readonly shardBytes: number;
}

/** The collaborators of a `KnownState`. */
export interface KnownStateOptions extends StateLayout {
  readonly store: Store;
  readonly stateClient: StateClient;
  readonly journal: DecisionLog;
  /** Carries out the effects of a state that another client changed. */
  readonly apply: (effects: Effects) => void;
  /** Takes note of the objects whose entries may have to be written after a read or a write. */
  readonly review: (effects: Effects) => void;
  /** The state was written by a later version of this program: nothing may be written or rolled any more. */
  readonly onUnknownVersion: (version: string) => void;
  /** The term and identity that every write leaves in the annotations of its shard. @default none */
  readonly mark?: TermMark | undefined;
  /**
   * Called once, with the first shard found that carries another process's mark of the same or a later term. From then on
   * nothing is written to the state. @default marks are not checked
   */
  readonly onContested?: ((contest: Contest) => void) | undefined;
}

/** The mark of another leader, and the shard on which it was found. */
export interface Contest extends TermMark {
  readonly shard: number;
}

/** The version of a shard that a write has made outdated, so that an earlier write without an answer can no longer be applied. */
const FENCE_ANNOTATION = 'reloader.k8s.collaborne.com/fence';

/** A shard that was reported as full and has shrunk below this size is reported again when it is full once more. */
const ROOMY_BYTES = FULL_BYTES * 0.9;

/**
 * See the file's comment. Not safe for concurrent use: the committer calls `settle`, `prepare` and `write` one after the other.
 * `notice` may be called at any time.
 */
export class KnownState {
  readonly #options: KnownStateOptions;
  /** The resourceVersion that fences the next write of each shard; undefined for a shard that does not exist. */
  readonly #versions: (string | undefined)[] = [undefined];
  readonly #bytes: number[] = [0];
  /** The number of shards in the annotation of the first shard; a start reads no others. */
  #announced = 1;
  /** Shards that another client wrote, or of whose last write the answer was lost: read again before the next write. */
  readonly #stale = new Set<number>();
  /** The resourceVersion last seen in the watch of each shard, until `weighNotices` compares it. */
  readonly #noticed = new Map<number, string | undefined>();
  /** The last write of each shard that is not answered yet: it may or may not be applied. */
  readonly #sent = new Map<number, StateWrite>();
  /** Shards that were reported as full. */
  readonly #full = new Set<number>();
  #hasStoodDown = false;

  constructor(options: KnownStateOptions) {
    this.#options = options;
  }

  /** The bytes of the keys and values of all shards, as last read or written. */
  get bytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** The number of shards, including those that are missing. */
  get count(): number {
    return this.#versions.length;
  }

  /** Whether a shard has to be read again before the next write. */
  get isStale(): boolean {
    return this.#stale.size > 0;
  }

  /** Whether a shard is missing, or the first one announces too few: a start would then not read all of the state. */
  get isBroken(): boolean {
    return this.count > 1 && (this.#announced < this.count || this.#versions.includes(undefined));
  }

  /** Whether the state belongs to a later version of this program, or to another leader: this process writes it no more. */
  get hasStoodDown(): boolean {
    return this.#hasStoodDown;
  }

  /** Whether a write without an answer changes the entry. */
  mayChange(entry: StateKey): boolean {
    return [...this.#sent.values()].some(({ entries }) => entries.has(entry));
  }

  /** The bytes of the keys and values of one shard. */
  bytesOf(shard: number): number {
    return this.#bytes[shard] ?? 0;
  }

  /** Takes over the state as it was read at the start of the term; undefined: that shard does not exist. */
  begin(shards: AllShards): void {
    for (const [shard, version] of [...shards.entries()].reverse()) {
      this.#extendTo(shard + 1);
      if (version !== undefined) this.#take(shard, version);
      else if (shards.length > 1) this.#note('state-missing', shard);
    }
    this.#stale.clear();
  }

  /**
   * The watch of ConfigMaps shows a shard at this resourceVersion, or deleted (undefined). Compared only when no write is under
   * way: the watch may deliver the event of our own write before its answer arrives.
   */
  notice(shard: number, resourceVersion: string | undefined): void {
    this.#noticed.set(shard, resourceVersion);
  }

  /** Marks each shard for reading that the watch showed deleted, or at another version than ours that is not older. */
  weighNotices(): void {
    for (const [shard, seen] of this.#noticed) {
      const known = this.#versions[shard];
      if (seen === known) continue;
      if (seen === undefined || known === undefined || !isOlder(seen, known)) this.#stale.add(shard);
    }
    this.#noticed.clear();
  }

  /** By how many bytes a shard may grow; a mark without which a start would be wrong is written beyond that too. */
  roomIn(shard: number): number {
    return FULL_BYTES - this.bytesOf(shard);
  }

  /** Reports shards that have no room for all that is to be written; each once, until it has room again. */
  noteFull(shards: Iterable<number>): void {
    for (const shard of shards) {
      if (!this.#full.has(shard)) this.#note('state-full', shard);
      this.#full.add(shard);
    }
  }

  /** A function from the bytes of a new entry to its shard; `mayGrow`: it may answer a shard that does not exist yet. */
  placer(mayGrow: boolean): (bytes: number) => number {
    const most = mayGrow ? MOST_SHARDS : this.count;
    return placerFor(this.#bytes, most, this.#options.shardBytes);
  }

  /**
   * Reads each stale shard again. A refusal means that a read failed and that nothing may be written before the next try.
   * Undefined means success, or that the state belongs to another program or leader: see `hasStoodDown`.
   */
  async settle(): Promise<Refusal | undefined> {
    for (let [shard] = this.#stale; shard !== undefined; [shard] = this.#stale) {
      const refusal = await this.#readAgain(shard);
      if (refusal !== undefined || this.#hasStoodDown) return refusal;
    }
    return undefined;
  }

  /** Whether a write may go to the shard: it exists, and the first shard announces it, so that a start reads it. */
  isReady(shard: number): boolean {
    return this.#versions[shard] !== undefined && (shard === 0 || shard < this.#announced);
  }

  /**
   * Makes the first `count` shards ready, see `isReady`. The order is safe against a crash after any step: a new shard is
   * created empty, then the first shard announces it, and only then is an entry written to it.
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
    if (this.#announced >= count || this.#hasStoodDown) return undefined;
    const result = await this.#send(0, {}, Math.max(count, this.count));
    if (result.kind !== 'accepted') return result;
    for (const [shard, version] of fresh) this.#receive(shard, version);
    return undefined;
  }

  /** Sends one write, fenced by the resourceVersion of its shard. If it is accepted, the known state contains it. */
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

  /**
   * Sends a merge patch. Every write of the first shard also announces `count` shards and the version of the state's format.
   */
  async #send(
    shard: number,
    data: StateWrite['data'],
    count: number,
    fence: Record<string, string> = {},
  ): Promise<WriteResult<StateVersion>> {
    const resourceVersion = this.#versions[shard];
    if (resourceVersion === undefined) return { kind: 'gone' };
    const { stateClient, mark } = this.#options;
    const annotations = {
      [STATE_VERSION_ANNOTATION]: STATE_VERSION,
      ...(shard === 0 && count > 1 && { [STATE_SHARDS_ANNOTATION]: String(count) }),
      ...(mark && annotationsOf(mark)),
      ...fence,
    };
    const result = await stateClient.patch(shard, { resourceVersion, data, annotations });
    if (result.kind === 'conflict' || result.kind === 'unanswered') this.#stale.add(shard);
    else this.#sent.delete(shard);
    if (result.kind === 'gone') this.#lose(shard);
    if (result.kind === 'accepted') this.#know(shard, result.object);
    return result;
  }

  /** Whether the last write of the shard has no answer and is not applied, but still may be. */
  #isUndecided(shard: number, reading: Reading<StateVersion>): boolean {
    if (!this.#sent.has(shard) || reading.kind !== 'found') return false;
    return reading.object.resourceVersion === this.#versions[shard];
  }

  /** A write that changes something makes the resourceVersion of the undecided one outdated. */
  async #fence(shard: number): Promise<Refusal | undefined> {
    const fence = { [FENCE_ANNOTATION]: this.#versions[shard] ?? '' };
    const sent = this.#sent.get(shard);
    const result = await this.#send(shard, {}, this.count, fence);
    if (result.kind === 'accepted') return undefined;
    // The write before may still be applied.
    if (sent !== undefined && result.kind !== 'gone') this.#sent.set(shard, sent);
    this.#stale.add(shard);
    return result;
  }

  /**
   * Reads one shard and compares it with what was known. A write whose answer was lost counts as our own if the shard shows it.
   */
  async #readAgain(shard: number): Promise<Refusal | undefined> {
    const { store, stateClient } = this.#options;
    const reading = await stateClient.read(shard);
    const isKnown = shard < this.count;
    if (reading.kind === 'failed' && (isKnown || reading.isForbidden !== true)) return refusalOf(reading);
    const sent = this.#sent.get(shard);
    this.#stale.delete(shard);
    if (this.#isUndecided(shard, reading)) return await this.#fence(shard);
    this.#sent.delete(shard);
    if (reading.kind !== 'found') {
      if (isKnown) this.#lose(shard);
      return undefined;
    }
    const held = store.persisted.state.shards[shard]?.size ?? 0;
    const before = store.persisted.state.entries;
    const ifInForce = sent && store.persisted.withShard(shard, shardAfter(store, sent)).entries;
    if (!this.#take(shard, reading.object)) return undefined;
    const isEmptied = held > 0 && store.persisted.state.shards[shard]?.size === 0;
    if (isEmptied) this.#note('state-damaged', shard);
    this.#judgeForeign({ before, sent: ifInForce, isEmptied });
    return undefined;
  }

  /** Takes the answer to a creation; the shard may have existed already and hold entries that another client wrote. */
  #receive(shard: number, version: StateVersion): void {
    const before = this.#options.store.persisted.state.entries;
    this.#stale.delete(shard);
    if (this.#take(shard, version)) this.#judgeForeign({ before, isEmptied: false });
  }

  /** Reports entries that another client changed, and adds the doubts that follow from them. */
  #judgeForeign(comparison: Comparison): void {
    const { store, journal, apply } = this.#options;
    const { effects, foreign } = takeInForeign(store, comparison);
    apply(effects);
    for (const { ref, how } of foreign) journal.note({ reason: 'state-foreign', config: ref, detail: how });
    this.reviewAll();
  }

  /** Takes note that every followed object may have to be written. */
  reviewAll(): void {
    const { store, review } = this.#options;
    const effects = new Effects();
    for (const config of store.dependents.configs()) reviewState(store, effects, config);
    review(effects);
  }

  /** The shard does not exist any more: it is created again, and its entries are written again from memory. */
  #lose(shard: number): void {
    const { store } = this.#options;
    const held = store.persisted.state.shards[shard]?.size ?? 0;
    this.#versions[shard] = undefined;
    this.#bytes[shard] = 0;
    if (shard === 0) this.#announced = 1;
    store.persisted.takeShard(shard, new Map());
    if (held > 0 || this.count > 1) this.#note('state-damaged', shard);
    this.reviewAll();
  }

  /** Makes this version the known one; false, and nothing is taken, if this process must not write the shard. */
  #take(shard: number, version: StateVersion): boolean {
    const { store, journal, onUnknownVersion } = this.#options;
    const { homeNamespace, knows } = store.settings;
    const parsed = parseState(version.data, version.annotations, homeNamespace, knows);
    if (parsed.type === 'unknown-version') {
      this.#hasStoodDown = true;
      onUnknownVersion(parsed.version);
      return false;
    }
    if (this.#isContested(shard, version)) return false;
    for (const key of parsed.unreadable) journal.note({ reason: 'state-unreadable', detail: key });
    for (const name of unknownAlgorithms(version.data, knows))
      journal.note({ reason: 'state-key-lost', detail: name });
    this.#extendTo(shard + 1);
    store.persisted.takeShard(shard, parsed.entries);
    for (const key of parsed.unreadable)
      if (!store.persisted.places.has(key)) store.persisted.places.set(key, shard);
    this.#know(shard, version);
    return true;
  }

  /** Whether another leader holds the shard; then this one leaves the state alone. */
  #isContested(shard: number, { annotations }: StateVersion): boolean {
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
      this.#announced = shardsToldBy(annotations);
      this.#extendTo(this.#announced);
    }
    const bytes = this.bytesOf(shard);
    if (bytes < ROOMY_BYTES) this.#full.delete(shard);
    else if (bytes >= FULL_BYTES) this.noteFull([shard]);
  }

  /** At least `count` shards exist; those that were not known yet are read before the next write. */
  #extendTo(count: number): void {
    for (let shard = this.count; shard < count; shard += 1) {
      this.#versions.push(undefined);
      this.#bytes.push(0);
      this.#stale.add(shard);
    }
  }

  #note(reason: 'state-damaged' | 'state-missing' | 'state-full', shard: number): void {
    const detail = shardNames(this.#options.name)[shard] ?? '';
    this.#options.journal.note({ reason, detail });
  }
}
