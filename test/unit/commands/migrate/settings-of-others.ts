/** Flags and variables of other reloaders, and what they are here. */

import type { Program } from '../../../../lib/commands/installed-reloader.ts';
import type { Setting } from '../../../../lib/commands/migrate/new-settings.ts';
import type { VocabularyName } from '../../../../lib/model/settings.ts';

/** One reloader as it is started. */
export interface SettingsOfOther extends Partial<Program> {
  readonly from: VocabularyName;
  readonly args: readonly string[];
  /** The arguments of the new installation. */
  readonly becomes: readonly string[];
  /** Some of the rows, as `<theirs> <is>`. */
  readonly rows?: readonly string[];
}

/** A row in short. */
export function shortRow({ theirs, is }: Setting): string {
  return `${theirs}: ${is}`;
}

const RUNS = ['--cronjob-reload=run-now', '--job-reload=recreate'];

/** Reloaders as they are started. */
export const SETTINGS_OF_OTHERS: Readonly<Record<string, SettingsOfOther>> = {
  'Stakater Reloader without flags': {
    from: 'stakater',
    args: [],
    becomes: ['--all-namespaces', ...RUNS],
    rows: ['CronJobs, unless ignored: added'],
  },
  'Stakater Reloader with many flags': {
    from: 'stakater',
    args: [
      '--log-format=json',
      '--log-level=info',
      '--resources-to-ignore=secrets',
      '--ignored-workload-types=jobs,cronjobs',
      '--namespaces-to-ignore=kube-system,dev',
      '--namespace-selector="team=a"',
      '--enable-pprof',
      '--pprof-addr',
      ':6060',
      '--sync-after-restart=true',
      '--configmap-annotation',
      'example.com/reload',
      '--is-Argo-Rollouts=true',
      '--reload-strategy=annotations',
      '--auto-reload-all=true',
      '--enable-csi-integration=true',
    ],
    env: { METRICS_COUNT_BY_NAMESPACE: 'enabled', RELOADER_DEPLOYMENT_NAME: 'reloader', GOMAXPROCS: '1' },
    becomes: [
      '--all-namespaces',
      '--namespaces-to-ignore=kube-system,dev',
      '--namespace-selector=team=a',
      '--ignored-config-resource-types=secrets',
      '--is-Argo-Rollouts=true',
      '--enable-csi-integration=true',
      '--auto-reload-all',
      '--configmap-annotation=example.com/reload',
      '--reload-strategy=annotations',
      '--log-format=json',
    ],
    rows: [
      '--resources-to-ignore=secrets: other name',
      '--is-Argo-Rollouts=true: same',
      '--enable-pprof: no effect',
      '--pprof-addr: no effect',
      '--sync-after-restart: no effect',
      'GOMAXPROCS: no effect',
    ],
  },
  'Stakater Reloader of some namespaces, with secrets': {
    from: 'stakater',
    args: [
      '--namespaces=web,api',
      '--token=hush-hush',
      '--alert-sink=slack',
      '--ignored-workload-types=jobs',
      '--no-such=1',
    ],
    env: { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: 'https://hush-hush.example.com' },
    becomes: ['--namespace=web,api', '--alert-sink=slack', '--cronjob-reload=run-now'],
    rows: ['--token: secret', '--no-such: refused', 'ALERT_WEBHOOK_URL: secret'],
  },
  'Stakater Reloader of its own namespace': {
    from: 'stakater',
    args: ['--reload-on-create=true', '--resource-label-selector=a:b'],
    env: { KUBERNETES_NAMESPACE: 'reloader' },
    becomes: ['--namespace=reloader', '--resource-label-selector=a:b', '--reload-on-create', ...RUNS],
  },
  'Stakater Reloader of its own namespace and another one': {
    from: 'stakater',
    args: ['--namespaces=reloader,web'],
    becomes: ['--namespace=reloader,web', ...RUNS],
  },
  "Collaborne's": {
    from: 'collaborne',
    args: [
      '--namespace',
      'reloader',
      '--configmap',
      'hashes',
      '--coalesce-period',
      '10000',
      '--resource-type=x',
      '--ignored-config-resource-types=v1.Secret',
    ],
    env: { LOG4JS_CONFIG: '/x' },
    becomes: [
      '--namespace=reloader',
      '--ignored-config-resource-types=secrets',
      '--coalesce-period=10000',
      '--configmap=hashes',
    ],
    rows: ['--resource-type: no effect', 'LOG4JS_CONFIG: no effect'],
  },
  "SAP's": {
    from: 'sap',
    args: [
      '-leader-elect',
      '--metrics-bind-address',
      ':8080',
      '--zap-log-level=info',
      '-webhook-tls-directory=/tls',
    ],
    becomes: ['--all-namespaces', '--dialects=collaborne,stakater,sap'],
    rows: [
      '--leader-elect: same',
      '--metrics-bind-address: left out',
      '--zap-log-level: left out',
      '--webhook-tls-directory: left out',
      "the annotations of SAP's pod-reloader: added",
    ],
  },
  wave: {
    from: 'wave',
    args: [
      '--leader-election=true',
      '--leader-election-id=wave',
      '--leader-election-namespace=reloader',
      '--sync-period=5m',
      '--update-rate=0.5',
      '--update-burst',
      '10',
      '--enable-webhooks',
      '--namespaces=reloader',
    ],
    becomes: [
      '--namespace=reloader',
      '--rollout-rate=0.5',
      '--rollout-burst=10',
      '--leader-election-id=wave',
      '--leader-election-namespace=reloader',
      '--dialects=collaborne,stakater,wave',
    ],
    rows: ['--sync-period: left out', '--update-rate=0.5: other name', '--enable-webhooks: left out'],
  },
};
