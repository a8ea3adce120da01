/** What the oracle knows of a run: a list of facts that anybody standing beside the cluster could have written down. */

import type { ConfigName, Content, Resource, Settings, TemplateStamp, WorkloadName } from './history.ts';
import type { Asked } from './manifests.ts';

/** What pods can have started with: a content, or `-`, that the object is not there. */
export type Read = Content | '-';

/** One write of a reloader that the server accepted. */
export interface WriteFact {
  readonly type: 'write';
  readonly replica: number;
  /** A workload's name, or `state`; `mark`: of the state nothing but whose it is; `keys`: the Secret with the keys of digests. */
  readonly to: WorkloadName | 'state' | 'mark' | 'keys';
  /**
   * It rolled nothing: a pause came to its end, or what was left of one was removed; a CronJob was stamped for a run; a step
   * before or after a Job was created anew.
   */
  readonly isResume?: true;
  /** The object before and after, where it existed. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One fact. */
export type Fact =
  /** Somebody wrote a config object; undefined: it is not there any more. The same content again: an edit of metadata. */
  | {
      readonly type: 'content';
      readonly config: ConfigName;
      readonly content: Content | undefined;
      /** Of one that is gone as it was last. */
      readonly mark?: TemplateStamp | undefined;
    }
  /** What a pod has mounted of a class is another content than before. */
  | { readonly type: 'mounted'; readonly config: ConfigName; readonly content: Content }
  /** What a workload follows and what of it it asks for, and whether its template reaches its pods (not paused, OnDelete or partitioned). */
  | {
      readonly type: 'workload';
      readonly workload: WorkloadName;
      readonly exists: boolean;
      readonly follows: readonly ConfigName[];
      /** Absent: all that it follows is named. */
      readonly asked?: Asked;
      readonly rollable: boolean;
      /** An annotation of it says that it may be rolled only at times, or only then if a person allows it. @default false */
      readonly isHeld?: boolean;
      /** Its pods are evicted, each that is older than a change. @default false */
      readonly evicts?: boolean;
    }
  /** The pause of a Deployment that a reloader began: since when, and for how long it is to be; without `since` it is in none. */
  | {
      readonly type: 'pause';
      readonly workload: WorkloadName;
      readonly since: string | undefined;
      readonly periodMs: number | undefined;
    }
  /** A Job or the copy of one was made or deleted; `by`: by which reloader. */
  | {
      readonly type: 'job';
      readonly workload: WorkloadName;
      readonly what: 'made' | 'deleted' | 'made copy' | 'deleted copy';
      readonly by: number | undefined;
      /** It is of a CronJob, or has a finalizer. */
      readonly isOwned: boolean;
      /** Its CronJob is suspended. */
      readonly isOfSuspended: boolean;
    }
  /** The time of day of the reloaders jumped, by which pauses end. */
  | { readonly type: 'jumped' }
  /** Every patch of the workload is refused, for a while. */
  | { readonly type: 'refused'; readonly workload: WorkloadName }
  /** Somebody labelled the namespace, or took the label away. */
  | { readonly type: 'selection'; readonly selected: boolean }
  /** The reloaders may not list and watch the kind any more, or may again. */
  | { readonly type: 'rights'; readonly resource: Resource; readonly allowed: boolean }
  /** What an object asks for: its stages, and the token of the halt that it lets go on. */
  | {
      readonly type: 'staged';
      readonly config: ConfigName;
      readonly stages: string | undefined;
      readonly resume: string | undefined;
      /** @default false */
      readonly isHeld?: boolean;
      readonly isUrgent?: boolean;
    }
  /** Whether a Deployment says that its new pods do not get ready; whether the workload wants any. */
  | {
      readonly type: 'health';
      readonly workload: WorkloadName;
      readonly isGivenUp: boolean;
      readonly hasPods: boolean;
    }
  /** Somebody else wrote a pod template; `copied`: a new workload came with the stamps of another. */
  | { readonly type: 'owner-write'; readonly workload: WorkloadName; readonly copied: boolean }
  /** The next owner's write of it is nothing but that it takes our patch back. */
  | { readonly type: 'taken-back'; readonly workload: WorkloadName }
  /** Whether a Rollout is aborted. */
  | { readonly type: 'aborted'; readonly workload: WorkloadName; readonly aborted: boolean }
  /** A reloader evicted a pod; `away`: how many of the workload's pods are not ready from then on. */
  | {
      readonly type: 'evicted';
      readonly replica: number;
      readonly workload: WorkloadName;
      readonly pod: string;
      readonly createdMs: number;
      readonly wasReady: boolean;
      readonly away: number;
    }
  /** Whether some pod of the workload is not yet one of its present template. */
  | { readonly type: 'rolling'; readonly workload: WorkloadName; readonly rolling: boolean }
  | {
      readonly type: 'pod-started';
      readonly workload: WorkloadName;
      readonly pod: string;
      readonly reads: Readonly<Record<ConfigName, Content | undefined>>;
    }
  | { readonly type: 'pod-gone'; readonly pod: string }
  | { readonly type: 'started'; readonly replica: number }
  /** A reloader that acts has listed everything, for the first time in its term; `recorded` is what the state said of the class. */
  | { readonly type: 'listed'; readonly replica: number; readonly recorded?: string | undefined }
  /** A reloader is gone, or leads no more. `knewUntil` is the position of the last fact that its streams had told it in full. */
  | {
      readonly type: 'died';
      readonly replica: number;
      readonly knewUntil: number;
      /** Where a leader is elected: it was killed, it ended in good order, or it lives on and leads no more. @default killed */
      readonly how?: 'ended' | 'lost';
    }
  /** For so long a reloader is stopped, cannot reach the API server, or one of its streams is late, perhaps beside that of others. */
  | { readonly type: 'hindered'; readonly replica: number; readonly forMs: number }
  /** A person edited the Lease. */
  | { readonly type: 'lease-edited' }
  /** A replica sent a write so long after its last renewal of the Lease was sent, or without one. */
  | {
      readonly type: 'unled';
      readonly replica: number;
      readonly path: string;
      readonly sinceMs: number | undefined;
    }
  | WriteFact
  /** A person changed or removed ConfigMaps of the state, or the key of its digests. */
  | { readonly type: 'state-edited' }
  /** A second patch of a workload was sent by a replica while its first was unanswered. */
  | { readonly type: 'two-in-flight'; readonly replica: number; readonly workload: WorkloadName }
  /** A replica sent requests without end. */
  | { readonly type: 'runaway'; readonly replica: number }
  /** A replica says of itself that loops of it move no more; its API server may be away or not. */
  | { readonly type: 'stuck'; readonly replica: number; readonly loops: readonly string[] }
  /** The reloaders may not read the Secret with the keys any more, or may again. */
  | { readonly type: 'key-rights'; readonly allowed: boolean }
  /** A reloader knows keys, and digests under one. */
  | { readonly type: 'keyed'; readonly replica: number }
  /** Something the reloader said: a log line, a request body, a page. */
  | { readonly type: 'output'; readonly where: string; readonly text: string }
  /** From here on requests of the reloaders or their streams go wrong, or late. */
  | { readonly type: 'trouble' }
  /** From here on nothing is done but a restart. */
  | {
      readonly type: 'settled';
      /** The process that is left digests under a key that people removed. @default false */
      readonly isKeyLost?: boolean;
    };

/** A fact, its moment and its position in the trace. */
export type Recorded = Fact & { readonly at: number; readonly ms: number };

/** A run as the oracle sees it. */
export interface Trace {
  readonly settings: Settings;
  /** The texts that must not appear in any output. */
  readonly markers: readonly string[];
  /** The texts of the keys of digests, which only their Secret holds. @default none */
  readonly keyTexts?: readonly string[];
  readonly facts: readonly Recorded[];
}

/** A law that does not hold. */
export interface Violation {
  readonly law: 'safety' | 'economy' | 'never' | 'convergence';
  readonly message: string;
}
