/** The writes of the state, with the committer around the real rules reduced to what it may do next. */

import type { Edges } from '../../lib/controller/edges.ts';
import { Effects } from '../../lib/controller/effects.ts';
import {
  applyStateWrite,
  believedAtStart,
  noteSent,
  planStateWrites,
  reviewState,
  type StatePlan,
  type StateWrite,
} from '../../lib/controller/state-write.ts';
import { recordedRan } from '../../lib/model/edge.ts';
import { CONFIG, CONFIG_KEY, nameOfKey } from './cluster.ts';
import { apply, processOf } from './process.ts';
import { Broken, type Process, type World } from './world.ts';

const CONFIGS: ReadonlySet<string> = new Set([CONFIG_KEY]);
const NONE: ReadonlySet<string> = new Set();

/** What the committer would write now. */
export function plannedWrite(world: World): StatePlan | undefined {
  const process = processOf(world);
  if (!process.candidate || process.write !== undefined) return undefined;
  const isSynced = (_namespace: string, kind?: string): boolean =>
    world.workloads.hasListed && (kind === undefined || world.configs.hasListed);
  const isWaiting = (key: string): boolean => {
    const { window, busy, backoff } = process.turns[nameOfKey(key)];
    return !backoff && (window || busy);
  };
  const urgent = process.urgent ? CONFIGS : NONE;
  const gate = { isSynced, isWaiting, refused: () => [], lists: () => world.workloads.hasListed };
  return planStateWrites(process.edges, { candidates: CONFIGS, urgent, gate, place: () => 0 });
}

/** A write of the state is sent. */
export function sendWrite(world: World): void {
  const process = processOf(world);
  const plan = plannedWrite(world);
  if (plan === undefined) return;
  keep(process, plan);
  const [write] = plan.writes;
  if (write === undefined) return;
  judgeWrite(process.edges, write);
  noteSent(process.edges, write);
  process.write = write;
}

/** A write of the state is in force, and that is known. */
export function finishWrite(world: World): void {
  const process = processOf(world);
  const { write } = process;
  if (write === undefined) return;
  process.write = undefined;
  const effects = new Effects();
  applyStateWrite(process.edges, effects, write);
  world.persisted = process.edges.state;
  apply(world, effects, false);
}

/** The answer to a write of the state never comes; the state is read again. */
export function loseWrite(world: World, isInForce: boolean): void {
  const process = processOf(world);
  const { write, edges } = process;
  if (write === undefined) return;
  process.write = undefined;
  if (isInForce) {
    const known = edges.state;
    applyStateWrite(edges, new Effects(), write);
    world.persisted = edges.state;
    edges.state = known;
  }
  process.urgent = true;
  process.candidate = true;
  edges.state = world.persisted;
  const effects = new Effects();
  for (const config of edges.dependents.configs()) reviewState(edges, effects, config);
  apply(world, effects, false);
}

/** Removes from the committer what would lead to no write. */
export function tidy(world: World): void {
  const { process } = world;
  if (process === undefined) return;
  const plan = plannedWrite(world);
  if (plan?.writes.length === 0) keep(process, plan);
}

/**
 * The law of every write: of every edge that it touches, a start from what is written believes what memory holds, and
 * finds it owed where it is owed; what is not sure it believes to be unknown, unless a stamp that is not silenced by this
 * write speaks for it.
 */
function judgeWrite(edges: Edges, write: StateWrite): void {
  const state = {
    entries: overlaid(edges.state.entries, write.entries),
    exceptions: overlaid(edges.state.exceptions, write.exceptions),
  };
  const observed = edges.configs.get(CONFIG_KEY)?.digest;
  for (const [record, edge] of edges.edgesOf(CONFIG_KEY)) {
    const { ref } = record.workload;
    if (write.entries.size === 0 && !write.exceptions.has(edges.exceptionsKeyOf(ref))) continue;
    const isInFlight = record.inFlight?.stamps.some(({ config }) => config === CONFIG_KEY) === true;
    const [believed, held] = [believedAtStart(edges, state, record, CONFIG), recordedRan(edge, isInFlight)];
    const isRight = believed === edge.ran && (believed !== observed || write.entries.size === 0);
    if (held !== undefined && believed !== held && !isRight) {
      throw new Broken(`a write records ${believed} for ${ref.name}, memory holds ${held}`);
    }
  }
}

function overlaid<T>(
  base: ReadonlyMap<string, T>,
  changes: ReadonlyMap<string, T | undefined>,
): Map<string, T> {
  const result = new Map(base);
  for (const [key, value] of changes) {
    if (value === undefined) result.delete(key);
    else result.set(key, value);
  }
  return result;
}

function keep(process: Process, plan: StatePlan): void {
  process.candidate = false;
  process.postponed = plan.postponed.has(CONFIG_KEY);
  if (!process.postponed) process.urgent = false;
}
