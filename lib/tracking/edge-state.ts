/**
 * The state chart of an edge: how it begins, the events that can happen to it, and its next value. This is the only place that
 * decides about it. The test of this file reads the table of docs/explanation/how-it-decides.md.
 *
 *     up to date ── content-changed, pods-seen, doubted ──► out of date
 *         └────── patch-accepted, skipped, pods-started ◄───────┘
 *     beginning: began
 *
 * It is pure: all facts that the edge itself does not have are gathered by the caller and are fields of the event.
 */

import type { Digest } from '../model/digest.ts';
import { type Edge, isOutdated, type RunningDigest, UNKNOWN } from '../model/edge.ts';
import type { Stamp } from '../model/stamp.ts';

/** The content of the object was observed. */
interface ContentChanged {
  readonly type: 'content-changed';
  readonly observed: Digest;
  /** The running digest, translated to this program's own algorithm; undefined: none yet. */
  readonly running: RunningDigest | undefined;
  /** The event arrived late: this content was current already when the workload began to follow the object. */
  readonly isLate: boolean;
  /** Existing pods may have read a content other than the running one and the observed one. */
  readonly mayHaveBeenRead: boolean;
  /** The observation is from a list after a gap in the watch, in which other contents may have come and gone. */
  readonly isAfterGap: boolean;
  /** Pods may be starting now, and read the old content or the new one. */
  readonly mayHaveStarted: boolean;
}

/** The events of an edge. */
export type EdgeEvent =
  /** The running digest of a new edge, of one whose object appears, or of one to another part of the object. */
  | { readonly type: 'began'; readonly running: RunningDigest | undefined; readonly isInProgress?: boolean }
  | ContentChanged
  /** The policy skips the observed content: the pods are taken to run it. */
  | { readonly type: 'skipped'; readonly observed: Digest }
  /** The workload was observed, without a write that matters; its template carries this stamp. */
  | { readonly type: 'stamp-seen'; readonly stamp: Stamp | undefined }
  /** The pods were observed. `mayHaveReadBoth`: the content changed after some of them may have started. */
  | {
      readonly type: 'pods-seen';
      readonly observed: Digest | undefined;
      readonly isRolledOut: boolean;
      readonly mayHaveReadBoth: boolean;
    }
  /** Every pod started with this content: an external rollout is complete, or all that have mounted a class. */
  | { readonly type: 'pods-started'; readonly observed: Digest | undefined }
  /**
   * The pods may have read any content: another client changed the template while a change was open, the workload after our patch, or
   * the state; a patch may run in part, or its rollout failed; or pods start while the object is absent, and that counts.
   */
  | { readonly type: 'doubted' }
  /** A rollout that was planned on `digest` is accepted. `changedSince`: the content has changed since the plan. */
  | {
      readonly type: 'patch-accepted';
      readonly digest: Digest;
      /** The stamp in the template; `none`: a webhook, or the eviction of every older pod, took the place of the patch. */
      readonly stamp: Stamp | undefined | 'none';
      readonly changedSince: boolean;
    };

/** The edge after `event`; a new object, `edge` is not changed. */
export function nextEdge(edge: Edge, event: EdgeEvent): Edge {
  switch (event.type) {
    case 'began': {
      const { running, isInProgress = edge.rolloutInProgress } = event;
      return { ...edge, runningDigest: running, rolloutInProgress: isInProgress };
    }
    case 'content-changed':
      return afterContent(edge, event);
    case 'skipped': {
      // What pods our rollout has not replaced yet run is skipped with the content.
      const rolloutInProgress = edge.rolloutInProgress && edge.runningDigest === event.observed;
      return { ...edge, runningDigest: event.observed, rolloutInProgress };
    }
    case 'stamp-seen':
      return { ...edge, stamp: event.stamp };
    case 'pods-seen':
      return afterLook(edge, event);
    case 'pods-started':
      return asRead(edge, event.observed);
    case 'doubted':
      return asRead(edge, UNKNOWN);
    case 'patch-accepted':
      return afterPatch(edge, event);
  }
}

function afterContent(edge: Edge, event: ContentChanged): Edge {
  const { observed, running, isLate, mayHaveBeenRead, isAfterGap, mayHaveStarted } = event;
  if (running === UNKNOWN) return edge;
  if (isLate) return { ...edge, runningDigest: observed };
  if (running === undefined)
    return { ...edge, runningDigest: isAfterGap && mayHaveBeenRead ? UNKNOWN : observed };
  const isDoubted = mayHaveBeenRead || (mayHaveStarted && running !== observed);
  return { ...edge, runningDigest: isDoubted ? UNKNOWN : running };
}

function afterLook(
  edge: Edge,
  { observed, isRolledOut, mayHaveReadBoth }: Extract<EdgeEvent, { type: 'pods-seen' }>,
): Edge {
  const startsWhileOutdated = !isRolledOut && isOutdated(edge, observed);
  return {
    ...edge,
    runningDigest: mayHaveReadBoth || startsWhileOutdated ? UNKNOWN : edge.runningDigest,
    rolloutInProgress: edge.rolloutInProgress && !isRolledOut,
  };
}

function afterPatch(
  edge: Edge,
  { digest, stamp, changedSince }: Extract<EdgeEvent, { type: 'patch-accepted' }>,
): Edge {
  const next = { ...edge, runningDigest: changedSince ? UNKNOWN : digest, followedSince: undefined };
  if (stamp === 'none') return next;
  const rolloutInProgress = edge.rolloutInProgress || edge.runningDigest !== digest;
  return { ...next, stamp, rolloutInProgress };
}

/** All that pods have read is known, or is unknown; no rollout of ours is in progress. */
function asRead(edge: Edge, runningDigest: RunningDigest | undefined): Edge {
  return { ...edge, runningDigest, rolloutInProgress: false, followedSince: undefined };
}
