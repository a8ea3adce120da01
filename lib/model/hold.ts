/** The causes why a workload does not replace its pods: a hold in its spec, or a pause. */

import type { WorkloadRef } from './object-ref.ts';

/** A hold in the spec. */
export type Hold =
  /** A Deployment that is paused. */
  | { readonly type: 'paused' }
  /** updateStrategy OnDelete. */
  | { readonly type: 'on-delete' }
  /** A StatefulSet whose rolling update ends at this ordinal. */
  | { readonly type: 'partition'; readonly partition: number }
  /** A Rollout that stays between two sets of pods until a person promotes it. */
  | { readonly type: 'awaits-promotion' }
  /** A Rollout that went back to the pods of the template before; `revision`: that template. */
  | { readonly type: 'aborted'; readonly revision: string | undefined }
  /** A DeploymentConfig without the trigger ConfigChange. */
  | { readonly type: 'manual' }
  /** A DeploymentConfig whose deployment failed or was cancelled, so that the pods of the version before came back. */
  | { readonly type: 'failed' };

/** Whether the rollout of the present template failed, or was cancelled or aborted. */
export function hasFailed({ hold }: { readonly hold?: Hold | undefined }): boolean {
  return hold?.type === 'failed' || hold?.type === 'aborted';
}

/** `hold`, or the pause of a workload that has no older pods yet. */
export function holdOrPause(hold: Hold | undefined, isPaused: boolean | undefined): Hold | undefined {
  return hold ?? (isPaused === true ? { type: 'paused' } : undefined);
}

/** A phrase that says when the pods of a workload take its present template. */
export function whenTaken(hold: Hold, { kind, name }: WorkloadRef): string {
  switch (hold.type) {
    case 'paused':
      return `it is paused: its pods take it after ${resume(kind, name)}`;
    case 'on-delete':
      return 'its updateStrategy is OnDelete: each pod takes it when it is deleted';
    case 'partition':
      return `its updateStrategy has a partition of ${hold.partition}: pods of a lower ordinal take it when the partition is lowered`;
    case 'awaits-promotion':
      return `it awaits its promotion: all pods take it after kubectl argo rollouts promote ${name}`;
    case 'aborted':
      return `its rollout was aborted: its pods take it after kubectl argo rollouts retry rollout ${name}`;
    case 'manual':
      return `it has no trigger ConfigChange: its pods take it with its next version, e.g. after oc rollout latest dc/${name}`;
    case 'failed':
      return `its deployment failed or was cancelled, and pods of an earlier version are back: it is rolled again after the next change; oc rollout retry dc/${name} tries the same again`;
  }
}

function resume(kind: string, name: string): string {
  if (kind === 'Rollout') return `kubectl argo rollouts promote ${name}`;
  if (kind === 'DeploymentConfig') return `oc rollout resume dc/${name}`;
  return `kubectl rollout resume ${kind.toLowerCase()}/${name}`;
}

/** One pause. */
export interface Pause {
  /** When it began, as the Deployment's annotation has it. */
  readonly since: string;
  /** How long it lasts in ms; 0 without the annotation, or after its removal. */
  readonly periodMs: number;
  /** When it is over, in ms since 1970; -Infinity if it was ended, or the begin cannot be parsed. */
  readonly endsAt: number;
}

/** The fields of a patch that concern a pause; null removes a field, an absent one stays as it is. */
export interface PausePatch {
  readonly paused?: true | null;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** The pause that began at `since`. */
export function pauseSince(since: string, periodMs: number): Pause {
  const endsAt = Date.parse(since) + periodMs;
  return { since, periodMs, endsAt: isMoment(endsAt) ? endsAt : Number.NEGATIVE_INFINITY };
}

/**
 * The remaining ms of a pause at the time `now`; 0 if it is over. A begin more than a period ahead of `now` is wrong, by a clock or
 * by a client: the pause counts as over, since it would otherwise block the Deployment for any time.
 */
export function remainingMs({ endsAt, periodMs }: Pause, now: number): number {
  const left = endsAt - now;
  return left > 2 * periodMs ? 0 : Math.max(0, left);
}

/** The begin and end of a pause as a phrase. */
export function pauseWords({ since, periodMs, endsAt }: Pause): string {
  const isKnown = periodMs > 0 && isMoment(endsAt);
  const end = isKnown
    ? `until ${new Date(endsAt).toISOString()}`
    : 'for a time that it does not say any more';
  return `paused since ${since}, ${end}`;
}

/** Whether a Date can represent it. */
function isMoment(ms: number): boolean {
  return !Number.isNaN(new Date(ms).getTime());
}
