/** Reads manifests: files, folders with all that is below them, or the standard input; each document keeps its place for messages. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, type Tags } from 'yaml';
import type { RawObject } from '../../model/raw-objects.ts';
import { CommandError } from '../connect.ts';

/** One object of a file. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: RawObject;
  /** The line on which a field stands, else that of the nearest field around it; 1 is the first. */
  readonly lineOf: (...fields: readonly string[]) => number;
}

const SUFFIXES = ['.yaml', '.yml', '.json'];

/** Is told of a file that cannot be read, or is not valid YAML; what it returns counts as the file's objects. */
type Unreadable = (file: string, line: number | undefined, says: string) => readonly Manifest[];

/** The manifests of files, folders and `-`, in their order, but for the excluded ones. @throws CommandError by `unreadable` */
export async function readManifests(
  places: readonly string[],
  excluded: readonly string[] = [],
  unreadable: Unreadable = refuse,
): Promise<readonly Manifest[]> {
  const files = places.flatMap(filesIn).filter((file) => !isExcluded(file, excluded));
  const texts = await Promise.all(files.map(textOf));
  return texts.flatMap((text, index) => {
    const file = files[index] ?? '';
    if (typeof text !== 'string') return unreadable(file, undefined, `cannot be read (${text.code})`);
    return manifestsIn(text, file === '-' ? 'stdin' : file, unreadable);
  });
}

/** The error if nothing was read. */
export function noObjectIn(places: readonly string[]): CommandError {
  const names = places.map((place) => (place === '-' ? 'the standard input' : place));
  return new CommandError(`there is no object in ${names.join(', ')}`);
}

function refuse(file: string, line: number | undefined, says: string): never {
  throw new CommandError(`${file}${line === undefined ? '' : `:${line}`} ${says}`);
}

/** Whether a pattern, or the name of a folder, fits the path of a file, or the end of it. */
function isExcluded(file: string, patterns: readonly string[]): boolean {
  const name = file.replace(/^(?:\.{0,2}\/)+/, '');
  return patterns
    .map((pattern) => pattern.replace(/^(?:\.{0,2}\/)+/, '').replace(/\/+$/, ''))
    .some((pattern) => [pattern, `${pattern}/**`].some((each) => path.matchesGlob(name, `**/${each}`)));
}

/** The files of a folder, in order; whatever else it is, or a folder that cannot be read, is one file. */
function filesIn(place: string): readonly string[] {
  try {
    if (place === '-' || !statSync(place).isDirectory()) return [place];
    const entries = readdirSync(place, { withFileTypes: true, encoding: 'utf8' });
    const wanted = entries.filter((each) => each.isDirectory() || SUFFIXES.includes(path.extname(each.name)));
    const names = wanted.map(({ name }) => path.join(place, name)).sort();
    return names.flatMap(filesIn);
  } catch {
    return [place];
  }
}

/** The standard input is a stream: who reads it at once gets nothing of a program that has yet to write. */
async function textOf(file: string): Promise<string | NodeJS.ErrnoException> {
  try {
    return file === '-' ? await textIn(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Times of the day and dates are text for kubectl. */
function customTags(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === 'string' || (tag.format !== 'TIME' && !tag.tag.endsWith('timestamp')),
  );
}

/** The objects of a text, those in lists included; a document that is no object of the API is skipped. */
function manifestsIn(text: string, file: string, unreadable: Unreadable): readonly Manifest[] {
  const lines = new LineCounter();
  // YAML 1.1, as kubectl reads it: there `yes` is true.
  const documents = parseAllDocuments(text, { version: '1.1', customTags, lineCounter: lines });
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error !== undefined) {
    // The message of the parser quotes the lines around the error, and with them what a Secret holds.
    const says = `is not valid YAML (${error.code}); a template has to be rendered first`;
    return unreadable(file, error.linePos?.[0].line ?? 1, says);
  }
  try {
    return documents.flatMap((document) =>
      objectsIn(document.toJS() as unknown, document.contents, file, lines),
    );
  } catch {
    return unreadable(file, undefined, 'is not valid YAML (an alias without an anchor)');
  }
}

function objectsIn(
  value: unknown,
  node: Node | null | undefined,
  file: string,
  lines: LineCounter,
): readonly Manifest[] {
  const { apiVersion, kind, metadata, items } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  if (Array.isArray(items) && kind.endsWith('List')) {
    const nodes = fieldOf(node, 'items');
    return items.flatMap((item, index) =>
      objectsIn(item, isSeq(nodes) ? (nodes.items[index] as Node) : node, file, lines),
    );
  }
  if (typeof (metadata as { name?: unknown } | undefined)?.name !== 'string') return [];
  const lineOf = (...fields: readonly string[]): number => lineAt(node, fields, lines);
  return [{ file, apiVersion, kind, object: withoutNulls(value), lineOf }];
}

/** A field without a value is none, as for the API server. */
function withoutNulls(value: unknown): RawObject {
  return JSON.parse(JSON.stringify(value), (_, each: unknown) => each ?? undefined) as RawObject;
}

function lineAt(node: Node | null | undefined, fields: readonly string[], lines: LineCounter): number {
  let at = node?.range?.[0] ?? 0;
  let here = node;
  for (const field of fields) {
    const pair = isMap(here) ? here.items.find(({ key }) => isScalar(key) && key.value === field) : undefined;
    if (pair === undefined) break;
    at = (pair.key as Node).range?.[0] ?? at;
    here = pair.value as Node | null;
  }
  return lines.linePos(at).line;
}

function fieldOf(node: Node | null | undefined, field: string): unknown {
  return isMap(node) ? node.get(field, true) : undefined;
}
