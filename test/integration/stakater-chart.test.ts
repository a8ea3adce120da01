/** The bundle starts with every argument that the chart of Stakater Reloader gives its Deployment, alone and together. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freePort } from '../control-plane/free-port.ts';
import { Cluster } from './harness.ts';
import { ReloaderProcess } from './reloader-process.ts';

/** What the chart always sets. */
const MANIFEST = {
  GOMAXPROCS: '1',
  GOMEMLIMIT: '134217728',
  RELOADER_NAMESPACE: 'default',
  RELOADER_DEPLOYMENT_NAME: 'reloader-reloader',
};

/** Its values, in the order of its arguments, and the arguments that each may become. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  logFormat: [['--log-format=json']],
  logLevel: ['info', 'debug', 'trace', 'warning', 'error', 'fatal'].map((level) => [`--log-level=${level}`]),
  ignored: [['--resources-to-ignore=secrets'], ['--resources-to-ignore=configmaps']],
  ignoredWorkloads: ['jobs', 'cronjobs', 'jobs,cronjobs'].map((kinds) => [
    `--ignored-workload-types=${kinds}`,
  ]),
  namespaces: [['--namespaces=a,default']],
  ignoreNamespaces: [['--namespaces-to-ignore=kube-system,b']],
  namespaceSelector: [
    ['--namespace-selector="team=a"'],
    ['--namespace-selector="team=a,!legacy"'],
    ['--namespace-selector="team in (a,b)"'],
  ],
  resourceLabelSelector: [['--resource-label-selector=team=a'], ['--resource-label-selector=team:a']],
  enablePProf: [['--enable-pprof'], ['--enable-pprof', '--pprof-addr=:6060']],
  enableCSIIntegration: [['--enable-csi-integration=true']],
  'custom_annotations.configmap': [['--configmap-annotation', 'a.example.com/configmap']],
  'custom_annotations.secret': [['--secret-annotation', 'a.example.com/secret']],
  'custom_annotations.auto': [['--auto-annotation', 'a.example.com/auto']],
  'custom_annotations.secret_auto': [['--secret-auto-annotation', 'a.example.com/secret-auto']],
  'custom_annotations.configmap_auto': [['--configmap-auto-annotation', 'a.example.com/configmap-auto']],
  'custom_annotations.search': [['--auto-search-annotation', 'a.example.com/search']],
  'custom_annotations.match': [['--search-match-annotation', 'a.example.com/match']],
  'custom_annotations.ignore': [['--ignore-annotation', 'a.example.com/ignore']],
  'custom_annotations.pausePeriod': [['--pause-deployment-annotation', 'a.example.com/pause']],
  'custom_annotations.pauseTime': [['--pause-deployment-time-annotation', 'a.example.com/paused-at']],
  'custom_annotations of its next version': [
    ['--configmap-exclude-annotation', 'a.example.com/no-configmap'],
    ['--secret-exclude-annotation', 'a.example.com/no-secret'],
    ['--secretproviderclass-annotation', 'a.example.com/class'],
    ['--secretproviderclass-auto-annotation', 'a.example.com/class-auto'],
    ['--secretproviderclass-exclude-annotation', 'a.example.com/no-class'],
  ],
  webhookUrl: [['--webhook-url', 'http://127.0.0.1:9/reload']],
  isArgoRollouts: [['--is-Argo-Rollouts=true']],
  reloadOnCreate: [['--reload-on-create=true']],
  reloadOnDelete: [['--reload-on-delete=true']],
  syncAfterRestart: [['--sync-after-restart=true']],
  reloadStrategy: [['--reload-strategy=env-vars'], ['--reload-strategy=annotations']],
  enableHA: [['--enable-ha=true']],
  leaderElection: [
    [
      '--enable-ha=true',
      '--leader-election-lease-duration=15s',
      '--leader-election-renew-deadline=10s',
      '--leader-election-retry-period=2s',
    ],
  ],
  autoReloadAll: [['--auto-reload-all=true']],
};

const EACH = Object.values(ARGUMENTS).flat();
/** The first form of every argument at once, and the last one. */
const TOGETHER = [0, -1].map((index) => Object.values(ARGUMENTS).flatMap((forms) => forms.at(index) ?? []));

describe('the bundle becomes ready with', { concurrency: 2 }, () => {
  for (const argv of [[], ...EACH, ...TOGETHER]) {
    test(argv.length > 6 ? `${argv.length} arguments at once` : `arguments ${argv.join(' ')}`, async () => {
      await using cluster = await Cluster.start();
      const port = await freePort();
      const env = { ...MANIFEST, KUBECONFIG: cluster.file('kubeconfig'), PORT: `${port}` };
      const reloader = new ReloaderProcess(argv, { HOME: cluster.folder, ...env });
      const isReady = async (): Promise<boolean> => {
        assert.equal(reloader.exit, undefined, reloader.log);
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        return answer?.status === 200;
      };
      await cluster.until('it is ready', isReady);
      assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    });
  }
});
