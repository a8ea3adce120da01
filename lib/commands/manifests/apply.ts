/** What `kubectl apply` makes of objects. */

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
/** The maps that the API server adds, and the values that it gives to fields of a template. */
const EMPTY = /^(?:resources|securityContext)$/;
const DEFAULTS =
  /^(?:apiVersion=v1|defaultMode=420|dnsPolicy=ClusterFirst|expirationSeconds=3600|protocol=TCP|restartPolicy=Always|terminationGracePeriodSeconds=30)$/;
const QUANTITIES = ['divisor', 'overhead', 'resources', 'sizeLimit'];

/** The lists that are merged by such a field. */
const MERGED =
  /^(?:(?:c|initC|ephemeralC)ontainers|env|hostAliases|imagePullSecrets|ports|volume(?:s|Mounts|Devices))$/;
const REPLACED = /^(?:envFrom|items|sources)$/;
const SOURCES = /^(?:env|volumes)$/;

/**
 * The live object after the manifest is applied. What was applied `last` and the manifest lacks goes, what neither has stays.
 * With the live object as the last one, a manifest takes its place, and stamps alone stay.
 */
export function appliedTo(live: RawObject, manifest: RawObject, last: object = {}): RawObject {
  const { status: _, ...wanted } = manifest as RawWorkload;
  const { status: __, ...was } = last as RawWorkload;
  // kubectl writes an annotation itself, so that it never takes all of them away.
  const { annotations = {} } = manifest.metadata;
  const { uid, generation = 1 } = live.metadata;
  const metadata = { ...manifest.metadata, annotations, uid, generation: live.metadata.generation };
  const next = merged(live, { ...wanted, metadata }, was) as RawWorkload;
  if (isDeepStrictEqual((live as RawWorkload).spec, next.spec)) return next;
  return { ...next, metadata: { ...next.metadata, generation: generation + 1 } };
}

/** What `kubectl apply` has applied last; undefined: the object was written in another way. */
export function lastAppliedTo({ metadata: { annotations = {} } }: RawObject): object | undefined {
  try {
    const text = annotations['kubectl.kubernetes.io/last-applied-configuration'] ?? '';
    const last: unknown = JSON.parse(text, (_, each: unknown) => each ?? undefined);
    return isJson(last) ? last : undefined;
  } catch {
    return undefined;
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

/** What is wanted over what is live. */
function merged(live: unknown, wanted: unknown, last: unknown, field = '', isQuantity = false): unknown {
  if (Array.isArray(live) && Array.isArray(wanted)) return mergedList(live, wanted, last, field, isQuantity);
  if (!isJson(live) || !isJson(wanted))
    return isQuantity && amountOf(live) === amountOf(wanted) ? live : wanted;
  const was = isJson(last) ? last : {};
  const counts = ([key, value]: [string, unknown]): boolean => TEXTS.test(field) || !isEmpty(key, value);
  const isGone = (key: string): boolean =>
    !(key in wanted) && (Object.hasOwn(was, key) || SOURCES.test(field));
  const kept = Object.entries(live).filter((each) => !isGone(each[0]) || !counts(each));
  const given = Object.entries(wanted).filter((each) => each[0] in live || counts(each));
  const fields = given.map(([key, value]) => {
    const isAmount = isQuantity || (QUANTITIES.includes(key) && !TEXTS.test(field));
    return [key, key in live ? merged(live[key], value, was[key], key, isAmount) : value];
  });
  return { ...Object.fromEntries(kept), ...Object.fromEntries(fields) };
}

/** By a field that no two items share, else by their order. Stamps stay. */
function mergedList(
  live: readonly unknown[],
  wanted: readonly unknown[],
  last: unknown,
  field: string,
  isQuantity: boolean,
): readonly unknown[] {
  const idOf = (item: unknown, key: string): unknown => (isJson(item) ? item[key] : undefined);
  const key = KEYS.find((each) =>
    [live, wanted].every((list) => {
      const ids = list.map((item) => idOf(item, each));
      return !ids.includes(undefined) && new Set(ids).size === ids.length;
    }),
  );
  const names = wanted.map((item) => idOf(item, 'name'));
  const isStamp = (item: unknown): boolean =>
    isStampVariable(String(idOf(item, 'name'))) && !names.includes(idOf(item, 'name'));
  const others = live.filter((item) => !isStamp(item));
  const [own, was, is] = [others, Array.isArray(last) ? last : [], wanted].map(
    (list) => new Map(list.map((item, index) => [key === undefined ? index : idOf(item, key), item])),
  );
  const next = [...(is ?? [])].map(([place, item]) => {
    const former = own?.get(place);
    return merged(former, item, REPLACED.test(field) ? former : was?.get(place), field, isQuantity);
  });
  const isMerged = key !== undefined && MERGED.test(field);
  const isKept = (item: unknown): boolean =>
    isStamp(item) || (isMerged && ![was, is].some((each) => each?.has(idOf(item, key))));
  const kept = live.filter(isKept);
  return isKept(live[0]) ? [...kept, ...next] : [...next, ...kept];
}

/** Whether the API server stores nothing of the field, or the same without it. */
function isEmpty(field: string, value: unknown): boolean {
  if (Array.isArray(value) || TEXTS.test(field) || EMPTY.test(field))
    return Object.keys(value ?? {}).length === 0;
  return (value ?? '') === '' || (ZEROS.test(field) && !value) || DEFAULTS.test(`${field}=${String(value)}`);
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
