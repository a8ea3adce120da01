/**
 * The reloader of one term: observes the streams, and as a leader rolls workloads and writes the state. As a standby it only
 * observes, so that the reloader of the next term can take over its observations without a list.
 */

import type { ConfigObject } from '../model/config-object.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { RawConfigObject, RawWorkload } from '../model/raw-objects.ts';
import type { InformerEvent } from '../model/timeline.ts';
import { type Workload, workloadOf } from '../model/workload.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import { catchUp } from '../repair/catch-up.ts';
import type { MissingObjects } from '../repair/missing-objects.ts';
import type { Findings } from '../report/findings.ts';
import type { Journal } from '../report/journal.ts';
import type { RolloutController } from '../rollout/rollout-controller.ts';
import { finishInTime } from '../state/ending.ts';
import { noticeState } from '../state/shown-state.ts';
import type { StateCommitter } from '../state/state-committer.ts';
import type { NamespaceObject } from '../store/records.ts';
import type { AllShards } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { nameOf, type Stream } from '../store/sync-gate.ts';
import { observeListed } from '../tracking/observe-config.ts';
import type { ControllersOptions } from './controllers.ts';
import { type Former, handOver } from './hand-over.ts';
import { Listing } from './listing.ts';
import { Observations } from './observations.ts';

/** See the file's comment. A leader is used in this order: `begin`, `takeOver`, events, then `finish` or `abandon`. */
export class Reloader {
  readonly rollouts: RolloutController;
  readonly committer: StateCommitter;
  readonly findings: Findings;
  readonly missingObjects: MissingObjects;
  readonly listing: Listing;
  readonly #options: ControllersOptions;
  readonly #observations: Observations;
  #beganWithoutState = false;

  constructor(options: ControllersOptions) {
    this.#options = options;
    this.#observations = new Observations(options);
    const { controllers } = this.#observations;
    ({
      rollouts: this.rollouts,
      committer: this.committer,
      findings: this.findings,
      missingObjects: this.missingObjects,
    } = controllers);
    this.listing = new Listing({
      ...options,
      onListed: () => controllers.reporter.listed(this.#beganWithoutState),
      onNews: () => controllers.reconsider(),
    });
  }

  /** The decisions and their reasons. */
  get journal(): Journal {
    return this.#observations.controllers.reporter.journal;
  }

  /** The observations and beliefs. */
  get store(): Store {
    return this.#options.store;
  }

  /** Whether it rolls workloads and writes the state; constant. */
  get leads(): boolean {
    return this.#options.leads;
  }

  /** Workloads that follow nothing and are kept all the same, see `saysSomething`. */
  get others(): ReadonlyMap<ObjectKey, Workload> {
    return this.#observations.others;
  }

  /** Takes over the state; before any observation, since edges begin from its entries. */
  begin(shards: AllShards): void {
    this.committer.begin(shards);
    this.#beganWithoutState = shards.every((shard) => Object.keys(shard?.data ?? {}).length === 0);
  }

  /** Takes over the observations of `former`, as if they were listed now. */
  takeOver(former: Former): void {
    const { gate } = this.#options;
    const { controllers } = this.#observations;
    handOver(former, {
      config: (event) => this.#observations.config(event),
      workload: (event) => this.#observations.workload(event),
      namespace: (event) => controllers.observeNamespace(event),
    });
    for (const stream of gate.synced())
      controllers.fence.run('its list', nameOf(stream), () => this.#listed(stream));
    if (this.leads && gate.awaited().length === 0) controllers.reporter.listed(this.#beganWithoutState);
    controllers.reconsider();
  }

  /**
   * Called on a standby before it leads: reads again what its caches may hold in an older version than `shards`, which were
   * just read. False: a read failed, and the caller has to retry with the state read anew.
   */
  async catchUp(shards: AllShards): Promise<boolean> {
    const { store, gate } = this.#options;
    const { refetcher } = this.#observations.controllers;
    return await catchUp(store, shards, refetcher, (ref) => gate.lists(ref.kind, ref.namespace));
  }

  /** Finishes the patches and commits under way, within 20 s. Nothing may be called afterwards. */
  async finish(): Promise<void> {
    const { parts, committer } = this.#observations.controllers;
    await finishInTime({ ...this.#options, parts, committer });
  }

  /** Begins nothing more and does not wait: the lead is lost, and `send` refuses all further requests of this term. */
  abandon(): void {
    this.committer.halt();
    for (const part of this.#observations.controllers.parts) void part.close();
  }

  /** The projection of a ConfigMap or Secret: digests and metadata. */
  project(kind: ConfigRef['kind'], raw: RawConfigObject): ConfigObject {
    return this.#observations.project(kind, raw);
  }

  /** The projection of a workload. */
  view(row: WorkloadKind, raw: RawWorkload): Workload {
    return workloadOf(row, raw, this.store.settings.vocabularies);
  }

  /** An event of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    this.#observations.config(event);
    if (event.type === 'synced') this.#listed(stream);
    if (this.leads) noticeState(this.store, this.committer, stream, event);
  }

  /** The content that pods have mounted of a class. */
  onContent(event: Exclude<InformerEvent<ConfigObject>, { type: 'synced' }>): void {
    this.#observations.config(event);
  }

  /** A stream of objects without content of their own has listed: what depends on its kind is reported anew. */
  onListed(stream: Stream): void {
    this.listing.synced(stream);
    this.#listed(stream);
    for (const [workload] of this.findings.workloads()) this.#observations.controllers.review(workload);
  }

  /** The findings about an object have changed. */
  reviewFollowers(config: ObjectKey): void {
    for (const workload of this.store.dependents.dependentsOf(config))
      this.#observations.controllers.review(workload);
  }

  /** An event of a workload. */
  onWorkload(stream: Stream, event: InformerEvent<Workload>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    else this.#observations.workload(event);
  }

  /** An event of a namespace that is watched, or is not any more. */
  onNamespace(stream: Stream, event: InformerEvent<NamespaceObject>): void {
    this.#observations.controllers.observeNamespace(event);
    if (event.type === 'synced') this.listing.synced(stream);
  }

  /**
   * A list of the stream is complete; absence counts from the first one on, so objects that it does not contain are missing.
   */
  #listed(stream: Stream): void {
    const { store } = this;
    const { controllers } = this.#observations;
    if (stream.kind === 'Namespace') controllers.observeNamespace({ type: 'synced' });
    else if (!stream.isWorkload && store.presence.markListed(stream))
      controllers.apply(observeListed(store, stream));
  }
}
