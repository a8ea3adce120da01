/** What is known of one class: the contents that its pods have mounted, and which of them counts. */

import type { ConfigObject } from '../model/config-object.ts';
import { type Digest, translated } from '../model/digest.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import { NOTHING } from '../model/text.ts';
import { decimalOf, type Span } from '../model/timeline.ts';
import type { Mounted } from './mounted-content.ts';

/** The part of a class itself that counts: a class has no content of its own. */
export interface ClassObject {
  readonly ref: ConfigRef;
  readonly annotations: Readonly<Record<string, string>>;
}

/** How an observation reached this process. */
export interface How {
  readonly isInInitialList: boolean;
  readonly isRelisted: boolean;
}

/** One content that pods have mounted. */
export interface Content {
  readonly digest: Digest;
  readonly otherDigests: readonly Digest[];
  /** How many statuses have it. */
  statuses: number;
  /** How many of these pods began with another content. */
  rewritten: number;
  /** The resourceVersion with which a status came to it last. */
  version: number;
  /** Whether a status has come to it since a content was taken last: what is left when pods end is no news. */
  isNews: boolean;
  /** When it last reached a pod that began with another one, by the API server's clock. */
  lastWrite: number | undefined;
}

/** One status. There may be one for each pod of a cluster. */
export interface Status {
  readonly class: Class;
  /** Undefined: it tells no version. */
  readonly content: Content | undefined;
  readonly pod: string;
  /** Whether the pod began with this content. */
  readonly isFirst: boolean;
}

/** One class. */
export interface Class {
  readonly ref: ConfigRef;
  annotations: ClassObject['annotations'];
  /** Whether the class itself exists. */
  exists: boolean;
  readonly contents: Map<Digest, Content>;
  /** How many statuses have one of these. */
  statuses: number;
  /** How many statuses tell no version, so that no one knows what their pods began with. */
  silent: number;
  /** What was published last. */
  published: ConfigObject | undefined;
  /** When a difference has lasted too long; undefined: nothing is pending. */
  dueAt: number | undefined;
  /** Each of its pods has a content of its own: nothing is published until two agree. */
  isDynamic: boolean;
  /** From the first to the last write that is not published yet, on the Timeline. */
  span: Span | undefined;
  /** Since when a pod may have begun with another content than the one in force, on the Timeline; undefined: none has. */
  begunOtherFrom: number | undefined;
}

/** A class of which nothing is known. */
export function newClass(ref: ConfigRef): Class {
  return {
    ref,
    annotations: NOTHING,
    exists: false,
    contents: new Map(),
    statuses: 0,
    silent: 0,
    published: undefined,
    dueAt: undefined,
    isDynamic: false,
    span: undefined,
    begunOtherFrom: undefined,
  };
}

/**
 * Whether the pod began with the content. The driver writes a status first once the pod has mounted; that of a pod which takes the
 * name of another may be written over it.
 */
export function beganWith(mounted: Mounted, former: Status | undefined, { isRelisted }: How): boolean {
  if (former === undefined) return mounted.isFirst;
  if (former.pod !== mounted.pod) return mounted.isFirst || !isRelisted;
  return former.content?.digest === mounted.digest && former.isFirst;
}

/** Whether the pod came while this process watched. */
export function isNewcomer(mounted: Mounted, former: Status | undefined, { isInInitialList }: How): boolean {
  return !isInInitialList && former?.pod !== mounted.pod;
}

/** The status counts from now on, in place of `former`; answers its content. */
export function enter(
  owner: Class,
  { digest, otherDigests, resourceVersion, lastWrite }: Mounted,
  former: Status | undefined,
  isFirst: boolean,
): Content | undefined {
  if (digest === undefined) {
    owner.silent += 1;
    return undefined;
  }
  const same = former?.content?.digest === digest ? former.content : undefined;
  const content = same ?? owner.contents.get(digest) ?? newContent(digest, otherDigests);
  owner.contents.set(digest, content);
  owner.statuses += 1;
  content.statuses += 1;
  if (!isFirst) content.rewritten += 1;
  if (same !== undefined) return content;
  if (!isFirst) content.lastWrite = later(content.lastWrite, lastWrite);
  content.isNews = true;
  content.version = Math.max(content.version, decimalOf(resourceVersion) ?? 0);
  return content;
}

function newContent(digest: Digest, otherDigests: readonly Digest[]): Content {
  return { digest, otherDigests, statuses: 0, rewritten: 0, version: 0, isNews: false, lastWrite: undefined };
}

/** The status does not count any more. */
export function leave({ class: owner, content, isFirst }: Status): void {
  if (content === undefined) {
    owner.silent -= 1;
    return;
  }
  owner.statuses -= 1;
  content.statuses -= 1;
  if (!isFirst) content.rewritten -= 1;
  if (content.statuses === 0) owner.contents.delete(content.digest);
}

/** Whether two statuses have the same content. */
export function agreesAnywhere({ statuses, contents }: Class): boolean {
  return statuses > contents.size;
}

/** The content to which a status came last. */
export function candidateOf({ contents }: Class): Content | undefined {
  let candidate: Content | undefined;
  for (const content of contents.values())
    if (candidate === undefined || content.version > candidate.version) candidate = content;
  return candidate;
}

/** The content in force, where a pod has it. */
export function contentInForce({ contents }: Class, digest: Digest | undefined): Content | undefined {
  if (digest === undefined) return undefined;
  const own = contents.get(digest);
  if (own !== undefined) return own;
  return [...contents.values()].find((content) => translated(digest, content) === content.digest);
}

function later(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
