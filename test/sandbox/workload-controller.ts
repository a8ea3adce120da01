/**
 * A small workload controller: Deployments, StatefulSets and DaemonSets become pods, in small steps that are scheduled
 * one by one with the global setTimeout, so that anything may happen between them.
 */

import { keyOf, type ObjectKey, type WorkloadRef } from '../../lib/model/object-ref.ts';
import { type Followed, type LivePod, newlyFollowed } from './followed.ts';
import { hashOf, type JsonObject, objectOf, pick } from './json.ts';
import { mountsOf, type Pod, startWith } from './pod.ts';
import {
  type Owner,
  putControllerRevision,
  putPod,
  putReplicaSet,
  removePod,
  removeRevision,
} from './pod-objects.ts';
import { type ResourceRow, rowOfKind } from './resource-table.ts';
import { REVISION_ANNOTATION, type Revision, Revisions } from './revisions.ts';
import {
  daemonSetStep,
  deploymentStep,
  type RolloutFacts,
  type Step,
  statefulSetStep,
} from './rollout-steps.ts';
import { serverNow } from './server-clock.ts';
import { overBudget } from './status-error.ts';
import type { Change, Store } from './store.ts';
import { type StoredObject, storeKey } from './stored-object.ts';
import { STATUS_OF } from './workload-status.ts';
import { ORPHAN_FINALIZER, type Writes } from './writes.ts';

/** How a workload's rollout goes: a pod takes so many ms to start, or nothing happens at all. */
export type Pace = number | 'frozen';

/** What a WorkloadController is told. */
export interface WorkloadControllerOptions {
  /** From a change to its observation, and from one step to the next. */
  readonly observeMs: number;
  /** From a pod's creation to its start. */
  readonly podStartMs: number;
}

const STEPS: Readonly<Record<string, (facts: RolloutFacts<LivePod>) => Step<LivePod> | undefined>> = {
  Deployment: deploymentStep,
  StatefulSet: statefulSetStep,
  DaemonSet: daemonSetStep,
};

/** What a pod must have read to crash. */
export type Crashes = (reads: Pod['reads']) => boolean;

/** From a crash to the next start. */
const RESTART_MS = 20_000;
/** How often a pod crashes before its Deployment says that it makes no progress. */
const GIVEN_UP = 2;
/** How many pods a DaemonSet has. */
const NODES = 2;

const AS_CONTROLLER = {
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
  dryRun: false,
} as const;

/** The controller of all workloads of one store. */
export class WorkloadController {
  readonly #store: Store;
  readonly #writes: Writes;
  readonly #options: WorkloadControllerOptions;
  readonly #followed = new Map<ObjectKey, Followed>();
  readonly #paces = new Map<ObjectKey, Pace>();
  readonly #budgets = new Map<ObjectKey, number>();
  readonly #crashes = new Map<ObjectKey, Crashes>();
  readonly #waiting = new Set<LivePod>();
  #isWriting = false;
  #isClosed = false;

  constructor(store: Store, writes: Writes, options: WorkloadControllerOptions) {
    this.#store = store;
    this.#writes = writes;
    this.#options = options;
    store.onChange((row, change) => this.#observe(row, change));
  }

  /** All pods. The objects are live: their fields change when they start. */
  pods(): readonly Pod[] {
    return [...this.#followed.values()].flatMap((followed) => followed.pods);
  }

  /** The pods of one workload, in the order of their creation. */
  podsOf(ref: WorkloadRef): readonly Pod[] {
    return [...(this.#followed.get(keyOf(ref))?.pods ?? [])];
  }

  /** The distinct templates that a workload had and that can be gone back to, oldest first; the last is the present one. */
  revisions(ref: WorkloadRef): readonly Revision[] {
    return this.#followed.get(keyOf(ref))?.revisions.all ?? [];
  }

  /** From now on a workload rolls at this pace; undefined: the ordinary one. Held steps go on when it thaws. */
  setRolloutDelay(ref: WorkloadRef, pace: Pace | undefined): void {
    const key = keyOf(ref);
    const wasFrozen = this.#paces.get(key) === 'frozen';
    if (pace === undefined) this.#paces.delete(key);
    else this.#paces.set(key, pace);
    const followed = this.#followed.get(key);
    if (!wasFrozen || pace === 'frozen' || followed === undefined) return;
    this.#wake(followed);
    for (const pod of followed.pods) if (!pod.isReady) this.#startLater(followed, pod);
  }

  /** Pods of a workload that start from now on crash, and start again, as long as they read such contents; undefined: none do. */
  setCrashing(ref: WorkloadRef, crashes: Crashes | undefined): void {
    if (crashes === undefined) this.#crashes.delete(keyOf(ref));
    else this.#crashes.set(keyOf(ref), crashes);
  }

  /** At least so many pods of a workload are to stay ready when one is evicted; undefined: no budget. */
  setBudget(ref: WorkloadRef, minAvailable: number | undefined): void {
    if (minAvailable === undefined) this.#budgets.delete(keyOf(ref));
    else this.#budgets.set(keyOf(ref), minAvailable);
  }

  /** @throws StatusError 429 if the budget does not allow the eviction of this pod */
  checkBudget({ metadata: { namespace = '', name } }: StoredObject): void {
    const isIt = (pod: LivePod): boolean => pod.workload.namespace === namespace && pod.name === name;
    const followed = [...this.#followed.values()].find(({ pods }) => pods.some(isIt));
    const budget = followed && this.#budgets.get(keyOf(followed.ref));
    if (followed === undefined || budget === undefined) return;
    const ready = followed.pods.filter((pod) => pod.isReady && !isIt(pod)).length;
    if (followed.pods.some((pod) => isIt(pod) && pod.isReady) && ready < budget)
      throw overBudget(rowOfKind('Pod'), name);
  }

  /** Stops all timers; nothing moves any more. */
  close(): void {
    this.#isClosed = true;
    for (const followed of this.#followed.values()) {
      clearTimeout(followed.timer);
      for (const pod of followed.pods) clearTimeout(pod.timer);
    }
  }

  #observe(row: ResourceRow, { type, object }: Change): void {
    if (this.#isWriting || this.#isClosed) return;
    const { namespace = '', name } = object.metadata;
    const key = keyOf({ kind: row.kind, namespace, name });
    if (type === 'ADDED') for (const pod of this.#waiting) if (pod.missing.has(key)) this.#retry(pod);
    if (STEPS[row.kind] === undefined) {
      if (type === 'DELETED') this.#lose(row, namespace, name);
      return;
    }
    const ref = { kind: row.kind, namespace, name };
    const followed = this.#followed.get(key) ?? newlyFollowed(ref, row, object.metadata.uid);
    this.#followed.set(key, followed);
    this.#wake(followed);
  }

  /** A pod was evicted: it is replaced. */
  #lose({ kind }: ResourceRow, namespace: string, name: string): void {
    if (kind !== 'Pod') return;
    for (const followed of this.#followed.values()) {
      const pod = followed.pods.find((each) => each.name === name && each.workload.namespace === namespace);
      if (pod === undefined) continue;
      clearTimeout(pod.timer);
      this.#waiting.delete(pod);
      followed.pods = followed.pods.filter((each) => each !== pod);
      this.#wake(followed);
    }
  }

  #retry(pod: LivePod): void {
    const followed = this.#followed.get(pod.key);
    if (followed) this.#startLater(followed, pod);
  }

  #isFrozen(followed: Followed): boolean {
    return this.#paces.get(keyOf(followed.ref)) === 'frozen';
  }

  #wake(followed: Followed): void {
    if (this.#isClosed || followed.timer !== undefined || this.#isFrozen(followed)) return;
    followed.timer = setTimeout(() => {
      followed.timer = undefined;
      if (!this.#isFrozen(followed)) this.#sync(followed);
    }, this.#options.observeMs);
  }

  /** One step of one workload, and its status. */
  #sync(followed: Followed): void {
    const { row, ref } = followed;
    const object = this.#store.get(row, storeKey(ref.namespace, ref.name));
    if (object?.metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) {
      this.#leavePods(followed);
      return;
    }
    if (object === undefined && followed.hasLeftPods) return;
    if (object?.metadata.uid !== followed.uid && !followed.hasLeftPods) this.#forget(followed);
    if (object === undefined) {
      this.#followed.delete(keyOf(ref));
      return;
    }
    followed.uid = object.metadata.uid;
    followed.hasLeftPods = false;
    this.#isWriting = true;
    try {
      const spec = objectOf(object['spec']);
      const template = objectOf(spec['template']);
      if (spec['paused'] !== true) followed.revisions.observe(template, object.metadata.annotations ?? {});
      const isStep = this.#step(followed, object, spec);
      this.#writeStatus(followed, object, spec, hashOf(template));
      if (isStep) this.#wake(followed);
    } finally {
      this.#isWriting = false;
    }
  }

  #leavePods(followed: Followed): void {
    const { row, ref } = followed;
    followed.hasLeftPods = true;
    const withoutFinalizers = (live: StoredObject): JsonObject => ({
      ...live,
      metadata: { ...live.metadata, finalizers: undefined },
    });
    const target = { row, namespace: ref.namespace, name: ref.name };
    const { subresource: _status, ...asGarbageCollector } = AS_CONTROLLER;
    this.#writes.patch(target, withoutFinalizers, asGarbageCollector);
  }

  #step(followed: Followed, object: StoredObject, spec: JsonObject): boolean {
    const { pods, revisions, row } = followed;
    const target = revisions.latest?.hash;
    followed.current ??= target;
    const step = STEPS[row.kind]?.({
      spec,
      pods,
      target,
      current: followed.current,
      nodes: NODES,
    });
    if (step?.kind === 'remove') this.#removePod(followed, step.pod);
    else if (step?.kind === 'add') this.#addPod(followed, object, step.templateHash, step.ordinal);
    else if (pods.every((pod) => pod.isReady && pod.templateHash === target) && !isOnDelete(spec)) {
      followed.current = target;
    }
    return step !== undefined;
  }

  #addPod(followed: Followed, object: StoredObject, templateHash: string, ordinal: number): void {
    const { ref, row, revisions } = followed;
    followed.createdPods += 1;
    const suffix = `${templateHash}-${followed.createdPods.toString(36)}`;
    const pod: LivePod = {
      name: `${ref.name}-${row.kind === 'StatefulSet' ? ordinal : suffix}`,
      workload: ref,
      key: keyOf(ref),
      templateHash,
      ordinal,
      phase: 'Pending',
      createdAt: serverNow(),
      reads: new Map(),
      isReady: false,
      crashes: 0,
      missing: new Set(),
    };
    followed.pods.push(pod);
    const revision = revisions.find(templateHash);
    if (revision) putPod(this.#store, { row, object }, pod.name, revision, 'pending');
    this.#startLater(followed, pod);
  }

  #startLater(followed: Followed, pod: LivePod): void {
    const pace = this.#paces.get(pod.key);
    if (pod.timer === undefined && pace !== 'frozen')
      this.#startIn(followed, pod, pace ?? this.#options.podStartMs);
  }

  #startIn(followed: Followed, pod: LivePod, ms: number): void {
    if (this.#isClosed) return;
    pod.timer = setTimeout(() => {
      pod.timer = undefined;
      if (!this.#isFrozen(followed)) this.#start(followed, pod);
    }, ms);
  }

  /** The pod reads all that it refers to and runs or crashes, or waits for what is missing. */
  #start(followed: Followed, pod: LivePod): void {
    const { ref, row, revisions } = followed;
    const object = this.#store.get(row, storeKey(ref.namespace, ref.name));
    const revision = revisions.find(pod.templateHash);
    if (object === undefined || revision === undefined) return;
    const start = startWith(this.#store, mountsOf(revision.template, ref.namespace));
    if (start.kind === 'waiting') {
      pod.missing = start.missing;
      this.#waiting.add(pod);
      return;
    }
    this.#waiting.delete(pod);
    const hasCrashed = this.#crashes.get(pod.key)?.(start.reads) === true;
    if (hasCrashed) {
      pod.crashes += 1;
      this.#startIn(followed, pod, RESTART_MS);
    } else this.#run(pod, start.reads);
    putPod(this.#store, { row, object }, pod.name, revision, hasCrashed ? 'crashing' : 'running');
    this.#wake(followed);
  }

  #run(pod: LivePod, reads: Pod['reads']): void {
    pod.phase = 'Running';
    pod.isReady = true;
    pod.crashes = 0;
    pod.reads = reads;
    pod.startedAt = serverNow();
    pod.startedAtVersion = this.#store.sequence;
  }

  #removePod(followed: Followed, pod: LivePod): void {
    clearTimeout(pod.timer);
    this.#waiting.delete(pod);
    followed.pods = followed.pods.filter((each) => each !== pod);
    removePod(this.#store, followed.ref.namespace, pod.name);
  }

  #forget(followed: Followed): void {
    const { ref, row } = followed;
    for (const pod of followed.pods) this.#removePod(followed, pod);
    for (const revision of followed.revisions.all) removeRevision(this.#store, row, ref, revision);
    followed.revisions = new Revisions();
    followed.current = undefined;
  }

  #writeStatus(followed: Followed, object: StoredObject, spec: JsonObject, present: string): void {
    const { row, ref, pods, current, revisions } = followed;
    this.#writeRevisions(followed, { row, object });
    const generation = object.metadata.generation ?? 0;
    const status = STATUS_OF[row.kind]?.({
      name: ref.name,
      generation,
      pods,
      present,
      current,
      nodes: NODES,
      spec,
      isGivenUp: pods.some(({ templateHash, crashes }) => templateHash === present && crashes >= GIVEN_UP),
    });
    const { latest } = revisions;
    const change = (live: StoredObject): JsonObject => {
      if (row.kind !== 'Deployment' || latest === undefined) return { ...live, status };
      const annotations = { ...live.metadata.annotations, [REVISION_ANNOTATION]: String(latest.revision) };
      return { ...live, status, metadata: { ...live.metadata, annotations } };
    };
    this.#writes.patch({ row, namespace: ref.namespace, name: ref.name }, change, AS_CONTROLLER);
  }

  #writeRevisions(followed: Followed, owner: Owner): void {
    const { ref, row, pods, revisions } = followed;
    const countOf = (hash: string): number => pods.filter((pod) => pod.templateHash === hash).length;
    for (const gone of revisions.trim((hash) => countOf(hash) > 0))
      removeRevision(this.#store, row, ref, gone);
    for (const revision of revisions.all) {
      if (row.kind === 'Deployment') putReplicaSet(this.#store, owner, revision, countOf(revision.hash));
      else putControllerRevision(this.#store, owner, revision);
    }
  }
}

function isOnDelete(spec: JsonObject): boolean {
  return pick(spec, 'updateStrategy', 'type') === 'OnDelete';
}

/** The row of a workload's kind. */
export function rowOfWorkload(ref: WorkloadRef): ResourceRow {
  return rowOfKind(ref.kind);
}
