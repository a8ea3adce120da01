/** The source of the project as syntax trees. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Where the project is. */
export const ROOT: string = path.resolve(import.meta.dirname, '..');

/** One file. */
export interface SourceFile {
  readonly name: string;
  readonly folder: string;
  readonly lines: number;
  readonly tree: ts.SourceFile;
}

/** The file of that name, relative to ROOT. */
export function read(name: string): SourceFile {
  return parse(name, readFileSync(path.join(ROOT, name), 'utf8'));
}

/** The same for a text. */
export function parse(name: string, text: string): SourceFile {
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  return { name, folder: folderOf(name), lines: text.trimEnd().split('\n').length, tree };
}

/** `lib/model/digest.ts` → model, `bin/reloader.ts` → bin; no file is loose in lib. */
export function folderOf(name: string): string {
  const [top = '', second = ''] = name.split('/');
  return top === 'bin' ? 'bin' : second;
}

/** All nodes below one. */
export function descendants(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** The place of a node, for people. */
export function at({ name, tree }: SourceFile, node: ts.Node): string {
  return `${name}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** The functions of a file with their length in lines. */
export function functionsOf(file: SourceFile): { where: string; lines: number }[] {
  return descendants(file.tree)
    .filter((node) => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
    .map((node) => {
      const [from, to] = [node.getStart(), node.getEnd()].map(
        (position) => file.tree.getLineAndCharacterOfPosition(position).line,
      );
      return { where: at(file, node), lines: (to ?? 0) - (from ?? 0) + 1 };
    });
}
