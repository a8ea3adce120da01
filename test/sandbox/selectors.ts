/** Label and field selectors, as lists and watches take them. */

import { pick, stringOf } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { badRequest } from './status-error.ts';
import type { StoredObject } from './stored-object.ts';

/** Whether an object is selected. */
export type Selector = (object: StoredObject) => boolean;

/** The selector of a request; undefined when it selects everything. */
export function selectorOf(row: ResourceRow, query: URLSearchParams): Selector | undefined {
  const labels = query.get('labelSelector');
  const fields = query.get('fieldSelector');
  const parts = [
    ...(labels ? requirementsOf(labels).map(labelRequirement) : []),
    ...(fields ? fields.split(',').map((part) => fieldRequirement(row, part)) : []),
  ];
  if (parts.length === 0) return undefined;
  return (object) => parts.every((part) => part(object));
}

/** The parts of a label selector: commas inside parentheses do not separate. */
function requirementsOf(text: string): readonly string[] {
  return (text.match(/[^,(]*(\([^)]*\))?[^,(]*/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function labelRequirement(text: string): Selector {
  const set = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set)
    return inSet(
      set[1] ?? '',
      set[2] === 'in',
      (set[3] ?? '').split(',').map((value) => value.trim()),
    );
  const compared = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/.exec(text);
  if (compared) return inSet(compared[1] ?? '', compared[2] !== '!=', [compared[3] ?? '']);
  const exists = /^(!?)\s*([^\s!=,()]+)$/.exec(text);
  if (exists === null) throw badRequest(`unable to parse requirement: ${text}`);
  return (object) => (labelOf(object, exists[2] ?? '') === undefined) === (exists[1] === '!');
}

/** An object without the label is in no set, so `!=` and `notin` select it. */
function inSet(key: string, wanted: boolean, values: readonly string[]): Selector {
  return (object) => {
    const label = labelOf(object, key);
    return (label !== undefined && values.includes(label)) === wanted;
  };
}

function labelOf(object: StoredObject, key: string): string | undefined {
  return object.metadata.labels?.[key];
}

function fieldRequirement(row: ResourceRow, text: string): Selector {
  const [, field = '', operator, value = ''] = /^([^!=]+)(==|=|!=)(.*)$/.exec(text) ?? [];
  if (operator === undefined) throw badRequest(`invalid field selector: ${text}`);
  if (!isSelectable(row, field)) throw badRequest(`field label not supported: ${field}`);
  const path = field === 'source' ? ['source', 'component'] : field.split('.');
  return (object) => ((stringOf(pick(object, ...path)) ?? '') === value) === (operator !== '!=');
}

function isSelectable(row: ResourceRow, field: string): boolean {
  if (field === 'metadata.name' || field === 'metadata.namespace') return true;
  if (row.kind === 'Secret') return field === 'type';
  if (row.kind === 'Pod') return field === 'status.phase';
  return (
    row.kind === 'Event' &&
    (/^(involvedObject|regarding)\./.test(field) || ['reason', 'type', 'source'].includes(field))
  );
}
