/** Sabotages of the state in several ConfigMaps. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const TERMS = 'test/unit/app/terms.test.ts';
const SHARDS = 'test/unit/state/state-shards.test.ts';
const TOGETHER = 'test/unit/model/sharded-state.test.ts';

/** Every one of them must be noticed. */
export const SHARD_MUTANTS: readonly Mutant[] = [
  {
    name: 'shards: a new one is written to before the first one tells of it',
    edit: change(
      'KnownState.prepare',
      'if (this.#announced >= count || this.#hasStoodDown) return undefined;',
      'if (fresh.size > 0) this.#announced = count; for (const [shard, version] of fresh) await this.#receive(shard, version); if (this.#announced >= count || this.#hasStoodDown) return undefined;',
    ),
    tests: [SHARDS],
  },
  {
    name: 'shards: one that the first does not tell of any more is written to all the same',
    edit: drop('KnownState.isReady', '(shard === 0 || shard < this.#announced)'),
    tests: [SHARDS],
  },
  {
    name: 'shards: a first one that is made again does not tell of the others',
    edit: change('KnownState.#annotationsFor', 'count > 1', 'count > 99'),
    tests: [SHARDS],
  },
  {
    name: 'shards: a write is fenced by the version of another one',
    edit: change('KnownState.#send', 'this.#versions[shard]', 'this.#versions[0]'),
    tests: [SHARDS],
  },
  {
    name: 'shards: after a lost answer the others are written before it is known what is in force',
    edit: drop('KnownState.#send', "result.kind === 'unanswered'"),
    tests: [SHARDS],
  },
  {
    name: 'shards: an exception lies in another one than the entry of its object',
    edit: drop('overridesByShard', 'desired.get(config)?.shard ?? store.persisted.shardOf(ref)'),
    tests: [SHARDS, 'test/unit/state/state-write-law.test.ts'],
  },
  {
    name: 'shards: an entry moves to where there is room',
    edit: drop('consider', 'shardOf()'),
    tests: [SHARDS],
  },
  {
    name: 'shards: an entry that was sent and not answered is forgotten, and sent to another one',
    edit: drop('noteSent', 'entry !== undefined'),
    tests: [SHARDS],
  },
  {
    name: 'shards: of two entries of one object the lower number counts',
    edit: change('entriesOf', 'entry.sequence > other.sequence', 'entry.sequence < other.sequence'),
    tests: [TOGETHER, SHARDS],
  },
  {
    name: 'shards: an exception counts wherever it lies',
    edit: change(
      'overridesOf',
      'homes.get(entryKeyBeside(workload, local, homeNamespace)) === shard',
      'true',
    ),
    tests: [TOGETHER],
  },
  {
    name: 'shards: one that was deleted before the first list is not missed',
    edit: drop('noticeState', "event.type === 'synced'"),
    tests: [TERMS],
  },
  {
    name: 'shards: one that is refused keeps the others from being written',
    edit: change(
      'StateCommitter.#flush',
      'bytes += await this.#write(next);',
      'bytes += await this.#write(next); if (this.#hasFailed) break;',
    ),
    tests: [SHARDS],
  },
  {
    name: 'shards: however much a batch writes, the next one comes after a second',
    edit: change('StateCommitter.#flush', 'max()', 'BATCH_MS'),
    tests: [SHARDS],
  },
  {
    name: 'shards: nobody hears that the state cannot be read again',
    edit: change('StateCommitter.#isSettled', 'this.#failed()', 'this.#putOff(0, false)'),
    tests: ['test/unit/state/state-read-again.test.ts'],
  },
  {
    name: 'shards: what nothing follows waits for ever where its kind is not listed',
    edit: change('consider', '!isUnused', 'true'),
    tests: ['test/unit/state/state-write.test.ts'],
  },
];
