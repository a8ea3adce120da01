/**
 * Turns the lists and watches of one stream into events: an object is present in a new version, an object is absent, a list is
 * complete. It keeps only the versions, not the objects.
 */

import type { StreamNews } from '../model/health.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { RawObject } from '../model/raw-objects.ts';
import { type InformerEvent, isOlder, type SignOfLife, type Span, type Timeline } from '../model/timeline.ts';
import type { WatchEvent } from './list-watch.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

/** The collaborators of an informer. An exception of its observer is logged and does not stop the stream. */
export interface InformerOptions<R extends RawObject, T> extends Omit<ReflectorOptions, 'target'> {
  readonly timeline: Timeline;
  /** The part of an object that events carry; the object itself is dropped. If it throws, this version is skipped. */
  readonly project: (raw: R) => T;
  /** Called synchronously for each event, in the order of the stream. An exception is logged and does not stop the stream. */
  readonly handler: (event: InformerEvent<T>) => void;
}

/**
 * A reflector, a projection and a handler.
 *
 * Promised: the versions of each object are delivered in order, each at most once, and the last one always; `synced` follows
 * each complete list. Not promised: every intermediate version (a list skips some); a second delivery after the handler threw.
 */
export class Informer<R extends RawObject, T> {
  readonly #options: InformerOptions<R, T>;
  /** The resourceVersion last delivered of each present object. */
  readonly #known = new Map<ObjectKey, string>();
  /** The objects of the list under way so far. */
  #listed = new Set<ObjectKey>();
  /** The version and time of the last list or event: a change that is noticed next happened after it. */
  #lastSign: SignOfLife | undefined;
  /** Whether the first list is complete. */
  #hasSynced = false;

  constructor(options: InformerOptions<R, T>) {
    this.#options = options;
  }

  /** Resolves when `signal` is aborted and no request is open any more; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const observe = (news: StreamNews): void => this.#observe(news);
    await new Reflector({ ...this.#options, target: this, observe }).run(signal);
  }

  /** A list begins, perhaps for the second time. Called only by the reflector, like the next three. */
  beginList(): void {
    this.#listed = new Set();
  }

  /** An object of the list. */
  listed(object: RawObject): void {
    const version = object.metadata.resourceVersion ?? '';
    const key = this.#keyOf(object);
    this.#listed.add(key);
    const known = this.#known.get(key) ?? '';
    const span = this.#options.timeline.ofListed(version, this.#lastSign);
    // Impossible within one stream, unless etcd was restored and its versions have since overtaken that of the last list.
    if (isOlder(version, known)) this.#observe({ type: 'turned-back' });
    else if (version === '' || known !== version) this.#tellPresent(key, object, span, this.#hasSynced);
  }

  /** The list is complete: objects that were not listed since `beginList` do not exist. */
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

  /** An event of a watch, bookmarks included. */
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
      // The error is not logged: it may quote the content.
      this.#options.log.error('cannot read an object; its last readable version stays current', {
        object: key,
      });
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
      this.#options.log.error('a handler failed; the stream continues', {
        event: event.type,
        object,
        error: String(error),
      });
    }
  }

  #observe(news: StreamNews): void {
    try {
      this.#options.observe(news);
    } catch (error) {
      this.#options.log.error('an observer failed; the stream continues', { error: String(error) });
    }
  }
}
