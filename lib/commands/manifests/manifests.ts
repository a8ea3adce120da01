/** Reads manifests: files, folders, or the standard input. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { describe } from '../../model/object-ref.ts';
import { CommandError } from '../connect.ts';
import type { Cause } from '../explain/cause.ts';
import { type Fault, type Manifest, manifestsIn } from './documents.ts';

/** The rule of a file in a folder that holds no manifest: that is no mistake. */
export const NO_MANIFEST = 'no-manifest';
const SUFFIXES = ['.yaml', '.yml', '.json'];

const KUSTOMIZE = /^"?apiVersion"?: *"?kustomize\.config\.k8s\.io\//m;
const KUSTOMIZATION = /^kustomization\.ya?ml$/;

/** The manifests of files, folders and `-`. @throws CommandError without `report` */
export async function readManifests(
  places: readonly string[],
  excluded: readonly string[] = [],
  report?: (fault: Fault) => void,
): Promise<readonly Manifest[]> {
  const named = places.filter((place) => !isFolder(place));
  const all = places.flatMap((place) =>
    named.includes(place) ? [place] : filesIn(place, report !== undefined),
  );
  const files = [...new Set(all)].filter((file) => !isExcluded(file, excluded));
  const read = files.map(async (place): Promise<readonly Manifest[]> => {
    const text = await textOf(place);
    const file = place === '-' ? 'stdin' : place;
    const faults: Fault[] = [];
    const source = { file, isNamed: named.includes(place), report: (fault: Fault) => faults.push(fault) };
    const manifests = typeof text === 'string' ? manifestsIn({ ...source, text }) : [];
    if (typeof text !== 'string')
      faults.push({ rule: 'unreadable', about: file, says: `cannot be read (${text.code})`, file });
    else if (manifests.length + faults.length === 0)
      faults.push({ rule: NO_MANIFEST, about: file, says: 'holds no manifest', file });
    if (report === undefined) assertRendered(file, String(text));
    faults.forEach(report ?? refuse);
    return manifests;
  });
  return (await Promise.all(read)).flat();
}

/** The manifests by object; `own` is the namespace of those without one. */
export function byObject(all: readonly Manifest[], own: string): readonly (readonly Manifest[])[] {
  const idOf = ({ apiVersion, kind, object: { metadata } }: Manifest): string =>
    [apiVersion.replace(/\/?[^/]*$/, ''), kind, metadata.namespace ?? own, metadata.name].join(' ');
  return [...Map.groupBy(all, idOf).values()];
}

/** Each that differs from an earlier one about the same object. */
export function twinsIn(all: readonly Manifest[], own: string): readonly Fault[] {
  return byObject(all, own).flatMap(([first, ...others]) =>
    others.flatMap(({ file, kind, object, lineOf }): readonly Fault[] => {
      const { namespace = own, name } = object.metadata;
      // Of those whose names are generated, each is an object of its own.
      if (!first || isGenerated(first) || isDeepStrictEqual(first.object, object)) return [];
      const other = `${first.file}:${first.lineOf()}`;
      const says = `is also in ${other}, with other fields: give what is rendered, as by \`kubectl kustomize\`, or each folder alone`;
      const ref = { kind, namespace, name };
      return [{ rule: 'duplicate', about: other, says, file, line: lineOf(), object: ref }];
    }),
  );
}

/** Whether its name is to be generated. */
export function isGenerated({ object }: Manifest): boolean {
  return object.metadata.name.endsWith('*');
}

/** That `kubectl apply` takes no generated name. */
export function notApplied({ kind, object }: Manifest): Cause {
  const about = `${kind}/${object.metadata.name}`;
  return { rule: 'refused', about, says: `kubectl apply refuses the generateName of ${about}` };
}

function assertRendered(file: string, text: string): void {
  if (!KUSTOMIZATION.test(path.basename(file)) && !KUSTOMIZE.test(text)) return;
  const says = `is for kustomize: kubectl kustomize ${path.dirname(file)} | reloader plan -f -`;
  throw new CommandError(`${file} ${says}`, 'not-readable');
}

/** The error if nothing was read. */
export function noObjectIn(places: readonly string[]): CommandError {
  const names = places.map((place) => (place === '-' ? 'the standard input' : place)).join(', ');
  return new CommandError(`there is no object in ${names}`, 'no-object');
}

/** @throws CommandError unless the file holds no manifest, or kubectl accepts it */
export function refuse({ rule, file, line, object, says }: Fault): void {
  if (rule === NO_MANIFEST) return;
  const place = line === undefined ? file : `${file}:${line}`;
  const title = object === undefined ? place : `${place}: ${describe(object)}:`;
  throw new CommandError(`${title} ${says}`, 'not-readable');
}

function isExcluded(file: string, patterns: readonly string[]): boolean {
  const name = file.replace(/^(?:\.{0,2}\/)+/, '');
  return patterns
    .map((pattern) => pattern.replace(/^(?:\.{0,2}\/)+/, '').replace(/\/+$/, ''))
    .some((pattern) => [pattern, `${pattern}/**`].some((each) => path.matchesGlob(name, `**/${each}`)));
}

/** What cannot be looked at is no folder: reading it says why. */
function isFolder(place: string): boolean {
  try {
    return place !== '-' && statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** The files of a folder, in order; `isDeep`: and of its folders. */
function filesIn(folder: string, isDeep: boolean): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: 'utf8' });
    const isWanted = ({ name }: { readonly name: string }): boolean => SUFFIXES.includes(path.extname(name));
    // A pipe without a writer would be read for ever.
    const wanted = entries.filter((each) => (each.isDirectory() ? isDeep : isWanted(each) && !each.isFIFO()));
    const all = wanted.map((each) => [path.join(folder, each.name), each.isDirectory()] as const).sort();
    return all.flatMap(([name, isDirectory]) => (isDirectory ? filesIn(name, isDeep) : [name]));
  } catch {
    return [folder];
  }
}

/** By the first two bytes, as kubectl does; others are UTF-8. */
const UTF_16: Partial<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** The standard input is a stream: a program may have yet to write. */
async function textOf(file: string): Promise<string | NodeJS.ErrnoException> {
  try {
    const bytes = file === '-' ? await buffer(process.stdin) : readFileSync(file);
    return new TextDecoder(UTF_16[bytes.toString('hex', 0, 2)]).decode(bytes);
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}
