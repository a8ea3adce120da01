/** The objects of a YAML text; each has its place for messages. */

import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Tags,
} from 'yaml';
import { apiVersionOf } from '../../kubernetes/api-path.ts';
import { isObjectName, type WorkloadRef } from '../../model/object-ref.ts';
import type { RawMetadata, RawObject } from '../../model/raw-objects.ts';
import type { Cause } from '../explain/cause.ts';
import { ANY_OBJECT, fitted, KNOWN_KINDS, type Misfit, typeOf } from './shapes.ts';

/** One object of a file. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: RawObject;
  /** The line of a field, or of the nearest field around it; 1 is the first. */
  readonly lineOf: (...path: Misfit['path']) => number;
}

/** What is wrong with a file, or with an object in it. */
export interface Fault extends Cause {
  readonly file: string;
  /** Absent if the file itself is wrong. */
  readonly line?: number;
  /** Its namespace is empty if the manifest has none. */
  readonly object?: WorkloadRef;
}

/** A text, and how faults in it are reported. */
export interface Source {
  readonly file: string;
  readonly text: string;
  /** A person has named the file, so that each of its documents has to be a manifest. */
  readonly isNamed: boolean;
  readonly report: (fault: Fault) => void;
}

/** A field by which kubectl changes others, and no text. */
export const DIRECTIVE: RegExp = /(?<=[{,]")\$(?:patch|retainKeys|deleteFromPrimitiveList|setElementOrder)\b/;
const LIST = 'List';
/** Without what no name has, and no path can hold. */
const NAME = /^[!-.0-~]+$/;
/** Metadata, of which each API server knows the types, or annotations or labels of pods. */
const WORDS = /^(?:metadata\.|spec\.(?:.*\.)?template\.metadata\.(?:annotations|labels)(?:\.|$))/;
/** The files of programs such as kustomize, which are no objects. */
const LOCAL = /(?:^|\.)config\.k8s\.io\//;

/** A number for kubectl, although not in YAML 1.1. */
const OCTAL = {
  identify: () => false,
  default: true,
  tag: 'tag:yaml.org,2002:int',
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text: string): number => Number.parseInt(text.replace(/0o|_/g, ''), 8),
};

/** A text for kubectl, although a number without digits in YAML 1.1. */
const NO_NUMBER = {
  identify: () => false,
  default: true,
  tag: 'tag:yaml.org,2002:str',
  test: /^[-+]?(?:\._*(?:[eE][-+]?\d+)?|[eE][-+]?\d+)$/,
  resolve: (text: string): string => text,
};

/** Binary values are texts, which kubectl decodes. */
const BINARY = {
  tag: 'tag:yaml.org,2002:binary',
  resolve: (text: string): string => Buffer.from(text, 'base64').toString(),
};

/** The objects of a text, those in lists included. */
export function manifestsIn(source: Source): readonly Manifest[] {
  const { file, text, report } = source;
  const lineCounter = new LineCounter();
  // Times of the day and dates are text.
  const isKept = (tag: Tags[number]): boolean =>
    typeof tag === 'string' || (tag.format !== 'TIME' && !/(?:timestamp|binary)$/.test(tag.tag));
  const customTags = (tags: Tags): Tags => [NO_NUMBER, ...tags.filter(isKept), OCTAL, BINARY];
  // YAML 1.1, as kubectl reads it: there `yes` is true.
  // One JSON object may follow another.
  const yaml = text.trimStart().startsWith('{') ? text.replaceAll(/\}(\s*\n)(?=\{)/g, '}$1--- ') : text;
  const documents = parseAllDocuments(yaml, { version: '1.1', customTags, lineCounter, logLevel: 'error' });
  return documents.flatMap((document) => {
    const { contents, errors, range } = document;
    const value = jsonOf(document);
    if (value !== undefined)
      return value === null ? [] : objectsIn({ source, node: contents, lineCounter }, value);
    const hint = text.includes('{{') ? '; a template has to be rendered first' : '';
    // The message of the parser quotes lines that a Secret may hold.
    const says = `is not valid YAML (${errors[0]?.code ?? 'an alias cannot be resolved'})${hint}`;
    const line = errors[0]?.linePos?.[0].line ?? lineCounter.linePos(range[0]).line;
    report({ rule: 'unreadable', about: file, says, file, line });
    return [];
  });
}

/** The document as JSON; undefined if it has errors. */
function jsonOf(document: Document): unknown {
  try {
    return document.errors.length > 0 ? undefined : JSON.parse(JSON.stringify(document.toJS() ?? null));
  } catch {
    return undefined;
  }
}

/** Where a document, or an item of a list, stands. */
interface Place {
  readonly source: Source;
  readonly node: Node | null | undefined;
  readonly lineCounter: LineCounter;
}

type Fields = Partial<Record<string, unknown>>;

function objectsIn(place: Place, value: unknown): readonly Manifest[] {
  const fields = (typeOf(value) === 'map' ? value : {}) as Fields;
  const { apiVersion, kind, metadata, items } = fields;
  if (typeof apiVersion === 'string' && typeof kind === 'string') {
    const isList = kind === LIST || (Array.isArray(items) && kind.endsWith(LIST));
    const ofList = kind === LIST ? {} : { apiVersion, kind: kind.slice(0, -LIST.length) };
    return isList ? itemsIn(place, items, ofList) : objectIn(place, { ...fields, apiVersion, kind });
  }
  const lacks = ['apiVersion', 'kind'].filter((field) => typeof fields[field] !== 'string');
  const wrong = lacks.map(
    (field) => `${field} is ${fields[field] === undefined ? 'missing' : 'not a string'}`,
  );
  if (place.source.isNamed || (lacks.length === 1 && metadata !== undefined))
    refuse(place, lacks[0], `is no manifest: ${wrong.join(' and ')}`);
  return [];
}

function refuse({ source, node, lineCounter }: Place, field = '', says: string): void {
  const { file, report } = source;
  report({ rule: 'invalid', about: field, says, file, line: lineAt(node, [field], lineCounter) });
}

/** The objects of a list; `ofList`: what it says of all of its items. */
function itemsIn(place: Place, items: unknown, ofList: Fields): readonly Manifest[] {
  if (!Array.isArray(items)) refuse(place, 'items', 'is a List without a list of items');
  const nodes = isMap(place.node) ? place.node.get('items', true) : undefined;
  const source = { ...place.source, isNamed: true };
  return (Array.isArray(items) ? items : []).flatMap((item: unknown, index) => {
    const node = isSeq(nodes) ? (nodes.items[index] as Node) : place.node;
    return objectsIn(
      { ...place, source, node },
      typeOf(item) === 'map' ? { ...ofList, ...(item as Fields) } : item,
    );
  });
}

function objectIn(place: Place, fields: Fields & Pick<Manifest, 'apiVersion' | 'kind'>): readonly Manifest[] {
  const { apiVersion, kind } = fields;
  const { source, node, lineCounter } = place;
  const known = KNOWN_KINDS.find((row) => row.kind === kind && apiVersionOf(row) === apiVersion);
  const misfits: Misfit[] = [];
  const given = fitted(fields, known?.shape ?? ANY_OBJECT, (misfit) => misfits.push(misfit));
  // A field without a value is none, as for the API server.
  const object = JSON.parse(
    JSON.stringify(given),
    (_, each: unknown) => each ?? undefined,
  ) as Partial<RawObject>;
  const metadata: Partial<RawMetadata> = object.metadata ?? {};
  const { namespace = '' } = metadata;
  const name = nameIn(metadata);
  const lineOf: Manifest['lineOf'] = (...path) => lineAt(node, path, lineCounter);
  const ref = name === '' ? {} : { object: { kind, namespace, name } };
  for (const { path, ...fault } of misfits.filter((each) => isRefused(each, apiVersion)).map(faultOf))
    source.report({ ...fault, file: source.file, line: lineOf(...path), ...ref });
  const hasName = areNames(known !== undefined, metadata.name ?? name.replace('*', '0'), namespace);
  const isObject = known !== undefined || (fields['metadata'] && !LOCAL.test(apiVersion));
  if (!hasName && isObject) refuse(place, 'metadata', `is a ${kind} without a name that an object can have`);
  const [directive] = DIRECTIVE.exec(JSON.stringify(fields)) ?? [];
  const whole = { ...object, metadata: { ...metadata, name }, ...(directive && { [directive]: true }) };
  return hasName ? [{ file: source.file, apiVersion, kind, object: whole, lineOf }] : [];
}

/** The types of custom kinds are left to the API server, and null counts as no value. */
function isRefused({ path, is }: Misfit, apiVersion: string): boolean {
  const isBuiltIn = path[0] !== 'metadata' && !/[.].*[/]/.test(apiVersion);
  return WORDS.test(path.join('.')) || (isBuiltIn && is !== 'null');
}

function areNames(isKnown: boolean, name: string, namespace: string): boolean {
  return NAME.test(namespace || name) && (isKnown ? isObjectName(name) : NAME.test(name));
}

/** A name that is to be generated is that of no object yet. */
function nameIn({ name, generateName }: Partial<RawMetadata> & { readonly generateName?: string }): string {
  return name ?? (generateName === undefined ? '' : `${generateName}*`);
}

function faultOf({ path, is, wanted }: Misfit): Cause & Pick<Misfit, 'path'> {
  const about = path.join('.');
  const says = `${about} is ${is === 'null' ? is : `a ${is}`}, not a ${wanted}: the API server refuses the manifest`;
  const isText = ['number', 'boolean'].includes(is);
  return isText
    ? { rule: 'not-text', path, about, says, todo: 'put the value in quotes' }
    : { rule: 'invalid', path, about, says };
}

function lineAt(node: Node | null | undefined, path: Misfit['path'], lines: LineCounter): number {
  let at = node?.range?.[0] ?? 0;
  let here = node;
  for (const step of path) {
    const pair = isMap(here)
      ? here.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      : undefined;
    const next = isSeq(here) ? here.items[Number(step)] : pair?.key;
    if (next === undefined) break;
    at = (next as Node | null)?.range?.[0] ?? at;
    here = (pair === undefined ? next : pair.value) as Node | null;
  }
  return lines.linePos(at).line;
}
