/** What kubectl asks before it does anything: which groups, versions and kinds there are. */

import type { JsonObject } from './json.ts';
import type { ResourceRow } from './resource-table.ts';

/** The answers by path, where `served` are the kinds that are served. */
export function documentsOf(served: readonly ResourceRow[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const groups = [...new Set(served.map((row) => row.group))].filter((group) => group !== '');
  found.set('/api', { kind: 'APIVersions', versions: ['v1'] });
  found.set('/apis', {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map((group) => groupOf(served, group)),
  });
  found.set('/version', { major: '1', minor: '37', gitVersion: 'v1.37.0-sandbox', platform: 'sandbox' });
  for (const path of ['/healthz', '/livez', '/readyz'])
    found.set(path, { kind: 'Status', status: 'Success' });
  for (const group of groups)
    found.set(`/apis/${group}`, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(served, group) });
  for (const version of new Set(served.map((row) => row.apiVersion))) {
    found.set(rootOf(version), {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: version,
      resources: served.filter((row) => row.apiVersion === version).map(resourceOf),
    });
  }
  return found;
}

function rootOf(apiVersion: string): string {
  return `${apiVersion === 'v1' ? '/api' : '/apis'}/${apiVersion}`;
}

function groupOf(served: readonly ResourceRow[], group: string): JsonObject {
  const version = served.find((row) => row.group === group)?.version ?? 'v1';
  const preferredVersion = { groupVersion: `${group}/${version}`, version };
  return { name: group, versions: [preferredVersion], preferredVersion };
}

function resourceOf(row: ResourceRow): JsonObject {
  const { resource, kind, namespaced, verbs, shortNames } = row;
  return { name: resource, singularName: kind.toLowerCase(), namespaced, kind, verbs, shortNames };
}
