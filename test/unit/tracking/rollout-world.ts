/** The small world with a Rollout of Argo in place of the Deployment: its status is what a test says. */

import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { RESTARTED_AT_ANNOTATION, restartPatch } from '../../../lib/model/kinds/argo-rollout.ts';
import type { WorkloadRef } from '../../../lib/model/object-ref.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { STAMPS_ANNOTATION, type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { changesOf } from './sketch.ts';
import { World } from './world.ts';

type Status = NonNullable<RawWorkload['status']>;

/** The annotation that asks for restarts. */
export const ASKS_RESTART = { 'reloader.k8s.collaborne.com/rollout-strategy': 'restart' };

/** All pods are of the template `hash`. */
export function healthy(hash: string): Status {
  return { phase: 'Healthy', stableRS: hash, currentPodHash: hash, replicas: 2, updatedReplicas: 2 };
}

/** Pods of the template `hash` and of the stable one, `from`. */
export function between(from: string, hash: string, more: Status = {}): Status {
  const counts = { replicas: 2, updatedReplicas: 1 };
  return { phase: 'Progressing', stableRS: from, currentPodHash: hash, ...counts, ...more };
}

/** The stable pods are left, those of `hash` are gone. */
export function aborted(from: string, hash: string): Status {
  return between(from, hash, { phase: 'Degraded', abort: true, updatedReplicas: 0 });
}

/** The moment of a step of the world. */
function momentAt(step: number): string {
  return new Date(Date.UTC(2026, 0, 1) + step * 1000).toISOString().replace('.000Z', 'Z');
}

/** See the file's comment. */
export class RolloutWorld extends World {
  #status: Status = healthy('h1');
  #restartAt: string | undefined;

  /** The status of `web`, and its stream tells. */
  is(status: Status, hasSeenSpec = true): ReturnType<World['tellWorkload']> {
    this.#status = status;
    this.edit('web', { isRolledOut: hasSeenSpec });
    return this.tellWorkload('web');
  }

  /** The moment in the spec changes, and its stream tells. */
  restartAt(moment: string | undefined): ReturnType<World['tellWorkload']> {
    this.#restartAt = moment;
    this.edit('web', { replicas: 2 });
    return this.tellWorkload('web');
  }

  override workloadRef(name: string): WorkloadRef {
    return { ...super.workloadRef(name), kind: 'Rollout' };
  }

  override raw(name: string): RawWorkload {
    const { status: _, ...raw } = super.raw(name);
    const { generation = 0 } = raw.metadata;
    const seen = this.live.get(name)?.isRolledOut === true ? generation : generation - 1;
    const restartAt = this.#restartAt === undefined ? {} : { restartAt: this.#restartAt };
    const { paused, ...spec } = raw.spec ?? {};
    return {
      ...raw,
      spec: { ...spec, ...restartAt, ...(paused === true && { paused }) },
      status: { ...this.#status, observedGeneration: String(seen) },
    };
  }

  override view(name: string): Workload {
    return workloadOf(workloadKindOf('Rollout'), this.raw(name), this.store.settings.vocabularies);
  }

  override land(plan: RolloutPlan, isRolledOut = false): void {
    if (plan.isRestart !== true) {
      super.land(plan, isRolledOut);
      return;
    }
    const moment = momentAt(this.now);
    const { annotations } = changesOf({ operations: restartPatch(plan.operations, moment) });
    const { [STAMPS_ANNOTATION]: text = '', [RESTARTED_AT_ANNOTATION]: at = '' } = annotations;
    const record = { [STAMPS_ANNOTATION]: String(text), [RESTARTED_AT_ANNOTATION]: String(at) };
    this.#restartAt = moment;
    this.edit('web', { asks: { ...this.live.get('web')?.asks, ...record }, replicas: 2, isRolledOut });
  }

  /** The restart that is asked for is done. */
  restarted(hash: string): void {
    this.is({ ...healthy(hash), ...(this.#restartAt !== undefined && { restartedAt: this.#restartAt }) });
  }

  /** The process dies; another one reads the state and lists the same. */
  override restart(flags: Partial<VocabularyOptions> = {}): RolloutWorld {
    const next = new RolloutWorld({}, this.namespace, flags);
    for (const [shard, own] of this.store.persisted.state.shards.entries())
      next.store.persisted.takeShard(shard, own);
    next.now = this.now;
    next.#status = this.#status;
    next.#restartAt = this.#restartAt;
    for (const [name, content] of this.contents) next.contents.set(name, content);
    for (const [name, live] of this.live) next.live.set(name, live);
    for (const name of next.contents.keys()) next.tellConfig(name, { initial: true });
    for (const name of next.live.keys()) next.tellWorkload(name, { initial: true });
    return next;
  }
}

/** `web` follows `cfg`, and all of its pods have read `a`. */
export function settledRollout(asks: Readonly<Record<string, string>> = {}): RolloutWorld {
  const world = new RolloutWorld({ 'v1.ConfigMap_cfg': 'a.1' });
  world.settings.absorbsExternalRollouts = () => true;
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'], asks, replicas: 2 }, { initial: true });
  return world;
}
