/** Replacements of kustomize, as far as ours go: a text of one object is put into others. */

import { isList, type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { jsonPatch } from '../sandbox/json-patch.ts';

/** `Kind/name`. */
export function titleOf(object: JsonObject): string {
  return `${stringOf(object['kind'])}/${stringOf(pick(object, 'metadata', 'name'))}`;
}

/** The objects after one replacement. */
export function withReplacement(
  objects: readonly JsonObject[],
  { source, targets }: JsonObject,
): readonly JsonObject[] {
  const from = objects.find((object) => titleOf(object) === selected(source));
  const text = stringOf(pick(from, ...keysOf(pick(source, 'fieldPath')))) ?? '';
  return objectsOf(targets).reduce((all, target) => {
    const isMeant = (object: JsonObject): boolean => titleOf(object) === selected(target['select']);
    if (!all.some(isMeant)) throw new Error(`nothing to replace in: ${selected(target['select'])}`);
    return all.map((object) => (isMeant(object) ? replaced(object, target, text) : object));
  }, objects);
}

function selected(select: Json | undefined): string {
  return `${stringOf(pick(select, 'kind'))}/${stringOf(pick(select, 'name'))}`;
}

function replaced(object: JsonObject, { fieldPaths, options }: JsonObject, text: string): JsonObject {
  const { delimiter, index } = objectOf(options);
  const paths = isList(fieldPaths) ? fieldPaths : [];
  return paths.reduce<JsonObject>((result, path) => {
    const keys = keysOf(path);
    const present = stringOf(keys.reduce<Json | undefined>(childOf, result)) ?? '';
    const value =
      typeof delimiter === 'string'
        ? present.split(delimiter).with(Number(index), text).join(delimiter)
        : text;
    const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return jsonPatch(result, [{ op: 'replace', path: pointer, value }]);
  }, object);
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  return isList(value) ? value[Number(key)] : pick(value, key);
}

/** `a.0.[b.c/d]` has three keys. */
function keysOf(path: Json | undefined): readonly string[] {
  const keys = (stringOf(path) ?? '').match(/\[[^\]]+\]|[^.[\]]+/g) ?? [];
  return keys.map((key) => key.replace(/^\[(.*)\]$/, '$1'));
}
