/** Sabotages of the state in several ConfigMaps. */

import type { Mutant } from './table.ts';

const GUARDS = 'test/unit/controller/guards.test.ts';
const SHARDS = 'test/unit/controller/state-shards.test.ts';
const TOGETHER = 'test/unit/model/sharded-state.test.ts';

/** Every one of them must be noticed. */
export const SHARD_MUTANTS: readonly Mutant[] = [
  {
    name: 'shards: a new one is written to before the first one tells of it',
    file: 'lib/controller/known-state.ts',
    find: 'if (this.#told >= count || this.#hasStoodDown) return undefined;',
    replace: `if (fresh.size > 0) this.#told = count;
    for (const [shard, version] of fresh) await this.#receive(shard, version);
    if (this.#told >= count || this.#hasStoodDown) return undefined;`,
    tests: [SHARDS],
  },
  {
    name: 'shards: one that the first does not tell of any more is written to all the same',
    file: 'lib/controller/known-state.ts',
    find: 'return this.#versions[shard] !== undefined && (shard === 0 || shard < this.#told);',
    replace: 'return this.#versions[shard] !== undefined;',
    tests: [SHARDS],
  },
  {
    name: 'shards: a first one that is made again does not tell of the others',
    file: 'lib/controller/known-state.ts',
    find: 'shard === 0 && count > 1 ? {',
    replace: 'shard === 0 && count > 99 ? {',
    tests: [SHARDS],
  },
  {
    name: 'shards: a write is fenced by the version of another one',
    file: 'lib/controller/known-state.ts',
    find: 'const resourceVersion = this.#versions[shard];',
    replace: 'const resourceVersion = this.#versions[0];',
    tests: [SHARDS],
  },
  {
    name: 'shards: after a lost answer the others are written before it is known what is in force',
    file: 'lib/controller/known-state.ts',
    find: "if (result.kind === 'conflict' || result.kind === 'unanswered') this.#stale.add(shard);",
    replace: "if (result.kind === 'conflict') this.#stale.add(shard);",
    tests: [SHARDS],
  },
  {
    name: 'shards: an exception lies in another one than the entry of its object',
    file: 'lib/controller/state-exceptions.ts',
    find: 'const shard = desired.get(config)?.shard ?? edges.shardOf(ref) ?? 0;',
    replace: 'const shard = 0;',
    tests: [SHARDS, 'test/unit/controller/state-write-law.test.ts'],
  },
  {
    name: 'shards: an entry moves to where there is room',
    file: 'lib/controller/state-write.ts',
    find: 'edges.shardOf(ref) ??\n    shardBeside(',
    replace: 'shardBeside(',
    tests: [SHARDS],
  },
  {
    name: 'shards: an entry that was sent and not answered is forgotten, and sent to another one',
    file: 'lib/controller/state-write.ts',
    find: 'if (entry !== undefined) edges.places.set(key, write.shard);',
    replace: 'void key;',
    tests: [SHARDS],
  },
  {
    name: 'shards: of two entries of one object the lower number counts',
    file: 'lib/model/sharded-state.ts',
    find: 'entry.number > other.number',
    replace: 'entry.number < other.number',
    tests: [TOGETHER, SHARDS],
  },
  {
    name: 'shards: an exception counts wherever it lies',
    file: 'lib/model/sharded-state.ts',
    find: 'homeNamespace)) === shard',
    replace: 'homeNamespace)) !== undefined',
    tests: [TOGETHER],
  },
  {
    name: 'shards: one that was deleted before the first list is not missed',
    file: 'lib/controller/reloader.ts',
    find: "if (event.type !== 'synced' && event.key !== key) continue;",
    replace: "if (event.type === 'synced' || event.key !== key) continue;",
    tests: [GUARDS],
  },
  {
    name: 'shards: one that is refused keeps the others from being written',
    file: 'lib/controller/state-committer.ts',
    find: 'bytes += await this.#write(next);',
    replace: 'bytes += await this.#write(next); if (this.#hasFailed) break;',
    tests: [SHARDS],
  },
  {
    name: 'shards: however much a batch writes, the next one comes after a second',
    file: 'lib/controller/state-committer.ts',
    find: 'Math.max(BATCH_MS, bytes / BYTES_PER_MS)',
    replace: 'BATCH_MS',
    tests: [SHARDS],
  },
  {
    name: 'shards: nobody hears that the state cannot be read again',
    file: 'lib/controller/state-committer.ts',
    find: 'if (refusal !== undefined) this.#failed(refusal);',
    replace: 'if (refusal !== undefined) this.#putOff(0, false);',
    tests: ['test/unit/controller/state-read-again.test.ts'],
  },
  {
    name: 'shards: what nothing follows waits for ever where its kind is not listed',
    file: 'lib/controller/state-write.ts',
    find: 'if (!isUnused) postponed.add(config);',
    replace: 'postponed.add(config);',
    tests: ['test/unit/controller/state-write.test.ts'],
  },
];
