/** Server-side apply, exact for the maps of ConfigMaps and metadata: keys are owned, and go when no longer applied. */

import { type Json, type JsonDraft, type JsonObject, objectOf, sameJson } from './json.ts';
import { type FieldPath, fieldsOf, isBy, managedAfterApply, ownedBy, type Writer } from './managed-fields.ts';
import type { ResourceRow } from './resource-table.ts';
import { conflict } from './status-error.ts';
import type { StoredObject } from './stored-object.ts';
import { strategicMerge } from './strategic-merge.ts';

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
  let result = object;
  for (const path of paths) {
    const slash = path.indexOf('/');
    const [section, key] = [path.slice(0, slash), path.slice(slash + 1)];
    if (slash < 0) continue;
    const isMetadata = section === 'labels' || section === 'annotations';
    const parent = isMetadata ? objectOf(result['metadata']) : result;
    const map: JsonDraft = { ...objectOf(parent[section]) };
    delete map[key];
    const changed = { ...parent, [section]: Object.keys(map).length === 0 ? undefined : map };
    result = isMetadata ? { ...result, metadata: changed } : changed;
  }
  return result;
}
