/**
 * Runs one informer for each stream. Its events go to the reloader of the present term; its health goes to the status, the
 * metrics and the heartbeat.
 */

import { isNamespaceAnnotation } from '../annotations/gating.ts';
import { missingOf, questionsOf, review } from '../kubernetes/access-reviews.ts';
import type { ApiError } from '../kubernetes/api-error.ts';
import { Informer } from '../kubernetes/informer.ts';
import { streamPermission } from '../kubernetes/permissions.ts';
import type { ReflectorObserver } from '../kubernetes/reflector.ts';
import { configSource, mountsOf, namespaceSource, objectsSource } from '../kubernetes/sources.ts';
import { complete } from '../kubernetes/workloads/referenced-template.ts';
import { RBAC_LAG_MS } from '../leader/elector.ts';
import type { ConfigObject } from '../model/config-object.ts';
import type { WatchEnd, WatchHealth } from '../model/health.ts';
import {
  type ConfigKind,
  configKindOf,
  isMountedKind,
  mountedKindOf,
  SOURCE_KINDS,
} from '../model/object-ref.ts';
import type { RawConfigObject, RawObject, RawPodStatus, RawWorkload } from '../model/raw-objects.ts';
import { NOTHING, pick } from '../model/text.ts';
import { monotonicMs } from '../model/time.ts';
import type { Timeline } from '../model/timeline.ts';
import type { Workload } from '../model/workload.ts';
import { findWorkloadKind, type WorkloadKind } from '../model/workload-kind.ts';
import type { NamespaceObject } from '../store/records.ts';
import { nameOf, type Stream } from '../store/sync-gate.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ClassObject, MountedClasses } from '../tracking/mounted-classes.ts';
import { type Mounted, mountedOf } from '../tracking/mounted-content.ts';
import type { Reloader } from './reloader.ts';
import type { ServedKinds, ServedKindsOptions } from './served-kinds.ts';

/** For the heartbeat: the reflector ends a watch after 160 s of silence, so its loop makes progress soon after. */
const LONGEST_SILENCE_MS = 165_000;

const REFUSED = 'may not be listed or watched: it is left out until it may, and all else is served';
const UNSERVED = 'is not served any more: it is left out until it is, and all else is served';
const UNORDERED = 'has resourceVersions that are no numbers: it is left out, and all else is served';

/**
 * The streams to watch: each kind in each of `namespaces`. If that is undefined, each kind in all namespaces but `except`, and
 * with `watchesNamespaces` the Namespaces themselves.
 */
export function streamsOf(
  namespaces: readonly string[] | undefined,
  served: { readonly configKinds: readonly ConfigKind[]; readonly workloadKinds: readonly WorkloadKind[] },
  except: readonly string[],
  watchesNamespaces: boolean,
): Stream[] {
  const mounts = served.configKinds.flatMap((kind) => SOURCE_KINDS[kind].mountedAs ?? []);
  const kinds = [
    ...[...served.configKinds, ...mounts.map(({ kind }) => kind)].map((kind) => ({
      kind,
      isWorkload: false,
    })),
    ...served.workloadKinds.map(({ kind }) => ({ kind, isWorkload: true })),
  ];
  const cluster = watchesNamespaces ? [{ kind: 'Namespace', isWorkload: false }] : [];
  if (namespaces === undefined)
    return [...kinds, ...cluster].map((row) => ({ ...row, namespace: undefined, except }));
  return [
    ...namespaces.flatMap((namespace) => kinds.map((row) => ({ ...row, namespace }))),
    ...cluster.map((row) => ({ ...row, namespace: undefined })),
  ];
}

/** The collaborators of the informers. */
export interface InformersOptions
  extends Pick<ServedKindsOptions, 'streams' | 'send' | 'heartbeat' | 'log' | 'random'> {
  /** The labels of the ConfigMaps and Secrets that are watched; undefined: all. */
  readonly resourceSelector: string | undefined;
  /** The labels of the namespaces that are selected; undefined: all are. */
  readonly namespaceSelector: string | undefined;
  /** Whether annotations of namespaces count for their workloads. */
  readonly readsNamespaces: boolean;
  readonly timeline: Timeline;
  /** The reloader of the present term; asked again for each event, since terms change while a watch goes on. */
  readonly reloader: () => Reloader;
  /** Called if resourceVersions of the stream have gone back, as after a restore of etcd. */
  readonly onTurnedBack: (stream: string) => void;
  readonly watches: WatchHealth;
  /** Which kinds that a cluster may lack are served. */
  readonly servedKinds: Pick<ServedKinds, 'untilServed' | 'isOptional'>;
  readonly classes: MountedClasses;
  readonly metrics: Metrics | undefined;
}

/** Runs one informer per stream. */
export class Informers {
  readonly #options: InformersOptions;
  /** The streams with an access review under way. */
  readonly #asked = new Set<Stream>();
  /** By stream without the right, since when, by monotonicMs, and the rule to add. */
  readonly #withoutRight = new Map<Stream, { readonly since: number; readonly sentence: string }>();

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** Runs the stream once its kind is served. Resolves when `signal` is aborted and the stream has ended; never rejects. */
  async run(stream: Stream, signal: AbortSignal): Promise<void> {
    const { heartbeat, watches, servedKinds } = this.#options;
    await servedKinds.untilServed(stream.kind);
    if (signal.aborted) return;
    heartbeat.progress(nameOf(stream), monotonicMs());
    watches.followedSince(nameOf(stream), monotonicMs());
    await this.#informerOf(stream).run(signal);
    heartbeat.ended(nameOf(stream));
  }

  #informerOf(stream: Stream): { readonly run: (signal: AbortSignal) => Promise<void> } {
    const row = findWorkloadKind(stream.kind);
    if (row !== undefined) return this.#workloads(stream, row);
    const mounted = mountedKindOf(stream.kind);
    if (mounted !== undefined) return this.#mounts(stream, mounted);
    const kind = configKindOf(stream.kind);
    if (kind === undefined) return this.#namespaces(stream);
    return isMountedKind(kind) ? this.#classes(stream, kind) : this.#configs(stream, kind);
  }

  #namespaces(stream: Stream): Informer<RawObject, NamespaceObject> {
    const { reloader, namespaceSelector, readsNamespaces } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: namespaceSource(namespaceSelector),
      project: ({ metadata: { name, annotations = {} } }: RawObject) => ({
        name,
        annotations: readsNamespaces ? pick(annotations, isNamespaceAnnotation) : {},
      }),
      handler: (event) => reloader().onNamespace(stream, event),
    });
  }

  #configs(stream: Stream, kind: ConfigKind): Informer<RawConfigObject, ConfigObject> {
    const { reloader, resourceSelector: labelSelector } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: configSource(kind, stream.namespace, { except: stream.except, labelSelector }),
      project: (raw: RawConfigObject) => reloader().project(kind, raw),
      handler: (event) => reloader().onConfig(stream, event),
    });
  }

  /** Classes: their annotations alone, since their content is what pods have mounted. */
  #classes(stream: Stream, kind: ConfigKind): Informer<RawObject, ClassObject> {
    const { classes, reloader } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: configSource(kind, stream.namespace, stream),
      project: ({ metadata: { namespace = '', name, annotations = NOTHING } }: RawObject) => ({
        ref: { kind, namespace, name },
        annotations: reloader().store.settings.vocabularies.annotationsOf(annotations),
      }),
      handler: (event) => classes.observeClass(stream, event),
    });
  }

  /** What pods have mounted of classes. */
  #mounts(stream: Stream, kind: ConfigKind): Informer<RawPodStatus, Mounted | undefined> {
    const { classes, reloader } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: objectsSource(mountsOf(kind), stream.namespace, stream),
      project: (raw: RawPodStatus) => mountedOf(raw, reloader().store.settings.algorithms),
      handler: (event) => classes.observeStatus(stream, event),
    });
  }

  #workloads(stream: Stream, row: WorkloadKind): Informer<RawWorkload, Workload> {
    const { reloader, send } = this.#options;
    return new Informer({
      ...this.#common(stream),
      source: objectsSource(row, stream.namespace, stream),
      ...(row.refersToTemplate && { complete: (raw, signal) => complete(send, raw, signal) }),
      project: (raw: RawWorkload) => reloader().view(row, raw),
      handler: (event) => reloader().onWorkload(stream, event),
    });
  }

  #common(stream: Stream) {
    const { send, timeline, log, random } = this.#options;
    return { send, timeline, log, random, observer: this.#observerOf(stream) };
  }

  #observerOf(stream: Stream): ReflectorObserver {
    const { heartbeat, metrics, watches, servedKinds, reloader, onTurnedBack } = this.#options;
    const name = nameOf(stream);
    const sleeps = (ms: number): void => heartbeat.sleeps(name, monotonicMs() + ms + LONGEST_SILENCE_MS);
    return {
      onSignOfLife: () => {
        sleeps(0);
        watches.signOfLife(name, monotonicMs());
      },
      onFailure: (error, nextRetryMs) => {
        sleeps(nextRetryMs);
        const rule = error.code === 'forbidden' ? this.#withoutRight.get(stream)?.sentence : undefined;
        watches.failed(name, rule ?? error.message, monotonicMs());
        reloader().listing.failed(stream);
        if (error.code === 'forbidden') void this.#askForRight(stream);
        if (servedKinds.isOptional(stream.kind) && isAway(error))
          reloader().listing.leaveOut(stream, UNSERVED);
        if (error.code === 'unordered') {
          reloader().listing.leaveOut(stream, UNORDERED);
          reloader().listing.forbidden(stream);
        }
      },
      onWatchUp: () => {
        sleeps(0);
        reloader().listing.watched(stream);
        this.#withoutRight.delete(stream);
        watches.up(name, monotonicMs());
        this.#measure(stream.kind);
      },
      onWatchDown: (reason: WatchEnd) => {
        watches.down(name, reason, monotonicMs());
        metrics?.watchRestarted(stream.kind, reason);
        this.#measure(stream.kind);
      },
      onTurnedBack: () => onTurnedBack(name),
    };
  }

  /**
   * Asks the API server whether the right to read the stream is missing: a 403 alone may also come from a proxy in front of it.
   * A right may lag behind its RoleBinding, and no commit may go without a kind that is about to be listed. So each 403 asks
   * again until the right has been missing for a while. Never rejects.
   */
  async #askForRight(stream: Stream): Promise<void> {
    const { send, watches, reloader } = this.#options;
    const permission = streamPermission(stream);
    if (permission === undefined || this.#asked.has(stream) || reloader().listing.isForbidden(stream)) return;
    this.#asked.add(stream);
    const { refused } = await review(send, questionsOf([permission]));
    this.#asked.delete(stream);
    const [missing] = missingOf(refused);
    if (missing === undefined) return;
    const { sentence } = missing;
    const since = this.#withoutRight.get(stream)?.since ?? monotonicMs();
    this.#withoutRight.set(stream, { since, sentence });
    watches.failed(nameOf(stream), sentence, monotonicMs());
    reloader().listing.leaveOut(stream, `${REFUSED}. ${sentence}`);
    if (monotonicMs() - since >= RBAC_LAG_MS) reloader().listing.forbidden(stream);
  }

  /** The gauge of a kind shows the worst of its streams. */
  #measure(kind: string): void {
    const { streams, watches, metrics } = this.#options;
    const all = streams.filter((stream) => stream.kind === kind);
    metrics?.watchIsUp(
      kind,
      all.every((stream) => watches.isUp(nameOf(stream))),
    );
  }
}

/** Whether nothing serves the kind now, as when its definition is deleted or its API server is down. */
function isAway({ code }: ApiError): boolean {
  return code === 'not-found' || code === 'unavailable';
}
