/** JSON values as immutable data: never changed in place, so that trees may be shared and compared by reference first. */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; `undefined` counts as absent. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A JSON object under construction. */
export type JsonDraft = Record<string, Json | undefined>;

/** Whether `value` is an object, neither a list nor null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `value` is a list. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** `value` if it is an object, else an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : NOTHING;
}

/** The objects among the members of `value`, which may be anything. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isObject) : [];
}

/** `value` if it is a string. */
export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value at a path of keys, undefined where it breaks off. */
export function pick(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const key of path) {
    if (!isObject(found)) return undefined;
    found = found[key];
  }
  return found;
}

/** `object` with `key` set, or without it when `value` is undefined; the very same object when nothing changes. */
export function withField(object: JsonObject, key: string, value: Json | undefined): JsonObject {
  if (sameJson(object[key], value)) return object;
  const copy: JsonDraft = { ...object };
  if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

/** Deep equality; the order of keys does not matter, an undefined member counts as absent. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  for (const key in a) if (!sameJson(a[key], b[key])) return false;
  for (const key in b) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

/** JSON text with sorted keys: equal values give equal texts. Computed once per object. */
export function canonicalText(value: Json | undefined): string {
  if (isList(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const known = canonicalTexts.get(value);
  if (known !== undefined) return known;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  const text = `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`)
    .join()}}`;
  canonicalTexts.set(value, text);
  return text;
}

/** A short name for a JSON value: equal values, equal names; 53 bits, in base 36. */
export function hashOf(value: JsonObject): string {
  const text = canonicalText(value);
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  return ((low >>> 0) * 0x200000 + ((high >>> 0) & 0x1fffff)).toString(36);
}

const NOTHING: JsonObject = {};
const canonicalTexts = new WeakMap<JsonObject, string>();
