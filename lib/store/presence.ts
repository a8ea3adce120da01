/**
 * Whether it counts that an object is not there. By default it does not: nothing is owed for an absent object, and its first
 * content is the baseline. `onCreate` and `onDelete` make absence something that pods can have started with, as if it were
 * content; but only where they can have started so: an object that they cannot do without rolls nothing by its coming or going.
 */

import { ABSENT, type Digest } from '../model/digest.ts';
import type { Edge } from '../model/edge.ts';
import type { ConfigRef } from '../model/object-ref.ts';
import { referenceOf, type Workload } from '../model/workload.ts';
import type { Stream } from './sync-gate.ts';

/** What rolls a workload besides a change of content. */
export interface PresenceRules {
  /** The object comes to be, after the pods started without it. */
  readonly onCreate: boolean;
  /** The object is deleted. */
  readonly onDelete: boolean;
}

/** What a stretch without the object is: nothing to the workload, a gap in what it reads, or read as if it were content. */
export type AbsenceIs = 'nothing' | 'a gap' | 'content';

/** See the file's comment. */
export class Presence {
  readonly #rules: PresenceRules;
  /** Streams that have listed: what they do not show is not there. */
  readonly #listed = new Set<string>();

  constructor(rules: PresenceRules) {
    this.#rules = rules;
  }

  /** Whether it matters to the workload that the object was away: pods of it may have started meanwhile, without it. */
  countsAbsence(workload: Workload, ref: ConfigRef): boolean {
    const { onCreate, onDelete } = this.#rules;
    return (onCreate || onDelete) && canDoWithout(workload, ref);
  }

  /** What an absence is to those to whom it matters. */
  get absenceIs(): AbsenceIs {
    return this.#rules.onDelete ? 'content' : 'a gap';
  }

  /** A stream has listed; answers whether for the first time. */
  markListed({ kind, namespace }: Pick<Stream, 'kind' | 'namespace'>): boolean {
    const name = nameOf(kind, namespace);
    if (this.#listed.has(name)) return false;
    this.#listed.add(name);
    return true;
  }

  /** What is in force for the workload: `digest`, ABSENT where that counts, or undefined where nothing can be said. */
  observed(workload: Workload, ref: ConfigRef, digest: Digest | undefined): Digest | undefined {
    if (digest !== undefined || !this.#rules.onDelete) return digest;
    return this.isAbsent(ref) && canDoWithout(workload, ref) ? ABSENT : undefined;
  }

  /** Whether pods that are there now have started without the object, and that counts. */
  beginsAbsent(workload: Workload, ref: ConfigRef, digest: Digest | undefined): boolean {
    return digest === undefined && this.countsAbsence(workload, ref) && this.isAbsent(ref);
  }

  /** Whether the step from what the pods ran to `observed` rolls them. */
  counts(runningDigest: Edge['runningDigest'], observed: Digest): boolean {
    return runningDigest !== ABSENT || observed === ABSENT || this.#rules.onCreate;
  }

  /** Whether an object is not there that no stream has shown: its kind has listed. */
  isAbsent({ kind, namespace }: ConfigRef): boolean {
    return this.#listed.has(nameOf(kind, namespace)) || this.#listed.has(nameOf(kind, undefined));
  }
}

/** Whether the workload's pods start without the object: they do not refer to it, or do not need it. */
function canDoWithout(workload: Workload, ref: ConfigRef): boolean {
  return referenceOf(workload, ref)?.isOptional ?? true;
}

function nameOf(kind: string, namespace: string | undefined): string {
  return `${namespace ?? '*'}/${kind}`;
}
