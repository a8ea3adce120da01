/** What keeps the pods of a workload where they are: a hold of its spec, a pause, or leftovers of another reloader. */

import type { WorkloadRef } from './object-ref.ts';
import { workloadKindOf } from './workload-kind.ts';

/** One hold, as the spec asks for it. */
export type Hold =
  /** A Deployment that is paused. */
  | { readonly type: 'paused' }
  /** updateStrategy OnDelete. */
  | { readonly type: 'on-delete' }
  /** A StatefulSet whose rolling update ends at this ordinal. */
  | { readonly type: 'partition'; readonly partition: number };

/** When the pods of `workload` take what its template has now. */
export function whenTaken(hold: Hold, { kind, name }: WorkloadRef): string {
  switch (hold.type) {
    case 'paused':
      return `it is paused: its pods take it after kubectl rollout resume ${kind.toLowerCase()}/${name}`;
    case 'on-delete':
      return 'its updateStrategy is OnDelete: each pod takes it when it is deleted';
    case 'partition':
      return `its updateStrategy has a partition of ${hold.partition}: pods of a lower ordinal take it when the partition is lowered`;
  }
}

/** One pause. */
export interface Pause {
  /** When it began, as the Deployment says it. */
  readonly since: string;
  /** How long it lasts; 0 where the Deployment does not say, or not any more. */
  readonly periodMs: number;
  /** When it is over, in ms since 1970; -Infinity where the beginning cannot be read. */
  readonly endsAt: number;
}

/** What a patch says of a pause; null removes a field, what is absent stays as it is. */
export interface PausePatch {
  readonly paused?: true | null;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** The pause that began at `since` for so long. */
export function pauseSince(since: string, periodMs: number): Pause {
  const endsAt = Date.parse(since) + periodMs;
  return { since, periodMs, endsAt: isMoment(endsAt) ? endsAt : Number.NEGATIVE_INFINITY };
}

/** The pause that began at `since` and that another writer has ended. */
export function pauseThatWasEnded(since: string): Pause {
  return { since, periodMs: 0, endsAt: Number.NEGATIVE_INFINITY };
}

/**
 * For how many ms more it lasts at the moment `now`; 0: it is over. One that begins more than a period from now cannot be
 * meant, whoever's clock is wrong: it would hold up the Deployment for as long as anybody writes there.
 */
export function remainingMs({ endsAt, periodMs }: Pause, now: number): number {
  const left = endsAt - now;
  return left > 2 * periodMs ? 0 : Math.max(0, left);
}

/** Since when and until when, for people. */
export function pauseWords({ since, periodMs, endsAt }: Pause): string {
  const isKnown = periodMs > 0 && isMoment(endsAt);
  const end = isKnown
    ? `until ${new Date(endsAt).toISOString()}`
    : 'for a time that it does not say any more';
  return `paused since ${since}, ${end}`;
}

/** Whether a Date can say it. */
function isMoment(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}

/** What is to be undone of it. */
export interface WaveLeftovers {
  /** The scheduler that the pods are to have, null being the default one; undefined: they have one already. */
  readonly scheduler: string | null | undefined;
  /** Annotations of the workload itself that go. */
  readonly annotations: readonly string[];
  /** Finalizers that go. */
  readonly finalizers: readonly string[];
}

/** The patch that undoes `parking`; refused on any other version of the workload. */
export function cleanupPatch(
  { ref, resourceVersion }: { readonly ref: WorkloadRef; readonly resourceVersion: string },
  { scheduler, annotations, finalizers }: WaveLeftovers,
): object {
  const removed = Object.fromEntries(annotations.map((key) => [key, null]));
  return {
    metadata: {
      resourceVersion,
      ...(annotations.length === 0 ? {} : { annotations: removed }),
      ...(finalizers.length === 0 ? {} : { '$deleteFromPrimitiveList/finalizers': finalizers }),
    },
    ...(scheduler === undefined
      ? {}
      : { spec: workloadKindOf(ref.kind).specWith({ spec: { schedulerName: scheduler } }) }),
  };
}

/** Its controller waits for a pod that never ran to be ready before it replaces it. */
const STUCK = 'of a StatefulSet, those that stay pending have to be deleted once';

/** The same for people. */
export function cleanupText({ scheduler, finalizers }: WaveLeftovers): string {
  const pods =
    scheduler === undefined
      ? []
      : [`its pods are scheduled again, by ${scheduler ?? 'the default scheduler'} (${STUCK})`];
  const end = finalizers.length === 0 ? [] : ['its deletion waits for no finalizer of wave any more'];
  const words = [...pods, ...end];
  return words.length === 0 ? 'nothing is left of its waiting' : words.join(', and ');
}
