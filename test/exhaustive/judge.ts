/** What must hold in every state, and at the end of every state's calmest future. */

import { recordedDigest, UNKNOWN } from '../../lib/model/edge.ts';
import { entryKeyOf } from '../../lib/model/state-entry.ts';
import { isInFlight } from '../../lib/store/records.ts';
import { asks, needsRollout, recovered } from '../../lib/tracking/edge-policy.ts';
import type { Digest, Situations } from './canonical.ts';
import {
  CONFIG,
  CONFIG_KEY,
  digestOfContent,
  isRolledOut,
  keyOfName,
  NAMESPACE,
  rolloutStep,
} from './cluster.ts';
import { finishWrite, plannedWrite, readAgain, sendWrite, tidy } from './committer.ts';
import { DigestSet } from './digest-set.ts';
import { isUpToDate } from './limits.ts';
import { answer, attempt, land, mayAttempt } from './patches.ts';
import { die, start } from './process.ts';
import { hearConfig, hearWorkload, listConfigs, listWorkloads } from './streams.ts';
import { takeOver } from './take-over.ts';
import { Broken, copyOf, NAMES, type Name, type Process, type World } from './world.ts';

const LONGEST_DRAIN = 200;
const ENTRY = entryKeyOf(CONFIG, NAMESPACE);

/** What must hold in every state. */
export function judgeState(world: World): void {
  const { process } = world;
  if (process === undefined) return;
  for (const name of NAMES) {
    judgeTurn(process, name);
    judgeMemory(process, name);
  }
}

/** Whoever owes has a turn coming. */
function judgeTurn(process: Process, name: Name): void {
  const { window, busy, backoff } = process.turns[name];
  if (window || busy || backoff || !needsRollout(process.store, keyOfName(name))) return;
  throw new Broken(`${name} owes, and nobody will roll it`);
}

/** What a start would believe wrongly is going to be written. */
function judgeMemory({ store, isChanged, write }: Process, name: Name): void {
  const record = store.workloads.get(keyOfName(name));
  const edge = record?.edges.get(CONFIG_KEY);
  const config = store.configs.get(CONFIG_KEY);
  if (record === undefined || edge === undefined || config === undefined) return;
  const entry = store.persisted.entryOf(CONFIG);
  const held = recordedDigest(edge, isInFlight(record, CONFIG_KEY));
  if (isChanged || write !== undefined || entry === undefined || held === undefined) return;
  const believed = recovered(entry, record, config, edge);
  if (believed !== UNKNOWN && believed !== held && asks(store, record, config)) {
    throw new Broken(`what ${name} ran would be forgotten, and no write is asked for`);
  }
}

/** Verdicts on calm futures, by state: each is judged once. */
export class Drains {
  readonly #good = new DigestSet();
  readonly #situations: Situations;
  readonly #onRest: ((world: World) => void) | undefined;

  /** `onRest` is given the worlds at rest that were reached, each once. */
  constructor(situations: Situations, onRest?: (world: World) => void) {
    this.#situations = situations;
    this.#onRest = onRest;
  }

  /** Lets everything under way come to its good end, and judges the end. `digest`: of the world. Throws Broken. */
  async judge(world: World, digest: Digest = this.#situations.digestOf(world)): Promise<void> {
    if (this.#good.has(digest)) return;
    const passed = [digest];
    const next = copyOf(world);
    let isKnown = false;
    while (!isKnown) {
      const isWorking = workStep(next);
      if (!isWorking && !writeStep(next)) {
        await judgeTakeOver(next);
        break;
      }
      tidy(next);
      if (passed.length > LONGEST_DRAIN) throw new Broken('it never comes to rest');
      const here = this.#situations.digestOf(next);
      isKnown = this.#good.has(here);
      passed.push(here);
    }
    if (!isKnown) {
      judgeRest(next);
      this.#onRest?.(next);
    }
    for (const one of passed) this.#good.add(one);
  }
}

/** Lets everything under way come to its good end, and answers how many patches that took. */
export function drain(world: World): number {
  let patches = 0;
  for (let length = 0; ; length += 1) {
    const before = NAMES.filter((name) => world.process?.patches[name] !== undefined).length;
    if (!calmStep(world)) return patches;
    const after = NAMES.filter((name) => world.process?.patches[name] !== undefined).length;
    if (after > before) patches += 1;
    tidy(world);
    if (length > LONGEST_DRAIN) throw new Broken('it never comes to rest');
  }
}

/** The one calm thing to happen next; false at rest. */
function calmStep(world: World): boolean {
  return workStep(world) || writeStep(world);
}

/** The same but for writes of the state. */
function workStep(world: World): boolean {
  const { process, configs, workloads } = world;
  if (world.former !== undefined) world.former = undefined;
  else if (process === undefined) start(world);
  else if (!configs.hasListed) listConfigs(world);
  else if (!workloads.hasListed) listWorkloads(world);
  else if (configs.queue.length > 0) hearConfig(world);
  else if (workloads.queue.length > 0) hearWorkload(world);
  else return patchStep(world) || rollStep(world);
  return true;
}

function patchStep(world: World): boolean {
  const { process } = world;
  if (process === undefined) return false;
  for (const name of NAMES) {
    const patch = process.patches[name];
    if (patch?.answer !== undefined) answer(world, name);
    else if (patch !== undefined) land(world, name);
    else if (mayAttempt(process, name)) attempt(world, name);
    else continue;
    return true;
  }
  return false;
}

function rollStep(world: World): boolean {
  for (const name of NAMES) {
    const deployment = world.deployments[name];
    if (deployment === undefined || world.content === undefined || isRolledOut(deployment)) continue;
    rolloutStep(world, name);
    return true;
  }
  return false;
}

function writeStep(world: World): boolean {
  if (world.process?.write !== undefined) finishWrite(world);
  else if (world.process?.isOutrun === true) readAgain(world);
  else if (plannedWrite(world)?.writes[0] !== undefined) sendWrite(world);
  else return false;
  return true;
}

/** At rest every pod runs the current content, the state says so, and a start would roll nothing. */
function judgeRest(world: World): void {
  judgeState(world);
  for (const name of NAMES) {
    const deployment = world.deployments[name];
    if (deployment?.follows !== true) continue;
    for (const pod of deployment.pods) {
      if (isUpToDate(pod, world.content)) continue;
      throw new Broken(`lost: a pod of ${name} runs ${pod.read}, in force is ${world.content}`);
    }
  }
  judgeRestingState(world);
  const next = copyOf(world);
  die(next);
  if (drain(next) > 0) throw new Broken('a restart at rest rolls something');
}

/** Once all is rolled a take-over rolls nothing, be it that the state does not say so yet, unless it records a doubt. */
async function judgeTakeOver(world: World): Promise<void> {
  if (world.term === undefined || world.stored.marked.size > 0) return;
  const next = copyOf(world);
  await takeOver(next, false);
  if (drain(next) > 0) throw new Broken('a take-over rolls what is rolled');
}

function judgeRestingState(world: World): void {
  const store = world.process?.store;
  if (store === undefined || store.dependents.of(CONFIG_KEY).size === 0) return;
  const entry = world.stored.entries.get(ENTRY);
  if (world.content !== undefined && entry?.digest !== digestOfContent(world.content)) {
    throw new Broken(`at rest the state says ${entry?.digest?.slice(0, 1)}, in force is ${world.content}`);
  }
  // The mark of a rollout that is complete goes with the next write.
  const recorded = [...(entry?.marks?.values() ?? [])];
  if (world.content !== undefined && recorded.some((each) => !/^\?\d/.test(each)))
    throw new Broken('at rest an exception is left');
}
