/** docs/migration.md speaks of everything that Stakater Reloader has, and what it says of flags is so. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { type PolicyRule, permissionsFor } from '../lib/kubernetes/permissions.ts';
import { workloadKindsOf } from '../lib/options/options.ts';
import { parseOptions } from '../lib/options/parse-options.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../docs/migration.md'), 'utf8');
const SECTION = PAGE.slice(PAGE.indexOf('\n## From Stakater Reloader'));

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
  'enable-pprof': 'true',
  'pprof-addr': ':6060',
  'enable-csi-integration': 'true',
};

/** What the page says of a flag: the row of the table that begins with it or names it in its first column. */
function rowOf(flag: string): string | undefined {
  const named = `\`--${flag}\``;
  return SECTION.split('\n').find(
    (line) => line.startsWith('| `--') && line.split(' | ')[0]?.includes(named),
  );
}

for (const [what, names] of Object.entries(NAMES)) {
  test(`docs/migration.md names all ${what} of Stakater Reloader`, () => {
    const isNamed = (name: string): boolean => new RegExp(`[\`{]${escaped(name)}(?![-\\w])`).test(SECTION);
    assert.deepEqual(
      names.split(/\s+/).filter((name) => !isNamed(name)),
      [],
    );
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('docs/migration.md says', () => {
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
  const text = /```yaml\n([^`]*)```/.exec(SECTION.slice(SECTION.indexOf('### Rights')))?.[1] ?? '';
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
  const needed = permissionsFor({
    namespaces: undefined,
    stateNamespace: 'reloader',
    stateName: 'reloader-state',
    configKinds: ['ConfigMap', 'Secret'],
    workloadKinds: workloadKindsOf({
      ignoredWorkloadKinds: [],
      cronJobReload: 'none',
      jobReload: 'none',
    }).map(({ kind }) => kind),
    isDryRun: false,
  });
  const missing = needed.flatMap(({ rule }) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.filter((verb) => !holds(rule, verb, resource)).map((verb) => `${verb} ${resource}`),
    ),
  );
  assert.deepEqual(missing, []);
});
