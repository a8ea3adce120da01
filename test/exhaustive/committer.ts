/** The writes of the state, with the committer around the real rules reduced to what it may do next. */

import { recordedDigest, UNKNOWN } from '../../lib/model/edge.ts';
import type { Entries } from '../../lib/model/persisted-state.ts';
import { contests, type TermMark } from '../../lib/model/shards.ts';
import { takeInForeign } from '../../lib/state/foreign-state.ts';
import {
  applyStateWrite,
  noteSent,
  StatePlan,
  type StateWrite,
  shardAfter,
} from '../../lib/state/state-write.ts';
import type { Store } from '../../lib/store/store.ts';
import { recovered } from '../../lib/tracking/edge-policy.ts';
import { Effects } from '../../lib/tracking/effects.ts';
import { CONFIG, CONFIG_KEY, nameOfKey } from './cluster.ts';
import { apply, newEdges, newProcess, nowhere, processOf } from './process.ts';
import { type Actor, Broken, NAMES, type Process, type World } from './world.ts';

type Planned = Pick<StatePlan, 'writes' | 'pending'>;

const CONFIGS: ReadonlySet<string> = new Set([CONFIG_KEY]);

/** What the committer would write now, if anything is due. */
export function plannedWrite(world: World): Planned | undefined {
  const process = processOf(world);
  if (!process.isChanged || process.write !== undefined) return undefined;
  const isSynced = (_namespace: string, kind?: string): boolean =>
    world.workloads.hasListed && (kind === undefined || world.configs.hasListed);
  const isWaiting = (key: string): boolean => {
    const { window, busy, backoff } = process.turns[nameOfKey(key)];
    return !backoff && (window || busy);
  };
  const gate = { isSynced, isWaiting };
  const { writes, pending } = new StatePlan(process.store, { configs: CONFIGS, gate, place: () => 0 });
  return { writes: writes.filter(({ due }) => process.isDemanded || due !== 'not'), pending };
}

/** A write of the state is sent. */
export function sendWrite(world: World): void {
  const process = processOf(world);
  const plan = plannedWrite(world);
  if (plan === undefined) return;
  keep(process, plan);
  const [write] = plan.writes;
  if (write === undefined) return;
  judgeWrite(process.store, write);
  noteSent(process.store, write);
  process.write = write;
}

/** A write of the state is in force, and that is known; or others were faster, and it is read again. */
export function finishWrite(world: World): void {
  const process = processOf(world);
  const { write } = process;
  if (write === undefined) return;
  process.write = undefined;
  if (process.isOutrun) {
    readAgain(world);
    return;
  }
  const effects = new Effects();
  for (const config of applyStateWrite(process.store, write)) effects.persist(config);
  world.stored = process.store.persisted.state;
  outrunOther(world);
  apply(world, effects, false);
}

/** The answer to a write of the state never comes; the state is read again. */
export function loseWrite(world: World, isInForce: boolean): void {
  const process = processOf(world);
  const { write, store, isOutrun } = process;
  if (write === undefined) return;
  process.write = undefined;
  const sent = store.persisted.withShard(write.shard, shardAfter(store, write));
  if (isInForce && !isOutrun) {
    world.stored = sent;
    outrunOther(world);
  }
  readAgain(world, sent.entries);
}

/**
 * The state is read again. Another leader's mark ends the lead; else what others wrote may add a doubt. `sent`: what it says if
 * a write without an answer is in force.
 */
export function readAgain(world: World, sent?: Entries): void {
  const process = processOf(world);
  const { store, term } = process;
  process.isOutrun = false;
  if (contests(markOf(world.term), markOf(term))) {
    Object.assign(world, underWay(process));
    return;
  }
  process.isChanged = true;
  const before = store.persisted.state.entries;
  store.persisted.takeShard(0, world.stored.entries);
  apply(world, takeInForeign(store, before, sent), false);
}

/** What a process that leads no longer has sent. */
export function underWay({ store, patches, write, isOutrun, term }: Process): Actor {
  const rest = newProcess(newEdges(), term);
  if (write !== undefined) rest.store.persisted.takeShard(0, store.persisted.state.entries);
  for (const name of NAMES) if (patches[name]?.answer === undefined) rest.patches[name] = patches[name];
  return { ...nowhere(), process: { ...rest, write, isOutrun } };
}

/** The mark of a term. */
export function markOf(term = 0): TermMark {
  return { term, writer: `the leader of term ${term}` };
}

/** The state was written by the process that acts: what the other one knows is out of date. */
function outrunOther({ former }: World): void {
  if (former?.process !== undefined) former.process.isOutrun = true;
}

/** Removes from the committer what would lead to no write. */
export function tidy(world: World): void {
  const { process } = world;
  if (process === undefined) return;
  const plan = plannedWrite(world);
  if (plan?.writes.length === 0) keep(process, plan);
}

/**
 * The law of every write: of every edge that it touches, a start from what is written believes what memory holds, or that it is
 * unknown.
 */
function judgeWrite(store: Store, write: StateWrite): void {
  const entries = shardAfter(store, write);
  for (const [record, edge] of store.edgesOf(CONFIG_KEY)) {
    const { ref } = record.workload;
    const isInFlight = record.inFlight?.stamps.some(({ config }) => config === CONFIG_KEY) === true;
    const [believed, held] = [
      recovered(entries.get(store.persisted.entryKeyOf(CONFIG)), record, store.configRecordOf(CONFIG), edge),
      recordedDigest(edge, isInFlight),
    ];
    if (held !== undefined && believed !== held && believed !== UNKNOWN) {
      throw new Broken(`a write records ${believed} for ${ref.name}, memory holds ${held}`);
    }
  }
}

function keep(process: Process, plan: Planned): void {
  process.isChanged = false;
  process.isDemanded = false;
  process.isPending = plan.pending.has(CONFIG_KEY);
}
