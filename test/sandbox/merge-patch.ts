/** JSON merge patch (RFC 7386) on immutable trees. */

import { isObject, type Json, type JsonDraft, type JsonObject, objectOf, sameJson } from './json.ts';

/** `target` with `patch` merged in; the very same object when that changes nothing. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  let copy: JsonDraft | undefined;
  for (const [key, value] of Object.entries(patch)) {
    const before = target[key];
    const after = mergedValue(before, value);
    if (sameJson(before, after)) continue;
    copy ??= { ...target };
    if (after === undefined) delete copy[key];
    else copy[key] = after;
  }
  return copy ?? target;
}

function mergedValue(before: Json | undefined, value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  return isObject(value) ? mergePatch(objectOf(before), value) : value;
}
