/**
 * The edge between a workload and an object that it follows, and the rules for its running digest. The workload needs a rollout
 * when its policy asks for the object, and the running digest is not the observed one.
 */

import type { Digest } from './digest.ts';
import type { Stamp } from './stamp.ts';
import type { StateEntry } from './state-entry.ts';
import type { Span } from './timeline.ts';

/** The running digest of pods that may have read any content: it equals no digest, so the edge is out of date until patched. */
export const UNKNOWN = '?';

/** The digest that a workload's pods are believed to have last started with, or UNKNOWN. */
export type RunningDigest = Digest | typeof UNKNOWN;

/**
 * A mark of the state: pods may run another digest than that of the entry. `?<id>`: they run that digest if the live template
 * carries the stamp with this digest and id, else unknown, since pods of the template before were still there.
 */
export type Mark = typeof UNKNOWN | `?${number}`;

/** One workload's relation to one object. Immutable: every rule makes a new one. */
export interface Edge {
  /** Undefined until the object is first seen: its first content is the baseline. */
  readonly runningDigest: RunningDigest | undefined;
  /**
   * When the edge began, while its running digest is the current digest at that time. Undefined if the edge existed at the first
   * list, if a rollout was observed since, or if a pattern matches the object.
   */
  readonly followedSince: Span | undefined;
  /** The stamp in the live template. */
  readonly stamp: Stamp | undefined;
  /** A patch of ours changed the running digest, and its rollout is not known to be complete: older pods may be left. */
  readonly rolloutInProgress: boolean;
}

/**
 * The running digest that the state gives: that of the entry, or unknown where a mark says so. Undefined without an entry: then
 * the content first observed is the baseline.
 */
export function recover(
  entry: StateEntry | undefined,
  mark: Mark | undefined,
  stamp: Stamp | undefined,
): RunningDigest | undefined {
  if (entry === undefined || mark === undefined) return entry?.digest;
  return mark !== UNKNOWN && mark === markOf(stamp, entry) ? entry.digest : UNKNOWN;
}

/** The mark of pods that are being replaced by those of a template with this stamp, if the stamp has the digest of the entry. */
export function markOf(stamp: Stamp | undefined, { digest }: StateEntry): Mark {
  return stamp?.digest === digest ? `${UNKNOWN}${stamp?.id ?? 0}` : UNKNOWN;
}

/** Whether the edge is out of date. With an absent object (`observed` undefined) it is not. */
export function isOutdated(edge: Edge, observed: Digest | undefined): boolean {
  return observed !== undefined && edge.runningDigest !== undefined && edge.runningDigest !== observed;
}

/**
 * The running digest that a state write records for the edge: unknown in doubt. `isInFlight`: a patch that stamps the edge is
 * under way, or its answer was lost.
 */
export function recordedDigest(edge: Edge, isInFlight: boolean): RunningDigest | undefined {
  return isInFlight && edge.runningDigest !== undefined ? UNKNOWN : edge.runningDigest;
}

/** A new edge, before its running digest is decided. */
export function newEdge(stamp: Stamp | undefined, followedSince: Span | undefined): Edge {
  return {
    runningDigest: undefined,
    followedSince,
    stamp,
    rolloutInProgress: false,
  };
}
