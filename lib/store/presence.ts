/**
 * Whether the absence of an object counts. By default it does not: no workload needs a rollout for a missing object, and its
 * first content is the baseline. With `onCreate` or `onDelete` pods can have started with the absence as with a content. It
 * counts only for workloads whose pods can start without the object.
 */

import { ABSENT, type Digest } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import { type ConfigRef, isMountedKind } from '../model/object-ref.ts';
import { referenceOf, type Workload } from '../model/workload.ts';
import { nameOf, type Stream } from './sync-gate.ts';

/** The events that roll a workload besides a change of content. */
export interface PresenceRules {
  /** Whether the creation of an object does, after pods started without it. */
  readonly onCreate: boolean;
  /** Whether the deletion of an object does. */
  readonly onDelete: boolean;
}

/** What an absence is: nothing; a gap, as pods may have started in it; or a content of its own, ABSENT. */
export type AbsenceIs = 'nothing' | 'a gap' | 'content';

/** See the file's comment. */
export class Presence {
  readonly #rules: PresenceRules;
  /** Streams that have listed: an object of them that was not shown does not exist. */
  readonly #listed = new Set<string>();

  constructor(rules: PresenceRules) {
    this.#rules = rules;
  }

  /** Whether an absence of the object counts for the workload: its pods may have started without it. */
  countsAbsence(workload: Workload, ref: ConfigRef): boolean {
    const { onCreate, onDelete } = this.#rules;
    return (onCreate || onDelete) && this.#canDoWithout(workload, ref);
  }

  /** The meaning of an absence for workloads for which it counts. */
  get absenceIs(): AbsenceIs {
    return this.#rules.onDelete ? 'content' : 'a gap';
  }

  /** Records that a stream has listed; whether for the first time. */
  markListed(stream: Pick<Stream, 'kind' | 'namespace'>): boolean {
    return this.#listed.size < this.#listed.add(nameOf(stream)).size;
  }

  /** The current digest for the workload: `digest`; ABSENT if the object is absent and that counts; undefined if unknown. */
  observed(workload: Workload, ref: ConfigRef, digest: Digest | undefined): Digest | undefined {
    return this.#rules.onDelete && this.beginsAbsent(workload, ref, digest) ? ABSENT : digest;
  }

  /** Whether the object is known not to exist, since its stream has listed, so that pods started without it, and that counts. */
  beginsAbsent(workload: Workload, ref: ConfigRef, digest: Digest | undefined): boolean {
    if (digest !== undefined || !this.countsAbsence(workload, ref)) return false;
    return [ref.namespace, undefined].some((namespace) => this.#listed.has(nameOf({ ...ref, namespace })));
  }

  /** The recorded digest, unless it is ABSENT and pods cannot have started without the object. */
  started(workload: Workload, ref: ConfigRef, digest: Edge['runningDigest']): Edge['runningDigest'] {
    return digest === ABSENT && !this.#canDoWithout(workload, ref) ? undefined : digest;
  }

  /** Whether the difference between the running digest and `observed` makes the edge out of date. */
  counts(runningDigest: Edge['runningDigest'], observed: Digest): boolean {
    return runningDigest !== ABSENT || observed === ABSENT || this.#rules.onCreate;
  }

  /** Whether the pods start without the object: they do not refer to it, or the reference is optional. Without a class they do not. */
  #canDoWithout(workload: Workload, ref: ConfigRef): boolean {
    if (isMountedKind(ref.kind)) return false;
    return referenceOf(workload, ref)?.isOptional ?? true;
  }
}
