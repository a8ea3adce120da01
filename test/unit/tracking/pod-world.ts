/** The small world with Pods of an operator in place of Deployments: each is a workload, and another one follows under its name. */

import type { VocabularyOptions } from '../../../lib/annotations/union.ts';
import { EVICT_LABEL } from '../../../lib/model/kinds/evicted.ts';
import type { WorkloadRef } from '../../../lib/model/object-ref.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { World } from './world.ts';

/** The controller of all pods. */
export const OPERATOR = { apiVersion: 'acme.example/v1', kind: 'App', uid: 'the-app', controller: true };

/** See the file's comment. */
export class PodWorld extends World {
  /** By name, when the pod was created, in seconds since 1970. */
  readonly created: Map<string, number> = new Map();
  /** Whether no controller creates them again. */
  isNaked = false;

  /** Another pod of the name is created, and its stream tells. */
  born(name: string, seconds: number, isReady = true): Effects {
    this.created.set(name, seconds);
    return this.workload(name, { follows: ['cfg'], uid: `${name}-${seconds}`, isRolledOut: isReady });
  }

  override workloadRef(name: string): WorkloadRef {
    return { ...super.workloadRef(name), kind: 'Pod' };
  }

  override raw(name: string): RawWorkload {
    const { metadata, spec } = super.raw(name);
    const isReady = this.live.get(name)?.isRolledOut === true ? 'True' : 'False';
    return {
      metadata: {
        ...metadata,
        creationTimestamp: new Date((this.created.get(name) ?? 0) * 1000).toISOString(),
        labels: { [EVICT_LABEL.name]: EVICT_LABEL.value },
        ownerReferences: this.isNaked ? [] : [OPERATOR],
      },
      spec: (spec?.template?.spec ?? {}) as RawWorkload['spec'] & object,
      status: { conditions: [{ type: 'Ready', status: isReady }] },
    };
  }

  override view(name: string): Workload {
    return workloadOf(workloadKindOf('Pod'), this.raw(name), this.store.settings.vocabularies);
  }

  protected override anew(flags: Partial<VocabularyOptions>): PodWorld {
    const next = new PodWorld({}, this.namespace, flags);
    for (const [name, seconds] of this.created) next.created.set(name, seconds);
    return next;
  }
}

/** A world whose state says that `cfg` is committed as `a`, where it is `a`, and so many pods run it. */
export function settledPods(names: readonly string[], seconds: number): PodWorld {
  const world = new PodWorld({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true });
  for (const name of names) {
    world.created.set(name, seconds);
    world.workload(name, { follows: ['cfg'], uid: `${name}-${seconds}` }, { initial: true });
  }
  return world;
}
