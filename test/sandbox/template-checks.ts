/** What the server checks of a pod template, wherever it stands. */

import { isList, isObject, type JsonObject, objectsOf, pick } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { invalid } from './status-error.ts';

/**
 * Checks the containers of the pod template at `place`.
 *
 * @throws StatusError 422
 */
export function checkTemplate(row: ResourceRow, object: JsonObject, place: readonly string[]): void {
  checkContainers(row, object, place, 'containers');
  checkContainers(row, object, place, 'initContainers');
}

function checkContainers(
  row: ResourceRow,
  object: JsonObject,
  place: readonly string[],
  list: 'containers' | 'initContainers',
): void {
  const path = [...place, 'spec', list].join('.');
  const containers = pick(object, ...place, 'spec', list);
  if (list === 'containers' && (!isList(containers) || containers.length === 0)) {
    throw invalid(row, nameOf(object), path, 'Required value');
  }
  for (const [i, container] of objectsOf(containers).entries()) {
    for (const field of ['name', 'image'] as const) {
      if (!container[field]) throw invalid(row, nameOf(object), `${path}[${i}].${field}`, 'Required value');
    }
  }
}

/** The name of an object that is not stored yet. */
export function nameOf(object: JsonObject): string {
  const metadata = object['metadata'];
  return isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
}
