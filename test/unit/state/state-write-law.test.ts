/**
 * The law of every state write: a reloader that starts from what was written believes of every edge what this process
 * believes if that is the digest of the entry, else that it is unknown. Random histories of contents, owners and patches are driven through the real rules, over a state of several
 * shards of which any write may fail.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Edge,
  isOutdated,
  type RunningDigest,
  recordedDigest,
  UNKNOWN,
} from '../../../lib/model/edge.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../../../lib/model/object-ref.ts';
import type { Entries } from '../../../lib/model/persisted-state.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { applyStateWrite, noteSent } from '../../../lib/state/state-write.ts';
import { type ConfigRecord, isInFlight, type WorkloadRecord } from '../../../lib/store/records.ts';
import type { Store } from '../../../lib/store/store.ts';
import { asks, isOutdatedOn, needsRollout, recovered } from '../../../lib/tracking/edge-policy.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { abandonRollout } from '../../../lib/tracking/rollout-decision.ts';
import { fc } from '../../laws.ts';
import { NATIVE, named, STAKATER } from '../annotations/judged.ts';
import type { Marks, Sketch } from '../tracking/sketch.ts';
import { isTaken, World } from '../tracking/world.ts';

const CONFIGS = ['cfg', 'tls'] as const;
const WORKLOADS = ['web', 'api', 'job'] as const;

type Step =
  | ({
      readonly do: 'content';
      readonly config: string;
      readonly content: string;
      readonly late: number;
    } & Marks)
  | { readonly do: 'mark'; readonly config: string; readonly marks: Vocabulary }
  | { readonly do: 'delete'; readonly config: string }
  | { readonly do: 'owner'; readonly workload: string; readonly sketch: Sketch; readonly late: number }
  | { readonly do: 'remove'; readonly workload: string }
  | { readonly do: 'send' | 'land' | 'answer' | 'give-up'; readonly workload: string }
  | {
      readonly do: 'write';
      readonly configs: readonly string[];
      /** Where new entries go. */
      readonly shard: number;
      /** The shards whose writes are refused. */
      readonly refused: readonly number[];
    };

type Vocabulary = Readonly<Record<string, string>>;

const AUTO = { [NATIVE.auto]: 'true' };
/** What a workload may ask for besides the objects that it names. */
const ASKS: readonly Vocabulary[] = [
  {},
  AUTO,
  { ...AUTO, [NATIVE.exclude.ConfigMap]: 'cfg' },
  { [NATIVE.search]: 'true' },
  named(STAKATER, 'c.*|tls'),
];
const MARKS: readonly Vocabulary[] = [{}, { [NATIVE.match]: 'true' }, { [NATIVE.ignore]: 'true' }];

const config = fc.constantFrom(...CONFIGS);
const marks = fc.constantFrom(...MARKS);
const workload = fc.constantFrom(...WORKLOADS);
const content = fc.constantFrom('a', 'b', 'c');
/** How many steps the news hides: 0 is a watch event, more is a list. */
const late = fc.constantFrom(0, 0, 0, 3);
const stamp = fc
  .tuple(content, fc.integer({ min: 0, max: 6 }))
  .map(([digest, number]) => `${digest}.${number}`);
const sketch: fc.Arbitrary<Sketch> = fc.record(
  {
    follows: fc.subarray([...CONFIGS]),
    refers: fc.subarray([...CONFIGS]),
    asks: fc.constantFrom(...ASKS),
    image: fc.constantFrom('v1', 'v2'),
    stamps: fc.dictionary(config, stamp, { noNullPrototype: true }),
    isRolledOut: fc.boolean(),
    uid: fc.constantFrom('uid-1', 'uid-2'),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const one = <T extends Step['do']>(name: T) => fc.constant(name);
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: one('content'), config, content, late }) },
  { weight: 1, arbitrary: fc.record({ do: one('content'), config, content, late, marks }) },
  { weight: 2, arbitrary: fc.record({ do: one('mark'), config, marks }) },
  { weight: 1, arbitrary: fc.record({ do: one('delete'), config }) },
  { weight: 4, arbitrary: fc.record({ do: one('owner'), workload, sketch, late }) },
  { weight: 1, arbitrary: fc.record({ do: one('remove'), workload }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('send', 'land', 'answer', 'give-up'), workload }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: one('write'),
      configs: fc.subarray([...CONFIGS], { minLength: 1 }),
      shard: fc.constantFrom(0, 0, 1, 2),
      refused: fc.oneof(fc.constant([]), fc.subarray([0, 1, 2])),
    }),
  },
);

/** A world with patches on their way. */
class Drama {
  readonly world: World;
  readonly #flights = new Map<string, { readonly plan: RolloutPlan; hasLanded: boolean }>();

  constructor(world: World) {
    this.world = world;
  }

  take(step: Step): void {
    const { world } = this;
    switch (step.do) {
      case 'content':
        world.config(step.config, step.content, { ...hidden(world, step.late), ...marksOf(step) });
        break;
      case 'mark':
        if (world.contents.has(step.config)) world.mark(step.config, step.marks);
        break;
      case 'delete':
        world.noConfig(step.config);
        break;
      case 'owner':
        world.workload(step.workload, step.sketch, hidden(world, step.late));
        break;
      case 'remove':
        world.noWorkload(step.workload);
        this.#flights.delete(step.workload);
        break;
      case 'write':
        this.#write(step);
        break;
      default:
        this.#fly(step.do, step.workload);
    }
  }

  #fly(what: 'send' | 'land' | 'answer' | 'give-up', name: string): void {
    const { world } = this;
    const record = world.store.workloads.get(world.workloadKey(name));
    const flight = this.#flights.get(name);
    if (record === undefined || record.inFlight === undefined) this.#flights.delete(name);
    if (what === 'send') {
      if (record === undefined || record.inFlight !== undefined) return;
      if (!needsRollout(world.store, world.workloadKey(name))) return;
      this.#flights.set(name, { plan: world.send(name), hasLanded: false });
    } else if (flight !== undefined && record?.inFlight === flight.plan) this.#end(what, name, flight);
  }

  #end(
    what: 'land' | 'answer' | 'give-up',
    name: string,
    flight: { plan: RolloutPlan; hasLanded: boolean },
  ): void {
    const { world } = this;
    const isFresh = world.live.has(name) && isTaken(flight.plan, world.raw(name));
    if (what === 'land' && isFresh) {
      flight.hasLanded = true;
      world.land(flight.plan);
    } else if (what === 'answer' && flight.hasLanded) world.answer(flight.plan);
    else if (what === 'give-up' && !flight.hasLanded) {
      abandonRollout(world.store, new Effects(), flight.plan);
    }
  }

  /** Writes the state of some objects, shard by shard, and holds the law to every edge after each write. */
  #write({ configs, shard, refused }: Extract<Step, { readonly do: 'write' }>): void {
    const { world } = this;
    world.nextShard = shard;
    const writes = world.plans(configs);
    const open = new Set(writes.map((write) => write.shard));
    const isWritten = (ref: ConfigRef): boolean =>
      configs.includes(ref.name) && !open.has(world.store.persisted.shardOf(ref) ?? shard);
    for (const write of writes) {
      noteSent(world.store, write);
      if (refused.includes(write.shard)) continue;
      const before = world.store.persisted.state.entries;
      applyStateWrite(world.store, write);
      open.delete(write.shard);
      this.#holdAll(isWritten, before);
    }
  }

  #holdAll(isWritten: (ref: ConfigRef) => boolean, before: Entries): void {
    for (const record of this.world.store.workloads.values()) {
      for (const [key, edge] of record.edges) this.#hold(isWritten, before, record, key, edge);
    }
  }

  #hold(
    isWritten: (ref: ConfigRef) => boolean,
    before: Entries,
    record: WorkloadRecord,
    key: ObjectKey,
    edge: Edge,
  ): void {
    const { world } = this;
    const observed = world.store.configs.get(key);
    assert.ok(observed !== undefined);
    // An object that went before its baseline was written has nothing to be written: its return is the baseline.
    if (observed.digest === undefined && world.store.persisted.entryOf(observed.ref) === undefined) return;
    if (edge.runningDigest === undefined) return;
    // A restart judges it by the policy again, and takes it to run the current content.
    if (!asks(world.store, record, observed)) return;
    if (isWritten(observed.ref)) holdLaw(world, record, observed, edge);
    else holdTruth(world, before, record, observed, edge);
  }
}

/** The edge of an object that was written. */
function holdLaw(world: World, record: WorkloadRecord, { ref, digest }: ConfigRecord, edge: Edge): void {
  const { store } = world;
  const believed = believedIn(store, store.persisted.state.entries, record, ref);
  assert.equal(
    believed,
    lawful(world, record, ref, edge),
    `${ref.name} as ${record.workload.ref.name} ran it`,
  );
  const start = { ...edge, runningDigest: believed };
  if (!isInFlight(record, keyOf(ref)))
    assert.equal(isOutdated(start, digest), isOutdated(edge, digest), 'owes the same');
}

/** The edge of an object that was not written: what the write changes on the way, it changes to the truth. */
function holdTruth(
  world: World,
  before: Entries,
  record: WorkloadRecord,
  { ref }: ConfigRecord,
  edge: Edge,
): void {
  const believed = believedIn(world.store, world.store.persisted.state.entries, record, ref);
  if (believed === believedIn(world.store, before, record, ref)) return;
  assert.equal(believed, lawful(world, record, ref, edge));
}

function believedIn(store: Store, entries: Entries, record: WorkloadRecord, ref: ConfigRef): unknown {
  const edge = record.edges.get(keyOf(ref));
  assert.ok(edge !== undefined);
  const entry = entries.get(store.persisted.entryKeyOf(ref));
  return recovered(entry, record, store.configRecordOf(ref), edge);
}

/** What a start has to believe of the edge. */
function lawful(
  { store }: World,
  record: WorkloadRecord,
  ref: ConfigRef,
  edge: Edge,
): RunningDigest | undefined {
  const held = recordedDigest(edge, isInFlight(record, keyOf(ref)));
  return held === store.persisted.entryOf(ref)?.digest ? held : UNKNOWN;
}

function hidden(world: World, late: number): { relisted: boolean; since: number } | Record<string, never> {
  return late === 0 ? {} : { relisted: true, since: Math.max(0, world.now - late) };
}

function marksOf({ marks: told }: Marks): Marks {
  return told === undefined ? {} : { marks: told };
}

function begun(namespace: string): Drama {
  const prefix = namespace === 'home' ? '' : `${namespace}_`;
  const world = new World({ [`${prefix}v1.ConfigMap_cfg`]: 'a.1' }, namespace);
  for (const name of CONFIGS) world.config(name, 'a', { initial: true });
  for (const name of ['web', 'api']) world.workload(name, { follows: CONFIGS }, { initial: true });
  return new Drama(world);
}

const RUNS = { numRuns: 1000 };
const histories = fc.array(steps, { maxLength: 40, size: 'max' });

for (const namespace of ['home', 'elsewhere']) {
  test(`law: after every state write a start would believe what memory records (namespace ${namespace})`, () => {
    fc.assert(
      fc.property(histories, (history) => {
        const drama = begun(namespace);
        for (const step of history) drama.take(step);
        drama.take({ do: 'write', configs: CONFIGS, shard: 0, refused: [] });
      }),
      RUNS,
    );
  });
}

test('law: writing ends: what is written once needs no second write', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const drama = begun('home');
      for (const step of history) drama.take(step);
      drama.world.write();
      assert.equal(drama.world.plan(), undefined);
    }),
    RUNS,
  );
});

test('law: a process that starts from what was written owes what this one owes', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { world } = playedToTheEnd(history);
      world.write();
      const next = world.restart();
      for (const [key, record] of world.store.workloads) {
        for (const [config, edge] of record.edges) {
          const after = next.store.workloads.get(key);
          const other = after?.edges.get(config);
          if (after === undefined || other === undefined) {
            // Matched by an expression, and gone before its baseline was written: it will appear as a new one.
            assert.ok(!isOutdatedOn(world.store, record, config, edge) && !isKept(world, config));
            continue;
          }
          assert.equal(
            isOutdatedOn(next.store, after, config, other),
            isOutdatedOn(world.store, record, config, edge),
            `${key} owes ${config}`,
          );
        }
      }
    }),
    RUNS,
  );
});

test('law: at no moment is anything owed that is not asked for, nor when its policy begins to ask', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const drama = begun('home');
      for (const step of history) {
        const owed = owedBy(drama.world);
        drama.take(step);
        const now = owedBy(drama.world);
        for (const edge of drama.world.store.workloads.values()) holdAsked(drama.world, edge);
        if (step.do === 'mark')
          assert.deepEqual(
            [...now].filter((edge) => !owed.has(edge)),
            [],
          );
      }
    }),
    RUNS,
  );
});

function holdAsked({ store }: World, record: WorkloadRecord): void {
  for (const [key, edge] of record.edges) {
    const observed = store.configs.get(key);
    if (observed?.digest === undefined || asks(store, record, observed)) continue;
    assert.ok(!isOutdatedOn(store, record, key, edge));
    assert.equal(edge.runningDigest, observed.digest);
  }
}

/** Whether the object is there, or has an entry. */
function isKept({ store }: World, config: ObjectKey): boolean {
  const observed = store.configs.get(config);
  return (
    observed !== undefined &&
    (observed.digest !== undefined || store.persisted.entryOf(observed.ref) !== undefined)
  );
}

/** `workload config` of each edge that is owed. */
function owedBy({ store }: World): Set<string> {
  return new Set(
    [...store.workloads].flatMap(([workload, record]) =>
      [...record.edges]
        .filter(([key, edge]) => isOutdatedOn(store, record, key, edge))
        .map(([key]) => `${workload} ${key}`),
    ),
  );
}

/** Plays the history, and has every patch that is on its way answered or given up. */
function playedToTheEnd(history: readonly Step[]): Drama {
  const drama = begun('home');
  for (const step of history) drama.take(step);
  for (const workload of WORKLOADS) {
    drama.take({ do: 'answer', workload });
    drama.take({ do: 'give-up', workload });
  }
  return drama;
}
