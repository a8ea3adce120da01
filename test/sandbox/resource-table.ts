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
  /** What raises `metadata.generation`; undefined: the kind has none. */
  readonly generation?: 'spec' | 'spec and annotations';
}

const READ: readonly ServedVerb[] = ['get', 'list', 'watch'];
const ALL: readonly ServedVerb[] = [...READ, 'create', 'update', 'patch', 'delete'];

type Extras = Partial<Pick<ResourceRow, 'shortNames' | 'namespaced' | 'verbs' | 'generation'>>;

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

/** Every kind that is served and stored. */
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
  row('apps/v1', 'replicasets', 'ReplicaSet', { shortNames: ['rs'], verbs: READ, generation: 'spec' }),
  row('apps/v1', 'controllerrevisions', 'ControllerRevision', { verbs: READ }),
  row('batch/v1', 'cronjobs', 'CronJob', { shortNames: ['cj'], generation: 'spec' }),
  row('batch/v1', 'jobs', 'Job', { generation: 'spec' }),
  row('coordination.k8s.io/v1', 'leases', 'Lease'),
  row('events.k8s.io/v1', 'events', 'Event', { shortNames: ['ev'] }),
];

/** A kind that is answered but not stored. */
export const ACCESS_REVIEW: ResourceRow = row(
  'authorization.k8s.io/v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  { namespaced: false, verbs: ['create'] },
);

const byPath = new Map([...RESOURCES, ACCESS_REVIEW].map((r) => [`${r.apiVersion}/${r.resource}`, r]));
const byResource = new Map([...RESOURCES, ACCESS_REVIEW].toReversed().map((r) => [r.resource, r]));
const byKind = new Map(RESOURCES.toReversed().map((r) => [r.kind, r]));

/** The row served under an API version; undefined if there is none. */
export function rowAt(apiVersion: string, resource: string): ResourceRow | undefined {
  return byPath.get(`${apiVersion}/${resource}`);
}

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
