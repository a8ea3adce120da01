/** What the server does to an object before it is stored: defaults, and the refusals that clients must live with. */

import { admittedBatch } from './batch-admission.ts';
import { type Json, type JsonDraft, type JsonObject, objectOf, pick, sameJson } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { invalid, UndecodableError } from './status-error.ts';
import { checkTemplate, nameOf } from './template-checks.ts';

/** The most bytes that a ConfigMap or Secret may hold. */
export const MAX_CONFIG_BYTES: number = 1024 * 1024;

/**
 * `object` with defaults filled in; the very same object when there was nothing to fill in.
 *
 * @param previous the stored object when this is an update
 * @throws StatusError 422 or 400 when it cannot be stored
 */
export function admitted(row: ResourceRow, object: JsonObject, previous: JsonObject | undefined): JsonObject {
  if (row.kind === 'ConfigMap' || row.kind === 'Secret') return admittedConfig(row, object, previous);
  if (row.group === 'batch') return admittedBatch(row, object, previous);
  if (row.generation !== undefined) return admittedWorkload(row, object, previous);
  if (row.kind === 'Event') return admittedEvent(row, object);
  return object;
}

function admittedConfig(row: ResourceRow, given: JsonObject, previous: JsonObject | undefined): JsonObject {
  const object = row.kind === 'Secret' ? withSecretDefaults(given) : given;
  const isContentNew = previous === undefined || CONTENT.some((f) => !sameJson(previous[f], object[f]));
  if (!isContentNew) return object;
  if (previous?.['immutable'] === true) {
    throw invalid(row, nameOf(object), 'data', 'Forbidden: field is immutable when `immutable` is set');
  }
  if (previous?.['type'] !== undefined && !sameJson(previous['type'], object['type']))
    throw invalid(row, nameOf(object), 'type', 'Invalid value: field is immutable');
  let bytes = 0;
  for (const field of CONTENT) {
    for (const [key, value] of Object.entries(objectOf(object[field]))) {
      bytes += checkedSize(row, object, `${field}[${key}]`, key, value);
    }
  }
  if (bytes > MAX_CONFIG_BYTES) {
    throw invalid(row, nameOf(object), '', `Too long: may not be more than ${MAX_CONFIG_BYTES} bytes`);
  }
  return object;
}

const CONTENT = ['data', 'binaryData', 'type'] as const;

function checkedSize(
  row: ResourceRow,
  object: JsonObject,
  field: string,
  key: string,
  value: Json | undefined,
): number {
  if (typeof value !== 'string') throw new UndecodableError(`${field}: cannot unmarshal into a string`);
  if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key)) {
    throw invalid(
      row,
      nameOf(object),
      field,
      `Invalid value: "${key}": a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
    );
  }
  const isText = row.kind === 'ConfigMap' && field.startsWith('data');
  if (!isText && !/^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(value))
    throw new UndecodableError(`${field}: illegal base64 data`);
  return value.length;
}

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
  const selector = pick(object, 'spec', 'selector');
  if (previous !== undefined && !sameJson(selector, pick(previous, 'spec', 'selector')))
    throw invalid(row, nameOf(object), 'spec.selector', 'Invalid value: field is immutable');
  if (previous !== undefined && template === pick(previous, 'spec', 'template')) return object;
  checkSelector(row, object);
  checkTemplate(row, object, ['spec', 'template']);
  return object;
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

/** A workload owns the pods of its template. Only labels are compared; expressions are taken on trust. */
function checkSelector(row: ResourceRow, object: JsonObject): void {
  const labels = objectOf(pick(object, 'spec', 'template', 'metadata', 'labels'));
  const wanted = Object.entries(objectOf(pick(object, 'spec', 'selector', 'matchLabels')));
  if (wanted.every(([key, value]) => labels[key] === value)) return;
  const why = 'Invalid value: `selector` does not match template `labels`';
  throw invalid(row, nameOf(object), 'spec.template.metadata.labels', why);
}

function admittedEvent(row: ResourceRow, object: JsonObject): JsonObject {
  const about = objectOf(object[row.group === '' ? 'involvedObject' : 'regarding']);
  const namespace = pick(object, 'metadata', 'namespace');
  if (about['namespace'] !== undefined && about['namespace'] !== namespace) {
    throw invalid(
      row,
      nameOf(object),
      'involvedObject.namespace',
      'Invalid value: does not match event.namespace',
    );
  }
  if (row.group === '') return object;
  for (const field of ['eventTime', 'reportingController', 'reportingInstance', 'action', 'reason']) {
    if (!object[field]) throw invalid(row, nameOf(object), field, 'Required value');
  }
  return object;
}
