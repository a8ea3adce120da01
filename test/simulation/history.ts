/**
 * A history: what people, owners, faults and time do to a cluster in which a reloader runs. It is plain JSON, so that a
 * failing one can be printed, shrunk, kept and replayed. Every step can be taken in every state of the world: one that
 * has nothing to act on does nothing, so any part of a history is a history.
 */

import type { Budget, Pace, Staging, VocabularyName } from '../../lib/model/settings.ts';
import type { FaultRule, WatchEffect } from '../sandbox/faults.ts';
import type { VersionStyle } from '../sandbox/resource-versions.ts';

/** One of few contents, so that a change back is frequent. */
export type Content = 'A' | 'B' | 'C';

/**
 * `ConfigMap/<name>`, `Secret/<name>` or `SecretProviderClass/<name>` of the namespace of the workloads; of another one
 * `ConfigMap/<namespace>/<name>`.
 */
export type ConfigName = string;

/** `<Kind>/<name>` of a workload. */
export type WorkloadName = string;

/**
 * What a workload asks for besides the names in its lists: all that its pods refer to, what of it carries a mark, or whatever
 * there is, by a pattern that matches everything.
 */
export type Asking = 'names' | 'auto' | 'search' | 'pattern';

/** What an object says of itself; `allow`: that the namespace of the workloads may follow it. */
export type TemplateStamp = 'match' | 'ignore';

/** Which of the at most three replicas of the reloader. */
export type Slot = 0 | 1 | 2;

/** How a workload exchanges its pods; `manual` stands for OnDelete, `partition` for a partitioned StatefulSet. */
export type Strategy = 'rolling' | 'manual' | 'partition';

/** What there is before the first reloader starts. */
export interface InitialConfig {
  readonly config: ConfigName;
  /** Absent: it does not exist yet. */
  readonly content?: Content;
}

/** A workload that is there before the first reloader starts. */
export interface InitialWorkload {
  readonly workload: WorkloadName;
  /** What its annotations name; empty: not opted in. */
  readonly follows: readonly ConfigName[];
  readonly replicas: number;
  readonly strategy: Strategy;
}

/** Settings of the reloader and the API server that hold for a whole history. */
export interface Settings {
  readonly coalescePeriodMs: number;
  readonly maxWaitMs: number;
  /** How long the window of each workload lasts at least; absent: no longer. */
  readonly pausePeriodMs?: number;
  /** The vocabularies in use; absent: the default. */
  readonly dialects?: readonly VocabularyName[];
  /**
   * Pods read single keys: whether workloads that say nothing of it are rolled for these alone, and whether an edit of an object
   * that changes nothing of what pods read writes another key. Absent: pods read whole objects.
   */
  readonly keys?: { readonly scoped: boolean; readonly noise: boolean };
  /** How resourceVersions look, as the sandbox has them. */
  readonly versions: VersionStyle;
  /** How long after a template write the workload's own controller sees it, and how long each pod takes. */
  readonly rolloutMs: number;
  /** How many objects a page of a list has; absent: all. */
  readonly pageSize?: number;
  /** How many bytes make a ConfigMap of the state full; absent: more than any history has. */
  readonly shardBytes?: number;
  /** How often a workload may be rolled; absent: as often as its objects change. */
  readonly pace?: Pace;
  /** How many workloads may be in a rollout, and how many may begin; absent: any number. */
  readonly budget?: Budget;
  /** How changes go to several workloads. @default at once */
  readonly staging?: Staging;
  /** Whether it counts that an object comes to be, or is deleted, that pods can do without; absent: neither does. */
  readonly presence?: { readonly onCreate: boolean; readonly onDelete: boolean };
  /** The objects that no pod starts without; absent: pods can do without any. */
  readonly required?: readonly ConfigName[];
  /** Runs of CronJobs are started, and Jobs created anew, those that have finished too or not; absent: neither. */
  readonly batch?: { readonly jobs: 'recreate' | 'recreate-running' };
  /** Whether owners' writes pass the admission webhook of the reloaders; absent: there is none. */
  readonly admission?: boolean;
  /** Whether the processes elect a leader; absent: where a second one is ever started. */
  readonly election?: boolean;
  /** Pods are evicted in place of a stamp: how many may be not ready, and the least ready pods of each budget; absent: workloads are stamped. */
  readonly evictions?: { readonly max: number; readonly minAvailable: number };
  /** Rollouts of Argo are followed; absent: none are there. */
  readonly argo?: true;
  /** Pods mount a class: how long the driver takes to bring new versions to all of them; absent: there is none. */
  readonly classes?: { readonly pollMs: number };
  /** How digests are made; absent: without a key. */
  readonly digests?: 'keyed' | 'sha1';
  /** Only in labelled namespaces is anything rolled, and the one of the history has the label at first or not; absent: everywhere. */
  readonly selected?: boolean;
}

/** What goes wrong with requests of the reloaders, or with their streams. */
export type FaultStep =
  /** The calls that the rule names go wrong; the rule is limited to reloaders. */
  | { readonly do: 'fault'; readonly rule: FaultRule }
  /** Every open watch of a resource suffers this, now. */
  | { readonly do: 'disturb'; readonly resource: Resource; readonly effect: WatchEffect }
  /** Events of a resource come late by `ms`; 0: no longer. */
  | { readonly do: 'delay'; readonly resource: Resource; readonly ms: number }
  /** The server forgets its past: a watch from an old version is answered 410. */
  | { readonly do: 'compact' }
  /** Another version of the API server takes over, which spells pod templates another way. */
  | { readonly do: 'respell' };

/** The reloaders may not list and watch a kind any more, or may again. */
export interface RightsStep {
  readonly do: 'forbid' | 'allow';
  readonly resource: Resource;
}

/** A stream of the reloader. */
export type Resource =
  | 'configmaps'
  | 'secrets'
  | 'deployments'
  | 'statefulsets'
  | 'daemonsets'
  | 'cronjobs'
  | 'jobs'
  | 'rollouts'
  | 'secretproviderclasses'
  | 'secretproviderclasspodstatuses'
  | 'namespaces';

/** What people do to ConfigMaps and Secrets; the content of a class is what the store holds, of which the class itself tells nothing. */
export type ConfigStep =
  | { readonly do: 'change'; readonly config: ConfigName; readonly content: Content }
  /** Back to the content before the present one; if there was none, to another. */
  | { readonly do: 'revert'; readonly config: ConfigName }
  /** An edit of the metadata alone. */
  | { readonly do: 'touch'; readonly config: ConfigName }
  | { readonly do: 'delete'; readonly config: ConfigName }
  /** It carries this mark from now on, or none; with `content`, that comes by the same write. */
  | {
      readonly do: 'mark';
      readonly config: ConfigName;
      readonly mark?: TemplateStamp | undefined;
      readonly content?: Content | undefined;
    }
  /** Deletes and creates it at once; without `content`, with the same. */
  | { readonly do: 'recreate'; readonly config: ConfigName; readonly content?: Content };

/** What people do to the changes of an object, and to its halts; `wrong`: with a token of nothing. */
export type StageStep =
  | {
      readonly do: 'say';
      readonly config: ConfigName;
      readonly word: 'hold' | 'urgent';
      readonly on: boolean;
    }
  | { readonly do: 'stage'; readonly config: ConfigName; readonly stages: string | null }
  | { readonly do: 'resume'; readonly config: ConfigName; readonly token: 'right' | 'wrong' };

/** Pods of a workload crash that start with this content of an object, from now on, or not any more. */
export type HealthStep =
  | {
      readonly do: 'break';
      readonly workload: WorkloadName;
      readonly config: ConfigName;
      readonly content: Content;
    }
  | { readonly do: 'mend'; readonly workload: WorkloadName };

/** What people do to a Rollout by the plugin of kubectl; `unrestart`: a tool takes a restart back that is asked for. */
export type RolloutAct = 'promote' | 'abort' | 'retry' | 'restart' | 'unrestart';

/** What people and owners do to workloads. */
export type WorkloadStep =
  /** The template reads one key more of every object, which is never there, or not any more. Only where pods read keys. */
  | { readonly do: 'read'; readonly workload: WorkloadName; readonly more: boolean }
  | {
      readonly do: 'create-workload';
      readonly workload: WorkloadName;
      readonly follows: readonly ConfigName[];
      readonly replicas: number;
      /** The workload whose template, stamps included, is copied. */
      readonly copyOf?: WorkloadName;
      /** Added to the number of each copied stamp. */
      readonly lift?: number;
    }
  /** `leavesPods`: they stay for the next workload of that name. */
  | { readonly do: 'delete-workload'; readonly workload: WorkloadName; readonly leavesPods?: boolean }
  /** The annotations now name these objects; none: opted out. */
  | { readonly do: 'follow'; readonly workload: WorkloadName; readonly follows: readonly ConfigName[] }
  /** What it asks for besides, and what it excludes. */
  | {
      readonly do: 'ask';
      readonly workload: WorkloadName;
      readonly by: Asking;
      readonly excludes: readonly ConfigName[];
    }
  | { readonly do: 'scale'; readonly workload: WorkloadName; readonly replicas: number }
  /** Annotations of the workload itself; null removes one. */
  | {
      readonly do: 'annotate';
      readonly workload: WorkloadName;
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  /** A person does what the last Event asks for that wants an approval. */
  | { readonly do: 'approve'; readonly workload: WorkloadName }
  | { readonly do: 'pause'; readonly workload: WorkloadName; readonly paused: boolean }
  /** A person suspends a Job or CronJob, or resumes it. */
  | { readonly do: 'suspend'; readonly workload: WorkloadName; readonly suspended: boolean }
  /** The work of a Job is done. */
  | { readonly do: 'finish'; readonly workload: WorkloadName }
  /** The owner writes its own template: foreign variables are gone. */
  | { readonly do: 'replace'; readonly workload: WorkloadName }
  /** The owner changes the image and leaves foreign variables alone. */
  | { readonly do: 'apply'; readonly workload: WorkloadName }
  /** Back to the pod template before the present one, its stamps included. */
  | { readonly do: 'undo'; readonly workload: WorkloadName }
  | { readonly do: 'restart'; readonly workload: WorkloadName }
  | { readonly do: 'argo'; readonly workload: WorkloadName; readonly act: RolloutAct }
  /** The owner takes the next `times` patches of ours back, before or after the workload's controller saw them. */
  | {
      readonly do: 'take-back';
      readonly workload: WorkloadName;
      readonly times: number;
      readonly when: 'before' | 'after';
    }
  /** Every patch of ours to it is answered with `status`; 0: no longer. */
  | { readonly do: 'refuse'; readonly workload: WorkloadName; readonly status: 0 | 403 | 422 }
  /** Rollouts take so long from now on; -1: they stand still. Without a workload: all. */
  | { readonly do: 'rollout-speed'; readonly workload?: WorkloadName; readonly ms: number };

/** A person annotates the namespace; null removes an annotation. It counts where namespaces are selected. */
export interface AnnotateNamespaceStep {
  readonly do: 'annotate-namespace';
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** A person gives the namespace the label that selects it, or takes it away. */
export interface SelectStep {
  readonly do: 'select';
  readonly selected: boolean;
}

/** The driver that mounts classes is well, stuck for half of the pods, which keep what they have, or its provider reports no versions. */
export interface DriverStep {
  readonly do: 'driver';
  readonly is: 'well' | 'stuck' | 'mute';
}

/** What people do to the ConfigMaps of the state: to the one with that number, or to all. */
export type StateStep =
  | { readonly do: 'remove-entry'; readonly config: ConfigName }
  | { readonly do: 'remove-exceptions'; readonly workload: WorkloadName }
  | { readonly do: 'remove-state'; readonly shard?: number }
  | { readonly do: 'empty-state'; readonly shard?: number }
  /** The annotation that tells how many there are is removed. */
  | { readonly do: 'forget-shards' };

/** What people do to the Secret with the key of digests. */
export type KeyStep =
  | { readonly do: 'remove-key' }
  /** It is again as it was when people first looked at it. */
  | { readonly do: 'restore-key' };

/** How reloaders digest that are started from now on, and whether the Secret with the keys may be read and written. */
export type DigestStep =
  | { readonly do: 'digests'; readonly to: 'keyed' | 'sha1' }
  | { readonly do: 'key-rights'; readonly allowed: boolean };

/** What happens to the reloaders. */
export type ProcessStep =
  | { readonly do: 'start'; readonly slot: Slot }
  /** SIGTERM; it is started again after the downtime, or never (-1). */
  | { readonly do: 'stop'; readonly slot: Slot; readonly downtimeMs: number }
  /**
   * SIGKILL now, or at its nth write from now, before or after the write took effect; it is started again after the
   * downtime. Writes of the Lease are counted where it says so, and then no others.
   */
  | {
      readonly do: 'crash';
      readonly slot: Slot;
      readonly atWrite: number;
      readonly effect: 'before' | 'after';
      readonly downtimeMs: number;
      readonly of?: 'lease';
    }
  /** SIGSTOP, and SIGCONT after so long. */
  | { readonly do: 'freeze'; readonly slot: Slot; readonly ms: number }
  /** For so long the API server is out of its reach: requests fail, or are on their way until then. */
  | { readonly do: 'part'; readonly slot: Slot; readonly ms: number; readonly how: 'cut' | 'silent' }
  /** For so long its streams of one resource tell it nothing; without a slot those of each one that does not lead. */
  | { readonly do: 'stall'; readonly slot?: Slot; readonly resource: Resource; readonly ms: number };

/**
 * What people do to the Lease: it is deleted, emptied, free, held by one that never renews it, or for an hour; `copied`: it is
 * that of another cluster, and so are the marks of the state, as a backup brings them that is restored.
 */
export interface LeaseStep {
  readonly do: 'edit-lease';
  readonly to: 'nothing' | 'empty' | 'free' | 'foreign' | 'long' | 'copied';
  /** That of the marks that are copied. @default 1 */
  readonly term?: number;
}

/** Time passes. */
export interface WaitStep {
  readonly do: 'wait';
  readonly ms: number;
}

/** One step. */
export type Step =
  | ConfigStep
  | WorkloadStep
  | StageStep
  | HealthStep
  | SelectStep
  | AnnotateNamespaceStep
  | DriverStep
  | StateStep
  | KeyStep
  | DigestStep
  | FaultStep
  | RightsStep
  | ProcessStep
  | LeaseStep
  /** The admission webhook goes away, or is back. */
  | { readonly do: 'admission'; readonly away: boolean }
  | WaitStep
  /** The time of day of the reloaders, or of one of them, is set forward by so much, or back; everywhere else it goes on as it should. */
  | { readonly do: 'jump'; readonly ms: number; readonly slot?: Slot };

/** Jumps of the time of day: ten minutes, an hour, a day. */
export const JUMPS_MS: readonly number[] = [600_000, 3_600_000, 86_400_000].flatMap((ms) => [ms, -ms]);

/** Time passes. */
export function wait(ms: number): WaitStep {
  return { do: 'wait', ms };
}

/** A history. Slot 0 is started before the first step. */
export interface History {
  readonly settings: Settings;
  readonly configs: readonly InitialConfig[];
  readonly workloads: readonly InitialWorkload[];
  readonly steps: readonly Step[];
  /** Seeds the random numbers of the reloader (jitter). */
  readonly seed: number;
  /** What a history that is kept is about. */
  readonly why?: string;
}
