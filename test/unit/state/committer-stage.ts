/** A committer over a small world and a scripted store, under mock timers. */

import type { TestContext } from 'node:test';
import { Heartbeat } from '../../../lib/model/health.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import type { WriteResult } from '../../../lib/model/outcome.ts';
import { STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import type { TermMark } from '../../../lib/model/shards.ts';
import { Journal } from '../../../lib/report/journal.ts';
import { StateCommitter } from '../../../lib/state/state-committer.ts';
import { type MockTime, mockTime } from '../../mock-time.ts';
import { full } from '../tracking/sketch.ts';
import { World } from '../tracking/world.ts';
import { ScriptedStore } from './scripted-store.ts';

/** The annotations of a state that this program wrote. */
export const OURS: Readonly<Record<string, string>> = { [STATE_VERSION_ANNOTATION]: '1' };

/** How the state is spread over shards at the start. */
export interface Shelf {
  readonly further?: readonly (Readonly<Record<string, string>> | undefined)[];
  readonly shardBytes?: number;
  /** The mark of the leader that writes, and whether it heeds those of others. */
  readonly mark?: TermMark;
  readonly isHeeding?: boolean;
}

/** See the file's comment. */
export class CommitterStage {
  readonly world: World = new World();
  readonly store: ScriptedStore;
  readonly journal: Journal = new Journal(NO_LOG);
  readonly committer: StateCommitter;
  /** Workloads that are about to be patched, by name. */
  readonly waiting: Set<string> = new Set();
  readonly results: {
    readonly kind: WriteResult<unknown>['kind'];
    readonly nextTryMs: number | undefined;
  }[] = [];
  readonly unknownVersions: string[] = [];
  /** Marks of other leaders that were told of. */
  readonly contests: TermMark[] = [];
  isSynced = true;
  /** The next random number. */
  random = 0;
  readonly #timers: TestContext['mock']['timers'];
  readonly #time: MockTime;

  /**
   * `state`: the data of the first shard in short form, undefined for none; `further`: those of the others, undefined for one
   * that is missing; `shardBytes`: when a shard is full; `mark`, `isHeeding`: see Shelf.
   */
  constructor(
    t: TestContext,
    state?: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>> = OURS,
    { further = [], shardBytes = 262_144, mark, isHeeding = false }: Shelf = {},
  ) {
    this.#time = mockTime(t);
    this.#timers = t.mock.timers;
    this.store = new ScriptedStore(state && longOf(state), annotations);
    for (const [index, data] of further.entries())
      if (data !== undefined) this.store.put(longOf(data), OURS, index + 1);
    const { store } = this.world;
    // Only the committer writes: patches do not wait for their marks.
    this.world.markAhead = () => {};
    this.committer = new StateCommitter({
      store,
      stateClient: this.store,
      name: 'reloader-state',
      shardBytes,
      mark,
      onContested: isHeeding ? (contest) => this.contests.push(contest) : undefined,
      heartbeat: new Heartbeat(),
      gate: {
        isSynced: () => this.isSynced,
        isWaiting: (key) => this.waiting.has(key.slice(key.lastIndexOf('/') + 1)),
      },
      journal: this.journal,
      apply: (effects) => {
        for (const note of effects.reported('note')) this.journal.note(note);
        this.committer.request(effects.persisted);
      },
      onCommit: ({ kind }, nextTryMs) => this.results.push({ kind, nextTryMs }),
      onUnknownVersion: (version) => this.unknownVersions.push(version),
      random: () => this.random,
    });
    this.committer.known.begin([
      this.store.live,
      ...further.map((_, index) => this.store.shards.get(index + 1)),
    ]);
  }

  /** The object is `content` and the workloads named follow it: all as the first lists tell. */
  listed(config: string, content: string, ...workloads: string[]): this {
    this.world.config(config, content, { initial: true });
    for (const name of workloads) this.world.workload(name, { follows: [config] }, { initial: true });
    return this;
  }

  /** The entries of these objects may have to be written. */
  request(...names: string[]): void {
    this.committer.request(names.map((name) => this.world.configKey(name)));
  }

  /** Time passes, and whatever follows from that. */
  async pass(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 100) {
      this.#time.jolt();
      this.#timers.tick(Math.min(100, left));
      await settle();
    }
    this.#timers.tick(0);
    await settle();
  }

  /** The data of the first shard in short form. */
  get data(): Record<string, string> | undefined {
    return this.dataOf(0);
  }

  /** The data of a shard in short form. */
  dataOf(shard: number): Record<string, string> | undefined {
    const { data } = this.store.shards.get(shard) ?? {};
    return data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, shortOf(value)]));
  }

  /** The reasons in the journal, the oldest first. */
  get reasons(): string[] {
    return this.journal.decisions.map(({ reason }) => reason).reverse();
  }
}

/** What promises wait for is done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function longOf(state: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(state).map(([key, value]) => [
      key,
      value.startsWith('{') ? value.replace(/(?<=")[a-f](?=")/g, full) : full(value),
    ]),
  );
}

function shortOf(value: string): string {
  return value.replace(/([a-f])\1{39}/g, '$1');
}
