/** `npm run figures`: how large the project is, and what is wanted. */

import { globSync } from 'node:fs';
import ts from 'typescript';
import { functionsOf, ROOT, read, type SourceFile } from './source-tree.ts';

const lib = filesOf('lib/**/*.ts');
const all = filesOf('test/**/*.ts');
const cases = all.filter(({ name }) => /\.(?:test|e2e)\.ts$/.test(name));
const folders = [...Map.groupBy(lib, ({ folder }) => folder)].map(
  ([folder, files]) => [folder, files.length, linesOf(files)] as const,
);
const linesIn = new Map(folders.map(([folder, , lines]) => [folder, lines]));
const rules = ['tracking', 'rollout', 'state'].reduce((sum, folder) => sum + (linesIn.get(folder) ?? 0), 0);
const fileLines = lib.map(({ lines }) => lines);
const functionLines = lib.flatMap(functionsOf).map(({ lines }) => lines);
const comments = lib.reduce((sum, file) => sum + commentLinesOf(file), 0);

print('lines of lib', linesOf(lib), 'at most 19000');
print('lines of tracking, rollout and state', rules, 'at most 4500');
print('most files in a folder', Math.max(...folders.map(([, files]) => files)), 'at most 25');
print('lines of a file, median', quantile(fileLines, 0.5), '60 to 130');
print('lines of a file, 90 of 100', quantile(fileLines, 0.9), 'at most 260');
print('lines of a function, 90 of 100', quantile(functionLines, 0.9), 'at most 20');
print('lines of comments, of 100', Math.round((100 * comments) / linesOf(lib)), '15 to 25');
print('lines of cases for one of lib', ratio(linesOf(cases)), 'at most 1.6');
print('lines of test for one of lib', ratio(linesOf(all)), 'at most 2.8');
console.log();
for (const [folder, files, lines] of folders.toSorted(([, , one], [, , other]) => other - one))
  print(`lib/${folder}`, lines, `${files} files`);

function filesOf(pattern: string): readonly SourceFile[] {
  return globSync(pattern, { cwd: ROOT }).map(read);
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

function ratio(lines: number): number {
  return Math.round((100 * lines) / linesOf(lib)) / 100;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? 0;
}

/** The lines on which a comment stands alone or ends. */
function commentLinesOf({ tree }: SourceFile): number {
  const lines = new Set<number>();
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, tree.text);
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind !== ts.SyntaxKind.SingleLineCommentTrivia && kind !== ts.SyntaxKind.MultiLineCommentTrivia)
      continue;
    const [from, to] = [scanner.getTokenStart(), scanner.getTokenEnd()].map(
      (position) => tree.getLineAndCharacterOfPosition(position).line,
    );
    for (let line = from ?? 0; line <= (to ?? 0); line += 1) lines.add(line);
  }
  return lines.size;
}

function print(what: string, value: number, wanted: string): void {
  console.log(`${what.padEnd(40)} ${String(value).padStart(7)}   ${wanted}`);
}
