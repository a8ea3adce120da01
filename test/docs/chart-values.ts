/** Which value of the Helm chart sets which flag; the tables of k8s/chart follow from this one. */

import type { FlagName } from '../../lib/options/flags.ts';

/** The members of `reloader.custom_annotations`, and the flags that rename these annotations. */
export const CUSTOM_ANNOTATIONS: Readonly<Record<string, FlagName>> = {
  configmap: 'configmap-annotation',
  secret: 'secret-annotation',
  auto: 'auto-annotation',
  configmap_auto: 'configmap-auto-annotation',
  secret_auto: 'secret-auto-annotation',
  search: 'auto-search-annotation',
  match: 'search-match-annotation',
  ignore: 'ignore-annotation',
  pausePeriod: 'pause-deployment-annotation',
  pauseTime: 'pause-deployment-time-annotation',
  secretproviderclass: 'secretproviderclass-annotation',
  secretproviderclass_auto: 'secretproviderclass-auto-annotation',
  secretproviderclass_exclude: 'secretproviderclass-exclude-annotation',
};

/** The values outside `config` that set a flag, by flag. */
export const VALUES_ELSEWHERE: Readonly<{ [N in FlagName]?: string }> = {
  namespace: 'reloader.namespaces',
  'all-namespaces': 'reloader.watchGlobally',
  'namespaces-to-ignore': 'reloader.ignoreNamespaces',
  'namespace-selector': 'reloader.namespaceSelector',
  'resource-label-selector': 'reloader.resourceLabelSelector',
  'is-Argo-Rollouts': 'reloader.isArgoRollouts',
  'is-openshift': 'reloader.isOpenshift',
  'enable-csi-integration': 'reloader.enableCSIIntegration',
  'ignored-config-resource-types': 'reloader.ignoreConfigMaps or reloader.ignoreSecrets',
  'auto-reload-all': 'reloader.autoReloadAll',
  'reload-strategy': 'reloader.reloadStrategy',
  'reload-on-create': 'reloader.reloadOnCreate',
  'reload-on-delete': 'reloader.reloadOnDelete',
  'cronjob-reload': 'reloader.ignoreCronJobs',
  'leader-election-lease-duration': 'reloader.leaderElection.leaseDuration',
  'leader-election-renew-deadline': 'reloader.leaderElection.renewDeadline',
  'leader-election-retry-period': 'reloader.leaderElection.retryPeriod',
  'webhook-port': 'admission.enabled and admission.port',
  'webhook-tls-directory': 'admission.certificate',
  'webhook-url': 'reloader.webhookUrl',
  'log-level': 'reloader.logLevel',
  'log-format': 'reloader.logFormat',
  ...Object.fromEntries(
    Object.entries(CUSTOM_ANNOTATIONS).map(([key, flag]) => [flag, `reloader.custom_annotations.${key}`]),
  ),
};

/** The member of `config` that would set a flag, or a further name of it. */
export function valueKeyOf(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
