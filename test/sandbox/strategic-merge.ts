/** Strategic merge patch on immutable trees, for the lists that matter here: those of pods and of metadata. */

import {
  isList,
  isObject,
  type Json,
  type JsonDraft,
  type JsonObject,
  objectOf,
  objectsOf,
  sameJson,
  stringOf,
} from './json.ts';
import { internal } from './status-error.ts';

/** Lists whose members are merged by a key, told by the field's name. All other lists are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  ports: 'containerPort',
  imagePullSecrets: 'name',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  ownerReferences: 'uid',
  conditions: 'type',
};

/** Lists of plain strings that are merged as sets. */
const SETS: ReadonlySet<string> = new Set(['finalizers']);

/**
 * `target` with `patch` merged in; the very same object when that changes nothing.
 *
 * @throws StatusError 500 for a member without its merge key
 */
export function strategicMerge(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonDraft = { ...target };
  for (const field of fieldsOf(patch)) {
    const after = mergedField(field, target[field], patch);
    if (after === undefined) delete result[field];
    else result[field] = after;
  }
  return sameJson(result, target) ? target : result;
}

/** The fields that a patch speaks of, by value or by the directive `$deleteFromPrimitiveList/finalizers`. */
function fieldsOf(patch: JsonObject): ReadonlySet<string> {
  const fields = Object.keys(patch).map((key) => /^\$deleteFromPrimitiveList\/(.*)$/.exec(key)?.[1] ?? key);
  return new Set(fields.filter((field) => !field.startsWith('$')));
}

function mergedField(field: string, before: Json | undefined, patch: JsonObject): Json | undefined {
  const value = patch[field];
  if (value === null) return undefined;
  if (isObject(value)) return strategicMerge(objectOf(before), value);
  const mergeKey = MERGE_KEYS[field];
  if (mergeKey !== undefined) return mergedList(mergeKey, before, value);
  if (SETS.has(field)) return mergedSet(field, before, patch);
  return value === undefined ? before : value;
}

function mergedList(mergeKey: string, before: Json | undefined, value: Json | undefined): Json | undefined {
  const changes = objectsOf(value);
  const existing = objectsOf(before);
  const asked = changes.map((item) => item[mergeKey]);
  return ordered(mergeKey, existing, mergedMembers(mergeKey, existing, changes), asked);
}

function mergedMembers(
  mergeKey: string,
  existing: readonly JsonObject[],
  changes: readonly JsonObject[],
): readonly JsonObject[] {
  const merged = [...existing];
  for (const change of changes) {
    if (change[mergeKey] === undefined) {
      throw internal(`map: does not contain declared merge key: ${mergeKey}`);
    }
    const at = merged.findIndex((item) => item[mergeKey] === change[mergeKey]);
    if (change['$patch'] === 'delete') {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = strategicMerge(merged[at] ?? {}, change);
    else merged.push(strategicMerge({}, change));
  }
  return merged;
}

/**
 * The server's order: the members that the patch names stand in the patch's order, the others in the list's own, and
 * the two are merged by the list's order; a new member goes before what follows in the list. The list's order is that of the first
 * member of each name, so that several of one name come together.
 */
function ordered(
  mergeKey: string,
  existing: readonly JsonObject[],
  merged: readonly JsonObject[],
  asked: readonly (Json | undefined)[],
): readonly JsonObject[] {
  const place = (item: JsonObject): number => existing.findIndex((old) => old[mergeKey] === item[mergeKey]);
  const rest = merged
    .filter((item) => !asked.includes(item[mergeKey]))
    .toSorted((a, b) => place(a) - place(b));
  const named = asked.flatMap((key) => merged.filter((item) => item[mergeKey] === key));
  const result: JsonObject[] = [];
  for (const item of named) {
    const at = place(item);
    while (at >= 0 && rest[0] !== undefined && place(rest[0]) < at) result.push(...rest.splice(0, 1));
    result.push(item);
  }
  return [...result, ...rest];
}

function mergedSet(field: string, before: Json | undefined, patch: JsonObject): Json | undefined {
  const strings = (value: Json | undefined): readonly string[] =>
    isList(value) ? value.flatMap((item) => stringOf(item) ?? []) : [];
  const removed = strings(patch[`$deleteFromPrimitiveList/${field}`]);
  const all = new Set([...strings(before), ...strings(patch[field])]);
  const kept = [...all].filter((item) => !removed.includes(item));
  return kept.length === 0 ? undefined : kept;
}
