/**
 * Server-side apply, exact for what is owned one by one: the maps of ConfigMaps and metadata, and containers, variables
 * and annotations of pod templates. It goes when its manager no longer applies it and nobody else owns it.
 */

import { type Json, type JsonObject, objectOf, sameJson } from './json.ts';
import { type FieldPath, fieldsOf, isBy, managedAfterApply, ownedBy, type Writer } from './managed-fields.ts';
import type { ResourceRow } from './resource-table.ts';
import { conflict } from './status-error.ts';
import type { StoredObject } from './stored-object.ts';
import { strategicMerge } from './strategic-merge.ts';
import { withoutTemplateField } from './template-fields.ts';

/** What an apply makes of an object. */
export interface Applied {
  readonly object: JsonObject;
  readonly managedFields: readonly JsonObject[];
}

/**
 * `live` (undefined: it is created) with `configuration` applied.
 *
 * @throws StatusError 409 when another manager owns a field with another value and `force` is not set
 */
export function serverSideApply(
  row: ResourceRow,
  live: StoredObject | undefined,
  configuration: JsonObject,
  writer: Writer,
  force: boolean,
): Applied {
  const entries = live?.metadata.managedFields ?? [];
  const applied = fieldsOf(configuration);
  const present = live === undefined ? new Map<FieldPath, Json | undefined>() : fieldsOf(live);
  const differing = [...applied.keys()].filter(
    (path) => path.includes('/') && present.has(path) && !sameJson(present.get(path), applied.get(path)),
  );
  const contested = differing.filter((path) =>
    entries.some((entry) => !isBy(entry, writer) && ownedBy(entry).has(path)),
  );
  if (contested.length > 0 && !force) throw contestedBy(row, live, entries, contested, writer);
  const own = entries.find((entry) => isBy(entry, writer));
  const dropped = own === undefined ? [] : [...ownedBy(own)].filter((path) => !applied.has(path));
  const others = entries.filter((entry) => entry !== own);
  const unowned = dropped.filter((path) => !others.some((entry) => ownedBy(entry).has(path)));
  const object = withoutFields(strategicMerge(live ?? {}, configuration), unowned);
  const owned = new Set(applied.keys());
  return {
    object,
    managedFields: managedAfterApply(entries, owned, new Set(contested), writer, row.apiVersion),
  };
}

function contestedBy(
  row: ResourceRow,
  live: StoredObject | undefined,
  entries: readonly JsonObject[],
  contested: readonly FieldPath[],
  writer: Writer,
): Error {
  const causes = contested.map((path) => {
    const owner = entries.find((entry) => !isBy(entry, writer) && ownedBy(entry).has(path));
    const message = `conflict with "${String(owner?.['manager'])}" using ${row.apiVersion}`;
    return { reason: 'FieldManagerConflict', message, field: `.${path.replace('/', '.')}` };
  });
  return conflict(row, live?.metadata.name ?? '', `Apply failed with ${causes.length} conflict(s)`, causes);
}

function withoutFields(object: JsonObject, paths: readonly FieldPath[]): JsonObject {
  return paths.reduce(withoutField, object);
}

function withoutField(object: JsonObject, path: FieldPath): JsonObject {
  const slash = path.indexOf('/');
  if (slash < 0) return object;
  const [section, key] = [path.slice(0, slash), path.slice(slash + 1)];
  switch (section) {
    case 'container':
    case 'env':
    case 'template-annotation':
      return withoutTemplateField(object, section, key);
    case 'labels':
    case 'annotations':
      return { ...object, metadata: withoutKey(objectOf(object['metadata']), section, key) };
    default:
      return withoutKey(object, section, key);
  }
}

function withoutKey(parent: JsonObject, section: string, key: string): JsonObject {
  const { [key]: _, ...rest } = objectOf(parent[section]);
  return { ...parent, [section]: Object.keys(rest).length === 0 ? undefined : rest };
}
