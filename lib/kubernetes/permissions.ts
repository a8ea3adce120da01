/** The rights that the reloader needs, as data. */

import { type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { shardNames } from '../model/shards.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import {
  type ApiResource,
  EVENT_OBJECTS,
  JOBS,
  LEASES,
  NAMESPACES,
  REPLICA_SETS,
  WEBHOOK_CONFIGURATIONS,
} from './api-path.ts';
import { resourceOf } from './sources.ts';

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
  const { stateNamespace, stateName, isDryRun, lease, namespaces = [undefined] } = scope;
  const stateVerbs = isDryRun ? ['get'] : KEEPING;
  return [
    permission(
      'state',
      'ConfigMap',
      stateNamespace,
      SOURCE_KINDS.ConfigMap,
      stateVerbs,
      shardNames(stateName),
    ),
    ...(scope.selectsNamespaces ? [permission('scope', 'Namespace', undefined, NAMESPACES, WATCHING)] : []),
    ...(lease === undefined ? [] : leasePermissions(lease)),
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
  const resource = resourceOf(kind);
  if (resource === undefined) return undefined;
  return permission(isWorkload ? 'workload' : 'config', kind, namespace, resource, WATCHING);
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
/** By server-side apply, then by patches. */
const KEEPING = ['get', 'create', 'patch'];

/** What it takes to roll a workload, besides reading it. */
const ROLLING: Readonly<Record<WorkloadKind['rollout'], readonly string[]>> = {
  'replace-pods': ['patch'],
  'run-now': ['patch'],
  recreate: ['create', 'delete'],
};

function permission(
  purpose: PermissionPurpose,
  kind: string,
  namespace: string | undefined,
  { group, resource }: Pick<ApiResource, 'group' | 'resource'>,
  verbs: readonly string[],
  resourceNames?: readonly string[],
): Permission {
  const names = resourceNames === undefined ? {} : { resourceNames };
  return { purpose, kind, namespace, rule: { apiGroups: [group], resources: [resource], ...names, verbs } };
}

/** The right to create cannot be limited to a name: a POST says it in the body alone. */
function leasePermissions({ namespace, name }: NonNullable<PermissionScope['lease']>): Permission[] {
  return [
    permission('lease', 'Lease', namespace, LEASES, ['get', 'update', ...WATCHING], [name]),
    permission('lease', 'Lease', namespace, LEASES, ['create']),
  ];
}

function admissionPermissions({ admission, stateNamespace }: PermissionScope): Permission[] {
  if (admission === undefined) return [];
  const { secret, configuration } = admission;
  const kind = 'MutatingWebhookConfiguration';
  return [
    permission('webhook', 'Secret', stateNamespace, SOURCE_KINDS.Secret, KEEPING, [secret]),
    permission('webhook', kind, undefined, WEBHOOK_CONFIGURATIONS, ['get', 'patch'], [configuration]),
  ];
}

function streamPermissions(scope: PermissionScope, namespace: string | undefined): Permission[] {
  const { configKinds, workloadKinds, isDryRun, onlyTells } = scope;
  const isRolling = !isDryRun && !onlyTells;
  const workloads = workloadKinds.map((kind): Permission => {
    const row = workloadKindOf(kind);
    const verbs = ['get', ...WATCHING, ...(isRolling ? ROLLING[row.rollout] : [])];
    return permission('workload', kind, namespace, row, verbs);
  });
  const rollouts = workloadKinds.map((kind) => workloadKindOf(kind).rollout);
  // The Jobs of CronJobs; the right to create Jobs anew includes it.
  const startsRuns = isRolling && rollouts.includes('run-now') && !rollouts.includes('recreate');
  // They tell a Deployment that was rolled in an absence from one that was not.
  const looksAtAge = !onlyTells && workloadKinds.includes('Deployment');
  return [
    ...configKinds.map((kind) => permission('config', kind, namespace, SOURCE_KINDS[kind], WATCHING)),
    ...workloads,
    ...(looksAtAge ? [permission('age', 'ReplicaSet', namespace, REPLICA_SETS, ['list'])] : []),
    ...(startsRuns ? [permission('run', 'Job', namespace, JOBS, ['create'])] : []),
    ...(isDryRun ? [] : [permission('event', 'Event', namespace, EVENT_OBJECTS, ['create'])]),
  ];
}
