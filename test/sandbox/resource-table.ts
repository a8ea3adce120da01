/** The table of kinds that the sandbox serves. */

/** What may be done with a kind by clients. */
export type ServedVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** One kind. */
export interface ResourceRow {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** The plural, as in paths. */
  readonly resource: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly ServedVerb[];
  /** What raises `metadata.generation`: `all` is all but metadata, where there is no subresource `status`; undefined: the kind has none. */
  readonly generation?: 'spec' | 'spec and annotations' | 'all';
  /** Whether a custom resource definition serves it: it takes no strategic merge patch, and its objects are not checked. */
  readonly isCustom?: boolean;
  /** A custom resource's field that its schema lacks: it is dropped from each object that is stored. */
  readonly pruned?: readonly string[];
}

const READ: readonly ServedVerb[] = ['get', 'list', 'watch'];
const ALL: readonly ServedVerb[] = [...READ, 'create', 'update', 'patch', 'delete'];

type Extras = Partial<Omit<ResourceRow, 'apiVersion' | 'group' | 'version' | 'resource' | 'kind'>>;

function row(apiVersion: string, resource: string, kind: string, extras: Extras = {}): ResourceRow {
  const [first = '', second] = apiVersion.split('/');
  return {
    group: second === undefined ? '' : first,
    version: second ?? first,
    apiVersion,
    resource,
    kind,
    shortNames: [],
    namespaced: true,
    verbs: ALL,
    ...extras,
  };
}

/** Every kind that each sandbox serves and stores. */
export const RESOURCES: readonly ResourceRow[] = [
  row('v1', 'namespaces', 'Namespace', { namespaced: false, shortNames: ['ns'] }),
  row('v1', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  row('v1', 'secrets', 'Secret'),
  row('v1', 'events', 'Event', { shortNames: ['ev'] }),
  row('v1', 'services', 'Service', { shortNames: ['svc'] }),
  row('v1', 'pods', 'Pod', { shortNames: ['po'], verbs: READ }),
  row('apps/v1', 'deployments', 'Deployment', { shortNames: ['deploy'], generation: 'spec and annotations' }),
  row('apps/v1', 'statefulsets', 'StatefulSet', { shortNames: ['sts'], generation: 'spec' }),
  row('apps/v1', 'daemonsets', 'DaemonSet', { shortNames: ['ds'], generation: 'spec' }),
  row('apps/v1', 'replicasets', 'ReplicaSet', { shortNames: ['rs'], generation: 'spec' }),
  row('apps/v1', 'controllerrevisions', 'ControllerRevision', { verbs: READ }),
  row('batch/v1', 'cronjobs', 'CronJob', { shortNames: ['cj'], generation: 'spec' }),
  row('batch/v1', 'jobs', 'Job', { generation: 'spec' }),
  row('coordination.k8s.io/v1', 'leases', 'Lease'),
  row('events.k8s.io/v1', 'events', 'Event', { shortNames: ['ev'] }),
];

/** A kind that a cluster may lack, by its plural. */
type Extension =
  | 'rollouts'
  | 'deploymentconfigs'
  | 'secretproviderclasses'
  | 'secretproviderclasspodstatuses';

/** The kinds that a sandbox serves only where its options name them, by their plural. */
export const EXTENSIONS: Readonly<Record<Extension, ResourceRow>> = {
  rollouts: row('argoproj.io/v1alpha1', 'rollouts', 'Rollout', {
    shortNames: ['ro'],
    generation: 'spec',
    isCustom: true,
  }),
  deploymentconfigs: row('apps.openshift.io/v1', 'deploymentconfigs', 'DeploymentConfig', {
    shortNames: ['dc'],
    generation: 'spec',
  }),
  secretproviderclasses: row(
    'secrets-store.csi.x-k8s.io/v1',
    'secretproviderclasses',
    'SecretProviderClass',
    {
      generation: 'all',
      isCustom: true,
    },
  ),
  secretproviderclasspodstatuses: row(
    'secrets-store.csi.x-k8s.io/v1',
    'secretproviderclasspodstatuses',
    'SecretProviderClassPodStatus',
    { generation: 'all', isCustom: true },
  ),
};

/** A custom resource of a test's own: `group/version`, plural, kind. Helpers name it `<plural>.<group>`. */
export function customResource(
  apiVersion: string,
  resource: string,
  kind: string,
  extras: Pick<ResourceRow, 'pruned'> = {},
): ResourceRow {
  const added = row(apiVersion, resource, kind, { generation: 'spec', isCustom: true, ...extras });
  byResource.set(`${resource}.${added.group}`, added);
  // Faults name plurals alone.
  if (!byResource.has(resource)) byResource.set(resource, added);
  byKind.set(`${resource}.${added.group}`, added);
  return added;
}

/** The kinds that are answered but not stored. */
export const ACCESS_REVIEWS: readonly ResourceRow[] = ['SelfSubjectAccessReview', 'SubjectAccessReview'].map(
  (kind) =>
    row('authorization.k8s.io/v1', `${kind.toLowerCase()}s`, kind, { namespaced: false, verbs: ['create'] }),
);

const KNOWN = [...RESOURCES, ...Object.values(EXTENSIONS)];
const byResource = new Map<string, ResourceRow>(
  [...KNOWN, ...ACCESS_REVIEWS].toReversed().map((r) => [r.resource, r]),
);
const byKind = new Map<string, ResourceRow>(KNOWN.toReversed().map((r) => [r.kind, r]));

/** The row of a plural (`configmaps`); `events` are those of the core group. */
export function rowOfResource(resource: string): ResourceRow {
  const found = byResource.get(resource);
  if (found === undefined) throw new Error(`the sandbox does not serve ${resource}`);
  return found;
}

/** The row of a kind (`ConfigMap`). */
export function rowOfKind(kind: string): ResourceRow {
  const found = byKind.get(kind);
  if (found === undefined) throw new Error(`the sandbox does not serve ${kind}`);
  return found;
}
