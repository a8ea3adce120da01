/**
 * Derives the content of a class from what its pods have mounted: the status that changed last counts, by its resourceVersion. A
 * pod that ends changes nothing. While each pod has a content of its own, only a pod that had the current content counts: a rollout
 * for the content of a new pod would lead to new pods with other contents, without end.
 */

import type { ConfigObject, Mounted } from '../model/config-object.ts';
import { type Digest, isOfContent } from '../model/digest.ts';
import { type ConfigRef, keyOf, type ObjectKey } from '../model/object-ref.ts';
import { NOTHING } from '../model/text.ts';
import type { InformerEvent, Span } from '../model/timeline.ts';
import { covers, type Stream } from '../store/sync-gate.ts';

/** The part of a class itself that counts: a class has no content of its own. */
export type ClassObject = Pick<ConfigObject, 'ref' | 'annotations'>;
type Present<T> = Extract<InformerEvent<T>, { type: 'present' }>;
type How = Pick<Present<unknown>, 'isInInitialList' | 'isRelisted'>;
type Begun = Pick<ConfigObject, 'begunWith'>;

/** The collaborators of `MountedClasses`. */
export interface MountedClassesOptions {
  /** The digest that the state names; undefined: none. */
  readonly recorded: (ref: ConfigRef) => Digest | undefined;
  /** Receives the class as an object with content. */
  readonly publish: (event: Present<ConfigObject>) => void;
  /** The stream has listed, and its contents are published. */
  readonly onListed: (stream: Stream) => void;
  /** Neither the class nor a status of it is left. */
  readonly onGone: (key: ObjectKey) => void;
  /** A class has become dynamic, or is not any more. */
  readonly onDynamic: (key: ObjectKey) => void;
}

/** One status; `version` and `lastWrite` are of the write with which it came to its content. */
interface Status extends Omit<Mounted, 'ref'> {
  readonly owner: Class;
  /** Whether the pod started with this content. */
  readonly isFirst: boolean;
  /** Whether the pod had the current content before, or may have had it. */
  readonly isMove: boolean;
  readonly span: Span;
}

class Class {
  readonly ref: ConfigRef;
  annotations: ClassObject['annotations'] = NOTHING;
  exists = false;
  readonly statuses = new Set<Status>();
  published: ConfigObject | undefined;
  /** The version of the status that counted last. */
  version = -1;
  /** Since when, on the Timeline, pods may have started with a content that did not count; undefined: none have. */
  otherSince: number | undefined;
  isDynamic = false;

  constructor(ref: ConfigRef) {
    this.ref = ref;
  }
}

const LISTED = { isInInitialList: true, isRelisted: false };
const RELISTED = { isInInitialList: false, isRelisted: true };
const WATCHED = { isInInitialList: false, isRelisted: false };

/** See the file's comment. Nothing is published before both streams of a namespace have listed. */
export class MountedClasses {
  readonly #options: MountedClassesOptions;
  readonly #classes = new Map<ObjectKey, Class>();
  readonly #statuses = new Map<ObjectKey, Status>();
  readonly #listed = new Set<Stream>();
  #publications = 0;

  constructor(options: MountedClassesOptions) {
    this.#options = options;
  }

  /** Whether each pod has a content of its own, so that nothing is rolled for the class. */
  readonly isDynamic = (key: ObjectKey): boolean => this.#classes.get(key)?.isDynamic ?? false;

  /** An event of a class. Its content stays current while it is away. */
  observeClass(stream: Stream, event: InformerEvent<ClassObject>): void {
    if (event.type === 'synced') this.#endList(stream);
    else if (event.type === 'present') {
      const owner = this.#classOf(event.object.ref);
      owner.exists = true;
      owner.annotations = event.object.annotations;
      this.#publish(owner, event.span, event);
    } else {
      const owner = this.#classes.get(event.key);
      if (owner !== undefined) owner.exists = false;
      this.#forgetIfGone(owner);
    }
  }

  /** An event of a status; one without an object says nothing. */
  observeStatus(stream: Stream, event: InformerEvent<Mounted | undefined>): void {
    if (event.type === 'synced') {
      this.#endList(stream);
      return;
    }
    const before = this.#statuses.get(event.key);
    this.#statuses.delete(event.key);
    before?.owner.statuses.delete(before);
    if (event.type === 'present' && event.object !== undefined) this.#enter(event, event.object, before);
    else if (before?.owner.otherSince !== undefined) this.#weigh(before.owner, WATCHED);
    this.#forgetIfGone(before?.owner);
  }

  #endList(stream: Stream): void {
    this.#listed.add(stream);
    for (const each of this.#classes.values()) if (each.published === undefined) this.#weigh(each, LISTED);
    this.#options.onListed(stream);
  }

  #classOf(ref: ConfigRef): Class {
    const owner = this.#classes.get(keyOf(ref)) ?? new Class(ref);
    this.#classes.set(keyOf(ref), owner);
    return owner;
  }

  /** `before`: the status that had the name, of this pod or of another one. */
  #enter(event: Present<unknown>, { ref, ...mounted }: Mounted, before: Status | undefined): void {
    const owner = this.#classOf(ref);
    const current = owner.published?.digest;
    const former = before?.owner === owner && before.pod === mounted.pod ? before : undefined;
    const isSame = former !== undefined && former.digest === mounted.digest;
    const isOfNew = former === undefined && (mounted.isFirst || (before !== undefined && !event.isRelisted));
    const isMove = !isOfNew && (former?.digest ?? current) === current;
    const status = isSame ? former : { ...mounted, owner, isFirst: isOfNew, isMove, span: event.span };
    this.#statuses.set(event.key, status);
    owner.statuses.add(status);
    if (!isSame && (mounted.digest !== current || owner.otherSince !== undefined)) this.#weigh(owner, event);
  }

  /** Decides by what the statuses have now. */
  #weigh(owner: Class, how: How): void {
    const { ref, published } = owner;
    if ([...this.#listed].filter((stream) => covers(stream, ref.namespace)).length < 2) return;
    const told = [...owner.statuses].filter(({ digest }) => digest !== undefined);
    const newest = told.toSorted((a, b) => b.version - a.version)[0];
    const recorded = published?.digest ?? this.#options.recorded(ref);
    const isEachItsOwn = told.length > 1 && new Set(told.map(({ digest }) => digest)).size === told.length;
    const isLast = !isEachItsOwn || (newest?.isMove === true && recorded !== undefined);
    const known = published === undefined ? told.find((each) => isOfContent(recorded, each)) : undefined;
    const counting = isLast ? newest : known;
    if (counting !== undefined && counting.version > owner.version) this.#take(owner, counting, how);
    const other = told.find((one) => one.version > owner.version && one.digest !== owner.published?.digest);
    owner.otherSince ??= other?.span.from;
    if (owner.isDynamic === (other !== undefined)) return;
    owner.isDynamic = other !== undefined;
    this.#options.onDynamic(keyOf(ref));
  }

  #take(owner: Class, { digest = '', otherDigests, lastWrite, version, span }: Status, how: How): void {
    const { ref, annotations, published, otherSince } = owner;
    const since = { from: Math.min(otherSince ?? span.from, span.from), to: span.to };
    owner.version = version;
    owner.otherSince = undefined;
    if (published?.digest !== digest) {
      const content = { digest, otherDigests, keyDigests: '' };
      owner.published = { ref, uid: '', resourceVersion: '', ...content, annotations, lastWrite };
      const haveBegun = [...owner.statuses].every((each) => each.isFirst && each.digest === digest);
      this.#publish(owner, since, how, haveBegun ? { begunWith: true } : {});
    } else if (otherSince !== undefined) this.#publish(owner, since, RELISTED);
  }

  /** The resourceVersions of classes and statuses have no common order: each publication has a number of its own. */
  #publish({ ref, annotations, published }: Class, span: Span, how: How, begun: Begun = {}): void {
    if (published === undefined) return;
    this.#publications += 1;
    const object = { ...published, ...begun, annotations, resourceVersion: String(this.#publications) };
    const { isInInitialList, isRelisted } = how;
    this.#options.publish({ type: 'present', key: keyOf(ref), object, span, isInInitialList, isRelisted });
  }

  #forgetIfGone(owner: Class | undefined): void {
    if (owner === undefined || owner.exists || owner.statuses.size > 0) return;
    this.#classes.delete(keyOf(owner.ref));
    this.#options.onGone(keyOf(owner.ref));
  }
}
