/** Reads manifests: files, folders with all that is below them, or the standard input; each document keeps its place for messages. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import { isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
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

/** The manifests of files, folders and `-`, in their order. @throws CommandError if one cannot be read or is no YAML */
export async function readManifests(places: readonly string[]): Promise<readonly Manifest[]> {
  const files = places.flatMap(filesIn);
  const texts = await Promise.all(files.map(textOf));
  return files.flatMap((file, index) => manifestsIn(texts[index] ?? '', file === '-' ? 'stdin' : file));
}

function filesIn(place: string): readonly string[] {
  if (place === '-' || !isFolder(place)) return [place];
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => SUFFIXES.includes(path.extname(name)))
    .sort()
    .map((name) => path.join(place, name));
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The standard input is a stream: who reads it at once gets nothing of a program that has yet to write. */
async function textOf(file: string): Promise<string> {
  try {
    return file === '-' ? await textIn(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The objects of a text, those in lists included; a document that is no object of the API is skipped. */
function manifestsIn(text: string, file: string): readonly Manifest[] {
  const lines = new LineCounter();
  // YAML 1.1, as kubectl reads it: there `yes` is true.
  return parseAllDocuments(text, { version: '1.1', lineCounter: lines }).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      // The message of the parser quotes the lines around the error, and with them what a Secret holds.
      const line = error.linePos?.[0].line ?? 1;
      throw new CommandError(
        `${file}:${line} is no YAML (${error.code}); a template has to be rendered first`,
      );
    }
    return objectsIn(document.toJS() as unknown, document.contents, file, lines);
  });
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
  return [{ file, apiVersion, kind, object: value as RawObject, lineOf }];
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
