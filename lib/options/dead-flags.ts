/** The flags of other reloaders that mean nothing here, so that their arguments can stay as they are. */

/** The names of these flags. */
export type DeadFlagName =
  | 'resource-type'
  | 'username'
  | 'password'
  | 'sync-after-restart'
  | 'enable-pprof'
  | 'pprof-addr'
  | 'is-Argo-Rollouts'
  | 'is-openshift'
  | 'enable-csi-integration'
  | 'configmap-exclude-annotation'
  | 'secret-exclude-annotation'
  | 'secretproviderclass-annotation'
  | 'secretproviderclass-auto-annotation'
  | 'secretproviderclass-exclude-annotation';

/** One of them. */
export interface DeadFlag {
  readonly name: DeadFlagName;
  readonly value?: string;
  readonly list?: true;
  readonly isStakaters?: 'name';
  /**
   * Why it has no effect, and what is different for that, for the person who still passes it. The value is never repeated: it
   * may hold a secret.
   */
  readonly because: string;
}

const NO_BASIC_AUTH =
  'API servers have no basic authentication any more; use a kubeconfig, --token-file or a client certificate';
const NO_PROFILE = 'nothing is profiled over HTTP';
const NO_CSI =
  'SecretProviderClasses are not watched: workloads are NOT rolled when what the CSI driver mounts changes';

/** All of them. */
export const DEAD_FLAGS: readonly DeadFlag[] = [
  {
    name: 'resource-type',
    value: 'types',
    list: true,
    because: 'Deployments, StatefulSets and DaemonSets are served, but for --ignored-workload-types',
  },
  { name: 'username', value: 'name', because: NO_BASIC_AUTH },
  { name: 'password', value: 'password', because: NO_BASIC_AUTH },
  ofStakater(
    'sync-after-restart',
    'what changed while no reloader ran is always rolled, and nothing else is',
  ),
  ofStakater('enable-pprof', NO_PROFILE),
  ofStakater('pprof-addr', NO_PROFILE, 'address'),
  ofStakater(
    'is-Argo-Rollouts',
    'Rollouts of Argo are not watched: they are NOT rolled when a ConfigMap or Secret changes',
    'boolean',
  ),
  ofStakater(
    'is-openshift',
    'DeploymentConfigs of OpenShift are not watched: they are NOT rolled when a ConfigMap or Secret changes',
    'boolean',
  ),
  ofStakater('enable-csi-integration', NO_CSI),
  ofStakater(
    'configmap-exclude-annotation',
    'the annotation keeps its name, configmaps.exclude.reloader.stakater.com/reload; beside it exclude-configmap of the native vocabulary is read',
    'key',
  ),
  ofStakater(
    'secret-exclude-annotation',
    'the annotation keeps its name, secrets.exclude.reloader.stakater.com/reload; beside it exclude-secret of the native vocabulary is read',
    'key',
  ),
  ofStakater('secretproviderclass-annotation', NO_CSI, 'key'),
  ofStakater('secretproviderclass-auto-annotation', NO_CSI, 'key'),
  ofStakater('secretproviderclass-exclude-annotation', NO_CSI, 'key'),
];

/** Without `value` it is a switch. */
function ofStakater(name: DeadFlagName, because: string, value?: string): DeadFlag {
  return { name, because, isStakaters: 'name', ...(value === undefined ? {} : { value }) };
}
