/** What the server does to an object before it is stored: defaults, and the refusals that clients must live with. */

import { admittedBatch } from './batch-admission.ts';
import { type JsonDraft, type JsonObject, objectOf, pick } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { invalid } from './status-error.ts';
import { checkTemplate, nameOf } from './template-checks.ts';

/** The most bytes that a ConfigMap or Secret may hold. */
const MAX_CONFIG_BYTES: number = 1024 * 1024;

/**
 * `object` with defaults filled in; the very same object when there was nothing to fill in.
 *
 * @param previous the stored object when this is an update
 * @throws StatusError 422 when it cannot be stored
 */
export function admitted(row: ResourceRow, object: JsonObject, previous: JsonObject | undefined): JsonObject {
  if (row.kind === 'ConfigMap' || row.kind === 'Secret') return admittedConfig(row, object);
  if (row.group === 'batch') return admittedBatch(row, object, previous);
  if (row.isCustom === true) return row.pruned === undefined ? object : withoutField(object, row.pruned);
  if (row.generation !== undefined) return admittedWorkload(row, object, previous);
  return object;
}

function admittedConfig(row: ResourceRow, given: JsonObject): JsonObject {
  const object = row.kind === 'Secret' ? withSecretDefaults(given) : given;
  const values = CONTENT.flatMap((field) => Object.values(objectOf(object[field])));
  const bytes = values.reduce((sum: number, value) => sum + String(value).length, 0);
  if (bytes > MAX_CONFIG_BYTES) {
    throw invalid(row, nameOf(object), '', `Too long: may not be more than ${MAX_CONFIG_BYTES} bytes`);
  }
  return object;
}

const CONTENT = ['data', 'binaryData'] as const;

function withSecretDefaults(given: JsonObject): JsonObject {
  const { stringData, ...object } = given;
  if (stringData === undefined && object['type'] !== undefined) return given;
  const data: JsonDraft = { ...objectOf(object['data']) };
  for (const [key, value] of Object.entries(objectOf(stringData))) {
    data[key] = Buffer.from(String(value)).toString('base64');
  }
  return {
    ...object,
    ...(Object.keys(data).length > 0 ? { data } : {}),
    type: object['type'] ?? 'Opaque',
  };
}

function admittedWorkload(row: ResourceRow, given: JsonObject, previous: JsonObject | undefined): JsonObject {
  const spec = objectOf(given['spec']);
  const object = hasDefaults(row, spec) ? given : { ...given, spec: { ...defaultsOf(row), ...spec } };
  const template = pick(object, 'spec', 'template');
  if (previous !== undefined && template === pick(previous, 'spec', 'template')) return object;
  checkTemplate(row, object, ['spec', 'template']);
  return object;
}

/** `object` without the field at `path`; the very same object where it has none. */
function withoutField(object: JsonObject, path: readonly string[]): JsonObject {
  const [field = '', ...rest] = path;
  const value = object[field];
  if (value === undefined) return object;
  const { [field]: _, ...others } = object;
  if (rest.length === 0) return others;
  const inner = withoutField(objectOf(value), rest);
  return inner === value ? object : { ...object, [field]: inner };
}

function hasDefaults(row: ResourceRow, spec: JsonObject): boolean {
  return Object.keys(defaultsOf(row)).every((field) => spec[field] !== undefined);
}

function defaultsOf(row: ResourceRow): JsonObject {
  return DEFAULTS[row.kind] ?? {};
}

const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  Deployment: {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
  },
  StatefulSet: { replicas: 1, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  DaemonSet: {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  },
};
