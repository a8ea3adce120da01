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
  addOpenApi(found);
  return found;
}

/** Just enough that kubectl leaves validation to the server: which kinds know the parameter fieldValidation. */
function addOpenApi(found: Map<string, JsonObject>): void {
  const versions = [...new Set(SERVED.map((row) => row.apiVersion))];
  const paths = versions.map(
    (version) => [rootOf(version).slice(1), `/openapi/v3${rootOf(version)}`] as const,
  );
  found.set('/openapi/v3', {
    paths: Object.fromEntries(paths.map(([path, url]) => [path, { serverRelativeURL: url }])),
  });
  for (const version of versions) {
    const rows = SERVED.filter((row) => row.apiVersion === version);
    found.set(`/openapi/v3${rootOf(version)}`, {
      openapi: '3.0.0',
      info: { title: 'sandbox', version: '1' },
      paths: Object.fromEntries(
        rows.map((row) => [`${rootOf(version)}/${row.resource}/{name}`, patchPathOf(row)]),
      ),
    });
  }
}

function patchPathOf({ group, version, kind }: ResourceRow): JsonObject {
  const parameters = [{ name: 'fieldValidation', in: 'query', schema: { type: 'string' } }];
  return {
    patch: { parameters, responses: {}, 'x-kubernetes-group-version-kind': { group, version, kind } },
  };
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
