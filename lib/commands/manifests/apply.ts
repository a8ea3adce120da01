/** What objects would be if manifests were applied to them: the fields of the manifest over those of the live object. */

import { isDeepStrictEqual } from 'node:util';
import { isStampVariable } from '../../annotations/stamp-variables.ts';
import type { RawConfigObject, RawObject, RawWorkload } from '../../model/raw-objects.ts';

type Json = Readonly<Record<string, unknown>>;

/** The fields by which the items of a list are the same one, as the API has them. */
const KEYS = ['name', 'mountPath', 'containerPort', 'key'];

/** The maps of texts: there an empty text counts. */
const TEXTS = /^(?:annotations|labels|data|binaryData|matchLabels|nodeSelector|parameters|volumeAttributes)$/;
/** The fields of which the API server stores neither `false` nor 0. */
const ZEROS = /^(?:host(?:IPC|Network|PID)|(?:initialDelay|minReady)Seconds|paused|readOnly|stdin|tty)$/;
const QUANTITIES = ['divisor', 'overhead', 'resources', 'sizeLimit'];

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
    const contents = (['data', 'binaryData'] as const).filter((field) => next[field] !== undefined);
    const given = manifest as RawConfigObject;
    const left = contents.map((field) => [field, withoutKeys(next[field] ?? {}, last[field], given[field])]);
    return { ...next, ...Object.fromEntries(left) };
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
  const { status, spec: was } = former as RawWorkload;
  const spec = merged(was, (manifest as RawWorkload).spec, true) as RawWorkload['spec'];
  const isChanged = !isDeepStrictEqual(was, spec);
  const metadata = { ...manifest.metadata, uid, generation: generation + Number(isChanged) };
  return { ...manifest, ...(status && { status }), ...(spec && { spec }), metadata } as RawObject;
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
  const [before = {}, after = {}] = [live, next].map(contentOf);
  const all = Object.keys({ ...before, ...after });
  return all.filter((key) => before[key] !== after[key]).sort();
}

function contentOf(object: RawObject | undefined): Readonly<Record<string, string>> {
  const { data, binaryData } = (object ?? {}) as Partial<RawConfigObject>;
  return { ...data, ...binaryData };
}

/** `isWhole`: what is not wanted goes. */
type How = readonly [isWhole?: boolean, field?: string, isQuantity?: boolean];

/** What is wanted over what is live, which stays where both are the same to the API server. */
function merged(live: unknown, wanted: unknown, ...how: How): unknown {
  const [isWhole, field = '', isQuantity = false] = how;
  if (Array.isArray(live) && Array.isArray(wanted)) return mergedList(live, wanted, how);
  if (!isJson(live) || !isJson(wanted))
    return isQuantity && amountOf(live) === amountOf(wanted) ? live : wanted;
  const counts = ([key, value]: [string, unknown]): boolean => TEXTS.test(field) || !isEmpty(key, value);
  const kept = Object.entries(live).filter((each) => isWhole !== true || each[0] in wanted || !counts(each));
  const given = Object.entries(wanted).filter((each) => each[0] in live || counts(each));
  const fields = given.map(([key, value]) => {
    const isAmount = isQuantity || (QUANTITIES.includes(key) && !TEXTS.test(field));
    return [key, key in live ? merged(live[key], value, isWhole, key, isAmount) : value];
  });
  return { ...Object.fromEntries(kept), ...Object.fromEntries(fields) };
}

/** By a field that no two items share, else by their order: the API server takes a variable twice. Stamps stay. */
function mergedList(live: readonly unknown[], wanted: readonly unknown[], how: How): readonly unknown[] {
  const idOf = (item: unknown, key: string): unknown => (isJson(item) ? item[key] : undefined);
  const key = KEYS.find((each) =>
    [live, wanted].every((list) => {
      const ids = list.map((item) => idOf(item, each));
      return !ids.includes(undefined) && new Set(ids).size === ids.length;
    }),
  );
  const names = wanted.map((item) => idOf(item, 'name'));
  const isStamp = (name: unknown): boolean => isStampVariable(String(name)) && !names.includes(name);
  const [stamps, others] = [true, false].map((is) =>
    live.filter((item) => isStamp(idOf(item, 'name')) === is),
  );
  const place = (item: unknown, index: number): unknown => (key === undefined ? index : idOf(item, key));
  const byPlace = new Map(others?.map((item, index) => [place(item, index), item]));
  const next = wanted.map((item, index) => merged(byPlace.get(place(item, index)), item, ...how));
  return [...next, ...(stamps ?? [])];
}

/** Whether the API server stores nothing of the field. */
function isEmpty(field: string, value: unknown): boolean {
  if (Array.isArray(value) || TEXTS.test(field)) return Object.keys(value ?? {}).length === 0;
  return (value ?? '') === '' || (ZEROS.test(field) && !value);
}

/** The amount of a quantity such as `500m`, `1Gi` or 1e3, in one form; what is none stays. */
function amountOf(value: unknown): unknown {
  const parts = /^([-+]?[\d.]+(?:[eE][-+]?\d+)?)([numkKMGTPE]?)(i?)$/.exec(String(value));
  const [, number, unit = '', binary] = parts ?? [];
  const power = 'num kMGTPE'.indexOf(unit.replace('K', 'k') || ' ') - 3;
  return parts ? (Number(number) * (binary ? 1024 : 1000) ** power).toPrecision(15) : value;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
