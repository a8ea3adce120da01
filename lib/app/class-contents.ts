/**
 * Connects the streams of classes, and of what pods have mounted of them, with the reloader of the present term: to it a class is an
 * object with content like any other.
 */

import { type ConfigKind, type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { RawObject, RawPodStatus } from '../model/raw-objects.ts';
import { NOTHING, pick } from '../model/text.ts';
import { monotonicMs } from '../model/time.ts';
import { EVER, type InformerEvent } from '../model/timeline.ts';
import type { Stream } from '../store/sync-gate.ts';
import type { ClassObject } from '../tracking/class-record.ts';
import { MountedClasses } from '../tracking/mounted-classes.ts';
import { type Mounted, mountedOf } from '../tracking/mounted-content.ts';
import type { Reloader } from './reloader.ts';

/** The collaborators of `ClassContents`. */
export interface ClassContentsOptions {
  /** The reloader of the present term. */
  readonly reloader: () => Reloader;
  /** How long what pods have mounted of one class may differ. */
  readonly maxWaitMs: number;
}

/** See the file's comment. */
export class ClassContents {
  readonly #options: ClassContentsOptions;
  readonly #classes: MountedClasses;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ClassContentsOptions) {
    this.#options = options;
    this.#classes = new MountedClasses({
      maxWaitMs: options.maxWaitMs,
      now: monotonicMs,
      inForce: (ref) => this.#inForce(ref),
      publish: (event) => options.reloader().onContent(event),
      onGone: (ref) => this.#onGone(ref),
      onDynamic: (ref) => options.reloader().reviewFollowers(keyOf(ref)),
    });
  }

  /** Whether each pod has a content of the class of its own. */
  readonly isDynamic = (key: ObjectKey): boolean => this.#classes.isDynamic(key);

  /** What is kept of a class. */
  projectClass(kind: ConfigKind, { metadata }: RawObject): ClassObject {
    const { isConfigAnnotation } = this.#options.reloader().store.settings.vocabularies;
    const { namespace = '', name, annotations = NOTHING } = metadata;
    return { ref: { kind, namespace, name }, annotations: pick(annotations, isConfigAnnotation) };
  }

  /** What is kept of a status. */
  projectStatus(raw: RawPodStatus): Mounted | undefined {
    return mountedOf(raw, this.#options.reloader().store.settings.algorithms);
  }

  /** An event of a class. */
  onClass(stream: Stream, event: InformerEvent<ClassObject>): void {
    this.#classes.observeClass(event, stream.namespace);
    this.#after(stream, event);
  }

  /** An event of a status. */
  onStatus(stream: Stream, event: InformerEvent<Mounted | undefined>): void {
    this.#classes.observeStatus(event, stream.namespace);
    this.#after(stream, event);
  }

  /** A term begins, whose state may name another content as the one in force. */
  reweigh(): void {
    this.#classes.reweigh();
    this.#await();
  }

  /** Decides nothing more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** The first contents are published before the stream counts as listed. */
  #after(stream: Stream, event: InformerEvent<unknown>): void {
    if (event.type === 'synced') this.#options.reloader().onListed(stream);
    this.#await();
  }

  /** Waits for the next class that is due. */
  #await(): void {
    clearTimeout(this.#timer);
    const dueAt = this.#classes.nextDueAt;
    if (dueAt === undefined || this.#isClosed) return;
    const elapse = (): void => {
      this.#classes.elapse();
      this.#await();
    };
    this.#timer = setTimeout(elapse, Math.max(0, dueAt - monotonicMs()));
  }

  #inForce(ref: ConfigRef): string | undefined {
    const { store } = this.#options.reloader();
    return store.configs.get(keyOf(ref))?.lastDigest ?? store.persisted.entryOf(ref)?.digest;
  }

  /** The record goes too, unless a workload follows the class: then its content stays in force. */
  #onGone(ref: ConfigRef): void {
    const key = keyOf(ref);
    const { store } = this.#options.reloader();
    if (!store.configs.has(key) || store.dependents.dependentsOf(key).size > 0) return;
    this.#options.reloader().onContent({ type: 'absent', key, span: EVER });
  }
}
