/** The patches of a process: from the end of a window to what became of the answer. */

import { carries, type RolloutPlan } from '../../lib/model/rollout-plan.ts';
import { planRollout } from '../../lib/rollout/plan-rollout.ts';
import { needsRollout, unmarkedObjects } from '../../lib/tracking/edge-policy.ts';
import { Effects } from '../../lib/tracking/effects.ts';
import { observeWorkload } from '../../lib/tracking/observe-workload.ts';
import { abandonRollout, acceptRollout } from '../../lib/tracking/rollout-decision.ts';
import { carryOut, isFresh, keyOfName, workloadView } from './cluster.ts';
import { apply, kick, processOf } from './process.ts';
import { timeOf } from './time.ts';
import type { Name, Process, World } from './world.ts';

const OUTSIDE_THE_STREAM = { type: 'present', isInInitialList: false, isRelisted: true } as const;

/** Whether the workload's window may end: it is due, or its next try is. Not while a write of its mark is asked for. */
export function mayAttempt(process: Process, name: Name): boolean {
  const turn = process.turns[name];
  return !turn.busy && (turn.window || turn.backoff) && !(process.isDemanded && isUnmarked(process, name));
}

function isUnmarked({ store }: Process, name: Name): boolean {
  const record = store.workloads.get(keyOfName(name));
  return record !== undefined && unmarkedObjects(store, record).length > 0;
}

/** The workload's window ends: a patch is planned and sent, unless nothing is owed. */
export function attempt(world: World, name: Name): void {
  const process = processOf(world);
  const key = keyOfName(name);
  process.turns[name].window = false;
  process.turns[name].busy = true;
  const lost = process.store.workloads.get(key)?.inFlight;
  if (lost !== undefined) {
    refresh(world, name, lost);
    if (carries(workloadView(world, name), lost)) {
      concludeDone(world, name);
      return;
    }
  }
  // No patch before its mark: the attempt goes on when the state is written.
  if (isUnmarked(process, name)) {
    Object.assign(process.turns[name], { busy: false, window: true });
    process.isDemanded = true;
    process.isChanged = true;
    return;
  }
  world.lastId += 1;
  const plan = planRollout(process.store, key, { id: world.lastId });
  const record = process.store.workloads.get(key);
  if (plan === undefined || record === undefined) {
    settle(world, name);
    return;
  }
  record.inFlight = plan;
  process.patches[name] = { plan, answer: undefined };
}

/** The patch arrives at the server: in force, or not for a conflict. The answer to the former is on its way. */
export function land(world: World, name: Name): void {
  const process = processOf(world);
  const plan = sentBy(process, name);
  if (isFresh(world, name, plan)) {
    process.patches[name] = { plan, answer: carryOut(world, name, plan) };
  } else {
    process.patches[name] = undefined;
    refresh(world, name, plan);
    const turn = process.turns[name];
    Object.assign(turn, { busy: false, backoff: false, window: true });
    kick(world);
  }
}

/** The answer to a patch that is in force arrives. */
export function answer(world: World, name: Name): void {
  const process = processOf(world);
  const patch = process.patches[name];
  if (patch?.answer === undefined) return;
  process.patches[name] = undefined;
  const record = process.store.workloads.get(keyOfName(name));
  const sign = record && { at: record.knownAt, arrival: record.knownAt };
  const { resourceVersion } = patch.answer;
  const span = timeOf(world, (timeline) => timeline.ofWrite(resourceVersion, sign));
  const event = { ...OUTSIDE_THE_STREAM, key: keyOfName(name), object: patch.answer, span } as const;
  if (record !== undefined) apply(world, observeWorkload(process.store, event));
  const effects = new Effects();
  acceptRollout(process.store, effects, patch.plan, patch.answer, span);
  apply(world, effects);
  concludeDone(world, name);
}

/** The server refuses the patch. */
export function refuse(world: World, name: Name): void {
  const process = processOf(world);
  const plan = sentBy(process, name);
  process.patches[name] = undefined;
  abandon(world, plan);
  putOff(world, name);
}

/** The answer never comes, whether the patch is applied or not, and a look at the workload fails too. */
export function loseAnswer(world: World, name: Name): void {
  processOf(world).patches[name] = undefined;
  putOff(world, name);
}

function sentBy(process: Process, name: Name): RolloutPlan {
  const patch = process.patches[name];
  if (patch === undefined || patch.answer !== undefined) throw new Error('no patch was sent');
  return patch.plan;
}

function refresh(world: World, name: Name, plan: RolloutPlan): void {
  const { store } = processOf(world);
  const key = keyOfName(name);
  const object = workloadView(world, name);
  const record = store.workloads.get(key);
  const before = record && { at: record.knownAt, arrival: record.knownAt };
  const span = timeOf(world, (timeline) => timeline.ofListed(object.resourceVersion, before));
  const event = { ...OUTSIDE_THE_STREAM, key, object, span };
  apply(world, observeWorkload(store, event));
  abandon(world, plan);
}

function abandon(world: World, plan: RolloutPlan): void {
  const effects = new Effects();
  abandonRollout(processOf(world).store, effects, plan);
  apply(world, effects);
}

function concludeDone(world: World, name: Name): void {
  const process = processOf(world);
  settle(world, name);
  if (needsRollout(process.store, keyOfName(name))) process.turns[name].window = true;
}

function settle(world: World, name: Name): void {
  const turn = processOf(world).turns[name];
  turn.busy = false;
  turn.backoff = false;
  kick(world);
}

function putOff(world: World, name: Name): void {
  Object.assign(processOf(world).turns[name], { busy: false, window: false, backoff: true });
  kick(world);
}
