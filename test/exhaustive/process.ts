/** The reloader's process: the real rules' knowledge, with the queue around it reduced to what it may do next. */

import type { Vocabularies } from '../../lib/annotations/vocabularies.ts';
import type { ConfigRef } from '../../lib/model/object-ref.ts';
import type { Verdict } from '../../lib/model/reasons.ts';
import { Store } from '../../lib/store/store.ts';
import type { Effects } from '../../lib/tracking/effects.ts';
import { settingsWith } from '../settings.ts';
import { vocabulary } from '../unit/annotations/defaults.ts';
import { CONFIG_KEY, NAMESPACE, nameOfKey } from './cluster.ts';
import { passAway, takeFirst } from './limits.ts';
import type { Actor, Process, Turn, World } from './world.ts';

/** What annotations mean. */
export const DIALECT: Vocabularies = remembering(vocabulary());

/** The process, which must live. */
export function processOf(world: World): Process {
  if (world.process === undefined) throw new Error('no process');
  return world.process;
}

/** A process starts, begins a term and reads the state; it has listed nothing yet. */
export function start(world: World): void {
  if (world.term !== undefined) world.term += 1;
  begin(world, world.term);
}

/** A process that has read the state and listed nothing yet. */
export function begin(world: World, term: number | undefined): void {
  const store = newEdges();
  store.persisted.takeShard(0, world.stored.entries);
  world.process = newProcess(store, term);
}

/** The knowledge of a process that has seen nothing. */
export function newEdges(): Store {
  return new Store(settingsWith({ vocabularies: DIALECT, homeNamespace: NAMESPACE }));
}

/** A process that does nothing yet. */
export function newProcess(store: Store, term: number | undefined): Process {
  const turn = () => ({ window: false, busy: false, backoff: false });
  return {
    store,
    turns: { w1: turn(), w2: turn() },
    patches: { w1: undefined, w2: undefined },
    isChanged: false,
    isPending: false,
    isDemanded: false,
    write: undefined,
    term,
    isOutrun: false,
  };
}

/** The process dies; what it had sent and the server had not carried out never arrives. */
export function die(world: World): void {
  passAway(world);
  world.hasDied = true;
  Object.assign(world, nowhere());
}

/** No process, and no stream. */
export function nowhere(): Actor {
  const stream = { hasListed: false, queue: [], sign: undefined };
  return { process: undefined, configs: { ...stream }, workloads: { ...stream } };
}

/** Carries out what the rules say, in the order of the reloader. */
export function apply(world: World, effects: Effects, withKick = true): void {
  const process = processOf(world);
  applyToTurns(process, effects);
  if (effects.persisted.has(CONFIG_KEY)) process.isChanged = true;
  takeFirst(world);
  if (withKick) kick(world);
}

function applyToTurns(process: Process, effects: Effects): void {
  const reverted = new Map(effects.enqueuedFor('stamp-reverted'));
  const isPutOff = (key: string): boolean => process.turns[nameOfKey(key)].backoff;
  for (const [key] of effects.enqueuedFor('forgotten'))
    turnOf(process, key, { window: false, backoff: false });
  for (const [key] of effects.enqueuedFor('retry-now')) {
    if (isPutOff(key) && !reverted.has(key)) turnOf(process, key, { window: true, backoff: false });
  }
  for (const [key] of effects.enqueuedFor('changed')) {
    if (!isPutOff(key) && process.store.workloads.has(key)) turnOf(process, key, { window: true });
  }
  for (const key of reverted.keys()) turnOf(process, key, { window: false, backoff: true });
}

function turnOf(process: Process, key: string, change: Partial<Turn>): void {
  Object.assign(process.turns[nameOfKey(key)], change);
}

/** Something changed that makes an entry due which differs. */
export function kick(world: World): void {
  const process = processOf(world);
  if (process.isPending) process.isChanged = true;
  process.isPending = false;
}

/** The same dialect, which works every question out once: here it depends on the annotations alone. */
function remembering(vocabularies: Vocabularies): Vocabularies {
  const followed = new WeakMap<object, readonly ConfigRef[]>();
  const verdicts = new WeakMap<object, Verdict>();
  const follows = vocabularies.follows.bind(vocabularies);
  const judge = vocabularies.judge.bind(vocabularies);
  return Object.assign(vocabularies, {
    hasPatterns: () => false,
    follows: (...[workload, known]: Parameters<typeof follows>) => {
      const refs = followed.get(workload.annotations) ?? follows(workload, known);
      followed.set(workload.annotations, refs);
      return refs;
    },
    judge: (...[workload, ref, annotations]: Parameters<typeof judge>) => {
      const verdict = verdicts.get(workload.annotations) ?? judge(workload, ref, annotations);
      verdicts.set(workload.annotations, verdict);
      return verdict;
    },
  });
}
