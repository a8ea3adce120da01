/**
 * The table of workload kinds: each difference between them is data or a small function in a row. The rows themselves are in
 * kinds/; those of kinds that only the settings name are added at the start.
 */

import type { Hold } from './hold.ts';
import { ROLLOUT } from './kinds/argo-rollout.ts';
import { CRON_JOB, DAEMON_SET, DEPLOYMENT, JOB, STATEFUL_SET } from './kinds/built-in.ts';
import { DEPLOYMENT_CONFIG } from './kinds/deployment-config.ts';
import type { ApiResource } from './object-ref.ts';
import type { RawMetadata, RawPodTemplate, RawWorkload } from './raw-objects.ts';

/** Why a workload is not rolled, whatever its annotations ask for; each is an outcome of POLICIES. */
export type Declining = 'suspended' | 'finished';

/** One row: a kind of object that owns a pod template. */
export interface WorkloadKind extends ApiResource {
  /** The kind as references, log lines and the state name it; of a kind that only the settings name `<plural>.<group>`. */
  readonly kind: string;
  /** The kind as objects name it, where that differs. */
  readonly objectKind?: string;
  /**
   * How it comes to run the current content: by pods that replace the old ones, by a run that is started at once, or by another
   * object in its place.
   */
  readonly rollout: 'replace-pods' | 'run-now' | 'recreate';
  /** Whether a cluster may lack it: it is served while the API server serves it, and holds up nothing while it does not. */
  readonly isOptional?: true;
  /** The verb of log lines and Events about its rollout. */
  readonly done: string;
  /**
   * Only of a kind whose controller observes a template before it makes a revision of it: the annotation of the workload in which a
   * patch keeps the revision that it found, so that one object tells whether its pods have the patch.
   */
  readonly revisionMark?: string;
  /** Whether `spec.workloadRef` may name another object, which has the pod template. */
  readonly refersToTemplate?: true;
  /** The path of the pod template in the spec. */
  readonly templatePath: readonly string[];
  /** Whether the object at that path is a pod template; absent if the schema of the kind says so. */
  readonly isTemplate?: (found: RawPodTemplate) => boolean;
  /** Why it is not rolled as it is, whatever its annotations ask for; absent if it is always rolled. */
  readonly declines?: (raw: RawWorkload) => Declining | undefined;
  /** Whether it follows no object and is never written, whatever its annotations: another controller manages it. */
  readonly isLeftAlone?: (raw: RawWorkload) => boolean;
  /** Whether its controller has seen the present spec. */
  readonly isObserved: (raw: RawWorkload) => boolean;
  /** Why the present template does not become ready; absent if its controller does not say so, or says it by a hold. */
  readonly failure?: (raw: RawWorkload) => string | undefined;
  /** Whether it is paused; absent if the kind cannot be paused. */
  readonly isPaused?: (raw: RawWorkload) => boolean;
  /** Why it does not replace its pods by itself. */
  readonly hold: (raw: RawWorkload) => Hold | undefined;
  /**
   * Whether every pod runs the present template, is ready, and none of an older template is left. A pod that is not ready
   * may still have to start, and will read its configuration only then. A workload that never gets there (pods that crash) is
   * not rolled out, which errs towards one rollout more.
   */
  readonly rolledOut: (raw: RawWorkload) => boolean;
  /**
   * Whether its controller says that the rollout of the present template is complete, although a pod may not be ready since; absent
   * if it does not say so.
   */
  readonly hasCompleted?: (raw: RawWorkload) => boolean;
  /**
   * The identity of the present template, given by its controller. It differs for different templates, and does not depend on how
   * the API server serializes them.
   */
  readonly revision: (raw: RawWorkload) => string | undefined;
  /**
   * Whether the object asks for a restart of every pod that is older than `moment`, or for a later one; absent if its controller
   * restarts no pods without a new template.
   */
  readonly isRestarted?: (raw: RawWorkload, moment: string) => boolean;
  /** The number of pods of the template that its controller has observed last, and of older ones. */
  readonly pods: (raw: RawWorkload) => { readonly updated: number; readonly old: number };
}

/** Every kind that each cluster has. */
export const WORKLOAD_KINDS: readonly WorkloadKind[] = [DEPLOYMENT, STATEFUL_SET, DAEMON_SET, CRON_JOB, JOB];

/** Every further kind that the program knows by itself. */
export const OPTIONAL_KINDS: readonly WorkloadKind[] = [ROLLOUT, DEPLOYMENT_CONFIG];

const rows = new Map([...WORKLOAD_KINDS, ...OPTIONAL_KINDS].map((row) => [row.kind, row]));

/** Adds the row of a kind that only the settings name, or replaces it by one that knows more. */
export function addWorkloadKind(row: WorkloadKind): void {
  rows.set(row.kind, row);
}

/** The row of `kind`; undefined if it is no kind of workload. */
export function findWorkloadKind(kind: string): WorkloadKind | undefined {
  return rows.get(kind);
}

/** The row of `kind`; every WorkloadRef in the program names one. */
export function workloadKindOf(kind: string): WorkloadKind {
  const row = rows.get(kind);
  if (row === undefined) throw new Error(`no such workload kind: ${kind}`);
  return row;
}

/** The owner that manages the object. */
export function controllerOf({
  ownerReferences = [],
}: RawMetadata): { readonly kind?: string; readonly uid?: string } | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

/** The pod template of a workload. */
export function templateOf(
  { templatePath, isTemplate = () => true }: WorkloadKind,
  raw: RawWorkload,
): RawPodTemplate | undefined {
  let at: unknown = raw.spec;
  for (const field of templatePath) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[field];
  }
  return typeof at === 'object' && at !== null && isTemplate(at) ? at : undefined;
}

/** A spec that consists only of the given part of the pod template. */
export function specWith({ templatePath }: WorkloadKind, template: object): object {
  return templatePath.reduceRight((inner, field) => ({ [field]: inner }), template);
}

/**
 * Whether the workload's controller has observed the present spec and completed it. A workload with a hold never counts, which
 * errs towards one rollout more.
 */
export function isRolledOut(kind: WorkloadKind, raw: RawWorkload): boolean {
  return kind.isObserved(raw) && kind.hold(raw) === undefined && kind.rolledOut(raw);
}

/**
 * What becomes of pods: a rollout replaces them, or waits until the last of the new ones are ready; `held`: no patch of the template
 * replaces any, since there are none, the kind has no rollouts, or a person decides when.
 */
export type Rolling = 'held' | 'replacing' | 'starting';

/** See Rolling; undefined: nothing, it is rolled out. */
export function rollingOf(kind: WorkloadKind, raw: RawWorkload): Rolling | undefined {
  const { replicas } = raw.spec ?? {};
  if (kind.rollout !== 'replace-pods' || replicas === 0 || kind.hold(raw) !== undefined) return 'held';
  if (!kind.isObserved(raw)) return 'replacing';
  if (raw.status?.desiredNumberScheduled === 0) return 'held';
  const { updated, old } = kind.pods(raw);
  if (kind.rolledOut(raw) || (old <= 0 && kind.hasCompleted?.(raw) === true)) return undefined;
  return old > 0 || updated < (replicas ?? 0) ? 'replacing' : 'starting';
}

/** Why pods of an older template stay; undefined if none can be left, or they are being replaced. */
export function holdOnPods(kind: WorkloadKind, raw: RawWorkload): Hold | undefined {
  const hold = kind.hold(raw);
  // The pods of an abort may be away for a moment.
  const isAborted = hold?.type === 'aborted' && raw.spec?.replicas !== 0;
  return kind.isObserved(raw) && kind.pods(raw).old <= 0 && !isAborted ? undefined : hold;
}

/**
 * The progress of the present rollout, to be compared with an earlier value: it grows with each pod that is started and
 * each that is replaced. -Infinity before the workload's controller has observed the present spec.
 */
export function progressOf(kind: WorkloadKind, raw: RawWorkload): number {
  if (!kind.isObserved(raw)) return Number.NEGATIVE_INFINITY;
  const { updated, old } = kind.pods(raw);
  return updated - old;
}
