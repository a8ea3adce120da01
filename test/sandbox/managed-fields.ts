/**
 * `metadata.managedFields`, kept simply: one entry per (manager, operation, subresource). Ownership is told per key of
 * `data`, `binaryData`, labels and annotations, and for every other field as a whole.
 */

import { type Json, type JsonObject, objectOf, sameJson } from './json.ts';
import { type StoredObject, timestamp } from './stored-object.ts';

/** Who writes. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Update' | 'Apply';
  readonly subresource?: string;
}

/** A field: `data/<key>`, `annotations/<key>`, `spec`. */
type FieldPath = string;

const MAPS = ['data', 'binaryData'] as const;
const METADATA_MAPS = ['labels', 'annotations'] as const;

/** The fields of an object with their values. */
function fieldsOf(object: JsonObject): ReadonlyMap<FieldPath, Json | undefined> {
  const fields = new Map<FieldPath, Json | undefined>();
  const addMap = (section: string, map: Json | undefined): void => {
    for (const [key, value] of Object.entries(objectOf(map))) fields.set(`${section}/${key}`, value);
  };
  for (const section of MAPS) addMap(section, object[section]);
  for (const section of METADATA_MAPS) addMap(section, objectOf(object['metadata'])[section]);
  for (const [field, value] of Object.entries(object)) {
    if (!NOT_OWNED.has(field)) fields.set(field, value);
  }
  return fields;
}

const NOT_OWNED: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion', ...MAPS]);

/** The entries after an update: what it changed is the writer's alone, what it removed is nobody's. */
export function managedAfterUpdate(
  before: StoredObject | undefined,
  after: JsonObject,
  writer: Writer,
  apiVersion: string,
): readonly JsonObject[] {
  const [old, now] = [before === undefined ? NO_FIELDS : fieldsOf(before), fieldsOf(after)];
  const changed = [...now.keys()].filter((path) => !old.has(path) || !sameJson(old.get(path), now.get(path)));
  const entries = before?.metadata.managedFields ?? [];
  // What has no entry is not tracked any more.
  if (before !== undefined && entries.length === 0) return entries;
  const taken = new Set([
    ...changed.filter((path) => path.includes('/')),
    ...[...old.keys()].filter((p) => !now.has(p)),
  ]);
  if (changed.length === 0 && taken.size === 0) return entries;
  const others = entries.flatMap((entry) => (isBy(entry, writer) ? [] : reduced(entry, taken)));
  const own = entries.find((entry) => isBy(entry, writer));
  const kept = own === undefined ? [] : [...ownedBy(own)].filter((path) => !taken.has(path));
  if (changed.length === 0)
    return kept.length === 0 || own === undefined ? others : [...others, ...reduced(own, taken)];
  return [...others, entryOf(writer, apiVersion, new Set([...kept, ...changed]))];
}

/** The entries after an apply: the writer owns what it applies, the others what they had. */
export function managedAfterApply(
  before: StoredObject | undefined,
  configuration: JsonObject,
  writer: Writer,
  apiVersion: string,
): readonly JsonObject[] {
  const entries = before?.metadata.managedFields ?? [];
  const owned = new Set(fieldsOf(configuration).keys());
  const own = entries.find((entry) => isBy(entry, writer));
  if (own !== undefined && sameJson([...ownedBy(own)].sort(), [...owned].sort())) return entries;
  const others = entries.filter((entry) => entry !== own);
  return owned.size === 0 ? others : [...others, entryOf(writer, apiVersion, owned)];
}

/** Whether an entry is the writer's. */
function isBy(entry: JsonObject, writer: Writer): boolean {
  return (
    entry['manager'] === writer.manager &&
    entry['operation'] === writer.operation &&
    entry['subresource'] === writer.subresource
  );
}

/** The fields that an entry owns. */
function ownedBy(entry: JsonObject): ReadonlySet<FieldPath> {
  const known = ownedByEntry.get(entry) ?? readOwned(entry);
  ownedByEntry.set(entry, known);
  return known;
}

/** Entries never change. */
const ownedByEntry = new WeakMap<JsonObject, ReadonlySet<FieldPath>>();

function readOwned(entry: JsonObject): ReadonlySet<FieldPath> {
  const fields = objectOf(entry['fieldsV1']);
  const metadata = objectOf(fields['f:metadata']);
  const paths = new Set<FieldPath>();
  const addMap = (section: string, map: Json | undefined): void => {
    for (const key of Object.keys(objectOf(map))) paths.add(`${section}/${key.slice(2)}`);
  };
  for (const section of MAPS) addMap(section, fields[`f:${section}`]);
  for (const section of METADATA_MAPS) addMap(section, metadata[`f:${section}`]);
  for (const key of Object.keys(fields)) if (!NOT_OWNED.has(key.slice(2))) paths.add(key.slice(2));
  return paths;
}

const NO_FIELDS: ReadonlyMap<FieldPath, Json | undefined> = new Map();

function reduced(entry: JsonObject, taken: ReadonlySet<FieldPath>): readonly JsonObject[] {
  const owned = ownedBy(entry);
  const kept = [...owned].filter((path) => !taken.has(path));
  if (kept.length === owned.size) return [entry];
  return kept.length === 0 ? [] : [{ ...entry, fieldsV1: fieldsV1Of(kept) }];
}

function entryOf(writer: Writer, apiVersion: string, owned: ReadonlySet<FieldPath>): JsonObject {
  return {
    manager: writer.manager,
    operation: writer.operation,
    apiVersion,
    time: timestamp(),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1Of([...owned]),
    ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
  };
}

function fieldsV1Of(paths: readonly FieldPath[]): JsonObject {
  const fields: Tree = {};
  for (const path of paths) {
    let place = fields;
    for (const segment of segmentsOf(path)) {
      const next = place[segment] ?? {};
      place[segment] = next;
      place = next;
    }
  }
  return fields;
}

interface Tree {
  [segment: string]: Tree;
}

function segmentsOf(path: FieldPath): readonly string[] {
  const [section = '', ...key] = path.split('/');
  if (key.length === 0) return [`f:${section}`];
  const place = METADATA_MAPS.some((map) => map === section) ? ['f:metadata'] : [];
  return [...place, `f:${section}`, `f:${key.join('/')}`];
}
