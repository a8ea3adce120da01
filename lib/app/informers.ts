/**
 * Runs one informer for each stream, for one term: each reloader lists everything anew. Its events go to the reloader of the term; its
 * health goes to the status, the metrics and the heartbeat.
 */

import { isNamespaceAnnotation } from '../annotations/gating.ts';
import { missingOf, questionsOf } from '../kubernetes/access-reviews.ts';
import { areVersionsComparable, type ComparableVersionsOptions } from '../kubernetes/comparable-versions.ts';
import { Informer } from '../kubernetes/informer.ts';
import { streamPermission } from '../kubernetes/permissions.ts';
import { collectionsOf, sourceOf } from '../kubernetes/sources.ts';
import { complete } from '../kubernetes/workloads/referenced-template.ts';
import { RBAC_LAG_MS } from '../leader/elector.ts';
import { mountedOf } from '../model/config-object.ts';
import type { StreamNews, WatchHealth } from '../model/health.ts';
import { customKind } from '../model/kinds/custom-kind.ts';
import { configKindOf, isMountedKind, mountedKindOf, SOURCE_KINDS } from '../model/object-ref.ts';
import type { RawConfigObject, RawObject, RawPodStatus, RawWorkload } from '../model/raw-objects.ts';
import type { OptionalKindStatus } from '../model/status-report.ts';
import { NOTHING, pick } from '../model/text.ts';
import { monotonicMs } from '../model/time.ts';
import type { Timeline } from '../model/timeline.ts';
import { workloadOf } from '../model/workload.ts';
import { addWorkloadKind, findWorkloadKind } from '../model/workload-kind.ts';
import { configKindsOf, type Options, watchesNamespaces, workloadKindsOf } from '../options/options.ts';
import { nameOf, type Stream } from '../store/sync-gate.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ClassObject } from '../tracking/mounted-classes.ts';
import type { Place } from './assembly.ts';
import type { Reloader } from './reloader.ts';
import { ServedKinds, type ServedKindsOptions } from './served-kinds.ts';

/** For the heartbeat: the reflector ends a watch after 160 s of silence, so its loop makes progress soon after. */
const LONGEST_SILENCE_MS = 165_000;

type Failure = Extract<StreamNews, { type: 'failed' }>;
const ENDED: StreamNews = { type: 'down', reason: 'ended' };

const REFUSED = 'ignored until granted: no permission to list and watch';
const UNSERVED = 'ignored until served: the API server no longer serves it';
const UNORDERED = 'ignored: its resourceVersions are not numbers';
const NOT_COMPARABLE =
  'the versions of different kinds are not of one counter, or could not be listed: no external rollout replaces one of ours';

/**
 * The streams to watch: each kind in each of the namespaces. If these are not limited, each kind in all namespaces but the ignored ones,
 * and the Namespaces themselves where they count. A kind that only the settings name is in the table of kinds from here on.
 */
export function streamsOf(options: Options, { namespaces }: Place): Stream[] {
  const { namespacesToIgnore: except } = options;
  const workloadKinds = workloadKindsOf(options);
  options.workloadKinds.map(customKind).forEach(addWorkloadKind);
  const configKinds = configKindsOf(options);
  const mounts = configKinds.flatMap((kind) => SOURCE_KINDS[kind].mountedAs ?? []);
  const objects: readonly string[] = [...configKinds, ...mounts.map(({ kind }) => kind)];
  const kinds = [
    ...objects.map((kind) => ({ kind, isWorkload: false })),
    ...workloadKinds.map(({ kind }) => ({ kind, isWorkload: true })),
  ];
  const cluster = watchesNamespaces(options) ? [{ kind: 'Namespace', isWorkload: false }] : [];
  if (namespaces === undefined)
    return [...kinds, ...cluster].map((row) => ({ ...row, namespace: undefined, except }));
  return [
    ...namespaces.flatMap((namespace) => kinds.map((row) => ({ ...row, namespace }))),
    ...cluster.map((row) => ({ ...row, namespace: undefined })),
  ];
}

/** The collaborators of the informers. */
export interface InformersOptions
  extends Omit<ServedKindsOptions, 'listing' | 'metrics'>,
    Pick<ComparableVersionsOptions, 'mayLag'> {
  readonly options: Options;
  readonly timeline: Timeline;
  /** Receives all events: the streams of another term have informers of their own. */
  readonly reloader: Reloader;
  /** Called if resourceVersions of the stream have gone back, as after a restore of etcd. */
  readonly onTurnedBack: (stream: string) => void;
  readonly watches: WatchHealth;
  /** By stream without the right, since when, by monotonicMs; all terms share it. */
  readonly withoutRight: Map<Stream, number>;
  readonly metrics: Metrics | undefined;
}

/** Runs one informer per stream. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #servedKinds: ServedKinds;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#servedKinds = new ServedKinds({ ...options, listing: options.reloader.listing });
  }

  /** The kinds that a cluster may lack. */
  statuses(): readonly OptionalKindStatus[] {
    return this.#servedKinds.statuses();
  }

  /**
   * Resolves when `signal` is aborted and all streams have ended; never rejects. `process`: in the first term, which finds out whether
   * versions are comparable, the signal of its end.
   */
  async run(signal: AbortSignal, process?: AbortSignal): Promise<void> {
    const looking = this.#servedKinds.run(signal);
    if (process !== undefined) await this.#compare(process);
    await Promise.all([looking, ...this.#options.streams.map((stream) => this.#run(stream, signal))]);
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { timeline, log } = this.#options;
    const kinds = collectionsOf(await this.#servedKinds.served());
    timeline.comparable = await areVersionsComparable({ ...this.#options, kinds, signal });
    if (!timeline.comparable && !signal.aborted) log.info(NOT_COMPARABLE);
  }

  /** Runs the stream once its kind is served. */
  async #run(stream: Stream, signal: AbortSignal): Promise<void> {
    const { heartbeat, watches } = this.#options;
    await this.#servedKinds.untilServed(stream.kind);
    if (signal.aborted) return;
    heartbeat.sleeps(nameOf(stream), monotonicMs());
    watches.followedSince(nameOf(stream), monotonicMs());
    await this.#informerOf(stream).run(signal);
    heartbeat.ended(nameOf(stream));
    if (watches.isUp(nameOf(stream))) watches.observe(nameOf(stream), ENDED, monotonicMs());
    this.#measure(stream.kind);
  }

  /** Each kind has its source, a part of its objects that is kept, and a receiver of its events. */
  #informerOf(stream: Stream): { readonly run: (signal: AbortSignal) => Promise<void> } {
    const { reloader, options, send, timeline, log, random } = this.#options;
    const { kind } = stream;
    const row = findWorkloadKind(kind);
    const config = configKindOf(kind);
    const selector = kind === 'Namespace' ? options.namespaceSelector : options.resourceLabelSelector;
    const hasSelector = kind === 'Namespace' || (config !== undefined && !isMountedKind(config));
    const source = sourceOf(stream, hasSelector ? selector : undefined);
    const common = { send, timeline, log, random, source, observe: this.#observe.bind(this, stream) };
    if (row !== undefined)
      return new Informer({
        ...common,
        ...(row.refersToTemplate && { complete: (raw, signal) => complete(send, raw, signal) }),
        project: (raw: RawWorkload) => workloadOf(row, raw, reloader.store.settings.vocabularies),
        handler: (event) => reloader.onWorkload(stream, event),
      });
    if (mountedKindOf(kind) !== undefined)
      return new Informer({
        ...common,
        project: (raw: RawPodStatus) => mountedOf(raw, reloader.store.settings.algorithms),
        handler: (event) => reloader.classes.observeStatus(stream, event),
      });
    if (config === undefined)
      return new Informer({
        ...common,
        project: ({ metadata: { name, annotations = {} } }: RawObject) => ({
          name,
          annotations: options.namespaceAnnotations ? pick(annotations, isNamespaceAnnotation) : {},
        }),
        handler: (event) => reloader.onNamespace(stream, event),
      });
    // Of classes only the annotations are kept, since their content is what pods have mounted.
    if (isMountedKind(config))
      return new Informer({
        ...common,
        project: ({ metadata: { namespace = '', name, annotations = NOTHING } }): ClassObject => ({
          ref: { kind: config, namespace, name },
          annotations: reloader.store.settings.vocabularies.annotationsOf(annotations),
        }),
        handler: (event) => reloader.classes.observeClass(stream, event),
      });
    return new Informer({
      ...common,
      project: (raw: RawConfigObject) => reloader.project(config, raw),
      handler: (event) => reloader.onConfig(stream, event),
    });
  }

  #observe(stream: Stream, news: StreamNews): void {
    const { heartbeat, metrics, watches, reloader, onTurnedBack } = this.#options;
    const name = nameOf(stream);
    const nextMs = news.type === 'failed' ? news.nextRetryMs : 0;
    heartbeat.sleeps(name, monotonicMs() + nextMs + LONGEST_SILENCE_MS);
    watches.observe(name, news, monotonicMs());
    if (news.type === 'turned-back') onTurnedBack(name);
    if (news.type === 'failed') this.#failed(stream, news);
    if (news.type === 'up') {
      reloader.listing.watched(stream);
      this.#options.withoutRight.delete(stream);
    }
    if (news.type === 'down')
      metrics?.count('reloader_watch_restarts_total', { kind: stream.kind, reason: news.reason });
    if (news.type === 'up' || news.type === 'down') this.#measure(stream.kind);
  }

  #failed(stream: Stream, news: Failure): void {
    const { listing } = this.#options.reloader;
    listing.change((gate) => gate.mark(stream, 'failing'));
    if (news.code === 'forbidden') this.#refused(stream, news);
    // As when the definition of the kind is deleted, or its API server is down.
    const isAway = news.code === 'not-found' || news.code === 'unavailable';
    if (this.#servedKinds.isOptional(stream.kind) && isAway) listing.leaveOut(stream, UNSERVED);
    if (news.code !== 'unordered') return;
    listing.leaveOut(stream, UNORDERED);
    listing.change((gate) => gate.mark(stream, 'forbidden'));
  }

  /**
   * A 403 counts as a missing right. It may lag behind its RoleBinding, and no commit may go without a kind that is about to be
   * listed: only after a while is it missing for good.
   */
  #refused(stream: Stream, news: Failure): void {
    const { watches, reloader, withoutRight } = this.#options;
    const permission = streamPermission(stream);
    const [missing] = missingOf(permission === undefined ? [] : questionsOf([permission]));
    if (missing === undefined) return;
    const since = withoutRight.get(stream) ?? monotonicMs();
    withoutRight.set(stream, since);
    watches.observe(nameOf(stream), { ...news, problem: missing.sentence }, monotonicMs());
    reloader.listing.leaveOut(stream, `${REFUSED}. ${missing.sentence}`);
    if (monotonicMs() - since < RBAC_LAG_MS) return;
    reloader.listing.change((gate) => gate.mark(stream, 'forbidden'));
  }

  /** The gauge of a kind shows the worst of its streams. */
  #measure(kind: string): void {
    const { streams, watches, metrics } = this.#options;
    const all = streams.filter((stream) => stream.kind === kind);
    const areUp = all.every((stream) => watches.isUp(nameOf(stream)));
    metrics?.set('reloader_watch_up', Number(areUp), { kind });
  }
}
