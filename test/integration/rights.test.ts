/** Every request of a running program is one that its own list of rights asks for. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Permission, type PermissionScope, permissionsFor } from '../../lib/kubernetes/permissions.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, put } from './manifests.ts';

const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'];
const SCOPE: PermissionScope = {
  namespaces: ['default'],
  stateNamespace: 'default',
  stateName: 'reloader-state',
  configKinds: ['ConfigMap', 'Secret'],
  workloadKinds: WORKLOAD_KINDS,
  isDryRun: false,
};

/** The verbs that RBAC wants for a request. */
function verbsOf({ verb }: AuditRecord): readonly string[] {
  return verb === 'apply' ? ['create', 'patch'] : [verb];
}

function covers({ namespace, rule }: Permission, request: AuditRecord, verb: string): boolean {
  return (
    (namespace === undefined || namespace === request.namespace) &&
    rule.resources.includes(request.resource) &&
    (rule.resourceNames === undefined || rule.resourceNames.includes(request.name ?? '')) &&
    rule.verbs.includes(verb)
  );
}

function uncovered(requests: readonly AuditRecord[], scope: PermissionScope): string[] {
  const permissions = permissionsFor(scope);
  const lacking = requests
    .filter(({ resource }) => resource !== 'selfsubjectaccessreviews')
    .flatMap((request) =>
      verbsOf(request)
        .filter((verb) => !permissions.some((permission) => covers(permission, request, verb)))
        .map((verb) => [verb, request.resource, request.name, request.namespace].join(' ')),
    );
  return [...new Set(lacking)];
}

describe('the rights that are asked for suffice', { concurrency: 4 }, () => {
  const cases: Record<string, { flags: string[]; scope: Partial<PermissionScope> }> = {
    'for one namespace': { flags: [], scope: {} },
    'for all namespaces': { flags: ['-A'], scope: { namespaces: undefined } },
    'without ConfigMaps': {
      flags: ['--ignored-config-resource-types', 'v1.ConfigMap'],
      scope: { configKinds: ['Secret'] },
    },
    'without Secrets': {
      flags: ['--ignored-config-resource-types', 'secrets'],
      scope: { configKinds: ['ConfigMap'] },
    },
    'for a dry run': { flags: ['--dry-run'], scope: { isDryRun: true } },
  };
  for (const [name, { flags, scope }] of Object.entries(cases)) {
    test(name, async () => {
      await using cluster = await Cluster.start();
      const secret = { kind: 'Secret', namespace: 'default', name: 'web' } as const;
      put(cluster, secret, 'one');
      put(cluster, configMap('web'), 'one');
      const web = deploy(cluster, 'web', { follows: { ConfigMap: ['web'], Secret: ['web'] } });
      await cluster.podsAreCurrent(web);
      deploy(cluster, 'lost', { follows: { ConfigMap: ['lost'], Secret: ['lost'] } });
      const reloader = await cluster.reloader({ flags });
      const entries = Object.keys(cluster.state()).map((key) => [key, `${'a'.repeat(40)}.9`]);
      const refused = { kind: 'status', code: 403 } as const;
      cluster.sandbox.addFault({ match: { verb: 'patch', resource: 'deployments' }, effect: refused });
      if (entries.length > 0)
        cluster.sandbox.patch('configmaps', 'default', 'reloader-state', {
          data: Object.fromEntries(entries),
        });
      put(cluster, secret, 'two');
      put(cluster, configMap('web'), 'two');
      await reloader.hasSaid(/Deployment\/web (is refused|rolled|would be rolled)/);
      cluster.sandbox.restart(web);
      await cluster.settled(reloader);
      for (const kind of { ...SCOPE, ...scope }.configKinds)
        await reloader.hasSaid(new RegExp(`${kind}/lost.* do(es)? not exist`));
      await reloader.stop();
      const requests = cluster.audits.filter(({ userAgent }) => userAgent.startsWith('kubernetes-reloader'));
      assert.ok(requests.length > 10);
      assert.deepEqual(uncovered(requests, { ...SCOPE, ...scope }), []);
    });
  }
});
