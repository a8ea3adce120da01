/** The fields of API objects that this program reads: JSON as on the wire, in which any field may be absent. */

import type { Texts } from './text.ts';

/** `metadata` of any object. */
export interface RawMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, to the second. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Texts;
  readonly managedFields?: readonly RawManagedFields[];
  readonly labels?: Texts;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly kind?: string;
    readonly uid?: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
}

/** One entry of `metadata.managedFields`: a field manager, and the time of its last write (RFC 3339, to the second). */
export interface RawManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
}

/** Any object. */
export interface RawObject {
  readonly kind?: string;
  readonly metadata: RawMetadata;
}

/** A ConfigMap or Secret; binaryData and a Secret's data are base64. */
export interface RawConfigObject extends RawObject {
  readonly type?: string;
  readonly data?: Texts;
  readonly binaryData?: Texts;
  readonly immutable?: boolean;
}

/** What the Secrets Store CSI driver has mounted of one class into one pod. */
export interface RawPodStatus extends RawObject {
  readonly status?: {
    readonly secretProviderClassName?: string;
    readonly mounted?: boolean;
    readonly objects?: readonly { readonly id?: string; readonly version?: string }[] | null;
  };
}

/** Another object, as a variable or volume refers to it: to all of it, to one key, or to some and where a volume shows them. */
export interface RawSource {
  readonly name?: string;
  readonly optional?: boolean;
  readonly key?: string;
  readonly items?: readonly { readonly key?: string; readonly path?: string }[];
}

/** A variable of a container; more fields may be there. */
export interface RawEnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: RawSource; readonly secretKeyRef?: RawSource };
}

/** A container of a pod template; more fields may be there. */
export interface RawContainer {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly RawEnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: RawSource; readonly secretRef?: RawSource }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly subPath?: string;
    readonly subPathExpr?: string;
  }[];
  readonly resources?: object;
}

/** A volume of a pod template; more fields may be there. */
export interface RawVolume {
  readonly name: string;
  readonly configMap?: RawSource;
  readonly secret?: RawSource & { readonly secretName?: string };
  readonly csi?: {
    readonly driver?: string;
    readonly volumeAttributes?: Texts;
  };
  readonly projected?: {
    readonly sources?: readonly { readonly configMap?: RawSource; readonly secret?: RawSource }[];
  };
}

/** A pod template; more fields may be there. */
export interface RawPodTemplate {
  readonly metadata?: {
    readonly annotations?: Texts;
    readonly labels?: Texts;
  };
  readonly spec?: {
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
    readonly volumes?: readonly RawVolume[];
  };
}

/** One condition of a status. */
export interface RawCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
}

/** The object that has the pod template of a Rollout. */
export interface Referenced {
  readonly kind: string;
  readonly name: string;
  /** 0 if there is a problem. */
  readonly generation: number;
  /** Empty if there is a problem. */
  readonly resourceVersion: string;
  /** Its annotations, and those of the Rollout alone; undefined without a map of them. */
  readonly annotations?: Texts | undefined;
  readonly ownAnnotations?: Texts | undefined;
  /** Why its template is not known, for people. */
  readonly problem?: string;
}

/** Numbers of pods, as the controllers of several kinds write them. */
type RawCounts = {
  readonly [N in
    | ('replicas' | 'updatedReplicas' | 'readyReplicas' | 'currentReplicas')
    | ('desiredNumberScheduled' | 'currentNumberScheduled' | 'updatedNumberScheduled' | 'numberReady')
    | ('active' | 'ready' | 'succeeded')]?: number;
};

/** An object of any kind in the table of workload kinds. */
export interface RawWorkload extends RawObject {
  /** No field of the API: only an object that was completed with the template of another one has it. */
  readonly referenced?: Referenced;
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly progressDeadlineSeconds?: number;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: {
        readonly partition?: number;
        /** Of OpenKruise's StatefulSet and DaemonSet. */
        readonly podUpdatePolicy?: string;
        readonly rollingUpdateType?: string;
      } | null;
    };
    /** Of a DeploymentConfig it may be null. */
    readonly template?: RawPodTemplate | null;
    readonly suspend?: boolean;
    readonly completions?: number;
    readonly selector?: object;
    readonly manualSelector?: boolean;
    /** Of a CronJob: the Job that it starts. */
    readonly jobTemplate?: Pick<RawPodTemplate, 'metadata'> & {
      readonly spec?: { readonly template?: RawPodTemplate };
    };
    /** Of a DeploymentConfig. */
    readonly triggers?: readonly { readonly type?: string }[] | null;
    /** Of a Rollout, RFC 3339. */
    readonly restartAt?: string;
    /** Of a Rollout too; the first one names the object that has its pod template. */
    readonly workloadRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
    } | null;
    readonly strategy?: {
      readonly canary?: { readonly steps?: readonly { readonly pause?: { readonly duration?: unknown } }[] };
      readonly blueGreen?: { readonly autoPromotionSeconds?: number };
    };
  };
  readonly status?: RawCounts & {
    /** A Rollout has it as text. */
    readonly observedGeneration?: number | string;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    /** The next eight are of a Rollout; the first one, as text, is the generation of the referenced object that was rolled. */
    readonly workloadObservedGeneration?: string;
    readonly phase?: string;
    readonly stableRS?: string;
    readonly currentPodHash?: string;
    readonly restartedAt?: string;
    readonly abort?: boolean;
    readonly currentStepIndex?: number;
    readonly pauseConditions?: readonly { readonly reason?: string }[];
    /** Of a DeploymentConfig. */
    readonly latestVersion?: number;
    readonly conditions?: readonly RawCondition[];
  };
}
