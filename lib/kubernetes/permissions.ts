/** The rights that the reloader needs, as data, and which of them it does not have. */

import type { ConfigKind } from '../model/object-ref.ts';
import { shardNames } from '../model/state-shards.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { callJson } from './json-call.ts';
import { configResourceOf, NAMESPACES } from './sources.ts';
import type { Send } from './transport.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** What a rule is needed for: what cannot be done without it. */
export type PermissionPurpose = 'state' | 'scope' | 'config' | 'workload' | 'run' | 'event' | 'webhook';

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
  /** A dry run only reads. */
  readonly isDryRun: boolean;
  /** What the admission webhook has its own certificate in, and who is to trust it. */
  readonly admission?: { readonly secret: string; readonly configuration: string } | undefined;
  /** Whether a webhook is told in place of patching workloads. */
  readonly onlyTells?: boolean;
}

/** A right that is positively known to be missing. */
export interface MissingPermission {
  readonly permission: Permission;
  readonly verbs: readonly string[];
  /** For people: what is missing, and the rule to add. */
  readonly sentence: string;
}

/** Everything that the reloader asks of the API server within `scope`. */
export function permissionsFor(scope: PermissionScope): Permission[] {
  const namespaces = scope.namespaces ?? [undefined];
  const scopes = scope.selectsNamespaces ? [NAMESPACE_PERMISSION] : [];
  return [
    statePermission(scope),
    ...scopes,
    ...admissionPermissions(scope),
    ...namespaces.flatMap((namespace) => streamPermissions(scope, namespace)),
  ];
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

/**
 * Asks the API server, by SelfSubjectAccessReview, for each verb. Only a plain no counts as missing: a review that fails
 * says nothing. Never throws.
 */
export async function missingPermissions(
  send: Send,
  permissions: readonly Permission[],
  signal?: AbortSignal,
): Promise<MissingPermission[]> {
  const missing: MissingPermission[] = [];
  for (const permission of permissions) {
    const { verbs } = permission.rule;
    const refused = await Promise.all(verbs.map((verb) => isRefused(send, permission, verb, signal)));
    const lacking = verbs.filter((_, index) => refused[index]);
    if (lacking.length > 0) missing.push(describeMissing(permission, lacking));
  }
  return missing;
}

const NAMESPACE_PERMISSION: Permission = {
  purpose: 'scope',
  kind: 'Namespace',
  namespace: undefined,
  rule: { apiGroups: [''], resources: [NAMESPACES.resource], verbs: ['list', 'watch'] },
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

function statePermission({ stateNamespace, stateName, isDryRun }: PermissionScope): Permission {
  const verbs = isDryRun ? ['get'] : ['get', 'create', 'patch'];
  const rule = { apiGroups: [''], resources: ['configmaps'], resourceNames: shardNames(stateName), verbs };
  return { purpose: 'state', kind: 'ConfigMap', namespace: stateNamespace, rule };
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
    const rule = { apiGroups: [''], resources: [configResourceOf(kind).resource], verbs: ['list', 'watch'] };
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
  return [...configs, ...workloads, ...runs, ...events];
}

/** Of a rule with names only the first is asked for: without the others the reloader can do its work. */
async function isRefused(
  send: Send,
  { namespace, rule }: Permission,
  verb: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const resourceAttributes = {
    verb,
    group: rule.apiGroups[0],
    resource: rule.resources[0],
    ...(namespace === undefined ? {} : { namespace }),
    ...(rule.resourceNames === undefined ? {} : { name: rule.resourceNames[0] }),
  };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  try {
    const answer = await callJson<{ status?: { allowed?: boolean } }>(send, {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: JSON.stringify(review),
      ...(signal === undefined ? {} : { signal }),
    });
    return answer.status?.allowed === false;
  } catch {
    return false; // whatever it is, it is no answer to the question
  }
}

function describeMissing(permission: Permission, verbs: readonly string[]): MissingPermission {
  const { namespace, rule } = permission;
  const name = rule.resourceNames === undefined ? '' : ` ${rule.resourceNames[0]}`;
  const what = `${rule.resources[0]}${name}`;
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const role = namespace === undefined ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
  const head = `The service account may not ${verbs.join(', ')} ${what} ${where}.`;
  const sentence = `${head} Add to ${role}:\n${ruleYaml(rule)}`;
  return { permission, verbs, sentence };
}
