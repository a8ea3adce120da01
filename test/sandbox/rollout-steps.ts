/** The next small step of a rollout, decided purely: which pod to add or to remove, one at a time. */

import { type Json, type JsonObject, objectOf, pick } from './json.ts';

/** A pod as these decisions see it. */
export interface PodFacts {
  readonly templateHash: string;
  readonly isReady: boolean;
  /** Its number in a StatefulSet, its node in a DaemonSet; in a Deployment its age. */
  readonly ordinal: number;
}

/** One step. */
export type Step<P extends PodFacts> =
  | { readonly kind: 'add'; readonly templateHash: string; readonly ordinal: number }
  | { readonly kind: 'remove'; readonly pod: P };

/** What a decision knows. */
export interface RolloutFacts<P extends PodFacts> {
  readonly spec: JsonObject;
  readonly pods: readonly P[];
  /** The template that pods shall run; of a paused Deployment the last one that was rolled out, if any. */
  readonly target: string | undefined;
  /** StatefulSets: the template before the one being rolled out. */
  readonly current: string | undefined;
  /** DaemonSets: how many nodes there are. */
  readonly nodes: number;
}

/** One surge pod, none unavailable: a pod of the target comes and starts, then an old one goes. Recreate: all go first. */
export function deploymentStep<P extends PodFacts>(facts: RolloutFacts<P>): Step<P> | undefined {
  const { spec, pods, target } = facts;
  const wanted = numberOf(spec['replicas'], 1);
  const isPaused = spec['paused'] === true;
  const present = pods.filter((pod) => pod.templateHash === target);
  const old = pods.filter((pod) => pod.templateHash !== target);
  const ready = pods.filter((pod) => pod.isReady).length;
  if (isPaused) return scaled(pods, wanted, target);
  const waiting = old.find((pod) => !pod.isReady);
  if (waiting) return { kind: 'remove', pod: waiting };
  const surplus = present.length > wanted ? newest(present) : undefined;
  if (surplus) return { kind: 'remove', pod: surplus };
  const isRecreated = pick(spec, 'strategy', 'type') === 'Recreate';
  const spare = old.at(0);
  if (spare && (isRecreated || ready > wanted || wanted === 0)) return { kind: 'remove', pod: spare };
  const mayAdd = present.length < wanted && pods.length < wanted + 1;
  return mayAdd && target !== undefined
    ? { kind: 'add', templateHash: target, ordinal: nextOf(pods) }
    : undefined;
}

/** In order of the ordinals: missing pods are added from below, old ones removed from above down to the partition. */
export function statefulSetStep<P extends PodFacts>(facts: RolloutFacts<P>): Step<P> | undefined {
  const { spec, pods, target, current } = facts;
  if (target === undefined) return undefined;
  const wanted = numberOf(spec['replicas'], 1);
  const strategy = objectOf(spec['updateStrategy']);
  const partition = numberOf(pick(strategy, 'rollingUpdate', 'partition'), 0);
  const isOnDelete = strategy['type'] === 'OnDelete';
  const surplus = newest(pods.filter((pod) => pod.ordinal >= wanted));
  if (surplus) return { kind: 'remove', pod: surplus };
  const outdated = pods.filter((pod) => pod.templateHash !== target && pod.ordinal >= partition);
  const stuck = isOnDelete ? undefined : newest(outdated.filter((pod) => !pod.isReady));
  if (stuck) return { kind: 'remove', pod: stuck };
  if (pods.some((pod) => !pod.isReady)) return undefined;
  const missing = firstFree(pods, wanted);
  if (missing !== undefined) {
    const keepsOld = !isOnDelete && missing < partition && current !== undefined;
    return { kind: 'add', templateHash: keepsOld ? current : target, ordinal: missing };
  }
  const next = isOnDelete ? undefined : newest(outdated);
  return next && { kind: 'remove', pod: next };
}

/** One pod per node; old ones are removed one at a time, and replaced before the next one goes. */
export function daemonSetStep<P extends PodFacts>(facts: RolloutFacts<P>): Step<P> | undefined {
  const { spec, pods, target, nodes } = facts;
  if (target === undefined) return undefined;
  const missing = firstFree(pods, nodes);
  if (missing !== undefined) return { kind: 'add', templateHash: target, ordinal: missing };
  if (pick(spec, 'updateStrategy', 'type') === 'OnDelete') return undefined;
  const outdated = pods.filter((pod) => pod.templateHash !== target);
  const stuck = outdated.find((pod) => !pod.isReady);
  if (stuck) return { kind: 'remove', pod: stuck };
  const next = outdated[0];
  return next && pods.every((pod) => pod.isReady) ? { kind: 'remove', pod: next } : undefined;
}

function scaled<P extends PodFacts>(
  pods: readonly P[],
  wanted: number,
  target: string | undefined,
): Step<P> | undefined {
  const last = newest(pods);
  if (pods.length > wanted && last) return { kind: 'remove', pod: last };
  if (pods.length >= wanted || target === undefined) return undefined;
  return { kind: 'add', templateHash: target, ordinal: nextOf(pods) };
}

function newest<P extends PodFacts>(pods: readonly P[]): P | undefined {
  return pods.reduce<P | undefined>(
    (best, pod) => (best && best.ordinal > pod.ordinal ? best : pod),
    undefined,
  );
}

function nextOf(pods: readonly PodFacts[]): number {
  return (newest(pods)?.ordinal ?? -1) + 1;
}

function firstFree(pods: readonly PodFacts[], wanted: number): number | undefined {
  for (let ordinal = 0; ordinal < wanted; ordinal += 1) {
    if (!pods.some((pod) => pod.ordinal === ordinal)) return ordinal;
  }
  return undefined;
}

function numberOf(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
