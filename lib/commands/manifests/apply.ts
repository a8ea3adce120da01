/** What objects would be if manifests were applied to them: the fields of the manifest over those of the live object. */

import { isDeepStrictEqual } from 'node:util';
import { isStampVariable } from '../../annotations/stamp-variables.ts';
import type { RawConfigObject, RawObject, RawWorkload } from '../../model/raw-objects.ts';

type Json = Readonly<Record<string, unknown>>;

/** The fields by which the items of a list are the same one, as the API has them. */
const KEYS = ['name', 'mountPath', 'containerPort', 'key'];

/** What `kubectl apply` has applied last. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The live object after the manifest is applied. Fields that the manifest lacks stay, since the API server has filled them in;
 * items of a list that it lacks go, except stamps. Keys of data and annotations that it lacks go if they were applied last.
 */
export function appliedTo(live: RawObject, manifest: RawObject): RawObject {
  const { status: _, ...wanted } = manifest as RawObject & { readonly status?: unknown };
  const last = lastAppliedTo(live);
  const { annotations = {} } = live.metadata;
  const kept = withoutKeys(annotations, last.metadata?.annotations, manifest.metadata.annotations);
  const trimmed = { ...live, metadata: { ...live.metadata, annotations: kept } };
  const next = merged(trimmed, wanted) as RawObject & RawConfigObject;
  if ((live as RawWorkload).spec === undefined) {
    const left = (field: 'data' | 'binaryData'): object => {
      const { [field]: given } = manifest as RawConfigObject;
      return next[field] === undefined ? {} : { [field]: withoutKeys(next[field], last[field], given) };
    };
    return { ...next, ...left('data'), ...left('binaryData') };
  }
  const { uid = '', generation = 1 } = live.metadata;
  const isChanged = !isDeepStrictEqual((live as RawWorkload).spec, (next as RawWorkload).spec);
  return { ...next, metadata: { ...next.metadata, uid, generation: generation + Number(isChanged) } };
}

/** `fields` without those that were applied `last` and are not in `given`. */
function withoutKeys(fields: object, last: object = {}, given: object = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !(key in last) || key in given));
}

/** The manifest in place of the former one: what it lacks goes. */
export function replaced(former: RawObject, manifest: RawObject): RawObject {
  const { uid = '', generation = 1 } = former.metadata;
  const { status } = former as RawWorkload;
  const isChanged = !isDeepStrictEqual((former as RawWorkload).spec, (manifest as RawWorkload).spec);
  const metadata = { ...manifest.metadata, uid, generation: generation + Number(isChanged) };
  return { ...manifest, ...(status && { status }), metadata } as RawObject;
}

function lastAppliedTo({ metadata }: RawObject): Partial<RawConfigObject> {
  try {
    const last: unknown = JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? '');
    return isJson(last) ? last : {};
  } catch {
    return {};
  }
}

/** The keys whose values differ, by their names. */
export function changedKeys(live: RawObject | undefined, next: RawObject | undefined): readonly string[] {
  const before = contentOf(live);
  const after = contentOf(next);
  const all = [...new Set([...before.keys(), ...after.keys()])];
  return all.filter((key) => before.get(key) !== after.get(key)).sort();
}

function contentOf(object: RawObject | undefined): ReadonlyMap<string, string> {
  const { data = {}, binaryData = {} } = (object ?? {}) as Partial<RawConfigObject>;
  return new Map([...Object.entries(data), ...Object.entries(binaryData)]);
}

function merged(live: unknown, wanted: unknown): unknown {
  if (Array.isArray(live) && Array.isArray(wanted)) return mergedList(live, wanted);
  if (!isJson(live) || !isJson(wanted)) return wanted;
  const fields = Object.entries(wanted).map(([key, value]) => [
    key,
    key in live ? merged(live[key], value) : value,
  ]);
  return { ...live, ...Object.fromEntries(fields) };
}

function mergedList(live: readonly unknown[], wanted: readonly unknown[]): readonly unknown[] {
  const all = [...live, ...wanted];
  const key = KEYS.find((each) => all.every((item) => isJson(item) && item[each] !== undefined));
  if (key === undefined)
    return wanted.map((item, index) => (isJson(item) ? merged(live[index], item) : item));
  const byKey = new Map(live.map((item) => [(item as Json)[key], item]));
  const kept = live.filter(
    (item) =>
      isStampVariable(String((item as Json)['name'])) &&
      !wanted.some((other) => (other as Json)[key] === (item as Json)[key]),
  );
  return [...wanted.map((item) => merged(byKey.get((item as Json)[key]), item)), ...kept];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
