/** Turns one stream of objects into news: what is there in a version not told before, what is gone, when a list is complete. */

import { type Log, NO_LOG } from '../model/log.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { type InformerEvent, isOlder, type SignOfLife, type Span, type Timeline } from '../model/timeline.ts';

import type { WatchEvent } from './list-watch.ts';
import {
  Reflector,
  type ReflectorObserver,
  type ReflectorOptions,
  type ReflectorTarget,
} from './reflector.ts';

/** What an informer is made of; what its observer throws is logged and goes no further. */
export interface InformerOptions<R extends RawObject, T> extends Omit<ReflectorOptions, 'target'> {
  readonly timeline: Timeline;
  /** What is kept of an object; the object itself is dropped. May throw: then this version is not told. */
  readonly project: (raw: R) => T;
  /** Called one event after the other, in the order of the stream. What it throws is logged and goes no further. */
  readonly handler: (event: InformerEvent<T>) => void;
}

/**
 * Reflector, projection and handler.
 *
 * Promised: each object's versions are told in order, each at most once, and the last one always; `synced` follows a
 * complete list. Not promised: every version in between (a list skips some); a version again after the handler threw.
 */
export class Informer<R extends RawObject, T> implements ReflectorTarget {
  readonly #options: InformerOptions<R, T>;
  readonly #log: Log;
  /** The version last told of each object that is there. */
  readonly #known = new Map<ObjectKey, string>();
  /** What the list under way has shown. */
  #listed = new Set<ObjectKey>();
  #lastSign: SignOfLife | undefined;
  /** Whether the first list is complete. */
  #hasSynced = false;

  constructor(options: InformerOptions<R, T>) {
    this.#options = options;
    this.#log = options.log ?? NO_LOG;
  }

  /** Resolves when `signal` is aborted and nothing is open any more; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const observer = this.#fencedObserver();
    await new Reflector({ ...this.#options, target: this, observer }).run(signal);
  }

  /** See ReflectorTarget; for the reflector only, as are the next three. */
  beginList(): void {
    this.#listed = new Set();
  }

  /** See ReflectorTarget. */
  listed(object: RawObject): void {
    const version = object.metadata.resourceVersion ?? '';
    const key = this.#keyOf(object);
    this.#listed.add(key);
    const known = this.#known.get(key) ?? '';
    // Of one stream that cannot be, unless versions went back and have passed the last one since.
    if (isOlder(version, known)) this.#fence(() => this.#options.observer?.onTurnedBack?.());
    else if (version === '' || known !== version)
      this.#tellPresent(
        key,
        object,
        this.#options.timeline.ofListed(version, this.#lastSign),
        this.#hasSynced,
      );
  }

  /** See ReflectorTarget. */
  endList(resourceVersion: string): void {
    const { timeline } = this.#options;
    for (const key of this.#known.keys()) {
      if (this.#listed.has(key)) continue;
      this.#tellAbsent(key, timeline.ofListed(resourceVersion, this.#lastSign));
    }
    this.#listed = new Set();
    this.#lastSign = timeline.sign(resourceVersion);
    this.#hasSynced = true;
    this.#tell({ type: 'synced' });
  }

  /** See ReflectorTarget. */
  event({ type, object, resourceVersion }: WatchEvent): void {
    const { timeline } = this.#options;
    if (type !== 'BOOKMARK') {
      const key = this.#keyOf(object);
      const span = timeline.ofWrite(resourceVersion, this.#lastSign);
      if (type === 'DELETED') this.#tellAbsent(key, span);
      else if (this.#known.get(key) !== resourceVersion) this.#tellPresent(key, object, span, false);
    }
    this.#lastSign = timeline.sign(resourceVersion);
  }

  #keyOf({ metadata }: RawObject): ObjectKey {
    const { kind } = this.#options.source;
    return keyOf({ kind, namespace: metadata.namespace ?? '', name: metadata.name });
  }

  #tellPresent(key: ObjectKey, raw: RawObject, span: Span, isRelisted: boolean): void {
    let object: T;
    try {
      object = this.#options.project(raw as R);
    } catch {
      // The error is not told: it may quote the content.
      this.#log.error('an object cannot be read, its last readable version stays in force', { object: key });
      return;
    }
    this.#known.set(key, raw.metadata.resourceVersion ?? '');
    this.#tell({ type: 'present', key, object, span, isInInitialList: !this.#hasSynced, isRelisted });
  }

  #tellAbsent(key: ObjectKey, span: Span): void {
    this.#known.delete(key);
    this.#tell({ type: 'absent', key, span });
  }

  #tell(event: InformerEvent<T>): void {
    try {
      this.#options.handler(event);
    } catch (error) {
      const object = event.type === 'synced' ? this.#options.source.path : event.key;
      this.#log.error('a handler failed, the stream goes on', {
        event: event.type,
        object,
        error: String(error),
      });
    }
  }

  #fencedObserver(): ReflectorObserver {
    const { observer } = this.#options;
    return {
      onFailure: (error, ms) => this.#fence(() => observer?.onFailure?.(error, ms)),
      onWatchUp: () => this.#fence(() => observer?.onWatchUp?.()),
      onWatchDown: (reason) => this.#fence(() => observer?.onWatchDown?.(reason)),
      onSignOfLife: () => this.#fence(() => observer?.onSignOfLife?.()),
      onTurnedBack: () => this.#fence(() => observer?.onTurnedBack?.()),
    };
  }

  #fence(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error('an observer failed, the stream goes on', { error: String(error) });
    }
  }
}
