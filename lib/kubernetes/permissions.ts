/** The rights that the reloader needs, as data. */

import { type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { shardNames } from '../model/state-shards.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { LEASES } from './lease-client.ts';
import { REPLICA_SETS } from './replica-sets.ts';
import { NAMESPACES, resourceOf } from './sources.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What a rule is needed for: what cannot be done without it. */
export type PermissionPurpose =
  | 'state'
  | 'scope'
  | 'config'
  | 'workload'
  | 'run'
  | 'event'
  | 'webhook'
  /** Without it a process acts without looking whether another one does. */
  | 'lease'
  /** Without it there is a rollout more at times. */
  | 'age';

/** One rule, and where it has to hold. */
export interface Permission {
  readonly purpose: PermissionPurpose;
  /** The kind that it is about, e.g. `Secret`. */
  readonly kind: string;
  /** A Role there; undefined: a ClusterRole, bound for the whole cluster. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
}

/** What the reloader is to do. */
export interface PermissionScope {
  /** undefined: all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** Whether namespaces are selected by their labels. */
  readonly selectsNamespaces?: boolean;
  readonly stateNamespace: string;
  readonly stateName: string;
  readonly configKinds: readonly ConfigKind[];
  readonly workloadKinds: readonly string[];
  /** Where a leader is elected: the Lease. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** A dry run only reads. */
  readonly isDryRun: boolean;
  /** What the admission webhook has its own certificate in, and who is to trust it. */
  readonly admission?: { readonly secret: string; readonly configuration: string } | undefined;
  /** Whether a webhook is told in place of patching workloads. */
  readonly onlyTells?: boolean;
}

/** Everything that the reloader asks of the API server within `scope`. */
export function permissionsFor(scope: PermissionScope): Permission[] {
  const namespaces = scope.namespaces ?? [undefined];
  const scopes = scope.selectsNamespaces ? [NAMESPACE_PERMISSION] : [];
  return [
    statePermission(scope),
    ...scopes,
    ...leasePermissions(scope),
    ...admissionPermissions(scope),
    ...namespaces.flatMap((namespace) => streamPermissions(scope, namespace)),
  ];
}

/** What it takes to list and watch one kind; undefined for namespaces, without which there is nothing to do. */
export function streamPermission({
  kind,
  namespace,
  isWorkload,
}: Pick<Permission, 'kind' | 'namespace'> & { readonly isWorkload: boolean }): Permission | undefined {
  const watched = resourceOf(kind);
  if (watched === undefined) return undefined;
  const rule = { apiGroups: [watched.group], resources: [watched.resource], verbs: WATCHING };
  return { purpose: isWorkload ? 'workload' : 'config', kind, namespace, rule };
}

/** The rule as it stands in a Role. */
export function ruleYaml({ apiGroups, resources, resourceNames, verbs }: PolicyRule): string {
  const lines = [
    `- apiGroups: ${JSON.stringify(apiGroups)}`,
    `  resources: ${JSON.stringify(resources)}`,
    ...(resourceNames === undefined ? [] : [`  resourceNames: ${JSON.stringify(resourceNames)}`]),
    `  verbs: ${JSON.stringify(verbs)}`,
  ];
  return lines.join('\n');
}

const WATCHING = ['list', 'watch'];

const NAMESPACE_PERMISSION: Permission = {
  purpose: 'scope',
  kind: 'Namespace',
  namespace: undefined,
  rule: { apiGroups: [''], resources: [NAMESPACES.resource], verbs: WATCHING },
};

/** What it takes to roll a workload, besides reading it. */
const VERBS: Readonly<Record<WorkloadKind['rollout'], readonly string[]>> = {
  'replace-pods': ['patch'],
  'run-now': ['patch'],
  recreate: ['create', 'delete'],
};

/** What is started of a CronJob; who creates Jobs anew may do it anyway. */
const RUN_PERMISSION: Omit<Permission, 'namespace'> = {
  purpose: 'run',
  kind: 'Job',
  rule: { apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] },
};

/** Tells a Deployment that was rolled in an absence from one that was not. */
const AGE_PERMISSION: Omit<Permission, 'namespace'> = {
  purpose: 'age',
  kind: 'ReplicaSet',
  rule: { apiGroups: [REPLICA_SETS.group], resources: [REPLICA_SETS.resource], verbs: ['list'] },
};

function statePermission({ stateNamespace, stateName, isDryRun }: PermissionScope): Permission {
  const verbs = isDryRun ? ['get'] : ['get', 'create', 'patch'];
  const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: shardNames(stateName), verbs };
  return { purpose: 'state', kind: 'ConfigMap', namespace: stateNamespace, rule };
}

/** The right to create cannot be limited to a name: a POST says it in the body alone. */
function leasePermissions({ lease }: PermissionScope): Permission[] {
  if (lease === undefined) return [];
  const rule = { apiGroups: [LEASES.group], resources: [LEASES.resource] };
  const about = { purpose: 'lease', kind: 'Lease', namespace: lease.namespace } as const;
  return [
    { ...about, rule: { ...rule, resourceNames: [lease.name], verbs: ['get', 'update', ...WATCHING] } },
    { ...about, rule: { ...rule, verbs: ['create'] } },
  ];
}

function admissionPermissions({ admission, stateNamespace }: PermissionScope): Permission[] {
  if (admission === undefined) return [];
  const secret = { apiGroups: [''], resources: ['secrets'], resourceNames: [admission.secret] };
  const configuration = {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations'],
    resourceNames: [admission.configuration],
  };
  return [
    {
      purpose: 'webhook',
      kind: 'Secret',
      namespace: stateNamespace,
      rule: { ...secret, verbs: ['get', 'create', 'patch'] },
    },
    {
      purpose: 'webhook',
      kind: 'MutatingWebhookConfiguration',
      namespace: undefined,
      rule: { ...configuration, verbs: ['get', 'patch'] },
    },
  ];
}

function streamPermissions(scope: PermissionScope, namespace: string | undefined): Permission[] {
  const configs = scope.configKinds.map((kind): Permission => {
    const { group, resource } = SOURCE_KINDS[kind];
    const rule = { apiGroups: [group], resources: [resource], verbs: WATCHING };
    return { purpose: 'config', kind, namespace, rule };
  });
  const isRolling = !scope.isDryRun && !scope.onlyTells;
  const workloads = scope.workloadKinds.map((kind): Permission => {
    const { group, resource, rollout } = workloadKindOf(kind);
    const verbs = ['get', 'list', 'watch', ...(isRolling ? VERBS[rollout] : [])];
    return {
      purpose: 'workload',
      kind,
      namespace,
      rule: { apiGroups: [group], resources: [resource], verbs },
    };
  });
  const rollouts = scope.workloadKinds.map((kind) => workloadKindOf(kind).rollout);
  const startsRuns = isRolling && rollouts.includes('run-now') && !rollouts.includes('recreate');
  const runs = startsRuns ? [{ ...RUN_PERMISSION, namespace }] : [];
  const rule = { apiGroups: [''], resources: ['events'], verbs: ['create'] };
  const events: Permission[] = scope.isDryRun ? [] : [{ purpose: 'event', kind: 'Event', namespace, rule }];
  const looksAtAge = !scope.onlyTells && scope.workloadKinds.includes('Deployment');
  const ages = looksAtAge ? [{ ...AGE_PERMISSION, namespace }] : [];
  return [...configs, ...workloads, ...ages, ...runs, ...events];
}
