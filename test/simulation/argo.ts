/**
 * What stands in for the controller of Argo Rollouts, and what an observer writes down of its pods: canaries that pause at a step,
 * blue-green switches, restarts, aborts and retries, templates in a Deployment. It takes one small step at a time, so that anything
 * may happen between two of them. A pod reads what is in force when it starts, a while after it was created.
 */

import { hashOf, type JsonObject } from '../sandbox/json.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { serverNow } from '../sandbox/server-clock.ts';
import { type LooseObject, NAMESPACE, resourceOf, split } from './api.ts';
import { contentOf } from './contents.ts';
import type { RolloutAct, WorkloadName } from './history.ts';
import { CONFIGS, ROLLOUTS, templateOwnerOf } from './manifests.ts';
import type { Fact } from './trace.ts';

/** From a write to its observation, and from one step to the next. */
const OBSERVE_MS = 10;
/** So long the pods of an aborted blue-green revision stay. */
const ABORTED_STAY_MS = 30_000;

/** What the controller needs of the world. */
export interface ArgoOptions {
  readonly sandbox: Sandbox;
  readonly add: (fact: Fact) => void;
  readonly podStartMs: number;
  /** Called after each of its writes. */
  readonly onWritten: () => void;
}

interface ArgoPod {
  readonly id: string;
  readonly hash: string;
  readonly createdMs: number;
  isReady: boolean;
}

/** One Rollout as the controller knows it. */
interface Followed {
  readonly uid: string;
  readonly pods: Set<ArgoPod>;
  /** The templates that it had, that of the latest use last. */
  templates: Map<string, object>;
  stable: string;
  current: string;
  /** Whether the present revision may go beyond its pause. */
  isPromoted: boolean;
  pausedMs: number | undefined;
  /** Undefined: of the present revision nothing was aborted. */
  isAborted: boolean | undefined;
  /** Until when the pods of revisions stay that are neither. */
  readonly staying: Map<string, number>;
  restartedAt: string | undefined;
  written: string;
}

/** See the file's comment. */
export class Argo {
  readonly #options: ArgoOptions;
  readonly #followed = new Map<WorkloadName, Followed>();
  readonly #timers = new Map<WorkloadName, { readonly dueMs: number; readonly timer: NodeJS.Timeout }>();
  readonly #versions = new Map<WorkloadName, string>();
  #pods = 0;
  #isFree = false;

  constructor(options: ArgoOptions) {
    this.#options = options;
  }

  /** Called whenever the world has come to rest for a moment. */
  look(): void {
    for (const name of ROLLOUTS) {
      const [rollout, owner] = [this.#live(name), this.#live(templateOwnerOf(name))];
      const versions = `${rollout?.metadata.resourceVersion} ${owner?.metadata.generation}`;
      if (rollout === undefined && !this.#followed.has(name)) continue;
      if (this.#versions.get(name) === versions) continue;
      this.#versions.set(name, versions);
      this.#wake(name, OBSERVE_MS);
    }
  }

  /** A person uses the plugin of kubectl. A retry is over at once: nothing may be judged by the abort from then on. */
  act(name: WorkloadName, act: RolloutAct): void {
    const followed = this.#followed.get(name);
    const rollout = this.#live(name);
    if (followed === undefined || rollout === undefined) return;
    if (act === 'promote') this.#promote(name, followed, rollout);
    else if (act === 'abort' && mayAbort(followed)) {
      followed.isAborted = true;
      if (rollout.spec.strategy.blueGreen !== undefined)
        followed.staying.set(followed.current, serverNow() + ABORTED_STAY_MS);
    } else if (act === 'retry' && followed.isAborted === true) retry(followed);
    this.#write(name, followed);
    this.#wake(name, OBSERVE_MS);
  }

  /** The template before the present one. */
  formerTemplate(name: WorkloadName): object | undefined {
    return [...(this.#followed.get(name)?.templates.values() ?? [])].at(-2);
  }

  /** From now on people let everything go on: they promote and retry whatever waits for it. */
  letGo(): void {
    this.#isFree = true;
    for (const name of this.#followed.keys()) {
      this.act(name, 'retry');
      this.act(name, 'promote');
    }
  }

  #promote(name: WorkloadName, followed: Followed, { spec }: LooseObject): void {
    if (followed.pausedMs !== undefined) followed.isPromoted = true;
    if (spec.paused !== true) return;
    this.#options.sandbox.patch('rollouts', NAMESPACE, split(name).name, { spec: { paused: false } });
  }

  /** Each step finds out when to look again, so that of two moments the earlier one is enough. */
  #wake(name: WorkloadName, ms: number): void {
    const dueMs = serverNow() + ms;
    const known = this.#timers.get(name);
    if (known !== undefined && known.dueMs <= dueMs) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      this.#sync(name);
    }, ms);
    this.#timers.set(name, { dueMs, timer });
  }

  #sync(name: WorkloadName): void {
    const rollout = this.#live(name);
    const { uid } = rollout?.metadata ?? {};
    if (this.#followed.get(name)?.uid !== uid) this.#forget(name);
    const template: object | undefined = this.#live(templateOwnerOf(name))?.spec.template;
    if (rollout === undefined || uid === undefined || template === undefined) return;
    const hash = hashOf(template as JsonObject);
    const followed = this.#followed.get(name) ?? newlyFollowed(uid, hash);
    this.#followed.set(name, followed);
    observe(followed, hash, template);
    const isMoved = rollout.spec.paused !== true && this.#move(name, followed, rollout);
    this.#write(name, followed);
    if (isMoved) this.#wake(name, OBSERVE_MS);
  }

  /** One step; answers whether there may be another one. */
  #move(name: WorkloadName, followed: Followed, { spec }: LooseObject): boolean {
    const wanted = wantedOf(followed, spec);
    for (const [hash, count] of wanted) if (this.#add(name, followed, hash, count)) return true;
    if (this.#isWaiting(followed)) return false;
    if (this.#goOn(name, followed, spec)) return true;
    const spare = [...followed.pods].find(
      ({ hash }) => countOf(followed, hash) > (wantedOf(followed, spec).get(hash) ?? 0),
    );
    if (spare !== undefined) return this.#remove(followed, spare);
    this.#lookAgainLater(name, followed);
    return this.#restart(name, followed, spec);
  }

  #isWaiting(followed: Followed): boolean {
    return [...followed.pods].some(({ isReady }) => !isReady);
  }

  /** The pods of the present revision that this step asks for are ready: it waits, or is promoted. */
  #goOn(name: WorkloadName, followed: Followed, spec: LooseObject['spec']): boolean {
    if (followed.current === followed.stable || followed.isAborted === true) return false;
    const pauseMs = pauseMsOf(spec);
    if (!followed.isPromoted) {
      followed.pausedMs ??= serverNow();
      const leftMs = followed.pausedMs + pauseMs - serverNow();
      followed.isPromoted = this.#isFree || leftMs <= 0;
      if (!followed.isPromoted && Number.isFinite(leftMs)) this.#wake(name, leftMs);
      return followed.isPromoted;
    }
    const delaySeconds: number | undefined = spec.strategy.blueGreen?.scaleDownDelaySeconds;
    if (delaySeconds !== undefined) followed.staying.set(followed.stable, serverNow() + delaySeconds * 1000);
    followed.stable = followed.current;
    return true;
  }

  #lookAgainLater(name: WorkloadName, { staying }: Followed): void {
    const next = Math.min(...staying.values());
    for (const [hash, untilMs] of staying) if (untilMs <= serverNow()) staying.delete(hash);
    if (next > serverNow() && next !== Number.POSITIVE_INFINITY) this.#wake(name, next - serverNow());
    else if (next <= serverNow()) this.#wake(name, OBSERVE_MS);
  }

  /** One pod that is older goes, once all the others are ready. */
  #restart(name: WorkloadName, followed: Followed, { restartAt }: LooseObject['spec']): boolean {
    if (restartAt === undefined || restartAt === followed.restartedAt) return false;
    const leftMs = Date.parse(restartAt) - serverNow();
    if (leftMs > 0) {
      this.#wake(name, leftMs);
      return false;
    }
    const older = [...followed.pods].find(
      ({ createdMs }) => Math.floor(createdMs / 1000) * 1000 < Date.parse(restartAt),
    );
    if (older !== undefined) return this.#remove(followed, older);
    followed.restartedAt = restartAt;
    return true;
  }

  #add(name: WorkloadName, followed: Followed, hash: string, wanted: number): boolean {
    if (countOf(followed, hash) >= wanted) return false;
    this.#pods += 1;
    const pod: ArgoPod = { id: `${name}-${this.#pods}`, hash, createdMs: serverNow(), isReady: false };
    followed.pods.add(pod);
    setTimeout(() => {
      if (followed.pods.has(pod)) this.#start(name, pod);
    }, this.#options.podStartMs);
    return true;
  }

  #start(name: WorkloadName, pod: ArgoPod): void {
    pod.isReady = true;
    const reads = Object.fromEntries(CONFIGS.map((config) => [config, contentOf(this.#live(config)?.data)]));
    this.#options.add({ type: 'pod-started', pod: pod.id, workload: name, reads });
    this.#wake(name, OBSERVE_MS);
  }

  #remove({ pods }: Followed, pod: ArgoPod): true {
    pods.delete(pod);
    if (pod.isReady) this.#options.add({ type: 'pod-gone', pod: pod.id });
    return true;
  }

  #forget(name: WorkloadName): void {
    const followed = this.#followed.get(name);
    for (const pod of followed?.pods ?? []) if (followed) this.#remove(followed, pod);
    this.#followed.delete(name);
  }

  #write(name: WorkloadName, followed: Followed): void {
    const rollout = this.#live(name);
    if (rollout === undefined) return;
    const owner = templateOwnerOf(name);
    const generation = String(rollout.metadata.generation);
    const status = {
      observedGeneration: generation,
      ...(owner !== name && {
        workloadObservedGeneration: String(this.#live(owner)?.metadata.generation),
      }),
      ...statusOf(followed, rollout.spec),
    };
    const text = JSON.stringify(status);
    if (text === followed.written) return;
    followed.written = text;
    this.#options.sandbox.setStatus('rollouts', NAMESPACE, split(name).name, status);
    this.#options.onWritten();
  }

  #live(name: string): LooseObject | undefined {
    return this.#options.sandbox.get(resourceOf(name), NAMESPACE, split(name).name) as
      | LooseObject
      | undefined;
  }
}

function newlyFollowed(uid: string, hash: string): Followed {
  return {
    uid,
    pods: new Set(),
    templates: new Map(),
    stable: hash,
    current: hash,
    isPromoted: false,
    pausedMs: undefined,
    isAborted: undefined,
    staying: new Map(),
    restartedAt: undefined,
    written: '',
  };
}

/** A new template begins anew; one whose pods stay goes back to these, unasked. */
function observe(followed: Followed, hash: string, template: object): void {
  if (followed.current !== hash || followed.templates.size === 0) {
    const isBack = (followed.staying.get(hash) ?? 0) > serverNow() && followed.isAborted !== true;
    followed.current = hash;
    followed.isPromoted = isBack;
    followed.pausedMs = undefined;
    followed.isAborted = undefined;
    followed.staying.delete(hash);
  }
  followed.templates.delete(hash);
  followed.templates.set(hash, template);
}

/** Where there are no pods all steps are over at once. */
function mayAbort({ pods, stable, current, isAborted }: Followed): boolean {
  return pods.size > 0 && stable !== current && isAborted !== true;
}

/** The steps begin anew. */
function retry(followed: Followed): void {
  followed.isAborted = false;
  followed.isPromoted = false;
  followed.pausedMs = undefined;
  followed.staying.delete(followed.current);
}

/** How many pods there are to be of each revision. */
function wantedOf(followed: Followed, spec: LooseObject['spec']): Map<string, number> {
  const { current, stable, isPromoted, isAborted, staying } = followed;
  const replicas: number = spec.replicas ?? 1;
  const wanted = new Map<string, number>();
  for (const [hash, untilMs] of staying)
    if (untilMs > serverNow() && countOf(followed, hash) > 0) wanted.set(hash, replicas);
  const half = Math.ceil(replicas / 2);
  const isAtStep = current !== stable && !isPromoted && spec.strategy.canary !== undefined;
  const isLeaving = current !== stable && isPromoted && spec.strategy.canary !== undefined;
  if (isAborted === true) return wanted.set(stable, replicas);
  if (isAtStep)
    return wanted.set(current, half).set(stable, Math.max(replicas - half, Math.min(replicas, 1)));
  // What is left of the stable ones goes when all the others are ready.
  wanted.set(stable, isLeaving ? countOf(followed, stable) : replicas);
  return wanted.set(current, replicas);
}

function countOf({ pods }: Followed, hash: string): number {
  return [...pods].filter((pod) => pod.hash === hash).length;
}

/** How long the Rollout waits before it goes on by itself; Infinity: for a person. */
function pauseMsOf({ strategy }: LooseObject['spec']): number {
  if (strategy.blueGreen !== undefined)
    return strategy.blueGreen.autoPromotionEnabled === false ? Number.POSITIVE_INFINITY : 0;
  const seconds: number | undefined = strategy.canary.steps[1].pause.duration;
  return seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000;
}

function statusOf(followed: Followed, spec: LooseObject['spec']): object {
  const { pods, current, stable, isAborted, restartedAt, pausedMs, isPromoted } = followed;
  const ready = [...pods].filter(({ isReady }) => isReady).length;
  const isPausing = pausedMs !== undefined && !isPromoted && isAborted !== true && pauseMsOf(spec) > 0;
  const reason = spec.strategy.canary === undefined ? 'BlueGreenPause' : 'CanaryPauseStep';
  return {
    phase: phaseOf(followed, spec, isPausing),
    stableRS: stable,
    currentPodHash: current,
    replicas: pods.size,
    updatedReplicas: countOf(followed, current),
    readyReplicas: ready,
    availableReplicas: ready,
    ...(spec.strategy.canary && { currentStepIndex: isPausing ? 1 : 0 }),
    ...(isPausing && { pauseConditions: [{ reason, startTime: textOf(pausedMs) }], controllerPause: true }),
    ...(isAborted !== undefined && { abort: isAborted }),
    ...(restartedAt !== undefined && { restartedAt }),
  };
}

function phaseOf(followed: Followed, spec: LooseObject['spec'], isPausing: boolean): string {
  const { pods, current, stable, isAborted, restartedAt } = followed;
  if (isAborted === true) return 'Degraded';
  if (isPausing || spec.paused === true) return 'Paused';
  const isRestarting = spec.restartAt !== undefined && spec.restartAt !== restartedAt;
  const replicas: number = spec.replicas ?? 1;
  const isWhole = countOf(followed, current) === replicas && [...pods].every(({ isReady }) => isReady);
  const isAlone = spec.strategy.canary === undefined || pods.size === replicas;
  return current === stable && isWhole && isAlone && !isRestarting ? 'Healthy' : 'Progressing';
}

function textOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
