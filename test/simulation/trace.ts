/**
 * What the oracle knows of a run: a list of facts that anybody standing beside the cluster could have written down, and,
 * where a process dies, what that process believed. Nothing here comes from the reloader's reasoning but `died.beliefs`.
 */

import type { ConfigName, Content, Resource, Settings, TemplateStamp, WorkloadName } from './history.ts';
import type { Asked } from './manifests.ts';

/** What pods can have started with: a content, or `-`, that the object is not there. */
export type Read = Content | '-';

/** What a process that died believed about one edge. */
export interface Belief {
  readonly workload: WorkloadName;
  readonly config: ConfigName;
  /** What it believed the pods to have read; `?`: it knew that it did not know. Undefined: nothing yet. */
  readonly runningDigest: Read | '?' | 'other' | undefined;
  readonly mixedPods: boolean;
  readonly needsRollout: boolean;
}

/** What halted a content. */
export interface Halt {
  readonly token: string;
  readonly workload: WorkloadName;
}

/** What the state says at some moment, as a start would read it. */
export interface StateFact {
  /** The content that each entry stands for; `other`: none that was ever in force. */
  readonly entries: Readonly<Record<ConfigName, Read | 'other'>>;
  /** The same of every part of an object that has one, where pods read single keys. @default none */
  readonly parts?: Readonly<Record<ConfigName, readonly (Read | 'other')[]>>;
  readonly overrides: Readonly<Record<WorkloadName, Readonly<Record<ConfigName, Read | '?' | 'other'>>>>;
  /** What halted the content of each entry, the oldest first. @default nothing */
  readonly halts?: Readonly<Record<ConfigName, readonly Halt[]>>;
  /** Of each object, the algorithms of its entries' digests. @default none */
  readonly algorithms?: Readonly<Record<ConfigName, readonly string[]>>;
  /** What is not as it should be although a start would not mind: keys where they do not count, ConfigMaps that are missing. */
  readonly untidy: readonly string[];
}

/** The keys of digests at rest. */
export interface RingFact {
  /** The algorithm that the process which is left digests with: `sha1`, or the id of a key. */
  readonly own: string;
  /** The ids of the keys in the Secret. */
  readonly held: readonly string[];
  readonly current: string | undefined;
  /** The version that each ConfigMap of the state says. */
  readonly versions: readonly string[];
}

/** One write of a reloader that the server accepted. */
export interface WriteFact {
  readonly type: 'write';
  readonly replica: number;
  /** A workload's name, or `state`; `mark`: of the state nothing but whose it is; `keys`: the Secret with the keys of digests. */
  readonly to: WorkloadName | 'state' | 'mark' | 'keys';
  /** Which ConfigMap of the state. */
  readonly shard?: string;
  /** Whether the request said which resourceVersion it was based on, or created what was not there. */
  readonly fenced: boolean;
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
  /** The objects that the state has entries of from now on. */
  | { readonly type: 'entries'; readonly of: readonly ConfigName[] }
  /** The stages that an object asks for, and the token of the halt that it lets go on. */
  | {
      readonly type: 'staged';
      readonly config: ConfigName;
      readonly stages: string | undefined;
      readonly resume: string | undefined;
    }
  /** What is halted by the state from now on: of each object the content, and what halted it. */
  | {
      readonly type: 'halts';
      readonly of: Readonly<
        Record<ConfigName, { readonly content: Read | 'other' | undefined; readonly halts: readonly Halt[] }>
      >;
    }
  /** Whether a Deployment says that its new pods do not get ready; whether the workload wants any; its place in the stages. */
  | {
      readonly type: 'health';
      readonly workload: WorkloadName;
      readonly isGivenUp: boolean;
      readonly hasPods: boolean;
      readonly order: string;
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
  /** A reloader that acts has listed everything, for the first time in its term; `lost` is what the state it read does not know (any more). */
  | {
      readonly type: 'listed';
      readonly replica: number;
      readonly lost: {
        readonly configs: readonly ConfigName[];
        readonly workloads: readonly WorkloadName[];
        /** Those of `configs` that have entries, under keys that it does not know. @default none */
        readonly keyed?: readonly ConfigName[];
      };
      readonly state: StateFact;
    }
  /** A reloader is gone, or leads no more. `knewUntil` is the position of the last fact that its streams had told it in full. */
  | {
      readonly type: 'died';
      readonly replica: number;
      readonly knewUntil: number;
      readonly beliefs: readonly Belief[];
      readonly state: StateFact;
      /** Where a leader is elected: it was killed, it ended in good order, or it lives on and leads no more. @default killed */
      readonly how?: 'ended' | 'lost';
    }
  /** Where a leader is elected: a reloader that does not lead has listed everything. */
  | { readonly type: 'standby'; readonly replica: number }
  /** One that does not lead is gone. */
  | { readonly type: 'ended'; readonly replica: number }
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
  /** A person changed or removed these ConfigMaps of the state. */
  | { readonly type: 'state-edited'; readonly shards: readonly string[] }
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
  /** A replica lists a resource once more, so anything may have happened in between. */
  | { readonly type: 'relisted'; readonly replica: number; readonly resource: string }
  /** From here on nothing is done but a restart. */
  | {
      readonly type: 'settled';
      readonly beliefs: readonly Belief[];
      readonly state: StateFact;
      /** What people are told does not exist: `<workload> <config>`. */
      readonly missing: readonly string[];
      /** @default digests have no keys, and never had */
      readonly ring?: RingFact;
    };

/** A fact, its moment and its position in the trace. */
export type Recorded = Fact & { readonly at: number; readonly ms: number };

/** A run as the oracle sees it. */
export interface Trace {
  readonly settings: Settings;
  /**
   * How exactly rollouts can be accounted for. `strict`: nothing but people editing content and workloads. `grouped`: also
   * owners, refusals, slow rollouts, processes that die; news still comes at once. `each`: news comes late or not at all,
   * so that every write may have looked like a change of its own.
   */
  readonly accounting: 'strict' | 'grouped' | 'each';
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
