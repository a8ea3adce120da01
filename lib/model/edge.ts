/**
 * The edge between a workload and an object that it follows, and the rules for what the workload's pods ran. A workload
 * owes an object exactly when its policy asks for it and what its pods ran is not what is observed now.
 */

import type { Digest } from './digest.ts';
import type { Stamp } from './stamp.ts';
import type { StateEntry } from './state-entry.ts';
import type { Span } from './timeline.ts';

/** `ran` of pods that may have read anything: equal to no digest, owed until patched. */
export const UNKNOWN = '?';

/** The digest that a workload's pods are believed to have last started with, or UNKNOWN. */
export type RunningDigest = Digest | typeof UNKNOWN;

/** One workload's relation to one object. Immutable: every rule makes a new one. */
export interface Edge {
  /** Undefined until the object is first seen: its first content is the baseline. */
  readonly runningDigest: RunningDigest | undefined;
  /**
   * When it began to be, while `ran` is what was in force then, as far as is known; undefined: it was there at the first list,
   * a rollout has been taken note of since, or a pattern means the object.
   */
  readonly followedSince: Span | undefined;
  /** When a version came, on the Timeline, that the pods did not run and the policy did not ask for; -Infinity: none did. */
  readonly skippedAt: number;
  /** The content changed while pods were starting: owed whatever the digests say, until a patch. */
  readonly mixedPods: boolean;
  /** The stamp in the live template. */
  readonly stamp: Stamp | undefined;
  /** The highest stamp number that was seen on this edge since it appeared, or may have been in force unseen. */
  readonly highestSequence: number;
  /** A number that pods may be left of which a process died over: no stamp uses it again. */
  readonly reservedSequence: number;
  /** A patch of ours changed `ran`, and its rollout has not been seen to complete: pods of before may be left. */
  readonly rolloutInProgress: boolean;
}

/** What decides whether an edge's stamp speaks: the persisted entry of its object. */
export function isUncommitted(stamp: Stamp | undefined, entry: StateEntry | undefined): stamp is Stamp {
  return stamp !== undefined && stamp.sequence > (entry?.sequence ?? 0);
}

/**
 * `ran` of an edge when a reloader starts: the stamp's digest if that stamp speaks, else the recorded exception, else the
 * committed digest. In this order, since a patch may have landed after the exception was written. Undefined without an
 * entry: then nothing is known, and the content first observed is the baseline.
 */
export function runningDigestAtStart(
  entry: StateEntry | undefined,
  override: RunningDigest | undefined,
  stamp: Stamp | undefined,
): RunningDigest | undefined {
  if (entry === undefined) return undefined;
  if (isUncommitted(stamp, entry)) return stamp.digest;
  return override ?? entry.digest;
}

/** Whether the workload owes the object a rollout. An absent object (`observed` undefined) is owed nothing. */
export function isOutdated(edge: Edge, observed: Digest | undefined): boolean {
  return (
    observed !== undefined &&
    edge.runningDigest !== undefined &&
    (edge.mixedPods || edge.runningDigest !== observed)
  );
}

/**
 * What a state write says about the edge: what is not sure is recorded as unknown. `isInFlight`: a patch that stamps the
 * edge is on its way, or its answer was lost.
 */
export function recordedDigest(edge: Edge, isInFlight: boolean): RunningDigest | undefined {
  if (edge.runningDigest === undefined) return undefined;
  return edge.mixedPods || isInFlight ? UNKNOWN : edge.runningDigest;
}

/** An edge that begins to exist, before `ran` is decided. */
export function newEdge(stamp: Stamp | undefined, followedSince: Span | undefined): Edge {
  return {
    runningDigest: undefined,
    followedSince,
    skippedAt: Number.NEGATIVE_INFINITY,
    mixedPods: false,
    stamp,
    highestSequence: stamp?.sequence ?? 0,
    reservedSequence: 0,
    rolloutInProgress: false,
  };
}

/** The edge with the stamp that its template carries now. */
export function withStamp(edge: Edge, stamp: Stamp | undefined): Edge {
  return { ...withSequence(edge, stamp?.sequence ?? 0), stamp };
}

/** The edge on which no stamp to come uses `number`, nor a lower one. */
export function withSequence(edge: Edge, sequence: number): Edge {
  return { ...edge, highestSequence: Math.max(edge.highestSequence, sequence) };
}

/**
 * The edge while it does not ask for what is observed: the pods are taken to run it. `at`: when that version came, on the
 * Timeline; undefined where no words would ask for it.
 */
export function asSkipped(edge: Edge, observed: Digest, at: number | undefined): Edge {
  const skippedAt = at !== undefined && isOutdated(edge, observed) ? at : edge.skippedAt;
  return { ...edge, runningDigest: observed, skippedAt, mixedPods: false };
}

/** The edge after somebody's write made pods start that may have read anything. */
export function asUnknown(edge: Edge): Edge {
  return {
    ...edge,
    runningDigest: UNKNOWN,
    followedSince: undefined,
    mixedPods: false,
    rolloutInProgress: false,
  };
}

/** The edge after a patch was accepted that was planned on `digest` and left `stamp` in the template. */
export function asPatched(edge: Edge, digest: Digest, stamp: Stamp | undefined): Edge {
  const rolloutInProgress = edge.rolloutInProgress || edge.mixedPods || edge.runningDigest !== digest;
  return {
    ...withStamp(edge, stamp),
    runningDigest: digest,
    followedSince: undefined,
    mixedPods: false,
    rolloutInProgress,
  };
}

/**
 * The edge after its rollout was taken note of outside, and the template is as it was: who was told of `digest` answers for
 * the pods. `number` is what the plan would have stamped; 0 if it was not owed.
 */
export function asTold(edge: Edge, { digest, sequence }: Stamp): Edge {
  return {
    ...withSequence(edge, sequence),
    runningDigest: digest,
    followedSince: undefined,
    mixedPods: false,
  };
}
