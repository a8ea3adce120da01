/** Everything that may happen next, each with a name that reads in a history. */

import {
  appear,
  digestOfContent,
  isFresh,
  isRolledOut,
  rolloutStep,
  sameTemplate,
  setContent,
  setFollows,
  setTemplate,
} from './cluster.ts';
import { finishWrite, loseWrite, plannedWrite, readAgain, sendWrite, tidy } from './committer.ts';
import { answer, attempt, land, loseAnswer, mayAttempt, refuse } from './patches.ts';
import { die, processOf, start } from './process.ts';
import { hearConfig, hearWorkload, listConfigs, listWorkloads } from './streams.ts';
import { asFormer, type Listed, seenByFormer, takeOver } from './take-over.ts';
import { type Content, NAMES, type Name, type World } from './world.ts';

/** One thing that may happen. */
export interface Step {
  readonly name: string;
  /** It leaves the reloader's process as it is. */
  readonly isOutside: boolean;
  readonly run: Run;
}

/** Changes the world; of take-overs alone the end has to be awaited. */
type Run = (world: World) => void | Promise<void>;

/** Which things may happen at all. */
export interface Scope {
  readonly contents: readonly Content[];
  /** Owners: new template, replace without the stamp, undo. */
  readonly owners: boolean;
  readonly refusals: boolean;
  readonly crashes: boolean;
  /** Deletion, recreation and metadata edits of the ConfigMap. */
  readonly missingObject: boolean;
  /** w2 ceases to follow and begins again, or comes into being. */
  readonly following: boolean;
  /** Answers that never come. */
  readonly lostOptIns: boolean;
  /** Watches that are cut, and listed again. */
  readonly relists: boolean;
  /** Another process leads from now on; what the leader before has sent may arrive late. */
  readonly takeOvers: boolean;
  /** The leader before does not know it at once, and goes on. */
  readonly overlaps: boolean;
  /** A person labels the ConfigMap of the state. */
  readonly labels: boolean;
}

/** What may happen in `world`. */
export function stepsOf(world: World, scope: Scope): Step[] {
  const steps: Step[] = [];
  const addOutside: Add = (name, run) => {
    steps.push({ name, isOutside: true, run });
  };
  const add: Add = (name, run) => {
    steps.push({
      name,
      isOutside: false,
      run: (next) => {
        const pending = run(next);
        if (pending === undefined) tidy(next);
        return pending?.then(() => tidy(next));
      },
    });
  };
  peopleSteps(world, scope, addOutside);
  for (const name of NAMES) ownerSteps(world, name, scope, addOutside);
  if (world.process === undefined) startSteps(add);
  else {
    processSteps(world, scope, add);
    if (scope.crashes) add('the reloader dies', die);
    takeOverSteps(world, scope, add);
  }
  if (world.former !== undefined) formerSteps(world, scope, add);
  appearances(world, scope, addOutside);
  return steps;
}

type Add = (name: string, run: Run) => void;

function peopleSteps(world: World, scope: Scope, add: Add): void {
  for (const content of scope.contents) {
    if (content !== world.content && (world.content !== undefined || scope.missingObject)) {
      add(`r becomes ${content}`, (next) => setContent(next, content));
    }
  }
  if (!scope.missingObject || world.content === undefined) return;
  add('r is deleted', (next) => setContent(next, undefined));
  add('r has its metadata edited', (next) => setContent(next, next.content));
}

function ownerSteps(world: World, name: Name, scope: Scope, add: Add): void {
  const deployment = world.deployments[name];
  if (deployment === undefined) return;
  const { template, former } = deployment;
  if (!isRolledOut(deployment) && world.content !== undefined)
    add(`${name} replaces a pod`, (next) => rolloutStep(next, name));
  if (scope.following && name === 'w2') {
    add(deployment.follows ? 'w2 opts out' : 'w2 opts in', (next) =>
      setFollows(next, name, !deployment.follows),
    );
  }
  if (!scope.owners) return;
  add(`${name} gets a new template of its owner`, (next) =>
    setTemplate(next, name, { ...template, owner: 1 - template.owner }),
  );
  if (template.stamp !== undefined) {
    add(`${name} is replaced without its stamp`, (next) =>
      setTemplate(next, name, { ...template, stamp: undefined }),
    );
  }
  if (!sameTemplate(template, former) && (template.stamp !== undefined || former.stamp !== undefined)) {
    add(`${name} is undone`, (next) => setTemplate(next, name, former));
  }
}

function startSteps(add: Add): void {
  add('a reloader starts and lists', (next) => {
    start(next);
    listConfigs(next);
    listWorkloads(next);
  });
  add('a reloader starts, and lists the ConfigMaps only', (next) => {
    start(next);
    listConfigs(next);
  });
  add('a reloader starts, and lists the Deployments only', (next) => {
    start(next);
    listWorkloads(next);
  });
}

function processSteps(world: World, scope: Scope, add: Add): void {
  streamSteps(world, scope, add);
  for (const name of NAMES) patchSteps(world, name, scope, add);
  writeSteps(world, scope, add);
}

function takeOverSteps(world: World, scope: Scope, add: Add): void {
  if (!scope.takeOvers) return;
  for (const listed of LISTED) {
    const lists = listed === 'everything' ? '' : `, and lists ${listed}`;
    add(`another process takes over${lists}`, (next) => takeOver(next, false, listed));
    if (scope.overlaps)
      add(`another process takes over unnoticed${lists}`, (next) => takeOver(next, true, listed));
  }
  if (scope.labels && world.process?.isOutrun === false) {
    add('the state is labelled', ({ process }) => {
      if (process !== undefined) process.isOutrun = true;
    });
  }
}

const LISTED: readonly Listed[] = ['everything', 'the ConfigMaps only', 'the Deployments only'];

/** What the leader before does, or has sent: what would meet a conflict, and change nothing, is left out. */
function formerSteps(world: World, scope: Scope, add: Add): void {
  const seen = seenByFormer(world);
  const addLate: Add = (name, run) => {
    add(`of the leader before: ${name}`, (next) =>
      asFormer(next, (former) => {
        void run(former);
        tidy(former);
      }),
    );
  };
  if (seen.configs.hasListed) {
    processSteps(seen, scope, addLate);
    return;
  }
  for (const name of NAMES) {
    const plan = seen.process?.patches[name]?.plan;
    if (plan !== undefined && isFresh(seen, name, plan)) {
      addLate(`the patch of ${name} is in force`, (next) => land(next, name));
    }
  }
  if (seen.process?.write !== undefined) addLate('the state is written', finishWrite);
}

function streamSteps(world: World, scope: Scope, add: Add): void {
  if (!world.configs.hasListed) add('the ConfigMaps are listed', listConfigs);
  else if (world.configs.queue.length > 0) add('news of r arrive', hearConfig);
  if (!world.workloads.hasListed) add('the Deployments are listed', listWorkloads);
  else if (world.workloads.queue.length > 0) {
    add(`news of ${world.workloads.queue[0]?.name} arrive`, hearWorkload);
  }
  if (!scope.relists) return;
  if (world.configs.hasListed && world.configs.queue.length > 1)
    add('the ConfigMaps are listed again', listConfigs);
  if (world.workloads.hasListed && world.workloads.queue.length > 1)
    add('the Deployments are listed again', listWorkloads);
}

function patchSteps(world: World, name: Name, scope: Scope, add: Add): void {
  const { process } = world;
  if (process === undefined) return;
  const patch = process.patches[name];
  if (mayAttempt(process, name)) add(`the window of ${name} ends`, (next) => attempt(next, name));
  if (patch === undefined) return;
  if (patch.answer !== undefined) {
    add(`the answer to the patch of ${name} arrives`, (next) => answer(next, name));
    if (scope.lostOptIns) add(`the answer to the patch of ${name} is lost`, (next) => loseAnswer(next, name));
    return;
  }
  const isSentWell = isFresh(world, name, patch.plan);
  add(`the patch of ${name} ${isSentWell ? 'is in force' : 'meets a conflict'}`, (next) => {
    land(next, name);
  });
  if (scope.refusals) add(`the patch of ${name} is refused`, (next) => refuse(next, name));
  if (scope.lostOptIns) add(`the patch of ${name} is lost`, (next) => loseAnswer(next, name));
}

function writeSteps(world: World, scope: Scope, add: Add): void {
  const { write, isOutrun } = processOf(world);
  if (write === undefined) {
    if (isOutrun) add('the state is read again', (next) => readAgain(next));
    if (plannedWrite(world)?.writes[0] !== undefined) add('a write of the state is sent', sendWrite);
    return;
  }
  add('the state is written', finishWrite);
  if (!scope.lostOptIns) return;
  add('the answer to the write is lost', (next) => loseWrite(next, true));
  add('the write is lost', (next) => loseWrite(next, false));
}

/** w2 comes into being, with a stamp that somebody copied. */
function appearances(world: World, scope: Scope, add: Add): void {
  if (!scope.following || world.deployments.w2 !== undefined) return;
  for (const stamp of [undefined, `${digestOfContent('b')}.7`, `${digestOfContent('a')}.1`]) {
    const told = stamp === undefined ? 'no stamp' : `${stamp[0]}${stamp.slice(40)}`;
    add(`w2 appears with ${told}`, (next) => appear(next, 'w2', stamp));
  }
}

/** Contents that change, streams and patches that are slow; nothing else. */
export const NOTHING_ELSE: Scope = {
  contents: ['a', 'b'],
  owners: false,
  refusals: false,
  crashes: false,
  missingObject: false,
  following: false,
  lostOptIns: false,
  relists: false,
  takeOvers: false,
  overlaps: false,
  labels: false,
};

/** Everything that may happen to one process and those that come after it. */
export const EVERYTHING: Scope = {
  contents: ['a', 'b', 'c'],
  owners: true,
  refusals: true,
  crashes: true,
  missingObject: true,
  following: true,
  lostOptIns: true,
  relists: true,
  takeOvers: false,
  overlaps: false,
  labels: false,
};
