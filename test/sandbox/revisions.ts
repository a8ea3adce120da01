/** The former templates of one workload: its ReplicaSets or ControllerRevisions. */

import { canonicalText, hashOf, type JsonObject } from './json.ts';
import type { StringMap } from './stored-object.ts';

/** One distinct template that the controller has seen. */
export interface Revision {
  /** Names the template: equal templates, equal hashes. */
  readonly hash: string;
  readonly template: JsonObject;
  /** Grows each time that a template becomes the present one; the highest is the present one. */
  readonly revision: number;
  /** The workload's own annotations as last copied while it was the present one; Deployments only. */
  readonly annotations: StringMap;
}

/** The annotation that tells a Deployment's revision. */
export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

/** Annotations that belong to the Deployment alone and are neither copied to a ReplicaSet nor restored from one. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  REVISION_ANNOTATION,
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** How many former templates are kept. */
const HISTORY_LIMIT = 10;

/** All revisions, oldest first. */
export class Revisions {
  #all: readonly Revision[] = [];

  get all(): readonly Revision[] {
    return this.#all;
  }

  /** The present one; undefined before the controller has seen any template. */
  get latest(): Revision | undefined {
    return this.#all.at(-1);
  }

  find(hash: string): Revision | undefined {
    return this.#all.find((each) => each.hash === hash);
  }

  /** Makes `template` the present one: a former revision of the same template is used again. */
  observe(template: JsonObject, annotations: StringMap): Revision {
    const hash = hashOf(template);
    const { latest } = this;
    const former = this.#all.find((each) => canonicalText(each.template) === canonicalText(template));
    const copied = { ...former?.annotations, ...copiedOf(annotations) };
    const isLatest = former !== undefined && former === latest;
    if (isLatest && sameMap(former.annotations, copied)) return former;
    const revision = isLatest ? former.revision : (latest?.revision ?? 0) + 1;
    const next: Revision = { hash, template: former?.template ?? template, revision, annotations: copied };
    this.#all = [...this.#all.filter((each) => each !== former), next];
    return next;
  }

  /** Forgets the oldest former templates beyond the limit, except those in use; answers what was forgotten. */
  trim(inUse: (hash: string) => boolean): readonly Revision[] {
    const unused = this.#all.slice(0, -1).filter((each) => !inUse(each.hash));
    const excess = unused.slice(0, Math.max(0, unused.length - HISTORY_LIMIT));
    if (excess.length > 0) this.#all = this.#all.filter((each) => !excess.includes(each));
    return excess;
  }
}

/** The annotations of a Deployment that is taken back to `revision`: its own private ones, and those of that time. */
export function restoredAnnotations(present: StringMap, revision: Revision): StringMap {
  const kept = Object.entries(present).filter(([key]) => NOT_COPIED.has(key));
  return { ...revision.annotations, ...Object.fromEntries(kept) };
}

function copiedOf(annotations: StringMap): StringMap {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !NOT_COPIED.has(key)));
}

function sameMap(a: StringMap, b: StringMap): boolean {
  return canonicalText(a) === canonicalText(b);
}
