/**
 * The state chart of an edge: all that can happen to one that has begun, and what it is then. The table of
 * docs/explanation/how-it-decides.md draws it, and the test of this file reads that table.
 *
 *     up to date ── content-changed, pods-seen, pods-start-without, doubted, ───────► out of date
 *         ▲         template-changed, stamped-by-peer, patch-overtaken                    │
 *         └── patch-accepted, told, skipped, external-rollout-done, pods-younger ◄────────┘
 *
 * The caller gathers all facts that the edge itself does not have: they are part of the event.
 */

import { ABSENT, type Digest } from '../model/digest.ts';
import { type Edge, isOutdated, type RunningDigest, UNKNOWN } from '../model/edge.ts';
import type { Stamp } from '../model/stamp.ts';

/** An observation of the object's content. */
interface ContentChanged {
  readonly type: 'content-changed';
  readonly observed: Digest;
  /** The running digest under this program's own algorithm. */
  readonly running: RunningDigest | undefined;
  /** The event arrived late: this content was in force when the workload began to follow the object. */
  readonly isLate: boolean;
  /** Pods that are there may have read another content. */
  readonly mayHaveBeenRead: boolean;
  /** A list told it after a while unseen. */
  readonly isAfterGap: boolean;
  /** Pods may be starting, and read either. */
  readonly mayHaveStarted: boolean;
}

/** What can happen to an edge. */
export type EdgeEvent =
  /** What the state says of an edge whose object was not known as the edge began. */
  | { readonly type: 'entry-adopted'; readonly running: RunningDigest | undefined }
  /** The object is not there, which counts as what pods started with. */
  | { readonly type: 'began-absent' }
  /** Pods start while the object is away, which counts. */
  | { readonly type: 'pods-start-without' }
  | ContentChanged
  /** The policy does not ask for what is observed: pods are taken to run it. */
  | { readonly type: 'skipped'; readonly observed: Digest }
  /** A look at the workload, whose template carries this stamp. */
  | { readonly type: 'stamp-seen'; readonly stamp: Stamp | undefined }
  /** Another process wrote the stamp: its pods may have read anything. */
  | { readonly type: 'stamped-by-peer'; readonly stamp: Stamp }
  /** An external write of the template while the object was open: its pods may have read anything. */
  | { readonly type: 'template-changed'; readonly stamp: Stamp | undefined }
  /** A look at the pods. `mayHaveReadBoth`: the content changed after some of them may have started. */
  | {
      readonly type: 'pods-seen';
      readonly observed: Digest | undefined;
      readonly isRolledOut: boolean;
      readonly mayHaveReadBoth: boolean;
    }
  /** An external rollout is through, and all its pods have read what is observed. */
  | { readonly type: 'external-rollout-done'; readonly observed: Digest }
  /** No pod is older than the last write of the object. */
  | { readonly type: 'pods-younger'; readonly observed: Digest | undefined }
  /** Nothing is known of what the pods run: the state was changed by others, or a patch may run in part. */
  | { readonly type: 'doubted' }
  /** A patch planned on `digest` is in force. `changedSince`: the content has changed since the plan. */
  | {
      readonly type: 'patch-accepted';
      readonly digest: Digest;
      readonly stamp: Stamp | undefined;
      readonly changedSince: boolean;
    }
  /** The rollout was taken note of outside: the receiver answers for the pods. `sequence`: 0 if none was needed. */
  | {
      readonly type: 'told';
      readonly digest: Digest;
      readonly sequence: number;
      readonly changedSince: boolean;
    }
  /** A patch was in force, and a later write of the workload is known already. */
  | { readonly type: 'patch-overtaken'; readonly sequence: number }
  /** The answer to a patch was lost: it is not in force, and may have been, or may arrive yet. */
  | { readonly type: 'patch-unanswered'; readonly sequence: number };

/** The edge after `event`. */
export function nextEdge(edge: Edge, event: EdgeEvent): Edge {
  switch (event.type) {
    case 'entry-adopted':
      return { ...edge, runningDigest: event.running };
    case 'began-absent':
      return { ...edge, runningDigest: ABSENT };
    case 'pods-start-without':
      return { ...edge, mixedPods: true };
    case 'content-changed':
      return afterContent(edge, event);
    case 'skipped':
      return { ...edge, runningDigest: event.observed, mixedPods: false };
    case 'stamp-seen':
      return withStamp(edge, event.stamp);
    case 'stamped-by-peer':
    case 'template-changed':
      return withStamp(asUnknown(edge), event.stamp);
    case 'pods-seen':
      return afterLook(edge, event);
    case 'external-rollout-done':
      return { ...asRead(edge, event.observed), followedSince: undefined };
    case 'pods-younger':
      return asRead(edge, event.observed);
    case 'doubted':
      return asUnknown(edge);
    case 'patch-accepted':
      return afterPatch(edge, event);
    case 'told':
      return afterTelling(edge, event);
    case 'patch-overtaken':
      return withSequence(asUnknown(edge), event.sequence);
    case 'patch-unanswered':
      return withSequence(edge, event.sequence);
  }
}

function afterContent(edge: Edge, event: ContentChanged): Edge {
  const { observed, running, isLate, mayHaveBeenRead, isAfterGap, mayHaveStarted } = event;
  if (isLate) return { ...edge, runningDigest: observed };
  if (running === undefined) {
    const mixedPods = edge.mixedPods || (isAfterGap && mayHaveBeenRead);
    return { ...edge, runningDigest: observed, mixedPods };
  }
  const next = { ...edge, runningDigest: running, mixedPods: edge.mixedPods || mayHaveBeenRead };
  return isOutdated(next, observed) && mayHaveStarted ? { ...next, mixedPods: true } : next;
}

function afterLook(
  edge: Edge,
  { observed, isRolledOut, mayHaveReadBoth }: Extract<EdgeEvent, { type: 'pods-seen' }>,
): Edge {
  const startsWhileOutdated = !isRolledOut && isOutdated(edge, observed);
  return {
    ...edge,
    mixedPods: edge.mixedPods || mayHaveReadBoth || startsWhileOutdated,
    rolloutInProgress: edge.rolloutInProgress && !isRolledOut,
  };
}

function afterPatch(
  edge: Edge,
  { digest, stamp, changedSince }: Extract<EdgeEvent, { type: 'patch-accepted' }>,
): Edge {
  const rolloutInProgress = edge.rolloutInProgress || edge.mixedPods || edge.runningDigest !== digest;
  const next = { ...withStamp(edge, stamp), followedSince: undefined, rolloutInProgress };
  return { ...next, runningDigest: digest, mixedPods: changedSince };
}

function afterTelling(
  edge: Edge,
  { digest, sequence, changedSince }: Extract<EdgeEvent, { type: 'told' }>,
): Edge {
  const next = { ...withSequence(edge, sequence), followedSince: undefined };
  return { ...next, runningDigest: digest, mixedPods: changedSince };
}

function asUnknown(edge: Edge): Edge {
  return { ...asRead(edge, UNKNOWN), followedSince: undefined };
}

/** All pods have read the same. */
function asRead(edge: Edge, runningDigest: RunningDigest | undefined): Edge {
  return { ...edge, runningDigest, mixedPods: false, rolloutInProgress: false };
}

function withStamp(edge: Edge, stamp: Stamp | undefined): Edge {
  return { ...withSequence(edge, stamp?.sequence ?? 0), stamp };
}

/** No later stamp uses `sequence`, nor a lower one. */
function withSequence(edge: Edge, sequence: number): Edge {
  return { ...edge, highestSequence: Math.max(edge.highestSequence, sequence) };
}
