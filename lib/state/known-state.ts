/**
 * The shards of the state as this process last read or wrote them: which exist, at which resourceVersion, and which have to be
 * read again. Every write goes through this class and carries the resourceVersion of its shard, so a write that is based on
 * an old version fails with a conflict instead of overwriting another client's write.
 */

import type { ObjectKey } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
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
import type { DecisionLog, Effects } from '../tracking/effects.ts';
import { takeInForeign } from './foreign-state.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { applyStateWrite, noteSent, type StateWrite, shardAfter } from './state-write.ts';

/** The collaborators of a `KnownState`. */
export interface KnownStateOptions {
  /** The name of the first shard. */
  readonly name: string;
  /** In bytes of keys and values: a new entry goes to the first shard that stays below this size with it. */
  readonly shardBytes: number;
  readonly store: Store;
  readonly stateClient: StateClient;
  readonly journal: DecisionLog;
  /** Carries out the effects of a state that another client changed. */
  readonly apply: (effects: Effects) => void;
  /** Called with the objects whose entries may have to be written after a read or a write. @default all that are followed */
  readonly review: (configs?: Iterable<ObjectKey>) => void;
  /** The state was written by a later version of this program: nothing may be written or rolled any more. */
  readonly onUnknownVersion: (version: string) => void;
  /** The term and identity that every write leaves in the annotations of its shard. @default none */
  readonly mark?: TermMark | undefined;
  /**
   * Called once, with the first mark found of another process and of the same or a later term. From then on
   * nothing is written to the state. @default marks are not checked
   */
  readonly onContested?: ((other: TermMark) => void) | undefined;
}

/** The version of a shard that a write has made outdated, so that an earlier write without an answer can no longer be applied. */
const FENCE_ANNOTATION = 'reloader.k8s.collaborne.com/fence';

/** A shard that was reported as full and has shrunk below this size is reported again when it is full once more. */
const ROOMY_BYTES = FULL_BYTES * 0.9;

/** One shard, as last read or written. */
interface Shard {
  /** The resourceVersion that fences the next write; undefined: it does not exist. */
  version: string | undefined;
  bytes: number;
  /** Whether another client wrote it, or the answer to its last write was lost: it is read again before the next write. */
  isStale: boolean;
  /** Its last write, while that is not answered: it may or may not be applied. */
  sent: StateWrite | undefined;
  /** Whether it was reported as full. */
  isFull: boolean;
}

/**
 * See the file's comment. Not safe for concurrent use: the committer calls `settle`, `prepare` and `write` one after the other.
 * `notice` may be called at any time.
 */
export class KnownState {
  readonly #options: KnownStateOptions;
  /** Every shard that may exist. */
  readonly #shards: readonly Shard[] = Array.from({ length: MOST_SHARDS }, newShard);
  /** The number of shards, including those that are missing: one more than the last that was ever known to exist. */
  count = 1;
  /** The number of shards that the first one names; a start misses no others. */
  #announced = 1;
  /** The resourceVersion last seen in the watch of each shard, until `weighNotices` compares it. */
  readonly #noticed = new Map<number, string | undefined>();
  /** Whether the state belongs to a later version of this program, or to another leader: this process writes it no more. */
  hasStoodDown = false;

  constructor(options: KnownStateOptions) {
    this.#options = options;
  }

  /** The bytes of the keys and values of all shards, as last read or written. */
  get bytes(): number {
    return this.#shards.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether a shard has to be read again before the next write. */
  get isStale(): boolean {
    return this.#shards.some(({ isStale }) => isStale);
  }

  /** Whether a shard is missing, or the first one names too few: a start would then not read all of the state. */
  get isBroken(): boolean {
    const isMissing = this.#shards.slice(0, this.count).some(({ version }) => version === undefined);
    return this.count > 1 && (this.#announced < this.count || isMissing);
  }

  /** Whether a write without an answer changes the entry. */
  mayChange(entry: StateKey): boolean {
    return this.#shards.some(({ sent }) => sent?.entries.has(entry));
  }

  /** The bytes of the keys and values of one shard. */
  bytesOf(shard: number): number {
    return this.#at(shard).bytes;
  }

  /** Takes over the state as it was read at the start of the term; undefined: that shard does not exist. */
  begin(shards: AllShards): void {
    this.count = shards.length;
    for (const [shard, version] of shards.entries()) {
      if (version !== undefined) this.#take(shard, version);
      else if (shards.length > 1) this.#note('state-missing', shard);
    }
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
      const { version: known } = this.#at(shard);
      if (seen !== known && !(seen && known && isOlder(seen, known))) this.#at(shard).isStale = true;
    }
    this.#noticed.clear();
  }

  /** Reports shards that have no room for all that is to be written; each once, until it has room again. */
  noteFull(shards: Iterable<number>): void {
    for (const shard of shards) {
      if (!this.#at(shard).isFull) this.#note('state-full', shard);
      this.#at(shard).isFull = true;
    }
  }

  /** A function from the bytes of a new entry to its shard; `mayGrow`: it may answer a shard that does not exist yet. */
  placer(mayGrow: boolean): (bytes: number) => number {
    const bytes = this.#shards.slice(0, this.count).map((shard) => shard.bytes);
    return placerFor(bytes, mayGrow ? MOST_SHARDS : this.count, this.#options.shardBytes);
  }

  /**
   * Reads each stale shard again. A refusal means that a read failed and that nothing may be written before the next try.
   * Undefined means success, or that the state belongs to another program or leader: see `hasStoodDown`.
   */
  async settle(): Promise<Refusal | undefined> {
    while (true) {
      const shard = this.#shards.findIndex(({ isStale }) => isStale);
      const refusal = shard < 0 ? undefined : await this.#readAgain(shard);
      if (shard < 0 || refusal !== undefined || this.hasStoodDown) return refusal;
    }
  }

  /** Whether a write may go to the shard: it exists, and the first one names it, so that a start waits for the right to it. */
  isReady(shard: number): boolean {
    return this.#at(shard).version !== undefined && (shard === 0 || shard < this.#announced);
  }

  /**
   * Makes the first `count` shards ready. The order is safe against a crash after any step: a new shard is created empty, then the
   * first one names it, fenced against a later leader, and only then is an entry written to it.
   */
  async prepare(count: number): Promise<Refusal | undefined> {
    const { store, stateClient, apply, review } = this.#options;
    for (let shard = 0; shard < count; shard += 1) {
      if (this.#at(shard).version !== undefined) continue;
      const result = await stateClient.create(shard);
      if (result.kind !== 'accepted') return result;
      const before = store.persisted.state.entries;
      this.#at(shard).isStale = false;
      if (this.#take(shard, result.object)) apply(takeInForeign(store, before));
      review();
    }
    if (this.#announced >= count || this.hasStoodDown) return undefined;
    const result = await this.#send(0, {});
    return result.kind === 'accepted' ? undefined : result;
  }

  /** Sends one write, fenced by the resourceVersion of its shard. If it is accepted, the known state contains it. */
  async write(write: StateWrite): Promise<WriteResult<unknown>> {
    const { store, review } = this.#options;
    noteSent(store, write);
    this.#at(write.shard).sent = write;
    const result = await this.#send(write.shard, write.data);
    if (result.kind !== 'accepted') return result;
    review(applyStateWrite(store, write));
    return result;
  }

  /**
   * Sends a merge patch. Every write of the first shard also names the number of shards.
   */
  async #send(
    shard: number,
    data: StateWrite['data'],
    fence: Record<string, string> = {},
  ): Promise<WriteResult<StateVersion>> {
    const held = this.#at(shard);
    const { version: resourceVersion } = held;
    if (resourceVersion === undefined) return { kind: 'gone' };
    const { stateClient, mark } = this.#options;
    const annotations = {
      [STATE_VERSION_ANNOTATION]: STATE_VERSION,
      ...(shard === 0 && this.count > 1 && { [STATE_SHARDS_ANNOTATION]: String(this.count) }),
      ...(mark && annotationsOf(mark)),
      ...fence,
    };
    const result = await stateClient.patch(shard, { resourceVersion, data, annotations });
    if (result.kind === 'conflict' || result.kind === 'unanswered') held.isStale = true;
    else held.sent = undefined;
    if (result.kind === 'gone') this.#lose(shard);
    if (result.kind === 'accepted') this.#know(shard, result.object);
    return result;
  }

  /** A write that changes something makes the resourceVersion of the one before, which may still be applied, outdated. */
  async #fence(shard: number): Promise<Refusal | undefined> {
    const held = this.#at(shard);
    const { sent, version = '' } = held;
    const result = await this.#send(shard, {}, { [FENCE_ANNOTATION]: version });
    if (result.kind === 'accepted') return undefined;
    // The write before may still be applied.
    if (result.kind !== 'gone') held.sent = sent;
    held.isStale = true;
    return result;
  }

  /**
   * Reads one shard and compares it with what was known. A write whose answer was lost counts as our own if the shard shows it.
   */
  async #readAgain(shard: number): Promise<Refusal | undefined> {
    const { store, stateClient, apply, review } = this.#options;
    const reading = await stateClient.read(shard);
    const isKnown = shard < this.count;
    if (reading.kind === 'failed' && (isKnown || reading.isForbidden !== true)) return refusalOf(reading);
    const held = this.#at(shard);
    held.isStale = false;
    const { sent, version } = held;
    if (sent !== undefined && reading.kind === 'found' && reading.object.resourceVersion === version)
      return await this.#fence(shard);
    held.sent = undefined;
    if (reading.kind !== 'found') {
      if (isKnown) this.#lose(shard);
      return undefined;
    }
    const size = (): number => store.persisted.state.shards[shard]?.size ?? 0;
    const sizeBefore = size();
    const before = store.persisted.state.entries;
    const ifInForce = sent && store.persisted.withShard(shard, shardAfter(store, sent)).entries;
    if (!this.#take(shard, reading.object)) return undefined;
    const isEmptied = sizeBefore > 0 && size() === 0;
    if (isEmptied) this.#note('state-damaged', shard);
    apply(takeInForeign(store, before, ifInForce, isEmptied));
    review();
    return undefined;
  }

  /** The shard does not exist any more: it is created again, and its entries are written again from memory. */
  #lose(shard: number): void {
    const { store, review } = this.#options;
    const held = store.persisted.state.shards[shard]?.size ?? 0;
    Object.assign(this.#at(shard), { version: undefined, bytes: 0 });
    if (shard === 0) this.#announced = 1;
    store.persisted.takeShard(shard, new Map());
    if (held > 0 || this.count > 1) this.#note('state-damaged', shard);
    review();
  }

  /** Makes this version the known one; false, and nothing is taken, if this process must not write the shard. */
  #take(shard: number, version: StateVersion): boolean {
    const { store, journal, onUnknownVersion } = this.#options;
    const { homeNamespace, knows } = store.settings;
    const parsed = parseState(version.data, version.annotations, homeNamespace, knows);
    if (parsed.type === 'unknown-version') {
      this.hasStoodDown = true;
      onUnknownVersion(parsed.version);
      return false;
    }
    if (this.#isContested(version)) return false;
    for (const key of parsed.unreadable) journal.note({ reason: 'state-unreadable', detail: key });
    for (const name of unknownAlgorithms(version.data, knows))
      journal.note({ reason: 'state-key-lost', detail: name });
    store.persisted.takeShard(shard, parsed.entries);
    for (const key of parsed.unreadable)
      if (!store.persisted.places.has(key)) store.persisted.places.set(key, shard);
    this.#know(shard, version);
    return true;
  }

  /** Whether another leader holds the shard; then this one leaves the state alone. */
  #isContested({ annotations }: StateVersion): boolean {
    const { mark, onContested } = this.#options;
    const found = markIn(annotations);
    if (mark === undefined || onContested === undefined || !contests(found, mark)) return false;
    if (!this.hasStoodDown) onContested(found);
    this.hasStoodDown = true;
    return true;
  }

  #know(shard: number, { resourceVersion, data, annotations }: StateVersion): void {
    const bytes = sizeOf(data);
    Object.assign(this.#at(shard), { version: resourceVersion, bytes });
    this.count = Math.max(this.count, shard + 1);
    if (shard === 0) this.#announced = shardsToldBy(annotations);
    if (bytes < ROOMY_BYTES) this.#at(shard).isFull = false;
    else if (bytes >= FULL_BYTES) this.noteFull([shard]);
  }

  #at(shard: number): Shard {
    return this.#shards[shard] ?? newShard();
  }

  #note(reason: 'state-damaged' | 'state-missing' | 'state-full', shard: number): void {
    const detail = shardNames(this.#options.name)[shard] ?? '';
    this.#options.journal.note({ reason, detail });
  }
}

function newShard(): Shard {
  return { version: undefined, bytes: 0, isStale: false, sent: undefined, isFull: false };
}
