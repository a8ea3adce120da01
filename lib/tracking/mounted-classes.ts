/**
 * Derives the content of a class from what its pods have mounted: many statuses, one for each pod, become one object with content.
 * While they differ, a rotation is on its way through the pods: its content counts once all agree, or after the maximum wait.
 * The clock, and what is in force, are handed in.
 */

import type { ConfigObject } from '../model/config-object.ts';
import type { Digest } from '../model/digest.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import type { InformerEvent, Span } from '../model/timeline.ts';
import {
  agreesAnywhere,
  beganWith,
  type Class,
  type ClassObject,
  type Content,
  candidateOf,
  contentInForce,
  enter,
  type How,
  isNewcomer,
  leave,
  newClass,
  type Status,
} from './class-record.ts';
import type { Mounted } from './mounted-content.ts';

/** The class as an object with content. */
export type ContentEvent = Extract<InformerEvent<ConfigObject>, { type: 'present' }>;

/** The collaborators of `MountedClasses`. */
export interface MountedClassesOptions {
  /** How long the statuses of one class may differ, in ms. */
  readonly maxWaitMs: number;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** The digest that was published last, or that the state names; undefined: none. */
  readonly inForce: (ref: ConfigRef) => Digest | undefined;
  /** Takes the class as an object with content. */
  readonly publish: (event: ContentEvent) => void;
  /** Neither a class nor a status of it is left. */
  readonly onGone: (ref: ConfigRef) => void;
  /** A class has become dynamic, or is not any more. */
  readonly onDynamic: (ref: ConfigRef) => void;
}

const WATCHED: How = { isInInitialList: false, isRelisted: false };

/** See the file's comment. An event costs a constant time, and one of a list no decision before the list is complete. */
export class MountedClasses {
  readonly #options: MountedClassesOptions;
  readonly #classes = new Map<ObjectKey, Class>();
  readonly #statuses = new Map<ObjectKey, Status>();
  /** The pending ones, in the order in which they are due. */
  readonly #pending = new Set<Class>();
  /** The classes that a list has touched, to be weighed at its end. */
  readonly #touched = new Map<Class, How>();
  /** By namespace, or `undefined` for all: whether the classes, and whether the statuses, have listed. */
  readonly #listed = { classes: new Set<string | undefined>(), statuses: new Set<string | undefined>() };
  #published = 0;

  constructor(options: MountedClassesOptions) {
    this.#options = options;
  }

  /** Whether each pod has a content of its own, so that nothing is rolled for the class. */
  isDynamic(key: ObjectKey): boolean {
    return this.#classes.get(key)?.isDynamic ?? false;
  }

  /** How many classes and statuses are known. */
  get size(): { readonly classes: number; readonly statuses: number } {
    return { classes: this.#classes.size, statuses: this.#statuses.size };
  }

  /** When `elapse` has something to do, by the clock; undefined: nothing is pending. */
  get nextDueAt(): number | undefined {
    const [first] = this.#pending;
    return first?.dueAt;
  }

  /** An event of a class in the stream of `namespace`, or of all. */
  observeClass(event: InformerEvent<ClassObject>, namespace: string | undefined): void {
    if (event.type === 'synced') this.#endList('classes', namespace);
    else if (event.type === 'absent') this.#loseClass(event.key);
    else this.#takeClass(event);
  }

  /** An event of a status in the stream of `namespace`, or of all; one without an object says nothing. */
  observeStatus(event: InformerEvent<Mounted | undefined>, namespace: string | undefined): void {
    if (event.type === 'synced') this.#endList('statuses', namespace);
    else if (event.type === 'absent') this.#dropStatus(event.key, event.span, WATCHED);
    else if (event.object === undefined) this.#dropStatus(event.key, event.span, event);
    else this.#takeStatus(event.key, event.object, event.span, event);
  }

  /** Decides about the classes that are due. */
  elapse(): void {
    for (const each of [...this.#pending]) {
      if (each.dueAt === undefined || each.dueAt > this.#options.now()) break;
      this.#settle(each);
    }
  }

  /** What is in force may be another digest than before, as when a term begins: every class is weighed again. */
  reweigh(): void {
    for (const each of this.#classes.values()) {
      if (each.isDynamic) this.#markDynamic(each, false);
      for (const content of each.contents.values()) content.isNews = true;
      this.#weigh(each, WATCHED);
    }
  }

  #classOf(ref: ConfigRef): Class {
    const key = keyOf(ref);
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const made = newClass(ref);
    this.#classes.set(key, made);
    return made;
  }

  #takeClass({ object, span, ...how }: Extract<InformerEvent<ClassObject>, { type: 'present' }>): void {
    const known = this.#classOf(object.ref);
    known.exists = true;
    known.annotations = object.annotations;
    if (known.published === undefined) return;
    const { begunWith: _, ...content } = known.published;
    this.#publish(known, content, span, how);
  }

  /** Its annotations and its content stay in force: it may come back. */
  #loseClass(key: ObjectKey): void {
    const known = this.#classes.get(key);
    if (known === undefined) return;
    known.exists = false;
    this.#forget(known);
  }

  #takeStatus(key: ObjectKey, mounted: Mounted, span: Span, how: How): void {
    const owner = this.#classOf(mounted.ref);
    const before = this.#statuses.get(key);
    const former = before?.class === owner ? before : undefined;
    const isFirst = beganWith(mounted, former, how);
    if (before !== undefined) leave(before);
    const content = enter(owner, mounted, former, isFirst);
    const isOther = content !== contentInForce(owner, this.#options.inForce(owner.ref));
    if (content !== undefined && isNewcomer(mounted, former, how) && (isFirst ? isOther : how.isRelisted))
      owner.begunOtherFrom ??= span.from;
    this.#statuses.set(key, { class: owner, content, pod: mounted.pod, isFirst });
    this.#touch(owner, span, how);
    if (before !== undefined && before.class !== owner) this.#touch(before.class, span, how);
  }

  #dropStatus(key: ObjectKey, span: Span, how: How): void {
    const status = this.#statuses.get(key);
    if (status === undefined) return;
    this.#statuses.delete(key);
    leave(status);
    this.#touch(status.class, span, how);
    this.#forget(status.class);
  }

  /** Weighs the class now, or at the end of the list that touches it. */
  #touch(each: Class, span: Span, how: How): void {
    each.span = {
      from: Math.min(each.span?.from ?? span.from, span.from),
      to: Math.max(each.span?.to ?? span.to, span.to),
    };
    if (how.isInInitialList || how.isRelisted) this.#touched.set(each, how);
    else this.#weigh(each, how);
  }

  #endList(of: 'classes' | 'statuses', namespace: string | undefined): void {
    this.#listed[of].add(namespace);
    for (const [each, how] of this.#touched) {
      if (!this.#isListed(each)) continue;
      this.#touched.delete(each);
      this.#weigh(each, how);
    }
  }

  #isListed({ ref: { namespace } }: Class): boolean {
    return [this.#listed.classes, this.#listed.statuses].every(
      (listed) => listed.has(namespace) || listed.has(undefined),
    );
  }

  /** Decides by what the statuses have now. */
  #weigh(each: Class, how: How): void {
    if (!this.#isListed(each)) return;
    const [only, another] = each.contents.values();
    if (only === undefined) {
      this.#rest(each);
      this.#markDynamic(each, false);
      return;
    }
    if (each.isDynamic && !agreesAnywhere(each)) return;
    this.#markDynamic(each, false);
    if (another !== undefined) this.#differ(each, how);
    else if (only.isNews) this.#take(each, only, how, only.rewritten === 0 && each.silent === 0);
    else this.#rest(each);
  }

  /** Several contents: one that is in force stays so, and any other waits. */
  #differ(each: Class, how: How): void {
    const known = contentInForce(each, this.#options.inForce(each.ref));
    if (known !== undefined && each.published === undefined) this.#publishContent(each, known, how, false);
    const candidate = candidateOf(each);
    if (candidate === known || candidate?.isNews !== true) this.#rest(each);
    else if (each.dueAt === undefined) {
      each.dueAt = this.#options.now() + this.#options.maxWaitMs;
      this.#pending.add(each);
    }
  }

  /**
   * The maximum wait is over. The content that came last counts, where two pods have the same, or where one of two pods has what is in
   * force: others are stuck, or came before it. Else each pod has a content of its own.
   */
  #settle(each: Class): void {
    const known = contentInForce(each, this.#options.inForce(each.ref));
    const candidate = candidateOf(each);
    const isRotated = agreesAnywhere(each) || (each.contents.size === 2 && known !== undefined);
    if (isRotated && candidate !== undefined) this.#take(each, candidate, WATCHED, false);
    else {
      this.#rest(each);
      this.#markDynamic(each, true);
    }
  }

  /** No other content is news from then on: pods came to them before. `begun`: every pod began with the content. */
  #take(each: Class, content: Content, how: How, begun: boolean): void {
    for (const other of each.contents.values()) other.isNews = false;
    if (each.published?.digest !== content.digest) this.#publishContent(each, content, how, begun);
    else if (each.begunOtherFrom !== undefined) this.#publishAgain(each, each.published, each.begunOtherFrom);
    each.begunOtherFrom = undefined;
    this.#rest(each);
  }

  /** Nothing is pending. */
  #rest(each: Class): void {
    each.dueAt = undefined;
    each.span = undefined;
    this.#pending.delete(each);
  }

  #publishContent(each: Class, { digest, otherDigests, lastWrite }: Content, how: How, begun: boolean): void {
    const { ref, annotations } = each;
    const content = { ref, uid: '', resourceVersion: '', digest, otherDigests, annotations, lastWrite };
    const span = each.span ?? { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
    this.#publish(each, begun ? { ...content, begunWith: true } : content, span, how);
  }

  /** The content is in force again: pods that started since `from` may have begun with another one. */
  #publishAgain(each: Class, { begunWith: _, ...content }: ConfigObject, from: number): void {
    const to = each.span?.to ?? from;
    this.#publish(each, content, { from, to }, { isInInitialList: false, isRelisted: true });
  }

  /** The resourceVersions of several kinds make no order: each publication has a number of its own. */
  #publish(each: Class, object: ConfigObject, span: Span, { isInInitialList, isRelisted }: How): void {
    this.#published += 1;
    const { annotations } = each;
    each.published = { ...object, annotations, resourceVersion: String(this.#published) };
    const how = { isInInitialList, isRelisted };
    this.#options.publish({ type: 'present', key: keyOf(each.ref), object: each.published, span, ...how });
  }

  #markDynamic(each: Class, isDynamic: boolean): void {
    if (each.isDynamic === isDynamic) return;
    each.isDynamic = isDynamic;
    this.#options.onDynamic(each.ref);
  }

  #forget(each: Class): void {
    if (each.exists || each.contents.size > 0 || each.silent > 0) return;
    this.#rest(each);
    this.#touched.delete(each);
    this.#classes.delete(keyOf(each.ref));
    this.#options.onGone(each.ref);
  }
}
