/** A state in ConfigMaps that keep the API's rules, and answers the next writes as a test wants. */

import type { WriteResult } from '../../../lib/model/outcome.ts';
import type { StateVersion } from '../../../lib/model/persisted-state.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import type { StateClient } from '../../../lib/store/state-client.ts';

type Patch = Parameters<StateClient['patch']>[1];
/** Instead of the ordinary answer: a result without effect, a lost answer to a write that took effect, a delay. */
export type Fault =
  | Exclude<WriteResult<never>, { kind: 'accepted' }>
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'held'; readonly until: Promise<void> };

/** See the file's comment. */
export class ScriptedStore implements StateClient {
  /** What is there, by shard. */
  readonly shards: Map<number, StateVersion> = new Map();
  readonly patches: Patch[] = [];
  readonly times: number[] = [];
  /** Everything that was asked, in order: `read 1`, `create 1`, `patch 0`. */
  readonly calls: string[] = [];
  /** Answers to the next patches, in order; those of one shard come first. */
  readonly faults: Fault[] = [];
  readonly faultsOf: Map<number, Fault[]> = new Map();
  readonly creationFaults: Fault[] = [];
  readonly readFaults: (string | { readonly message: string; readonly retryAfterMs: number })[] = [];
  /** Shards that rights do not name. */
  readonly forbidden: Set<number> = new Set();
  #version = 0;

  constructor(data?: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}) {
    if (data !== undefined) this.put(data, annotations);
  }

  /** The first shard; undefined: it is not there. */
  get live(): StateVersion | undefined {
    return this.shards.get(0);
  }

  set live(version: StateVersion | undefined) {
    if (version === undefined) this.shards.delete(0);
    else this.shards.set(0, version);
  }

  /** How often a shard was created. */
  get creations(): number {
    return this.calls.filter((call) => call.startsWith('create')).length;
  }

  /** Somebody else writes the whole of a shard. */
  put(
    data: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>> = {},
    shard = 0,
  ): void {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    this.shards.set(shard, { resourceVersion, data, annotations });
  }

  readonly read: StateClient['read'] = async (shard) => {
    this.calls.push(`read ${shard}`);
    const fault = this.readFaults.shift();
    if (fault !== undefined)
      return { kind: 'failed', ...(typeof fault === 'string' ? { message: fault } : fault) };
    if (this.forbidden.has(shard)) return { kind: 'failed', message: 'forbidden', isForbidden: true };
    const state = this.shards.get(shard);
    return state === undefined ? { kind: 'absent' } : { kind: 'found', object: state };
  };

  readonly create: StateClient['create'] = async (shard) => {
    this.calls.push(`create ${shard}`);
    if (this.forbidden.has(shard)) return { kind: 'rejected', code: 'forbidden', message: 'forbidden' };
    const fault = await this.#fault(this.creationFaults);
    if (fault !== undefined && fault.kind !== 'answer-lost') return fault;
    if (!this.shards.has(shard)) this.put({}, {}, shard);
    return fault === undefined ? this.#accepted(shard) : { kind: 'unanswered', message: 'lost' };
  };

  readonly patch: StateClient['patch'] = async (shard, patch) => {
    this.calls.push(`patch ${shard}`);
    this.patches.push(patch);
    this.times.push(monotonicMs());
    const own = this.faultsOf.get(shard) ?? [];
    const fault = await this.#fault(own.length > 0 ? own : this.faults);
    const live = this.shards.get(shard);
    if (fault?.kind === 'conflict') this.#touch(shard);
    if (fault !== undefined && fault.kind !== 'answer-lost') return fault;
    if (live === undefined) return { kind: 'gone' };
    if (live.resourceVersion !== patch.resourceVersion) return { kind: 'conflict' };
    const data = { ...live.data };
    for (const [key, value] of Object.entries(patch.data)) {
      if (value === null) delete data[key];
      else data[key] = value;
    }
    this.put(data, { ...live.annotations, ...patch.annotations }, shard);
    return fault === undefined ? this.#accepted(shard) : { kind: 'unanswered', message: 'lost' };
  };

  /** Somebody else writes the same. */
  #touch(shard: number): void {
    const live = this.shards.get(shard);
    if (live !== undefined) this.put(live.data, live.annotations, shard);
  }

  /** Resolves the fault that is due; a held call goes on as usual afterwards. */
  async #fault(faults: Fault[]): Promise<Exclude<Fault, { kind: 'held' }> | undefined> {
    const fault = faults.shift();
    if (fault?.kind !== 'held') return fault;
    await fault.until;
    return undefined;
  }

  #accepted(shard: number): WriteResult<StateVersion> {
    const object = this.shards.get(shard);
    return object === undefined ? { kind: 'gone' } : { kind: 'accepted', object };
  }
}
