/** What kubectl asks before it does anything: which groups, versions and kinds there are. */

import type { JsonObject } from './json.ts';
import { ACCESS_REVIEW, RESOURCES, type ResourceRow } from './resource-table.ts';

const SERVED: readonly ResourceRow[] = [...RESOURCES, ACCESS_REVIEW];

/** The answer to a discovery path; undefined if `path` is none. */
export function discovery(path: string): JsonObject | undefined {
  return DOCUMENTS.get(path.replace(/\/$/, ''));
}

function documents(): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  const groups = [...new Set(SERVED.map((row) => row.group))].filter((group) => group !== '');
  found.set('/api', { kind: 'APIVersions', versions: ['v1'] });
  found.set('/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) });
  found.set('/version', { major: '1', minor: '34', gitVersion: 'v1.34.0-sandbox', platform: 'sandbox' });
  for (const path of ['/healthz', '/livez', '/readyz'])
    found.set(path, { kind: 'Status', status: 'Success' });
  for (const group of groups)
    found.set(`/apis/${group}`, { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) });
  for (const version of new Set(SERVED.map((row) => row.apiVersion))) {
    found.set(rootOf(version), {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: version,
      resources: SERVED.filter((row) => row.apiVersion === version).map(resourceOf),
    });
  }
  return found;
}

function rootOf(apiVersion: string): string {
  return `${apiVersion === 'v1' ? '/api' : '/apis'}/${apiVersion}`;
}

function groupOf(group: string): JsonObject {
  const version = SERVED.find((row) => row.group === group)?.version ?? 'v1';
  const served = { groupVersion: `${group}/${version}`, version };
  return { name: group, versions: [served], preferredVersion: served };
}

function resourceOf(row: ResourceRow): JsonObject {
  const { resource, kind, namespaced, verbs, shortNames } = row;
  return { name: resource, singularName: kind.toLowerCase(), namespaced, kind, verbs, shortNames };
}

const DOCUMENTS: ReadonlyMap<string, JsonObject> = documents();
