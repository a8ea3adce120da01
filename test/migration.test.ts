/** The pages for those who come from other reloaders name everything that these have, and what they say of flags is so. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { type PolicyRule, permissionsFor } from '../lib/kubernetes/permissions.ts';
import { STAKATER_KEYS } from '../lib/model/settings.ts';
import { workloadKindsOf } from '../lib/options/options.ts';
import { parseOptions } from '../lib/options/parse-options.ts';
import { deployment, followed, vocabulary } from './unit/annotations/defaults.ts';

const PAGE = pageOf('migration');
const STAKATER = pageOf('migrate-from-stakater');

const NAMES: Record<string, string> = {
  annotations: `reloader.stakater.com/auto configmap.reloader.stakater.com/auto secret.reloader.stakater.com/auto
    secretproviderclass.reloader.stakater.com/auto configmap.reloader.stakater.com/reload
    secret.reloader.stakater.com/reload secretproviderclass.reloader.stakater.com/reload
    reloader.stakater.com/search reloader.stakater.com/match reloader.stakater.com/ignore
    configmaps.exclude.reloader.stakater.com/reload secrets.exclude.reloader.stakater.com/reload
    secretproviderclasses.exclude.reloader.stakater.com/reload reloader.stakater.com/rollout-strategy
    deployment.reloader.stakater.com/pause-period deployment.reloader.stakater.com/paused-at
    reloader.stakater.com/last-reloaded-from`,
  variables: `KUBECONFIG KUBERNETES_NAMESPACE POD_NAME POD_NAMESPACE RELOADER_NAMESPACE RELOADER_DEPLOYMENT_NAME
    METRICS_COUNT_BY_NAMESPACE ALERT_ON_RELOAD ALERT_SINK ALERT_WEBHOOK_URL ALERT_WEBHOOK_PROXY
    ALERT_ADDITIONAL_INFO GOMAXPROCS GOMEMLIMIT`,
  metrics: `reloader_reload_executed_total reloader_reload_executed_total_by_namespace reloader_reconcile_total
    reloader_reconcile_duration_seconds reloader_action_total reloader_action_latency_seconds
    reloader_skipped_total reloader_workqueue_depth reloader_workqueue_adds_total
    reloader_workqueue_latency_seconds reloader_errors_total reloader_retries_total
    reloader_events_received_total reloader_events_processed_total reloader_workloads_scanned_total
    reloader_workloads_matched_total rest_client_requests_total rest_client_request_duration_seconds`,
  'written fields': `STAKATER_<NAME>_CONFIGMAP STAKATER_<NAME>_SECRET STAKATER_<NAME>_SECRETPROVIDERCLASS
    spec.restartAt spec.paused stakater-reloader-lock reloader-meta-info`,
  'Events and paths': 'Reloaded ReloadFail /metrics /live /debug/pprof/',
};

/** Its flags, each with a value that it takes. */
const FLAGS: Record<string, string> = {
  'auto-reload-all': 'true',
  'configmap-annotation': 'a/b',
  'secret-annotation': 'a/b',
  'auto-annotation': 'a/b',
  'configmap-auto-annotation': 'a/b',
  'secret-auto-annotation': 'a/b',
  'auto-search-annotation': 'a/b',
  'search-match-annotation': 'a/b',
  'ignore-annotation': 'a/b',
  'pause-deployment-annotation': 'a/b',
  'pause-deployment-time-annotation': 'a/b',
  'log-format': 'json',
  'log-level': 'warning',
  'webhook-url': 'https://example.com',
  'resources-to-ignore': 'secrets',
  'ignored-workload-types': 'jobs',
  namespaces: 'a,b',
  'namespaces-to-ignore': 'a,b',
  'namespace-selector': 'team:web',
  'resource-label-selector': 'team:web',
  'is-Argo-Rollouts': 'true',
  'reload-strategy': 'annotations',
  'reload-on-create': 'true',
  'reload-on-delete': 'true',
  'sync-after-restart': 'true',
  'enable-ha': 'true',
  'leader-election-lease-duration': '15s',
  'leader-election-renew-deadline': '10s',
  'leader-election-retry-period': '2s',
  'is-openshift': 'auto',
  'configmap-exclude-annotation': 'a/b',
  'secret-exclude-annotation': 'a/b',
  'secretproviderclass-annotation': 'a/b',
  'secretproviderclass-auto-annotation': 'a/b',
  'secretproviderclass-exclude-annotation': 'a/b',
  'enable-pprof': 'true',
  'pprof-addr': ':6060',
  'enable-csi-integration': 'true',
};

function pageOf(name: string): string {
  return readFileSync(path.resolve(import.meta.dirname, `../docs/guides/${name}.md`), 'utf8');
}

/** The part of migration.md under one heading. */
function sectionOf(heading: string): string {
  const from = PAGE.indexOf(`\n## ${heading}\n`);
  assert.ok(from >= 0, `there is a section ${heading}`);
  const next = PAGE.indexOf('\n## ', from + 1);
  return next < 0 ? PAGE.slice(from) : PAGE.slice(from, next);
}

/** What a page or section says of a flag: the row of the table that begins with it or names it in its first column. */
function rowOf(flag: string, section = STAKATER): string | undefined {
  const named = `\`--${flag}\``;
  return section
    .split('\n')
    .find((line) => line.startsWith('| `--') && line.split(' | ')[0]?.includes(named));
}

/** Those of `names` that a section does not name. */
function unnamedIn(section: string, names: string): readonly string[] {
  const isNamed = (name: string): boolean => new RegExp(`[\`{]${escaped(name)}(?![-\\w])`).test(section);
  return names.split(/\s+/).filter((name) => !isNamed(name));
}

for (const [what, names] of Object.entries(NAMES)) {
  test(`docs/guides/migrate-from-stakater.md names all ${what} of Stakater Reloader`, () => {
    assert.deepEqual(unnamedIn(STAKATER, names), []);
  });
}

/** What the others have, by the heading of their section; each flag with a value that it takes. */
const OTHERS: Record<string, { readonly names: string; readonly flags: Record<string, string> }> = {
  "From SAP's pod-reloader": {
    names: `pod-reloader.cs.sap.com/configmaps pod-reloader.cs.sap.com/secrets pod-reloader.cs.sap.com/config-hash
      pod-reloader.cs.sap.com/ignored pod-reloader.cs.sap.com/disabled ConfigurationChanged pod-reloader.cs.sap.com
      --webhook-bind-address --webhook-tls-directory replicaCount pdb topologySpreadConstraints webhook`,
    flags: {
      'metrics-bind-address': ':8080',
      'health-probe-bind-address': ':8081',
      'leader-elect': 'true',
      'leader-election-namespace': 'a',
      kubeconfig: 'a',
      'zap-log-level': 'info',
      'zap-encoder': 'json',
      'zap-devel': 'true',
      'zap-stacktrace-level': 'error',
      'zap-time-encoding': 'epoch',
    },
  },
  'From wave': {
    names: `wave.pusher.com/update-on-config-change wave.pusher.com/extra-configmaps wave.pusher.com/extra-secrets
      wave.pusher.com/config-hash wave.pusher.com/scheduling-disabled wave.pusher.com/invalid wave.pusher.com/finalizer
      ConfigChanged SchedulingDisabled SchedulingEnabled --version replicas pdb topologySpread webhooks syncPeriod
      updateRate updateBurst global.rbac`,
    flags: {
      'leader-election': 'true',
      'leader-election-id': 'wave',
      'leader-election-namespace': 'a',
      'sync-period': '10h',
      'update-rate': '1',
      'update-burst': '100',
      'enable-webhooks': 'true',
      namespaces: 'a,b',
      kubeconfig: 'a',
      'zap-log-level': 'info',
      'zap-encoder': 'json',
      'zap-devel': 'true',
      'zap-stacktrace-level': 'error',
      'zap-time-encoding': 'epoch',
    },
  },
};

for (const [heading, { names, flags }] of Object.entries(OTHERS)) {
  test(`docs/guides/migration.md, ${heading}, names all that it has`, () => {
    assert.deepEqual(unnamedIn(sectionOf(heading), names), []);
  });
  for (const [flag, value] of Object.entries(flags)) {
    test(`docs/guides/migration.md, ${heading}, says whether --${flag} is taken`, () => {
      const row = rowOf(flag, sectionOf(heading));
      assert.ok(row !== undefined, 'there is a row');
      const command = parseOptions([`--${flag}=${value}`], {});
      assert.equal(command.type, /\*\*refused\*\*/.test(row) ? 'usage-error' : 'run', row);
    });
  }
  test(`docs/guides/migration.md, ${heading}, gives the argument with which its words are read`, () => {
    const [argument = ''] = /--dialects=[a-z,]+/.exec(sectionOf(heading)) ?? [];
    const command = parseOptions([argument], {});
    assert.ok(command.type === 'run' && command.options.dialects.length === 3);
  });
}

test('the flags for other reloaders are taken, and what their annotations name is followed', () => {
  const flags = sectionOf('From others').match(/^--\S+$/gm) ?? [];
  assert.equal(flags.length, 3);
  const command = parseOptions(flags, {});
  assert.ok(command.type === 'run');
  const { alternativeAnnotations } = command.options;
  const refs = followed(vocabulary({ alternativeAnnotations }), {
    'configmap.fabric8.io/update-on-change': 'a, b',
    'trigger.k8s.io/triggering-configMaps': 'c',
    'trigger.k8s.io/triggering-secrets': 'd',
    'reloader.k8s.collaborne.com/configmap': 'e',
  });
  assert.deepEqual(refs.map(({ kind, name }) => `${kind}/${name}`).sort(), [
    'ConfigMap/a',
    'ConfigMap/b',
    'ConfigMap/c',
    'ConfigMap/e',
    'Secret/d',
  ]);
});

test('what xing’s controller asks with is neither a list nor true, and the annotation beside it asks', () => {
  assert.match(sectionOf('From others'), /reloader\.k8s\.collaborne\.com\/auto=true/);
  const asks = { 'com.xing.deployment-restart': 'enabled' };
  const template = { spec: { containers: [{ name: 'a', envFrom: [{ configMapRef: { name: 'cfg' } }] }] } };
  const vocabularies = vocabulary({
    stakaterKeys: { ...STAKATER_KEYS, auto: 'com.xing.deployment-restart' },
  });
  const follows = (annotations: Record<string, string>): number =>
    vocabularies.follows(deployment(vocabularies, annotations, template), () => []).length;
  assert.equal(follows(asks), 0);
  assert.equal(follows({ ...asks, 'reloader.k8s.collaborne.com/auto': 'true' }), 1);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('docs/guides/migrate-from-stakater.md says', () => {
  for (const [flag, value] of Object.entries(FLAGS)) {
    test(`whether --${flag} is taken, has an effect, or is refused`, () => {
      const row = rowOf(flag);
      assert.ok(row !== undefined, 'there is a row');
      const command = parseOptions([`--${flag}=${value}`], {});
      const isRefused = /\*\*refused\*\*/.test(row);
      assert.equal(command.type, isRefused ? 'usage-error' : 'run', row);
      if (command.type !== 'run') return;
      const isDead = command.notices.some((notice) => notice.startsWith(`--${flag} has no effect`));
      const says = row.split(' | ')[1] ?? '';
      const isSaidToBe = /^(?:not|planned)\b/.test(says) || flag === 'sync-after-restart';
      assert.equal(isDead, isSaidToBe, row);
    });
  }
});

test('its ClusterRole and the rules on the page are all the rights that are needed', () => {
  const text = /```yaml\n([^`]*)```/.exec(STAKATER.slice(STAKATER.indexOf('\n## Rights\n')))?.[1] ?? '';
  const rules: PolicyRule[] = [
    ...parse(text),
    { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list', 'get', 'watch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  ];
  const holds = (needed: PolicyRule, verb: string, resource: string): boolean =>
    rules.some(
      ({ apiGroups, resources, resourceNames, verbs }) =>
        apiGroups.includes(needed.apiGroups[0] ?? '') &&
        resources.includes(resource) &&
        verbs.includes(verb) &&
        (resourceNames === undefined || needed.resourceNames?.every((name) => resourceNames.includes(name))),
    );
  const command = parseOptions(['--is-Argo-Rollouts=false', '--is-openshift=false'], {});
  assert.ok(command.type === 'run');
  const needed = permissionsFor({
    namespaces: undefined,
    stateNamespace: 'reloader',
    stateName: 'reloader-state',
    configKinds: ['ConfigMap', 'Secret'],
    workloadKinds: workloadKindsOf(command.options).map(({ kind }) => kind),
    isDryRun: false,
  });
  const missing = needed.flatMap(({ rule }) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.filter((verb) => !holds(rule, verb, resource)).map((verb) => `${verb} ${resource}`),
    ),
  );
  assert.deepEqual(missing, []);
});
