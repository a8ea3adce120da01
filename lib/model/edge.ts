/**
 * The edge between a workload and an object that it follows, and the rules for its running digest. The workload needs a rollout
 * when its policy asks for the object, and the running digest is not the observed one or its pods are mixed.
 */

import { algorithmOf, type Digest } from './digest.ts';
import type { Stamp } from './stamp.ts';
import type { StateEntry } from './state-entry.ts';
import type { Span } from './timeline.ts';

/** The running digest of pods that may have read any content: it equals no digest, so the edge is out of date until patched. */
export const UNKNOWN = '?';

/** The digest that a workload's pods are believed to have last started with, or UNKNOWN. */
export type RunningDigest = Digest | typeof UNKNOWN;

/**
 * A running digest as the state records it. `?<sequence>`: that of the stamp with this sequence while the live template carries it,
 * else unknown, since pods of the template before were still there.
 */
export type RecordedDigest = RunningDigest | `?${number}`;

/** One workload's relation to one object. Immutable: every rule makes a new one. */
export interface Edge {
  /** Undefined until the object is first seen: its first content is the baseline. */
  readonly runningDigest: RunningDigest | undefined;
  /**
   * When the edge began, while its running digest is the current digest at that time. Undefined if the edge existed at the first
   * list, if a rollout was observed since, or if a pattern matches the object.
   */
  readonly followedSince: Span | undefined;
  /** The content changed while pods were starting: out of date until a patch, whatever the digests say. */
  readonly mixedPods: boolean;
  /** The stamp in the live template. */
  readonly stamp: Stamp | undefined;
  /** The highest sequence of a stamp that was observed on this edge, or may have been applied unobserved. */
  readonly highestSequence: number;
  /** A patch of ours changed the running digest, and its rollout is not known to be complete: older pods may be left. */
  readonly rolloutInProgress: boolean;
}

/** Whether a stamp is uncommitted: its sequence is above that of the object's entry. */
export function isUncommitted(stamp: Stamp | undefined, entry: StateEntry | undefined): stamp is Stamp {
  return stamp !== undefined && stamp.sequence > (entry?.sequence ?? 0);
}

/**
 * The running digest of an edge when a reloader starts: the stamp's digest if the stamp is uncommitted, or the override is for it,
 * else the recorded override, else the committed digest. In this order, since a patch may have been accepted after the override
 * was written. Undefined without an entry: then the content first observed is the baseline.
 */
export function runningDigestAtStart(
  entry: StateEntry | undefined,
  override: RecordedDigest | undefined,
  stamp: Stamp | undefined,
): RunningDigest | undefined {
  if (entry === undefined) return undefined;
  if (isUncommitted(stamp, entry)) return stamp.digest;
  if (stamp !== undefined && override === whileStamped(stamp)) return committedBy(stamp, entry);
  return override?.startsWith(UNKNOWN) === true ? UNKNOWN : (override ?? entry.digest);
}

/** The digest of a committed stamp; that of the entry if it was written anew under another algorithm, since the stamp keeps its own. */
export function committedBy(stamp: Stamp, { digest }: StateEntry): Digest | undefined {
  return algorithmOf(stamp.digest) === algorithmOf(digest) ? stamp.digest : digest;
}

/** What the state records of pods that are being replaced by those of a template with this stamp. */
export function whileStamped({ sequence }: Stamp): RecordedDigest {
  return `${UNKNOWN}${sequence}`;
}

/** Whether the edge is out of date. With an absent object (`observed` undefined) it is not. */
export function isOutdated(edge: Edge, observed: Digest | undefined): boolean {
  return (
    observed !== undefined &&
    edge.runningDigest !== undefined &&
    (edge.mixedPods || edge.runningDigest !== observed)
  );
}

/**
 * The running digest that a state write records for the edge: unknown in doubt. `isInFlight`: a patch that stamps the edge is
 * under way, or its answer was lost.
 */
export function recordedDigest(edge: Edge, isInFlight: boolean): RunningDigest | undefined {
  if (edge.runningDigest === undefined) return undefined;
  return edge.mixedPods || isInFlight ? UNKNOWN : edge.runningDigest;
}

/** A new edge, before its running digest is decided. */
export function newEdge(stamp: Stamp | undefined, followedSince: Span | undefined): Edge {
  return {
    runningDigest: undefined,
    followedSince,
    mixedPods: false,
    stamp,
    highestSequence: stamp?.sequence ?? 0,
    rolloutInProgress: false,
  };
}
