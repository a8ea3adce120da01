/**
 * `npm run figures`: compares how large the project is with the ceilings in figures.json; exit code 1 if a figure is above its
 * ceiling or has none. `npm run figures -- --lower` lowers each ceiling to today's figure, and raises none.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { FLAGS } from '../lib/options/flags.ts';
import { ROOT } from './source-tree.ts';

type Figures = Readonly<Record<string, number>>;

const CEILINGS = fileURLToPath(import.meta.resolve('./figures.json'));
const CORE = ['tracking', 'blockers', 'rollout', 'state', 'store', 'repair'];
/** Packed lines gain nothing: a line counts as at least so many characters. */
const CHARACTERS_OF_A_LINE = 46;
const FEWEST_COMMENTS = 12;

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(path.join(ROOT, file)));
const sources = files.filter(isSource);
const product = sources.filter((file) => /^(?:lib|bin)\/|^build\.ts$/.test(file));
const pages = files.filter((file) => file.startsWith('docs/') && file.endsWith('.md'));
const comments = commentsInHundredLines();
const figures: Figures = { ...linesOfLib(), ...linesOfTests(), ...filesPerFolder(), ...words(), ...counts() };

const { values: flags } = parseArgs({ options: { lower: { type: 'boolean' } } });
if (flags.lower) lower();
else compare();

function compare(): void {
  const ceilings = readCeilings();
  const gone = Object.keys(ceilings).filter((name) => figures[name] === undefined);
  const rows = Object.entries(figures).map(([name, figure]) => ({
    name,
    figure,
    ceiling: ceilings[name] ?? 0,
  }));
  for (const { name, figure, ceiling } of rows) {
    const row = `${name.padEnd(36)} ${String(figure).padStart(7)} of ${String(ceiling).padStart(7)}`;
    console.log(figure > ceiling ? `${row}  ABOVE ITS CEILING` : row);
  }
  const faults = [
    ...rows.filter(({ figure, ceiling }) => figure > ceiling).map(({ name }) => `${name}: above its ceiling`),
    ...gone.map((name) => `${name}: nothing is counted under this name; remove its ceiling`),
    ...(comments < FEWEST_COMMENTS ? [`comments: at least ${FEWEST_COMMENTS} in 100 lines`] : []),
  ];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function lower(): void {
  const ceilings = readCeilings();
  const lowered = Object.entries(figures).map(([name, figure]) => [
    name,
    Math.min(figure, ceilings[name] ?? figure),
  ]);
  writeFileSync(CEILINGS, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
}

function readCeilings(): Figures {
  return JSON.parse(readFileSync(CEILINGS, 'utf8')) as Figures;
}

/** The size of each room, of the core and of all that is shipped. */
function linesOfLib(): Figures {
  const rooms = Map.groupBy(product, (file) => (file.startsWith('lib/') ? firstFolders(file, 2) : 'bin'));
  const isCore = (file: string): boolean => CORE.includes(file.split('/')[1] ?? '');
  return {
    'lines lib': sizeOf(product),
    'lines lib, core': sizeOf(product.filter(isCore)),
    ...sizes(rooms),
  };
}

/** The size of each layer of the tests, and of all. */
function linesOfTests(): Figures {
  const tests = sources.filter((file) => file.startsWith('test/'));
  const layers = Map.groupBy(tests, (file) =>
    file.split('/').length > 2 ? firstFolders(file, 2) : 'test/*',
  );
  return { 'lines test': sizeOf(tests), ...sizes(layers) };
}

function filesPerFolder(): Figures {
  const folders = Map.groupBy(product, path.dirname);
  return {
    'files in the largest folder of lib': Math.max(...[...folders.values()].map(({ length }) => length)),
  };
}

/** Words of the docs by section, and of README. */
function words(): Figures {
  const sections = Map.groupBy(pages, path.dirname);
  return {
    'words docs': wordsOf(pages),
    ...Object.fromEntries(
      [...sections].toSorted().map(([section, inIt]) => [`words ${section}/*`, wordsOf(inIt)]),
    ),
    'words README.md': wordsOf(['README.md']),
  };
}

function counts(): Figures {
  const { dependencies } = JSON.parse(read('package.json')) as { readonly dependencies: object };
  return {
    'decision records': pages.filter((file) => file.includes('/adr/')).length,
    'rows of flags': FLAGS.length,
    'runtime dependencies': Object.keys(dependencies).length,
    'comments in 100 lines': comments,
  };
}

function sizes(groups: ReadonlyMap<string, readonly string[]>): Figures {
  return Object.fromEntries([...groups].toSorted().map(([name, inIt]) => [`lines ${name}`, sizeOf(inIt)]));
}

function sizeOf(names: readonly string[]): number {
  const texts = names.map(read);
  const lines = texts.reduce((sum, text) => sum + linesIn(text), 0);
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  return Math.max(lines, Math.ceil(characters / CHARACTERS_OF_A_LINE));
}

function linesIn(text: string): number {
  return text.trimEnd().split('\n').length;
}

function wordsOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + read(name).split(/\s+/).filter(Boolean).length, 0);
}

/** The lines on which a comment stands alone or ends, in 100 lines of TypeScript. */
function commentsInHundredLines(): number {
  const texts = product.filter((file) => file.endsWith('.ts')).map(read);
  const lines = texts.reduce((sum, text) => sum + linesIn(text), 0);
  return Math.round((100 * texts.reduce((sum, text) => sum + commentLinesIn(text), 0)) / lines);
}

function commentLinesIn(text: string): number {
  const tree = ts.createSourceFile('', text, ts.ScriptTarget.Latest);
  const lines = new Set<number>();
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind !== ts.SyntaxKind.SingleLineCommentTrivia && kind !== ts.SyntaxKind.MultiLineCommentTrivia)
      continue;
    const [from = 0, to = 0] = [scanner.getTokenStart(), scanner.getTokenEnd()].map(
      (position) => tree.getLineAndCharacterOfPosition(position).line,
    );
    for (let line = from; line <= to; line += 1) lines.add(line);
  }
  return lines.size;
}

/** Code in any language, also a script without an extension; no data. */
function isSource(file: string): boolean {
  const extension = path.extname(file);
  return /^\.(?:[cm]?[jt]s|sh|go|py|css|html)$/.test(extension) || (extension === '' && isScript(file));
}

function isScript(file: string): boolean {
  return /^(?:lib|bin|test)\//.test(file) && read(file).startsWith('#!');
}

function firstFolders(file: string, count: number): string {
  return file.split('/').slice(0, count).join('/');
}

function read(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}
