/** The names of decisions: reasons, the verdicts of policies, and the Events that report a reason. */

import { createHash } from 'node:crypto';
import type { ConfigRef, WorkloadRef } from './object-ref.ts';

/** Every reason, and what it means. */
export const REASONS = {
  baseline: 'First sight: the present content is the baseline, nothing is rolled.',
  unchanged: 'The content is what the pods already run.',
  changed: 'The content changed: the workload is rolled after the quiet period.',
  skipped: 'The content changed, but the policy of the workload does not ask for this version.',
  'changed-while-rolling': 'The content changed while pods were starting: they may have read either version.',
  'first-seen-late': 'A list showed the object first, after a gap: pods may have read an earlier content.',
  'changed-before-start': 'The content changed before this process started: pods may run an older one.',
  'changed-back': 'The content is again what the pods run: nothing is left to roll.',
  absent: 'The object does not exist, or is not watched any more: nothing is rolled until it is there again.',
  rolled: 'The pod template was stamped; the workload rolls.',
  'webhook-notified': 'The webhook accepted the notification that replaces a rollout.',
  evicting: 'The pods that are older than the change are evicted, the oldest first.',
  'evictions-stalled': 'A pod does not become ready, or a PodDisruptionBudget allows no eviction.',
  'no-older-pod': 'Every pod was created after the last write of the objects: nothing is left to evict.',
  'external-rollout': 'An external writer changed the template while a content changed: pods may run either.',
  'external-rollout-done': 'The pods of the external rollout have read the change: nothing is left to roll.',
  'stamp-reverted': 'Another writer removed or replaced our stamp before the workload had rolled.',
  'given-up':
    'Each stamp was reverted, or the rollout failed: a later change of content or template ends it.',
  conflict: 'Another client wrote first: read again and decide again.',
  retry: 'The API server, or the webhook, did not accept the write yet: tried again later.',
  refused: 'The API server, or the webhook, refuses the write: tried again, after five minutes at most.',
  gone: 'The workload no longer exists.',
  followed: 'The workload began to follow the object.',
  unfollowed: 'The workload no longer follows the object.',
  malformed: 'An item of the annotation cannot be the name of an object, or a value cannot be read.',
  misplaced: 'The annotation has no effect where it is: it belongs elsewhere.',
  mistyped: 'The annotation has no effect: its key is almost one of a vocabulary in use.',
  unserved: 'The annotation is known, and has no effect here.',
  missing: 'An object that the annotation names does not exist, or is not watched.',
  'dynamic-class': 'Each pod has its own versions of the SecretProviderClass: nothing is rolled for it.',
  'state-named': 'The annotation names a ConfigMap in which a reloader keeps its state: it does not count.',
  'selected-namespace': 'The namespace is selected from now on: its outdated workloads are rolled.',
  'unselected-namespace': 'The namespace is not selected: its outdated workloads are rolled once it is.',
  'second-reloader': 'Another program reloads the same workload: each change rolls it twice.',
  paused: 'A reloader paused the Deployment for its pause period: all changes until then are one rollout.',
  resumed: 'The pause of a Deployment is over: one rollout brings all changes made meanwhile.',
  'waiting-for-slot': 'The budget of rollouts has no room: the workload is rolled in its turn.',
  held: 'Something keeps the outdated workload from being rolled now, as the message says.',
  halted: 'A workload did not get ready with the content: a person decides whether it goes on.',
  'halt-over': 'The workload that halted a change is ready: the change goes on.',
  'approval-required': 'This content needs an approval: the message has the command that gives it.',
  'notify-only': 'The workload is out of date, and its annotation leaves the rollout to people.',
  'rollout-overdue': 'A rollout has made no progress for its progress deadline, and gives up its slot.',
  slowed: 'The workload is rolled more often than its limit allows: each rollout waits longer.',
  'pods-not-replaced': 'A stamp does not replace the pods: they read the new content later, or not at all.',
  'internal-error': 'A defect of this program: what was not handled is tried again with growing delays.',
  'state-damaged': 'A state ConfigMap was deleted or emptied; it is written again from memory.',
  'state-missing': 'A state ConfigMap is missing at the start: the present contents are the baseline.',
  'state-full': 'A state ConfigMap is full: a restart may roll followers once, and new objects get no entry.',
  'state-unreadable': 'An entry of the state does not parse; the present content is the baseline.',
  'state-key-lost': 'The key of entries of the state is lost: the present contents are the baseline.',
  'state-foreign': 'An entry of the state was changed by another client.',
} as const;

/** The name of a reason. */
export type Reason = keyof typeof REASONS;

/** Every outcome of a policy, and its sentence for people. */
export const POLICIES = {
  named: 'an annotation of the workload names the object',
  matched: 'the workload searches the objects that it refers to for a mark, and the object has it',
  auto: 'the workload asks for all objects that it refers to',
  'typed-auto': 'the workload asks for all objects of this kind that it refers to',
  'auto-all': 'all objects that a workload refers to are asked for, unless its annotations exclude them',
  excluded: 'an annotation of the workload excludes the object',
  ignored: 'the object is marked to be ignored',
  state: 'a reloader keeps its state in the object',
  disabled: 'a label of the workload disables rollouts',
  'not-matched': 'the workload searches for objects that carry a mark, and this one does not',
  unselected: 'its namespace is not selected',
  finished: 'it has finished, and only Jobs that still run are created anew',
  suspended: 'it is suspended: a later run reads the content that is current then',
  'not-asked': 'no annotation of the workload asks for the object',
} as const;

/** The name of an outcome of a policy. */
export type PolicyReason = keyof typeof POLICIES;

/** Whether a workload is to be rolled for an object, and why. */
export interface Verdict {
  readonly asks: boolean;
  readonly because: PolicyReason;
}

/** How workloads are rolled. */
export const RELOAD_STRATEGIES = [
  /** The pod template is stamped by variables of its containers. */
  'env-vars',
  /** It is stamped by its annotations. */
  'annotations',
  /** It stays as it is, and the pods that are older than the change are evicted. */
  'evict',
] as const;

/** See RELOAD_STRATEGIES. */
export type ReloadStrategy = (typeof RELOAD_STRATEGIES)[number];

/** The type of an Event, and the reason that it reports. Each reason has at most one Event. */
interface EventRow {
  readonly type: 'Normal' | 'Warning';
  readonly tells: Reason;
}

/** Every Event, with its type and its reason. */
export const EVENTS = {
  Reloaded: { type: 'Normal', tells: 'rolled' },
  WebhookNotified: { type: 'Normal', tells: 'webhook-notified' },
  ReloadRefused: { type: 'Warning', tells: 'refused' },
  StampReverted: { type: 'Warning', tells: 'stamp-reverted' },
  ReloadGivenUp: { type: 'Warning', tells: 'given-up' },
  EvictionsStalled: { type: 'Warning', tells: 'evictions-stalled' },
  MalformedAnnotation: { type: 'Warning', tells: 'malformed' },
  MisplacedAnnotation: { type: 'Warning', tells: 'misplaced' },
  MistypedAnnotation: { type: 'Warning', tells: 'mistyped' },
  AnnotationNotServed: { type: 'Warning', tells: 'unserved' },
  ObjectMissing: { type: 'Warning', tells: 'missing' },
  ClassDiffersByPod: { type: 'Warning', tells: 'dynamic-class' },
  StateNotFollowed: { type: 'Warning', tells: 'state-named' },
  SecondReloader: { type: 'Warning', tells: 'second-reloader' },
  Paused: { type: 'Normal', tells: 'paused' },
  Resumed: { type: 'Normal', tells: 'resumed' },
  PodsNotReplaced: { type: 'Warning', tells: 'pods-not-replaced' },
  RolloutsSlowed: { type: 'Warning', tells: 'slowed' },
  WaitingForSlot: { type: 'Normal', tells: 'waiting-for-slot' },
  RolloutOverdue: { type: 'Warning', tells: 'rollout-overdue' },
  RolloutHeld: { type: 'Normal', tells: 'held' },
  RolloutHalted: { type: 'Warning', tells: 'halted' },
  ApprovalRequired: { type: 'Warning', tells: 'approval-required' },
  RolloutNeeded: { type: 'Warning', tells: 'notify-only' },
  InternalError: { type: 'Warning', tells: 'internal-error' },
} as const;

/** The `reason` of an Event. */
export type EventReason = keyof typeof EVENTS;
/** The Event that reports `reason`; undefined if the reason has none. */
export function eventTelling(reason: Reason): EventReason | undefined {
  const rows: Readonly<Record<EventReason, EventRow>> = EVENTS;
  return (Object.keys(EVENTS) as EventReason[]).find((event) => rows[event].tells === reason);
}

/** An Event to be recorded. */
export interface EventRecord {
  readonly regarding: WorkloadRef | ConfigRef;
  /** The uid of that object; if it is empty, kubectl describe does not show the Event. */
  readonly uid: string;
  readonly reason: EventReason;
  /** Distinguishes it from other Events of the same reason: an Event with equal `about` is recorded once. */
  readonly about: string;
  /** For people; never the content of an object. */
  readonly message: string;
}

/** Characters in the name of an object, by the rules of the API. */
const LONGEST_NAME = 253;
/** Hexadecimal digits of the digest in the name of an Event: 64 bits. */
const DIGITS = 16;

/**
 * The name of an Event, derived from workload, reason and `about`, but not from the message. Several processes, and a
 * process that restarts, so give the same Event the same name, and the API server refuses to create it twice.
 */
export function eventNameOf({ regarding, uid, reason, about }: EventRecord): string {
  const digest = createHash('sha1')
    .update(JSON.stringify([uid, reason, about]))
    .digest('hex');
  const name = regarding.name.slice(0, LONGEST_NAME - 1 - DIGITS).replace(/[^a-z0-9]+$/, '');
  return `${name}.${digest.slice(0, DIGITS)}`;
}
