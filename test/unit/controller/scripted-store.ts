/** A state ConfigMap that keeps the API's rules, and answers the next writes as a test wants. */

import type { StateStore, StateVersion } from '../../../lib/controller/state-committer.ts';
import type { WriteResult } from '../../../lib/model/write-result.ts';

type Patch = Parameters<StateStore['patch']>[0];
/** Instead of the ordinary answer: a result without effect, a lost answer to a write that took effect, a delay. */
export type Fault =
  | Exclude<WriteResult<never>, { kind: 'accepted' }>
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'held'; readonly until: Promise<void> };

/** See the file's comment. */
export class ScriptedStore implements StateStore {
  /** What is there; undefined: nothing. */
  live: StateVersion | undefined;
  readonly patches: Patch[] = [];
  readonly times: number[] = [];
  creations = 0;
  reads = 0;
  /** Answers to the next patches, in order. */
  readonly faults: Fault[] = [];
  readonly creationFaults: Fault[] = [];
  readonly readFaults: string[] = [];
  #version = 0;

  constructor(data?: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}) {
    if (data !== undefined) this.put(data, annotations);
  }

  /** Somebody else writes the whole of it. */
  put(data: Readonly<Record<string, string>>, annotations: Readonly<Record<string, string>> = {}): void {
    this.#version += 1;
    this.live = { resourceVersion: String(this.#version), data, annotations };
  }

  readonly read: StateStore['read'] = async () => {
    this.reads += 1;
    const message = this.readFaults.shift();
    if (message !== undefined) return { kind: 'failed', message };
    return this.live === undefined ? { kind: 'absent' } : { kind: 'found', state: this.live };
  };

  readonly create: StateStore['create'] = async (annotations) => {
    this.creations += 1;
    const fault = await this.#fault(this.creationFaults);
    if (fault !== undefined && fault.kind !== 'answer-lost') return fault;
    if (this.live === undefined) this.put({}, annotations);
    return fault === undefined ? this.#accepted() : { kind: 'unanswered', message: 'lost' };
  };

  readonly patch: StateStore['patch'] = async (patch) => {
    this.patches.push(patch);
    this.times.push(Date.now());
    const fault = await this.#fault(this.faults);
    if (fault !== undefined && fault.kind !== 'answer-lost') return fault;
    if (this.live === undefined) return { kind: 'gone' };
    if (this.live.resourceVersion !== patch.resourceVersion) return { kind: 'conflict' };
    const data = { ...this.live.data };
    for (const [key, value] of Object.entries(patch.data)) {
      if (value === null) delete data[key];
      else data[key] = value;
    }
    this.put(data, { ...this.live.annotations, ...patch.annotations });
    return fault === undefined ? this.#accepted() : { kind: 'unanswered', message: 'lost' };
  };

  /** Resolves the fault that is due; a held call goes on as usual afterwards. */
  async #fault(faults: Fault[]): Promise<Exclude<Fault, { kind: 'held' }> | undefined> {
    const fault = faults.shift();
    if (fault?.kind !== 'held') return fault;
    await fault.until;
    return undefined;
  }

  #accepted(): WriteResult<StateVersion> {
    return this.live === undefined ? { kind: 'gone' } : { kind: 'accepted', object: this.live };
  }
}
