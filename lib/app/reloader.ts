/**
 * The reloader of one term: observes the streams, and as a leader rolls workloads and writes the state. As a standby it only
 * observes, to answer pages and reviews.
 *
 * It is the entry of all observations, from streams and from the API server's answers: projects raw objects, runs the rules of
 * tracking, and passes on their effects. Each method is synchronous and carries its effects out before it returns, so no two interleave.
 */

import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import type { ConfigRef, ObjectKey } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { EVER, type InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { readShownState, ShownState } from '../state/shown-state.ts';
import type { NamespaceObject } from '../store/records.ts';
import type { AllShards } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import type { Stream, SyncGate } from '../store/sync-gate.ts';
import { MountedClasses } from '../tracking/mounted-classes.ts';
import { namedAlgorithms } from '../tracking/named-algorithms.ts';
import { observeConfig, observeListed } from '../tracking/observe-config.ts';
import { observeWorkload } from '../tracking/observe-workload.ts';
import { Controllers, type ControllersOptions, type WorkloadEvent } from './controllers.ts';
import { Listing } from './listing.ts';

/** The longest time for the end; terminationGracePeriodSeconds is 30 by default. The next start recovers what is left. */
export const LONGEST_END_MS = 20_000;

/** The collaborators and settings of a reloader. */
export type ReloaderOptions = Omit<ControllersOptions, 'isDynamic'>;

/** See the file's comment. A leader is used in this order: `begin`, events, then `finish` or `abandon`. */
export class Reloader {
  /** The parts that act. */
  readonly controllers: Controllers;
  readonly listing: Listing;
  /** What pods have mounted of classes: to the rules a class is an object like any other. */
  readonly classes: MountedClasses;
  /** The observations and beliefs. */
  readonly store: Store;
  /** Which streams have listed. */
  readonly gate: SyncGate;
  /** Whether it rolls workloads and writes the state. */
  readonly leads: boolean;
  readonly #options: ReloaderOptions;
  readonly #shownState: ShownState;
  #beganWithoutState = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    ({ store: this.store, gate: this.gate, leads: this.leads } = options);
    this.classes = new MountedClasses({
      recorded: (ref) => this.store.persisted.entryOf(ref)?.digest,
      publish: (event) => this.onContent(event),
      onListed: (stream) => this.onListed(stream),
      onDynamic: (key) => this.#reviewFollowers(key),
      onGone: (key) => this.#onUnmounted(key),
    });
    const { isDynamic } = this.classes;
    this.controllers = new Controllers({ ...options, isDynamic }, (event) => this.#workload(event));
    this.#shownState = new ShownState(options.store, this.controllers.committer);
    this.listing = new Listing({
      ...options,
      onListed: () => this.controllers.reporter.listed(this.#beganWithoutState),
      onNews: () => this.controllers.reconsider(),
    });
  }

  /** Takes over the state; before any observation, since edges begin from its entries. */
  begin(shards: AllShards): void {
    this.controllers.committer.known.begin(shards);
    this.#beganWithoutState = shards.every((shard) => Object.keys(shard?.data ?? {}).length === 0);
  }

  /** Finishes the patches and commits under way, within 20 s. Nothing may be called afterwards. */
  async finish(): Promise<void> {
    const { wait, log } = this.#options;
    const { parts, committer } = this.controllers;
    const end = new AbortController();
    let isDone = false;
    const again = async (ms: number): Promise<boolean> => {
      if (ms > 0) await wait(ms, end.signal);
      return !end.signal.aborted;
    };
    const finish = async (): Promise<void> => {
      // The last commit records the answers that the others wait for.
      await Promise.all(parts.map((part) => part.close()));
      await committer.close(again);
      isDone = true;
    };
    await Promise.race([finish(), wait(LONGEST_END_MS, end.signal)]);
    end.abort();
    committer.halt();
    if (!isDone) log.warn('no answer from the API server: the next start completes unfinished work');
  }

  /** Begins nothing more and does not wait: the lead is lost, and `send` refuses all further requests of this term. */
  abandon(): void {
    const { committer, parts } = this.controllers;
    committer.halt();
    for (const part of parts) void part.close();
  }

  /** The projection of a ConfigMap or Secret: digests and metadata. The content is not kept. */
  project(kind: ConfigRef['kind'], raw: RawConfigObject): ConfigObject {
    const { store } = this;
    const object = configObjectOf(kind, raw, {
      algorithms: store.settings.algorithms,
      others: namedAlgorithms(store),
      annotations: (all) => store.settings.vocabularies.annotationsOf(all),
      isOwnState: (ref) => store.isOwn(ref),
    });
    if (object.isState === true && !this.leads) readShownState(store, raw);
    return object;
  }

  /** An event of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    this.onContent(event);
    if (event.type === 'synced') this.#listed(stream);
    if (this.leads) this.#shownState.observe(stream, event);
  }

  /** A change of a content, of whatever kind. */
  onContent(event: InformerEvent<ConfigObject>): void {
    const { store, controllers } = this;
    if (event.type === 'synced') {
      controllers.apply(observeConfig(store, event));
      return;
    }
    const dependents = (): Iterable<ObjectKey> => store.dependents.ofAny(store.partsOf(event.key));
    controllers.fence.run('its event', event.key, () => {
      try {
        controllers.apply(observeConfig(store, event));
      } catch (error) {
        for (const workload of dependents()) controllers.restore(workload);
        throw error;
      }
    });
    controllers.wake(dependents());
  }

  /** No pod mounts the class any more. While a workload follows it, its content stays current. */
  #onUnmounted(key: ObjectKey): void {
    const { store } = this;
    const isFollowed = store.dependents.of(key).size > 0;
    if (store.configs.has(key) && !isFollowed) this.onContent({ type: 'absent', key, span: EVER });
  }

  /** A stream of objects without content of their own has listed: what depends on its kind is reported anew. */
  onListed(stream: Stream): void {
    this.listing.synced(stream);
    this.#listed(stream);
    for (const [workload] of this.controllers.findings.workloads()) this.controllers.review(workload);
  }

  /** The findings about an object have changed. */
  #reviewFollowers(config: ObjectKey): void {
    for (const workload of this.store.dependents.of(config)) this.controllers.review(workload);
  }

  /** An event of a workload. */
  onWorkload(stream: Stream, event: InformerEvent<Workload>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    else this.#workload(event);
  }

  /** An event of a workload; findings and repairs follow the effects, since they read the edges that these have changed. */
  #workload(event: WorkloadEvent): void {
    const { controllers } = this;
    const { rollouts, findings, pauses, jobRecreations, fence } = controllers;
    const { key } = event;
    fence.run('its event', key, () => this.#observe(event));
    if (!this.leads) return;
    fence.run('its slot', key, () => rollouts.slots?.observed(key));
    controllers.wake([key]);
    fence.run('its findings', key, () => findings.observe(event));
    fence.run('its pause', key, () => pauses.observe(event));
    fence.run('its recreation', key, () => jobRecreations.observe(event));
  }

  /** After an exception the record has its former version, so that the next try finds the same difference. */
  #observe(event: WorkloadEvent): void {
    const { store } = this;
    const before = store.workloads.get(event.key)?.workload;
    try {
      this.controllers.apply(observeWorkload(store, event));
    } catch (error) {
      const record = store.workloads.get(event.key);
      if (record !== undefined) record.workload = before ?? { ...record.workload, resourceVersion: '0' };
      this.controllers.restore(event.key);
      throw error;
    }
  }

  /** An event of a namespace that is watched, or is not any more. */
  onNamespace(stream: Stream, event: InformerEvent<NamespaceObject>): void {
    this.controllers.observeNamespace(event);
    if (event.type === 'synced') this.listing.synced(stream);
  }

  /**
   * A list of the stream is complete; absence counts from the first one on, so objects that it does not contain are missing.
   */
  #listed(stream: Stream): void {
    const { store, controllers } = this;
    if (stream.kind === 'Namespace') controllers.observeNamespace({ type: 'synced' });
    else if (!stream.isWorkload && store.presence.markListed(stream))
      controllers.apply(observeListed(store, stream));
  }
}
