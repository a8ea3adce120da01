/**
 * The reloader of one term: observes the streams, and as a leader rolls workloads and writes the state. As a standby it only
 * observes, so that the reloader of the next term can take over its observations without a list.
 *
 * It is the entry of all observations, from streams, refetches and hand-overs: projects raw objects, runs the rules of tracking, and
 * passes on their effects. Each method is synchronous and carries its effects out before it returns, so no two interleave.
 */

import { type ConfigObject, configObjectOf } from '../model/config-object.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { EVER, type InformerEvent } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { catchUp } from '../repair/catch-up.ts';
import { finishInTime } from '../state/ending.ts';
import { noticeState, seeShownState } from '../state/shown-state.ts';
import type { ConfigRecord, NamespaceObject } from '../store/records.ts';
import type { AllShards } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import { nameOf, type Stream } from '../store/sync-gate.ts';
import { namedAlgorithms } from '../tracking/named-algorithms.ts';
import { observeConfig, observeListed } from '../tracking/observe-config.ts';
import { observeWorkload } from '../tracking/observe-workload.ts';
import { Controllers, type ControllersOptions, type LookTaker } from './controllers.ts';
import { Listing } from './listing.ts';

/** See the file's comment. A leader is used in this order: `begin`, `takeOver`, events, then `finish` or `abandon`. */
export class Reloader {
  /** The parts that act. */
  readonly controllers: Controllers;
  readonly listing: Listing;
  /** Workloads that follow nothing and are kept all the same, see `saysSomething`. */
  readonly others: Map<ObjectKey, Workload> = new Map();
  readonly #options: ControllersOptions;
  readonly #taker: LookTaker = {
    project: (kind, raw) => this.project(kind, raw),
    onConfig: (event) => this.onContent(event),
    onWorkload: (event) => this.#workload(event),
  };
  #beganWithoutState = false;

  constructor(options: ControllersOptions) {
    this.#options = options;
    this.controllers = new Controllers(options, this.#taker);
    this.listing = new Listing({
      ...options,
      onListed: () => this.controllers.reporter.listed(this.#beganWithoutState),
      onNews: () => this.controllers.reconsider(),
    });
  }

  /** The observations and beliefs. */
  get store(): Store {
    return this.#options.store;
  }

  /** Whether it rolls workloads and writes the state; constant. */
  get leads(): boolean {
    return this.#options.leads;
  }

  /** Takes over the state; before any observation, since edges begin from its entries. */
  begin(shards: AllShards): void {
    this.controllers.committer.begin(shards);
    this.#beganWithoutState = shards.every((shard) => Object.keys(shard?.data ?? {}).length === 0);
  }

  /** Takes over the observations of `former`, as if they were listed now. */
  takeOver(former: Former): void {
    const { gate } = this.#options;
    const { controllers } = this;
    controllers.isReplaying = true;
    handOver(former, { ...this.#taker, observeNamespace: (event) => controllers.observeNamespace(event) });
    controllers.isReplaying = false;
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
    const { refetcher } = this.controllers;
    return await catchUp(store, shards, refetcher, (ref) => gate.lists(ref.kind, ref.namespace));
  }

  /** Finishes the patches and commits under way, within 20 s. Nothing may be called afterwards. */
  async finish(): Promise<void> {
    const { parts, committer } = this.controllers;
    await finishInTime({ ...this.#options, parts, committer });
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
      others: (ref) => namedAlgorithms(store, ref),
      keyDigests: (ref) => store.scopes.wants(keyOf(ref)),
      annotations: (all) => store.settings.vocabularies.annotationsOf(all),
      isOwnState: (ref) => store.isOwn(ref),
    });
    if (object.isState === true)
      seeShownState(store, this.leads ? this.controllers.committer : undefined, raw);
    return object;
  }

  /** An event of a ConfigMap or Secret. */
  onConfig(stream: Stream, event: InformerEvent<ConfigObject>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    this.onContent(event);
    if (event.type === 'synced') this.#listed(stream);
    if (this.leads) noticeState(this.store, this.controllers.committer, stream, event);
  }

  /** A change of a content, of whatever kind. */
  onContent(event: InformerEvent<ConfigObject>): void {
    const { store, controllers } = this;
    if (event.type === 'synced') {
      controllers.apply(observeConfig(store, event));
      return;
    }
    const dependents = (): Iterable<ObjectKey> =>
      store.dependents.dependentsOfAny(store.scopes.partsOf(event.key));
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
  onUnmounted(key: ObjectKey): void {
    const { store } = this;
    const isFollowed = store.dependents.dependentsOf(key).size > 0;
    if (store.configs.has(key) && !isFollowed) this.onContent({ type: 'absent', key, span: EVER });
  }

  /** A stream of objects without content of their own has listed: what depends on its kind is reported anew. */
  onListed(stream: Stream): void {
    this.listing.synced(stream);
    this.#listed(stream);
    for (const [workload] of this.controllers.findings.workloads()) this.controllers.review(workload);
  }

  /** The findings about an object have changed. */
  reviewFollowers(config: ObjectKey): void {
    for (const workload of this.store.dependents.dependentsOf(config)) this.controllers.review(workload);
  }

  /** An event of a workload. */
  onWorkload(stream: Stream, event: InformerEvent<Workload>): void {
    if (event.type === 'synced') this.listing.synced(stream);
    else this.#workload(event);
  }

  /** An event of a workload; findings and repairs follow the effects, since they read the edges that these have changed. */
  #workload(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
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

  /** After an exception the record has its former version, so that the next try, or the next term, finds the same difference. */
  #observe(event: Exclude<InformerEvent<Workload>, { type: 'synced' }>): void {
    const { store, others } = this;
    const before = store.workloads.get(event.key)?.workload;
    try {
      this.controllers.apply(observeWorkload(store, event));
      if (event.type === 'present' && !store.workloads.has(event.key) && saysSomething(event.object))
        others.set(event.key, event.object);
      else others.delete(event.key);
    } catch (error) {
      if (event.type === 'present') others.set(event.key, event.object);
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

/** The reloader of the term that ended. */
type Former = Pick<Reloader, 'store' | 'others'>;

/** The event handlers of the reloader of the new term. */
type Heir = Pick<LookTaker, 'onConfig' | 'onWorkload'> & Pick<Controllers, 'observeNamespace'>;

const LISTED = { type: 'present', isInInitialList: true, isRelisted: false } as const;

/**
 * Replays every existing namespace, object and workload at a change of terms, as if they were listed now: a new term needs no list, and its
 * store is built by the same rules as at a start. Objects precede workloads, whose edges begin with the digests.
 */
export function handOver({ store, others }: Former, heir: Heir): void {
  for (const namespace of new Set([...store.selected, ...store.namespaceAnnotations.keys()])) {
    heir.observeNamespace({
      ...LISTED,
      key: namespace,
      object: { name: namespace, annotations: store.namespaceAnnotations.get(namespace) ?? {} },
      span: writtenBy(Number.NEGATIVE_INFINITY),
    });
  }
  for (const [key, record] of store.configs) {
    const object = objectOf(record);
    if (object !== undefined) heir.onConfig({ ...LISTED, key, object, span: writtenBy(record.writtenAt) });
  }
  for (const [key, { workload, knownAt }] of store.workloads) {
    heir.onWorkload({ ...LISTED, key, object: workload, span: writtenBy(knownAt) });
  }
  for (const [key, workload] of others) {
    heir.onWorkload({ ...LISTED, key, object: workload, span: writtenBy(Number.NEGATIVE_INFINITY) });
  }
}

/**
 * Whether a workload that follows nothing has to be kept all the same: it is a placeholder Job, is paused, refers to an object that
 * is no workload of its own then, or has annotations or stamps that may lead to a finding or a repair.
 */
function saysSomething(workload: Workload): boolean {
  const { annotations, labels, templateAnnotations, unknownAnnotations, stamps } = workload;
  const records = [annotations, labels, templateAnnotations];
  return (
    workload.isCopy ||
    workload.isPaused === true ||
    workload.referenced !== undefined ||
    records.some((each) => Object.keys(each).length > 0) ||
    unknownAnnotations.length + stamps.length > 0
  );
}

function writtenBy(to: number): { readonly from: number; readonly to: number } {
  return { from: Number.NEGATIVE_INFINITY, to };
}

/** The object as its stream delivered it; undefined for a key set, which follows from its object, and for a missing object. */
function objectOf({ ref, digest, resourceVersion, ...rest }: ConfigRecord): ConfigObject | undefined {
  if (ref.keys !== undefined || resourceVersion === undefined) return undefined;
  const { annotations, lastWrite, otherDigests, keyDigests } = rest;
  return {
    ref,
    uid: '',
    resourceVersion,
    digest: digest ?? '',
    annotations,
    lastWrite,
    otherDigests,
    ...(keyDigests === undefined ? {} : { keyDigests }),
    ...(rest.isState === true ? { isState: true } : {}),
  };
}
