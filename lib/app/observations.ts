/**
 * The entry of all observations, from streams, refetches and hand-overs: projects raw objects, runs the rules of tracking, and
 * passes on their effects. Each method is synchronous and carries its effects out before it returns, so no two interleave.
 */

import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import { type ConfigRef, keyOf, namespaceIn, type ObjectKey } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { seeShownState } from '../state/shown-state.ts';
import type { SyncGate } from '../store/sync-gate.ts';
import { namedAlgorithms } from '../tracking/named-algorithms.ts';
import { observeConfig } from '../tracking/observe-config.ts';
import { observeWorkload } from '../tracking/observe-workload.ts';
import { Controllers, type ControllersOptions } from './controllers.ts';
import { saysSomething } from './hand-over.ts';

/** See the file's comment. */
export class Observations {
  readonly controllers: Controllers;
  /** Workloads that follow nothing and are kept all the same, see `saysSomething`. */
  readonly others: Map<ObjectKey, Workload> = new Map();
  readonly #gate: SyncGate;
  readonly #leads: boolean;

  constructor(options: ControllersOptions) {
    this.#gate = options.gate;
    this.#leads = options.leads;
    this.controllers = new Controllers(options, {
      project: (kind, raw) => this.project(kind, raw),
      onConfig: (event) => this.config(event),
      onWorkload: (event) => this.workload(event),
    });
  }

  /** The projection of a ConfigMap or Secret: digests and metadata. The content is not kept. */
  project(kind: ConfigRef['kind'], raw: RawConfigObject): ConfigObject {
    const { store, committer } = this.controllers;
    const object = configObjectOf(kind, raw, {
      algorithms: store.settings.algorithms,
      others: (ref) => namedAlgorithms(store, ref),
      keyDigests: (ref) => store.scopes.wants(keyOf(ref)),
      annotation: store.settings.vocabularies.isConfigAnnotation,
      isOwnState: (ref) => store.isOwn(ref),
    });
    if (object.isState === true) seeShownState(store, this.#leads ? committer : undefined, raw);
    return object;
  }

  /** An event of a ConfigMap or Secret. */
  config(event: InformerEvent<ConfigObject>): void {
    const { controllers } = this;
    const { store, fence } = controllers;
    if (event.type === 'synced') {
      controllers.apply(observeConfig(store, event));
      return;
    }
    const dependents = (): Iterable<ObjectKey> =>
      store.dependents.dependentsOfAny([event.key, ...store.scopes.of(event.key).map(keyOf)]);
    fence.run('its event', event.key, () => {
      try {
        controllers.apply(observeConfig(store, event));
      } catch (error) {
        for (const workload of dependents()) controllers.restore(workload);
        throw error;
      }
    });
    controllers.wake(dependents());
  }

  /** An event of a workload; findings and repairs follow the effects, since they read the edges that these have changed. */
  workload(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { controllers } = this;
    const { rollouts, findings, pauses, jobRecreations, fence } = controllers;
    const { key } = event;
    fence.run('its event', key, () => this.#observe(event));
    if (!this.#leads) return;
    fence.run('its slot', key, () => rollouts.slots?.observed(key));
    controllers.wake([key]);
    fence.run('its findings', key, () => findings.observe(event));
    fence.run('its pause', key, () => pauses.observe(event));
    fence.run('its recreation', key, () => jobRecreations.observe(event));
  }

  /** After an exception the record has its former version, so that the next try, or the next term, finds the same difference. */
  #observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { controllers, others } = this;
    const { store } = controllers;
    const before = store.workloads.get(event.key)?.workload;
    try {
      controllers.apply(observeWorkload(store, event, this.#gate.isSynced(namespaceIn(event.key))));
      if (event.type === 'present' && !store.workloads.has(event.key) && saysSomething(event.object))
        others.set(event.key, event.object);
      else others.delete(event.key);
    } catch (error) {
      if (event.type === 'present') others.set(event.key, event.object);
      const record = store.workloads.get(event.key);
      if (record !== undefined) record.workload = before ?? { ...record.workload, resourceVersion: '0' };
      controllers.restore(event.key);
      throw error;
    }
  }
}
