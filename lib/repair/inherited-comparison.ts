/**
 * Compares the stamps that another reloader left in pod templates with the objects, once, while the state says nothing of these. A
 * stamp proves something only where pods may be older than the last write of the object. Which object makes a hash of several
 * another is not known: then all count that may.
 */

import { type SapVersion, sapHashOf, stakaterDigestOf, WaveHash } from '../annotations/inherited-digests.ts';
import { type InheritedStamp, inheritedStampsOf, sapReferencesOf } from '../annotations/inherited-stamps.ts';
import { isObjectName } from '../annotations/name-list.ts';
import { waveReferencesOf } from '../annotations/wave-references.ts';
import {
  type ConfigRef,
  configRefIn,
  describe,
  isMountedKind,
  keyOf,
  type ObjectKey,
  wholeKeyOf,
} from '../model/object-ref.ts';
import type { BirthsReading, ReadBirths, WorkloadClient } from '../model/outcome.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { isAfter, LATER_BACKOFF } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import { templateOf, workloadKindOf } from '../model/workload-kind.ts';
import { type Result, RetryQueue, type RetryQueueOptions } from '../queue/retry-queue.ts';
import type { WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { consentOf } from '../tracking/consent.ts';
import type { Effects } from '../tracking/effects.ts';
import { endComparison } from '../tracking/inherited.ts';
import type { ReadConfig } from './refetcher.ts';

/** The collaborators of `InheritedStamps`. */
export interface InheritedStampsOptions extends Pick<RetryQueueOptions, 'random' | 'log'> {
  readonly store: Store;
  readonly client: Pick<WorkloadClient, 'get'>;
  readonly readConfig: ReadConfig;
  readonly readBirths: ReadBirths;
  /** Whether all objects of a kind and all workloads of a namespace have been listed, as far as they can be. */
  readonly isSynced: (namespace: string, kind: string) => boolean;
  /** Whether a stream shows the objects of a kind in a namespace, or will. */
  readonly isWatched: (namespace: string, kind: string) => boolean;
  readonly apply: (effects: Effects) => void;
}

/** Namespaces at once, and workloads of one. */
const CONCURRENCY = 2;
const AT_ONCE = 8;

/** A read failed that may succeed later. */
class NotNow extends Error {}

/** What is read once for all workloads of a namespace. */
interface Readings {
  readonly births: Map<string, Promise<BirthsReading>>;
  readonly digests: Map<ObjectKey, Promise<string | undefined>>;
}

/** See the file's comment. */
export class InheritedStamps {
  readonly #options: InheritedStampsOptions;
  /** By namespace. */
  readonly #queue: RetryQueue;
  /** The namespaces in which a comparison waits, which was logged. */
  readonly #held = new Set<string>();
  #isClosed = false;

  constructor(options: InheritedStampsOptions) {
    this.#options = options;
    const reconcile = (namespace: string): Promise<Result> => this.#reconcile(namespace);
    this.#queue = new RetryQueue({ ...options, concurrency: CONCURRENCY, reconcile });
  }

  /** More is listed, or selected, than before: compares what can be compared now. */
  review(): void {
    for (const record of this.#options.store.workloads.values())
      if (this.#readyOf(record).length > 0) this.#queue.add(record.workload.ref.namespace);
  }

  /** Reads and compares nothing more; resolves when what is under way is answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.close();
  }

  /** What can be compared: an object of a kind that is not listed holds up no other one. */
  #readyOf({ workload, uncompared }: WorkloadRecord): readonly ObjectKey[] {
    const { store, isSynced } = this.#options;
    if (uncompared === undefined || !store.isSelected(workload.ref.namespace)) return [];
    return [...uncompared].filter((key) => {
      const { kind, namespace } = configRefIn(key);
      // Of a class nothing is known before its pods agree.
      const isKnown = !isMountedKind(kind) || store.configs.get(key)?.digest !== undefined;
      return isKnown && isSynced(namespace, kind);
    });
  }

  async #reconcile(namespace: string): Promise<Result> {
    const { store } = this.#options;
    const readings: Readings = { births: new Map(), digests: new Map() };
    const ready = [...store.workloads.values()].filter(
      (record) => record.workload.ref.namespace === namespace && this.#readyOf(record).length > 0,
    );
    const failures: string[] = [];
    for (let at = 0; at < ready.length && !this.#isClosed; at += AT_ONCE) {
      const some = ready.slice(at, at + AT_ONCE);
      const results = await Promise.all(some.map((record) => this.#compare(record, readings)));
      failures.push(...results.filter((failure) => failure !== undefined));
    }
    const [failure] = failures;
    if (failure !== undefined) return this.#hold(namespace, failure);
    this.#held.delete(namespace);
    return 'done';
  }

  #hold(namespace: string, failure: string): Result {
    if (!this.#held.has(namespace) && !this.#isClosed)
      this.#options.log.warn(
        `stamps of another reloader in namespace ${namespace} cannot be compared yet, so their objects are not recorded: ${failure}`,
      );
    this.#held.add(namespace);
    return this.#queue.backOff(namespace, { bounds: LATER_BACKOFF, message: failure });
  }

  /** Resolves with the message if something cannot be read now. */
  async #compare(record: WorkloadRecord, readings: Readings): Promise<string | undefined> {
    const { store, apply } = this.#options;
    try {
      const compared = this.#readyOf(record);
      const missed = await this.#missedBy(record, compared, readings);
      if (store.workloads.get(keyOf(record.workload.ref)) === record)
        apply(endComparison(store, record, compared, missed));
      return undefined;
    } catch (error) {
      if (error instanceof NotNow) return error.message;
      throw error;
    }
  }

  /** Those of which the pods may run an earlier content. @throws NotNow */
  async #missedBy(
    record: WorkloadRecord,
    compared: readonly ObjectKey[],
    readings: Readings,
  ): Promise<ReadonlySet<ObjectKey>> {
    const { configs } = this.#options.store;
    if (compared.some((key) => configs.get(key)?.isUnread === true))
      throw new NotNow('its keys are not read yet');
    const bornAt = await this.#bornAt(record.workload, readings);
    const missed = new Set<ObjectKey>();
    const suspects = compared.filter((key) => {
      const { digest, lastWrite } = configs.get(key) ?? {};
      const areKnown = digest !== undefined && lastWrite !== undefined && bornAt !== undefined;
      return areKnown && !isAfter(bornAt, lastWrite);
    });
    for (const stamp of suspects.length === 0 ? [] : inheritedStampsOf(record.workload, suspects)) {
      if (await this.#isInForce(stamp, record.workload, readings)) continue;
      for (const key of stamp.by === 'stakater' ? [stamp.config] : suspects) missed.add(key);
    }
    return missed;
  }

  /** No pod of the workload is older; undefined where that may not be known. @throws NotNow */
  async #bornAt({ ref, uid, createdAt }: Workload, { births }: Readings): Promise<number | undefined> {
    const known = births.get(ref.kind) ?? this.#options.readBirths(ref.namespace, ref.kind);
    births.set(ref.kind, known);
    const reading = await known;
    if (reading.kind === 'listed') return reading.births.get(uid)?.createdAt ?? createdAt;
    if (reading.isForbidden === true) return undefined;
    throw new NotNow(reading.message);
  }

  async #isInForce(stamp: InheritedStamp, workload: Workload, { digests }: Readings): Promise<boolean> {
    switch (stamp.by) {
      case 'stakater': {
        const key = wholeKeyOf(stamp.config);
        const { ref, otherDigests } = this.#options.store.configs.get(key) ?? {};
        // Stakater Reloader's digest is one of those of its content.
        if (ref !== undefined && isMountedKind(ref.kind))
          return otherDigests?.includes(stamp.digest) === true;
        const known = digests.get(key) ?? this.#stakaterDigest(configRefIn(key));
        digests.set(key, known);
        return (await known) === stamp.digest;
      }
      case 'sap':
        return (await this.#sapHash(workload)) === stamp.digest;
      case 'wave':
        return (await this.#waveHash(workload)) === stamp.digest;
    }
  }

  async #stakaterDigest(ref: ConfigRef): Promise<string | undefined> {
    const raw = await this.#read(ref);
    return raw && stakaterDigestOf(ref.kind, raw);
  }

  async #sapHash(workload: Workload): Promise<string> {
    const versions: SapVersion[] = [];
    for (const ref of sapReferencesOf(workload)) {
      const { uid, resourceVersion } = (await this.#read(ref))?.metadata ?? {};
      versions.push({ ref, version: uid === undefined ? '' : `${uid}.${resourceVersion}` });
    }
    return sapHashOf(versions);
  }

  async #waveHash({ ref, annotations }: Workload): Promise<string | undefined> {
    const reading = await this.#options.client.get(ref);
    if (reading.kind === 'failed') throw new NotNow(reading.message);
    const template =
      reading.kind === 'found' ? templateOf(workloadKindOf(ref.kind), reading.object) : undefined;
    const references = waveReferencesOf(template ?? {}, annotations, ref.namespace);
    // What the workload may not follow is not read either: the hash of the rest never equals that of all.
    const { store } = this.#options;
    if (references?.every((each) => consentOf(store, ref.namespace, each.ref) === 'given') !== true)
      return undefined;
    const hash = new WaveHash();
    for (const reference of references) {
      const raw = await this.#read(reference.ref);
      if (raw !== undefined) hash.add(reference, raw);
    }
    return hash.digest();
  }

  /**
   * The object as it is now; its content goes into a hash at once. Undefined where no stream shows it: to this program it does not
   * exist, whatever a list of names says. A version that its stream does not show (yet) proves nothing of the one that counts as the
   * baseline. @throws NotNow
   */
  async #read(ref: ConfigRef): Promise<RawConfigObject | undefined> {
    const { store, isWatched, readConfig } = this.#options;
    if (!isObjectName(ref.name) || !isWatched(ref.namespace, ref.kind)) return undefined;
    if (this.#isClosed) throw new NotNow('the reloader ends');
    const shown = (): string | undefined => store.configs.get(keyOf(ref))?.resourceVersion;
    if (shown() === undefined && store.presence.isAbsent(ref)) return undefined;
    const reading = await readConfig(ref);
    if (reading.kind === 'failed') throw new NotNow(reading.message);
    if (reading.kind === 'absent') return undefined;
    if (reading.object.metadata.resourceVersion !== shown())
      throw new NotNow(`the stream of ${describe(ref)} is behind`);
    return reading.object;
  }
}
