/** JSON patch (RFC 6902) on immutable trees. */

import { isList, isObject, type Json, type JsonObject, sameJson, stringOf } from './json.ts';
import { badRequest, StatusError } from './status-error.ts';

/**
 * `target` after all operations of `patch`.
 *
 * @throws StatusError 422 when a `test` fails or a path does not exist, 400 when the patch is not one
 */
export function jsonPatch(target: JsonObject, patch: Json): JsonObject {
  if (!isList(patch)) throw badRequest('a JSON patch is a list of operations');
  let result: Json = target;
  for (const operation of patch) {
    if (!isObject(operation)) throw badRequest('an operation of a JSON patch is an object');
    result = applied(result, operation);
  }
  if (!isObject(result)) throw refused('the result is not an object');
  return result;
}

function applied(document: Json, operation: JsonObject): Json {
  const path = pathOf(operation['path']);
  const value = operation['value'];
  switch (operation['op']) {
    case 'add':
      return edited(document, path, { kind: 'add', value: value ?? null });
    case 'replace':
      valueAt(document, path);
      return edited(document, path, { kind: 'replace', value: value ?? null });
    case 'remove':
      valueAt(document, path);
      return edited(document, path, { kind: 'remove' });
    case 'test':
      if (!sameJson(testedAt(document, path), value ?? null))
        throw refused(`testing value ${operation['path']} failed`);
      return document;
    default:
      throw badRequest(`unexpected kind of operation: ${String(operation['op'])}`);
  }
}

type Edit = { readonly kind: 'add' | 'replace'; readonly value: Json } | { readonly kind: 'remove' };

function edited(document: Json, path: readonly string[], edit: Edit): Json {
  const [head, ...rest] = path;
  if (head === undefined) return edit.kind === 'remove' ? null : edit.value;
  if (isList(document)) return editedList(document, head, rest, edit);
  if (!isObject(document)) throw refused(`no such path: ${head}`);
  if (rest.length === 0)
    return edit.kind === 'remove' ? without(document, head) : { ...document, [head]: edit.value };
  return { ...document, [head]: edited(childOf(document, head), rest, edit) };
}

function editedList(list: readonly Json[], head: string, rest: readonly string[], edit: Edit): Json {
  const at = head === '-' ? list.length : Number(head);
  const last = rest.length === 0 && edit.kind === 'add' ? list.length : list.length - 1;
  if (!Number.isInteger(at) || at < 0 || at > last) throw refused(`index out of bounds: ${head}`);
  if (rest.length > 0) return list.with(at, edited(childOf(list, head), rest, edit));
  if (edit.kind === 'remove') return list.toSpliced(at, 1);
  return edit.kind === 'add' ? list.toSpliced(at, 0, edit.value) : list.with(at, edit.value);
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = object;
  return rest;
}

function valueAt(document: Json, path: readonly string[]): Json {
  return path.reduce(childOf, document);
}

/** What is missing in a map is null. */
function testedAt(document: Json, path: readonly string[]): Json {
  const parent = valueAt(document, path.slice(0, -1));
  const [key] = path.slice(-1);
  return isObject(parent) && key !== undefined ? (parent[key] ?? null) : valueAt(document, path);
}

function childOf(document: Json, key: string): Json {
  const child = isList(document) ? document[Number(key)] : isObject(document) ? document[key] : undefined;
  if (child === undefined) throw refused(`missing path: ${key}`);
  return child;
}

function pathOf(value: Json | undefined): readonly string[] {
  const text = stringOf(value);
  if (text === undefined || (text !== '' && !text.startsWith('/'))) throw badRequest('a path begins with /');
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function refused(why: string): StatusError {
  return new StatusError(
    422,
    'Invalid',
    `the server rejected our request due to an error in our request: ${why}`,
  );
}
