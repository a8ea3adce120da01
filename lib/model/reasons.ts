/** Why something was decided: reasons, the verdicts of policies, and the Events that tell a reason. */

import { createHash } from 'node:crypto';
import type { WorkloadRef } from './object-ref.ts';

/** Every reason, and what it means. */
export const REASONS = {
  baseline: 'First sight: the present content is the baseline, nothing is rolled.',
  unchanged: 'The content is what the pods already run.',
  changed: 'The content changed: the workload is rolled after the quiet period.',
  declined: 'The content changed, but the policy of the workload does not ask for this version.',
  'changed-while-rolling': 'The content changed while pods were starting: they may have read either version.',
  'first-seen-late':
    'A list showed the object first, after a while unseen: pods may have read an earlier content of it.',
  'changed-while-down': 'The content changed while no reloader was running.',
  'changed-back': 'The content is again what the pods run: nothing is left to roll.',
  absent: 'The object does not exist, or is not watched any more: nothing is owed until it is there again.',
  rolled: 'The pod template was stamped; the workload rolls.',
  told: 'The webhook has taken what would have been a rollout: nothing is rolled here.',
  'rolled-elsewhere': 'Another reloader stamped the pod template: what its pods read is not known.',
  'owner-rolled':
    'The pod template was changed by somebody else while content was changing: its pods may have read anything.',
  'owner-rolls':
    "The workload's owner rolls it, and its new pods read the change: it is not rolled a second time unless that rollout fails.",
  'owner-has-rolled': "The pods of the owner's rollout have read the change: nothing is left to roll.",
  younger:
    'The workload, or its newest ReplicaSet, was created after the last write of the object: its pods have read that, nothing is left to roll.',
  'taken-back': 'Somebody took our stamp back before the workload had rolled.',
  'given-up':
    'The stamp was taken back each time: the workload is not rolled before what it follows, or its own template, changes.',
  conflict: 'Somebody else wrote first: read again and decide again.',
  retry: 'The API server, or the webhook, did not carry it out: tried again later.',
  refused:
    'The API server, or the webhook, refuses it: tried again with growing pauses of up to five minutes.',
  gone: 'The workload no longer exists.',
  followed: 'The workload began to follow the object.',
  unfollowed: 'The workload no longer follows the object.',
  malformed: 'An item of the annotation cannot be the name of an object.',
  misplaced: 'The annotation stands on the pod template: it is read on the workload only.',
  mistyped: 'Nobody reads the annotation, which is almost one of ours.',
  unserved: 'The annotation is understood and not served: what it asks for does not happen.',
  missing: 'An object that the annotation names does not exist: nothing is rolled for it until it does.',
  lacking: 'Something that the pods need to start does not exist: the workload is rolled once it does.',
  'left-out': 'A Secret that the annotation names is of a type that is not watched.',
  'unselected-object': 'An object that the annotation names does not have the labels that are watched.',
  'state-named':
    'The annotation names a ConfigMap in which a reloader keeps its state: nothing is rolled for it.',
  'unwatched-namespace': 'The workload names an object of a namespace that is not watched.',
  'selected-namespace': 'The namespace is selected from now on: what is owed there is rolled.',
  'unselected-namespace': 'The namespace is not selected: what is owed there is rolled once it is.',
  'opt-in-lost':
    'The annotation went together with our stamp, as kubectl rollout undo does it: nothing is rolled any more.',
  'second-reloader': 'Another program reloads the same workload: each change rolls it twice.',
  paused: 'A reloader paused the Deployment for its pause period: what changes until then is one rollout.',
  resumed: 'The pause of a Deployment is over: it rolls once with all that changed meanwhile.',
  unparked: 'Another reloader had left the workload waiting for it: nothing does any more.',
  slowed:
    'The workload is rolled more often than its limit allows: each rollout waits longer than the one before.',
  held: 'The workload does not replace its pods by itself: they take the new content later.',
  'state-damaged': 'A state ConfigMap was deleted or emptied; it is written again from memory.',
  'state-missing':
    'A state ConfigMap is missing at the start; for what it held the present content is the baseline.',
  'state-full':
    'A state ConfigMap is full: a change whose workloads are behind is not committed there before some are rolled.',
  'state-unreadable': 'An entry of the state does not parse; the present content is the baseline.',
  'state-foreign': 'An entry of the state was changed by somebody else.',
} as const;

/** The name of a reason. */
export type Reason = keyof typeof REASONS;

/** Every outcome, and what it means. */
export const POLICIES = {
  named: 'an annotation of the workload names the object',
  matched: 'the workload searches what it refers to for the mark that the object carries',
  auto: 'the workload asks for all that it refers to',
  'typed-auto': 'the workload asks for all of this kind that it refers to',
  'auto-all': 'whatever a workload refers to is asked for, unless it says otherwise',
  excluded: 'an annotation of the workload excludes the object',
  ignored: 'the object is marked to be ignored',
  state: 'a reloader keeps its state in the object',
  disabled: 'a label of the workload says that it is not to be rolled',
  'not-matched': 'the workload searches for objects that carry a mark, and this one does not',
  unselected: 'its namespace is not selected',
  finished: 'it has finished, and only what still runs is created anew',
  suspended: 'it is suspended: whatever runs later reads what is in force then',
  'not-asked': 'no annotation of the workload asks for the object',
} as const;

/** The name of an outcome. */
export type PolicyReason = keyof typeof POLICIES;

/** Whether a workload is to be rolled for an object, and why. */
export interface Verdict {
  readonly asks: boolean;
  readonly because: PolicyReason;
}

/** How a pod template is stamped: by variables of its containers, or by its annotations. */
export type ReloadStrategy = 'env-vars' | 'annotations';

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
