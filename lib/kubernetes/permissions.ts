/** The rights that the reloader needs, as data: the preflight asks for them, and a test compares them with the Roles in k8s. */

import { type ApiResource, type ConfigKind, isMountedKind, SOURCE_KINDS } from '../model/object-ref.ts';
import { shardNames } from '../model/shards.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { EVENT_OBJECTS, JOBS, LEASES, NAMESPACES, PODS, v1 } from './api-path.ts';
import { mountsOf, resourceOf } from './sources.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The purpose of a rule, which decides what happens if the right is missing. */
export type PermissionPurpose =
  | 'state'
  /** Without it digests have no key. */
  | 'key'
  | 'scope'
  | 'config'
  | 'workload'
  | 'run'
  /** To evict pods in place of stamping a template. */
  | 'evict'
  | 'event'
  /** Without it no page is served but those of probes. */
  | 'pages'
  /** Without it the process leads without an election. */
  | 'lease';

/** One rule, and the namespace in which it is needed. */
export interface Permission {
  readonly purpose: PermissionPurpose;
  /** The kind of the rule's resource, e.g. `Secret`. */
  readonly kind: string;
  /** The namespace of a Role; undefined: a ClusterRole, bound for the whole cluster. */
  readonly namespace: string | undefined;
  readonly rule: PolicyRule;
}

/** The settings on which the rights depend. */
export interface PermissionScope {
  /** The watched namespaces; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** Whether namespaces are selected by their labels, or their annotations count. */
  readonly watchesNamespaces?: boolean;
  readonly stateNamespace: string;
  readonly stateName: string;
  readonly configKinds: readonly ConfigKind[];
  readonly workloadKinds: readonly string[];
  /** The Lease; undefined without an election. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** Whether it is a dry run, which only reads. */
  readonly isDryRun: boolean;
  /** Whether the pages are only for tokens that may get them. */
  readonly reviewsReaders?: boolean;
  /** Whether pods are evicted unless an annotation says otherwise. */
  readonly evicts?: boolean;
  /** Whether a webhook is called in place of patching workloads. */
  readonly onlyTells?: boolean;
}

/** All permissions that the reloader needs with these settings. */
export function permissionsFor(scope: PermissionScope): Permission[] {
  const { stateNamespace, stateName, isDryRun, lease, namespaces = [undefined] } = scope;
  const verbs = isDryRun ? ['get'] : KEEPING;
  return [
    permission('state', 'ConfigMap', stateNamespace, SOURCE_KINDS.ConfigMap, verbs, shardNames(stateName)),
    permission('key', 'Secret', stateNamespace, SOURCE_KINDS.Secret, verbs, [`${stateName}-key`]),
    ...(scope.watchesNamespaces ? [permission('scope', 'Namespace', undefined, NAMESPACES, WATCHING)] : []),
    ...(lease === undefined ? [] : leasePermissions(lease)),
    ...(scope.reviewsReaders ? READER_PERMISSIONS : []),
    ...namespaces.flatMap((namespace) => streamPermissions(scope, namespace)),
  ];
}

/** The permission to list and watch the objects of one stream; undefined for the stream of Namespaces. */
export function streamPermission({
  kind,
  namespace,
  isWorkload,
}: Pick<Permission, 'kind' | 'namespace'> & { readonly isWorkload: boolean }): Permission | undefined {
  const resource = resourceOf(kind);
  if (resource === undefined) return undefined;
  return permission(isWorkload ? 'workload' : 'config', kind, namespace, resource, WATCHING);
}

/** The rule as a line of YAML, to be pasted into a Role. */
export function ruleYaml({ apiGroups, resources, resourceNames, verbs }: PolicyRule): string {
  const fields = Object.entries({ apiGroups, resources, resourceNames, verbs });
  const given = fields.flatMap(([key, value]) => (value === undefined ? [] : `${key}: ${listOf(value)}`));
  return `- {${given.join(', ')}}`;
}

function listOf(words: readonly string[]): string {
  return `[${words.map((word) => (word === '' || word.includes('*') ? `"${word}"` : word)).join(', ')}]`;
}

const WATCHING = ['list', 'watch'];
/** For an object that server-side apply creates and patches change. */
const KEEPING = ['get', 'create', 'patch'];

/** The verbs that a rollout needs besides reading. */
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

const READER_PERMISSIONS: readonly Permission[] = [
  permission('pages', 'TokenReview', undefined, v1('authentication.k8s.io', 'tokenreviews'), ['create']),
  permission('pages', 'SubjectAccessReview', undefined, v1('authorization.k8s.io', 'subjectaccessreviews'), [
    'create',
  ]),
];

/** The right to create has no resourceNames: RBAC sees no name in the path of a POST. */
function leasePermissions({ namespace, name }: NonNullable<PermissionScope['lease']>): Permission[] {
  return [
    permission('lease', 'Lease', namespace, LEASES, ['get', 'update'], [name]),
    permission('lease', 'Lease', namespace, LEASES, ['create']),
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
  // For the Jobs that a CronJob's rollout creates; the right to recreate Jobs includes it.
  const startsRuns = isRolling && rollouts.includes('run-now') && !rollouts.includes('recreate');
  return [
    ...configKinds.flatMap((kind) => configPermissions(kind, namespace)),
    ...workloads,
    ...(isRolling && scope.evicts ? evictPermissions(namespace) : []),
    ...(startsRuns ? [permission('run', 'Job', namespace, JOBS, ['create'])] : []),
    ...(isDryRun ? [] : [permission('event', 'Event', namespace, EVENT_OBJECTS, ['create'])]),
  ];
}

/** To watch the objects of a kind, and what pods have mounted of them. */
function configPermissions(kind: ConfigKind, namespace: string | undefined): Permission[] {
  const kinds = [kind, ...(isMountedKind(kind) ? [mountsOf(kind).kind] : [])];
  return kinds.flatMap((each) => streamPermission({ kind: each, namespace, isWorkload: false }) ?? []);
}

function evictPermissions(namespace: string | undefined): Permission[] {
  return [
    permission('evict', 'Pod', namespace, PODS, ['list']),
    // The pods of a Deployment are those of its ReplicaSets.
    permission('evict', 'ReplicaSet', namespace, v1('apps', 'replicasets'), ['list']),
    permission('evict', 'Pod', namespace, { ...PODS, resource: 'pods/eviction' }, ['create']),
  ];
}
