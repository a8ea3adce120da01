/** A Secret with the keys of digests that keeps the rules of the API, and answers the next calls as a test wants. */

import type { FailedRead, WriteResult } from '../../../lib/model/outcome.ts';
import type { StateVersion } from '../../../lib/model/persisted-state.ts';
import type { KeyClient } from '../../../lib/store/state-client.ts';

/** See the file's comment. */
export class ScriptedKeys implements KeyClient {
  /** The Secret; undefined: it does not exist. */
  live: StateVersion | undefined;
  /** Everything that was asked, in order. */
  readonly calls: string[] = [];
  /** Instead of the next answers to reads. */
  readonly readFaults: FailedRead[] = [];
  /** Instead of the next answers to writes, which have no effect; undefined: the ordinary answer. */
  readonly writeFaults: (Exclude<WriteResult<never>, { kind: 'accepted' }> | undefined)[] = [];
  /** Called before each patch, e.g. to let another client write first. */
  beforePatch: () => void = () => {};
  #version = 0;

  /** Another client writes the whole Secret. */
  put(data: StateVersion['data'], annotations: StateVersion['annotations'] = {}): void {
    this.#version += 1;
    this.live = { resourceVersion: String(this.#version), data, annotations };
  }

  readonly read: KeyClient['read'] = async () => {
    this.calls.push('read');
    const fault = this.readFaults.shift();
    if (fault !== undefined) return fault;
    return this.live === undefined ? { kind: 'absent' } : { kind: 'found', object: this.live };
  };

  readonly create: KeyClient['create'] = async () => {
    this.calls.push('create');
    const fault = this.writeFaults.shift();
    if (fault !== undefined) return fault;
    if (this.live === undefined) this.put({});
    return this.#accepted();
  };

  readonly patch: KeyClient['patch'] = async ({ resourceVersion, data, annotations }) => {
    this.calls.push('patch');
    this.beforePatch();
    const fault = this.writeFaults.shift();
    if (fault !== undefined) return fault;
    if (this.live === undefined) return { kind: 'gone' };
    if (this.live.resourceVersion !== resourceVersion) return { kind: 'conflict' };
    this.put(merged(this.live.data, data), merged(this.live.annotations, annotations));
    return this.#accepted();
  };

  #accepted(): WriteResult<StateVersion> {
    return this.live === undefined ? { kind: 'gone' } : { kind: 'accepted', object: this.live };
  }
}

function merged(
  live: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const all = Object.entries({ ...live, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}
