/** Manifests as people keep them: the documents of YAML files. */

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isObject, type JsonObject } from './json.ts';

/** One document. */
export interface Manifest {
  /** The name of its file, without the folder. */
  readonly file: string;
  readonly object: JsonObject;
}

/** All documents of the YAML files that stand in `folder` itself, in the order of the files' names. */
export function readManifests(folder: string): readonly Manifest[] {
  const files = globSync('*.yaml', { cwd: folder }).sort();
  return files.flatMap((file) =>
    parseManifests(readFileSync(path.join(folder, file), 'utf8'), file).map((object) => ({ file, object })),
  );
}

/**
 * The documents of a text, without empty ones. Read as YAML 1.1, as kubectl does: there `yes` is true.
 *
 * @throws Error with the file, line and column of a text that is no YAML, that says a key twice, or that is no object
 */
export function parseManifests(text: string, file: string): readonly JsonObject[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error) throw new Error(`${file}: ${error.message}`, { cause: error });
    const value: unknown = document.toJS();
    if (value === null) return [];
    if (!isObject(value)) throw new Error(`${file}: a document is no object`);
    return [value];
  });
}
