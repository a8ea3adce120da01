/** The fields of API objects that this program reads: JSON as on the wire, in which any field may be absent. */

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
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly RawManagedFields[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly RawOwner[];
}

/** An owner of an object. */
export interface RawOwner {
  readonly kind?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
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
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
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

/** Another object by its name. */
export interface RawNameRef {
  readonly name?: string;
  readonly optional?: boolean;
}

/** One key of another object. */
export interface RawKeyRef extends RawNameRef {
  readonly key?: string;
}

/** Which keys of an object a volume shows, and where. */
export type RawItems = readonly { readonly key?: string; readonly path?: string }[];

/** An object as a volume shows it. */
export interface RawVolumeSource extends RawNameRef {
  readonly items?: RawItems;
}

/** A volume in a container. */
export interface RawVolumeMount {
  readonly name: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
}

/** A variable of a container; more fields may be there. */
export interface RawEnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly configMapKeyRef?: RawKeyRef; readonly secretKeyRef?: RawKeyRef };
}

/** A container of a pod template; more fields may be there. */
export interface RawContainer {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly RawEnvVar[];
  readonly envFrom?: readonly { readonly configMapRef?: RawNameRef; readonly secretRef?: RawNameRef }[];
  readonly volumeMounts?: readonly RawVolumeMount[];
  readonly resources?: object;
}

/** A volume of a pod template; more fields may be there. */
export interface RawVolume {
  readonly name: string;
  readonly configMap?: RawVolumeSource;
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean; readonly items?: RawItems };
  readonly csi?: {
    readonly driver?: string;
    readonly volumeAttributes?: Readonly<Record<string, string>>;
  };
  readonly projected?: {
    readonly sources?: readonly { readonly configMap?: RawVolumeSource; readonly secret?: RawVolumeSource }[];
  };
}

/** A pod template; more fields may be there. */
export interface RawPodTemplate {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly containers?: readonly RawContainer[];
    readonly initContainers?: readonly RawContainer[];
    readonly volumes?: readonly RawVolume[];
  };
}

/** Where a CronJob has its pod template: the Job that it starts; more fields may be there. */
export interface RawJobTemplate {
  readonly metadata?: RawPodTemplate['metadata'];
  readonly spec?: { readonly template?: RawPodTemplate };
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
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Why its template is not known, for people. */
  readonly problem?: string;
}

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
    readonly jobTemplate?: RawJobTemplate;
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
  readonly status?: {
    /** A Rollout has it as text. */
    readonly observedGeneration?: number | string;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly currentReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly desiredNumberScheduled?: number;
    readonly currentNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberReady?: number;
    readonly active?: number;
    readonly ready?: number;
    readonly succeeded?: number;
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
