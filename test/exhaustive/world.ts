/**
 * The small world of the exhaustive test: one ConfigMap, two Deployments of two pods, one reloader that may be dead, at times
 * another one that led before it. Plain data that is copied for every step; what is readonly here and in the rules is shared
 * between copies.
 */

import type { ConfigObject } from '../../lib/model/config-object.ts';
import type { RolloutPlan } from '../../lib/model/rollout-plan.ts';
import type { ShardedState } from '../../lib/model/shards.ts';
import type { SignOfLife } from '../../lib/model/timeline.ts';
import type { Workload } from '../../lib/model/workload.ts';
import type { StateWrite } from '../../lib/state/state-write.ts';
import type { Store } from '../../lib/store/store.ts';
import { copyEdges } from './copy-edges.ts';

/** A content of the ConfigMap, named by the letter that its digest repeats. */
export type Content = 'a' | 'b' | 'c';

/** The two Deployments. */
export type Name = 'w1' | 'w2';
export const NAMES: readonly Name[] = ['w1', 'w2'];

/** A pod template: what its owner wrote, and our stamp. Equal templates share a ReplicaSet. */
export interface Template {
  readonly owner: number;
  readonly stamp: string | undefined;
}

/** One pod. Immutable. */
export interface Pod {
  readonly template: Template;
  /** What was in force when it started. */
  readonly read: Content | undefined;
  /** What it counts as having read: by its edge's baseline, or by one of the limits. */
  readonly counts: Content | undefined;
  /** When it started, or its edge's baseline was taken: the newest resourceVersion of that moment. */
  readonly at: number;
  /** It started, or its edge began, while no process looked; 'listed': since then the ConfigMaps were, but not the rest. */
  readonly unseen: 'no' | 'yes' | 'listed';
}

/** One Deployment as it is. */
export interface Deployment {
  resourceVersion: number;
  generation: number;
  observedGeneration: number;
  template: Template;
  /** The template of before, to which an undo goes back. */
  former: Template;
  follows: boolean;
  pods: readonly Pod[];
}

/** News of a stream that are on their way. */
export interface News<T> {
  readonly name: string;
  /** Undefined: it was deleted. */
  readonly object: T | undefined;
  readonly resourceVersion: number;
  /** Somebody other than who hears it and the Deployment's controller wrote it. */
  readonly isOwners: boolean;
}

/** A list and watch. */
export interface Stream<T> {
  hasListed: boolean;
  queue: readonly News<T>[];
  sign: SignOfLife | undefined;
}

/** A patch that was sent. */
export interface Patch {
  readonly plan: RolloutPlan;
  /** What the server answered, once it is in force and the answer is on its way. */
  readonly answer: Workload | undefined;
}

/** What the work queue knows of a workload. */
export interface Turn {
  /** Its quiet period runs, or it is due. */
  window: boolean;
  busy: boolean;
  /** Its next try is put off: it blocks no commit. */
  backoff: boolean;
}

/** The reloader's process. */
export interface Process {
  store: Store;
  turns: Record<Name, Turn>;
  patches: Record<Name, Patch | undefined>;
  /** The entry of the ConfigMap may have to be written; it differs and is not due; an attempt waits for its mark. */
  isChanged: boolean;
  isPending: boolean;
  isDemanded: boolean;
  /** The write of the state that is on its way. */
  write: StateWrite | undefined;
  /** That in which it leads. */
  readonly term: number | undefined;
  /** Another one has written the state since this one knew it: the fence of its next write is out of date. */
  isOutrun: boolean;
}

/** A process with its streams. */
export interface Actor {
  process: Process | undefined;
  configs: Stream<ConfigObject>;
  workloads: Stream<Workload>;
}

/** Everything. */
export interface World extends Actor {
  readonly comparable: boolean;
  clock: number;
  arrivals: number;
  content: Content | undefined;
  lastContent: Content;
  configVersion: number;
  deployments: Partial<Record<Name, Deployment>>;
  stored: ShardedState;
  /** The term that the state is marked with; undefined: processes know no terms. */
  term: number | undefined;
  /** The leader before, for as long as it does not know that it leads no longer, or something that it sent is under way. */
  former: Actor | undefined;
  /** The id of the last rollout. */
  lastId: number;
  /** Whether any process has died. */
  hasDied: boolean;
}

/** A copy of which nothing mutable is shared. */
export function copyOf(world: World): World {
  const copy = copyAroundProcess(world);
  copy.process &&= copyOfProcess(copy.process);
  if (copy.former !== undefined) copy.former.process &&= copyOfProcess(copy.former.process);
  return copy;
}

/** A copy with which nothing mutable is shared but the processes. */
export function copyAroundProcess(world: World): World {
  const { w1, w2 } = world.deployments;
  const { former } = world;
  return {
    ...world,
    deployments: { ...(w1 && { w1: { ...w1 } }), ...(w2 && { w2: { ...w2 } }) },
    ...copyOfStreams(world),
    former: former && { ...former, ...copyOfStreams(former) },
  };
}

function copyOfStreams({ configs, workloads }: Actor): Pick<Actor, 'configs' | 'workloads'> {
  return { configs: { ...configs }, workloads: { ...workloads } };
}

function copyOfProcess(process: Process): Process {
  const { turns, patches } = process;
  return {
    ...process,
    store: copyEdges(process.store),
    turns: { w1: { ...turns.w1 }, w2: { ...turns.w2 } },
    patches: { ...patches },
  };
}

/** A rule was broken. */
export class Broken extends Error {}
