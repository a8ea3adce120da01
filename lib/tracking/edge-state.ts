/**
 * The state chart of an edge: how it begins, the events that can happen to it, and its next value. This is the only place that
 * decides about it. The test of this file reads the table of docs/explanation/how-it-decides.md.
 *
 *     up to date ── content-changed, pods-seen, pods-start-without, template-changed, doubted ──► out of date
 *         └── patch-accepted, skipped, external-rollout-done, pods-started ◄───────────────────────┘
 *     beginnings: appeared, found-at-start, rescoped
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
  /** The running digest of an edge without one: by the state, or ABSENT if pods started with an absence that counts. */
  | { readonly type: 'began'; readonly running: RunningDigest | undefined }
  /** Pods start while the object is absent, and absence counts. */
  | { readonly type: 'pods-start-without' }
  /** It begins while the reloader runs, with the current content. `mayHaveReadOther`: some pods may have started before that was. */
  | { readonly type: 'appeared'; readonly observed: Digest | undefined; readonly mayHaveReadOther: boolean }
  | FoundAtStart
  /** Another part of the object takes the place of the one that the workload followed. */
  | {
      readonly type: 'rescoped';
      readonly running: RunningDigest | undefined;
      readonly stamp: Stamp | undefined;
    }
  | ContentChanged
  /** The policy skips the observed content: the pods are taken to run it. */
  | { readonly type: 'skipped'; readonly observed: Digest }
  /** The workload was observed, without a write that matters; its template carries this stamp. */
  | { readonly type: 'stamp-seen'; readonly stamp: Stamp | undefined }
  /** An external writer changed the template while a change was open: the pods may have read any content. */
  | { readonly type: 'template-changed'; readonly stamp: Stamp | undefined }
  /** The pods were observed. `mayHaveReadBoth`: the content changed after some of them may have started. */
  | {
      readonly type: 'pods-seen';
      readonly observed: Digest | undefined;
      readonly isRolledOut: boolean;
      readonly mayHaveReadBoth: boolean;
    }
  /** An external rollout is complete, and all its pods have read the observed content. */
  | { readonly type: 'external-rollout-done'; readonly observed: Digest }
  /** Every pod that has mounted the object started with this content. */
  | { readonly type: 'pods-started'; readonly observed: Digest | undefined }
  /**
   * The belief is not certain any more: another client changed the state, or the workload after our patch, a patch may run in part,
   * or its rollout failed.
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
    case 'began':
      return { ...edge, runningDigest: event.running };
    case 'pods-start-without':
      return { ...edge, mixedPods: true };
    case 'content-changed':
      return afterContent(edge, event);
    case 'skipped':
      return { ...edge, runningDigest: event.observed, mixedPods: false };
    case 'stamp-seen':
      return { ...edge, stamp: event.stamp };
    case 'template-changed':
      return { ...asUnknown(edge), stamp: event.stamp };
    case 'pods-seen':
      return afterLook(edge, event);
    case 'external-rollout-done':
      return { ...asRead(edge, event.observed), followedSince: undefined };
    case 'pods-started':
      return asRead(edge, event.observed);
    case 'doubted':
      return asUnknown(edge);
    case 'patch-accepted':
      return afterPatch(edge, event);
    case 'appeared': {
      const mixedPods = event.observed !== undefined && event.mayHaveReadOther;
      return { ...edge, runningDigest: event.observed, mixedPods };
    }
    case 'found-at-start':
      return afterStart(edge, event);
    case 'rescoped':
      return { ...edge, runningDigest: event.running, stamp: event.stamp };
  }
}

/** It begins at the first list: what the state and the template say of it. */
interface FoundAtStart {
  readonly type: 'found-at-start';
  readonly running: RunningDigest | undefined;
  readonly observed: Digest | undefined;
  readonly isRolledOut: boolean;
  /** Pods may have started with another content than either. */
  readonly mayHaveReadOther: boolean;
}

/** A change that a start finds may have been made while no reloader ran: pods may have started with either content, until a patch. */
function afterStart(edge: Edge, { running, observed, isRolledOut, mayHaveReadOther }: FoundAtStart): Edge {
  const rolloutInProgress = edge.stamp !== undefined && !isRolledOut;
  const next = { ...edge, runningDigest: running, mixedPods: mayHaveReadOther, rolloutInProgress };
  return isOutdated(next, observed) ? { ...next, mixedPods: true } : next;
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
  const next = { ...edge, runningDigest: digest, mixedPods: changedSince, followedSince: undefined };
  if (stamp === 'none') return next;
  const rolloutInProgress = edge.rolloutInProgress || edge.mixedPods || edge.runningDigest !== digest;
  return { ...next, stamp, rolloutInProgress };
}

function asUnknown(edge: Edge): Edge {
  return { ...asRead(edge, UNKNOWN), followedSince: undefined };
}

/** All pods have read the same content, and no rollout is in progress. */
function asRead(edge: Edge, runningDigest: RunningDigest | undefined): Edge {
  return { ...edge, runningDigest, mixedPods: false, rolloutInProgress: false };
}
