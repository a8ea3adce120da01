/** The Events that are recorded on workloads: a closed list, each telling one reason, each with a name of its own. */

import { createHash } from 'node:crypto';
import type { WorkloadRef } from './object-ref.ts';
import type { Reason } from './reasons.ts';

/** How loud an Event is, and of which reason it tells. */
interface EventRow {
  readonly type: 'Normal' | 'Warning';
  readonly tells: Reason;
}

/** The `reason` of an Event. */
export type EventReason =
  | 'Reloaded'
  | 'WebhookTold'
  | 'ReloadRefused'
  | 'StampTakenBack'
  | 'ReloadGivenUp'
  | 'MalformedAnnotation'
  | 'MisplacedAnnotation'
  | 'MistypedAnnotation'
  | 'AnnotationNotServed'
  | 'ObjectMissing'
  | 'RolloutHeld'
  | 'SecretNotWatched'
  | 'ObjectNotSelected'
  | 'NamespaceNotWatched'
  | 'StateNotFollowed'
  | 'OptInLost'
  | 'SecondReloader'
  | 'Paused'
  | 'Resumed'
  | 'Unparked'
  | 'PodsNotReplaced'
  | 'RolloutsSlowed';

/** Every Event. */
export const EVENTS: Readonly<Record<EventReason, EventRow>> = {
  Reloaded: { type: 'Normal', tells: 'rolled' },
  WebhookTold: { type: 'Normal', tells: 'told' },
  ReloadRefused: { type: 'Warning', tells: 'refused' },
  StampTakenBack: { type: 'Warning', tells: 'taken-back' },
  ReloadGivenUp: { type: 'Warning', tells: 'given-up' },
  MalformedAnnotation: { type: 'Warning', tells: 'malformed' },
  MisplacedAnnotation: { type: 'Warning', tells: 'misplaced' },
  MistypedAnnotation: { type: 'Warning', tells: 'mistyped' },
  AnnotationNotServed: { type: 'Warning', tells: 'unserved' },
  ObjectMissing: { type: 'Warning', tells: 'missing' },
  RolloutHeld: { type: 'Warning', tells: 'lacking' },
  SecretNotWatched: { type: 'Warning', tells: 'left-out' },
  ObjectNotSelected: { type: 'Warning', tells: 'unselected-object' },
  NamespaceNotWatched: { type: 'Warning', tells: 'unwatched-namespace' },
  StateNotFollowed: { type: 'Warning', tells: 'state-named' },
  OptInLost: { type: 'Warning', tells: 'opt-in-lost' },
  SecondReloader: { type: 'Warning', tells: 'second-reloader' },
  Paused: { type: 'Normal', tells: 'paused' },
  Resumed: { type: 'Normal', tells: 'resumed' },
  Unparked: { type: 'Normal', tells: 'unparked' },
  PodsNotReplaced: { type: 'Warning', tells: 'held' },
  RolloutsSlowed: { type: 'Warning', tells: 'slowed' },
};

/** The Event that tells of `reason`; undefined if none does. */
export function eventTelling(reason: Reason): EventReason | undefined {
  return (Object.keys(EVENTS) as EventReason[]).find((event) => EVENTS[event].tells === reason);
}

/** What is to be recorded. */
export interface EventRecord {
  readonly regarding: WorkloadRef;
  /** Of that workload; without it (empty) kubectl describe does not show the Event. */
  readonly uid: string;
  readonly reason: EventReason;
  /** What tells it from other news of the same reason: the same news is recorded once. */
  readonly about: string;
  /** For people; never the content of an object. */
  readonly message: string;
}

const LONGEST_NAME = 253;
const DIGITS = 16;

/**
 * The name of the Event that tells `news`: the same for the same news of the same workload, by however many processes it
 * is told, so that it is recorded once for as long as the API server keeps it. The message has no part in it.
 */
export function eventNameOf({ regarding, uid, reason, about }: EventRecord): string {
  const digest = createHash('sha1')
    .update(JSON.stringify([uid, reason, about]))
    .digest('hex');
  const name = regarding.name.slice(0, LONGEST_NAME - 1 - DIGITS).replace(/[^a-z0-9]+$/, '');
  return `${name}.${digest.slice(0, DIGITS)}`;
}
