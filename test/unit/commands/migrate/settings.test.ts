/** What flags and variables of other reloaders are here. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Program } from '../../../../lib/commands/deployed-program.ts';
import { SOURCES, type Source } from '../../../../lib/commands/migrate/other-reloader.ts';
import { type Settings, settingsFor } from '../../../../lib/commands/migrate/their-settings.ts';
import { parseOptions } from '../../../../lib/options/parse-options.ts';

/** One reloader as it is started. */
interface SettingsOfOther extends Partial<Program> {
  readonly from: Source['name'];
  readonly args: readonly string[];
  /** The arguments of the new installation. */
  readonly becomes: readonly string[];
  /** Some of the rows, as `<theirs> <is>`. */
  readonly rows?: readonly string[];
  /** What has no value that may be shown. */
  readonly secret?: readonly string[];
}

const RUNS = ['--cronjob-reload=run-now', '--job-reload=recreate'];

/** Reloaders as they are started. */
const OTHERS: Readonly<Record<string, SettingsOfOther>> = {
  'Stakater Reloader without flags': {
    from: 'stakater',
    args: [],
    becomes: ['--all-namespaces', ...RUNS],
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
      '--log-format=json',
      '--log-level=info',
      '--resources-to-ignore=secrets',
      '--ignored-workload-types=jobs,cronjobs',
      '--namespaces-to-ignore=kube-system,dev',
      '--namespace-selector="team=a"',
      '--configmap-annotation=example.com/reload',
      '--is-Argo-Rollouts=true',
      '--reload-strategy=annotations',
      '--auto-reload-all=true',
      '--enable-csi-integration=true',
    ],
    rows: ['--enable-pprof: no effect', '--pprof-addr: no effect', '--sync-after-restart: no effect'],
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
    becomes: [
      '--namespace=web,api',
      '--alert-sink=slack',
      '--ignored-workload-types=jobs',
      '--alert-on-reload=true',
      '--cronjob-reload=run-now',
    ],
    rows: ['--no-such: refused'],
    secret: ['RELOADER_OPT_TOKEN', 'RELOADER_OPT_ALERT_WEBHOOK_URL'],
  },
  'Stakater Reloader of its own namespace': {
    from: 'stakater',
    args: ['--reload-on-create=true', '--resource-label-selector=a:b'],
    env: { KUBERNETES_NAMESPACE: 'reloader' },
    becomes: ['--namespace=reloader', '--reload-on-create=true', '--resource-label-selector=a:b', ...RUNS],
  },
  'Stakater Reloader of its own namespace and another one': {
    from: 'stakater',
    args: ['--namespaces=reloader,web'],
    becomes: ['--namespace=reloader,web', ...RUNS],
  },
  'Stakater Reloader with an empty webhook': {
    from: 'stakater',
    args: ['--webhook-url=', '--token', ''],
    becomes: ['--all-namespaces', ...RUNS],
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
      '--port=80',
      '--resource-type=x',
      '--ignored-config-resource-types=v1.Secret',
    ],
    env: { LOG4JS_CONFIG: '/x' },
    becomes: [
      '--namespace=reloader',
      '--configmap=hashes',
      '--coalesce-period=10000',
      '--port=80',
      '--ignored-config-resource-types=v1.Secret',
    ],
    rows: ['--resource-type: no effect'],
  },
};

function settingsOf({ from, args, env = {}, hidden = [] }: SettingsOfOther): Settings {
  return settingsFor(SOURCES[from], { container: '', args, env, hidden }, { home: 'reloader', further: [] });
}

describe('the flags of', () => {
  for (const [name, other] of Object.entries(OTHERS))
    test(name, () => {
      const { args, rows, hidden } = settingsOf(other);
      assert.deepEqual([args, hidden], [other.becomes, other.secret ?? []]);
      assert.equal(parseOptions(args, {}).type, 'run');
      const short = rows.map(({ theirs, is }) => `${theirs}: ${is}`);
      for (const row of other.rows ?? [])
        assert.ok(short.includes(row), `${row} is not among ${short.join('\n')}`);
    });
});

test('no value that may be a secret is shown', () => {
  const { rows, args } = settingsOf(
    OTHERS['Stakater Reloader of some namespaces, with secrets'] as SettingsOfOther,
  );
  assert.doesNotMatch(JSON.stringify({ rows, args }), /hush/);
});

test('a variable from a Secret is named, and no warning says that it lacks a value', () => {
  const hidden = ['ALERT_WEBHOOK_URL', 'OTHER'];
  const env = { ALERT_ON_RELOAD: 'true' };
  const settings = settingsOf({ from: 'stakater', args: [], env, hidden, becomes: [] });
  assert.deepEqual([settings.notices, settings.hidden], [[], ['ALERT_WEBHOOK_URL']]);
});

test('what runs anew there does here, by variables beside those that it has', () => {
  const own = { from: 'stakater', args: ['--ignored-workload-types=jobs'], becomes: [] } as const;
  const runs = { RELOADER_OPT_CRONJOB_RELOAD: 'run-now' };
  assert.deepEqual(settingsOf(own).added, { RELOADER_DEPLOYMENT_NAME: 'reloader', ...runs });
  assert.deepEqual(settingsOf({ ...own, hidden: ['RELOADER_DEPLOYMENT_NAME'] }).added, runs);
});

test('flags that contradict each other are an error', () => {
  const args = ['--resources-to-ignore=secrets', '--resources-to-ignore=configmaps'];
  assert.throws(
    () => settingsOf({ from: 'stakater', args, becomes: [] }),
    /Stakater Reloader: --resources-to-ignore/,
  );
});
