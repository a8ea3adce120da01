/** Which manager owns which fields, as the API server keeps account of it. */

import { type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';

/**
 * The fields of each manager, as paths: `spec.replicas`, `spec.template.spec.containers.app.image`. What controllers say
 * in the status is left out.
 */
export function fieldsByManager(object: JsonObject): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const entry of objectsOf(pick(object, 'metadata', 'managedFields'))) {
    if (entry['subresource'] === 'status') continue;
    const manager = String(entry['manager']);
    fields[manager] = [...(fields[manager] ?? []), ...pathsIn(entry['fieldsV1'], [])].sort();
  }
  return fields;
}

/** The leaves of one account; an item of a list is called by its keys. */
function pathsIn(fields: Json | undefined, above: readonly string[]): string[] {
  return Object.entries(objectOf(fields)).flatMap(([field, below]) => {
    if (field === '.') return [above.join('.')];
    const path = [...above, nameOf(field)];
    return Object.keys(objectOf(below)).length === 0 ? [path.join('.')] : pathsIn(below, path);
  });
}

/** `f:spec` is spec, `k:{"name":"app"}` is app. */
function nameOf(field: string): string {
  const name = field.slice(2);
  if (!field.startsWith('k:')) return name;
  const keys = objectOf(JSON.parse(name) as Json);
  return Object.values(keys)
    .map((key) => stringOf(key) ?? String(key))
    .join('/');
}
