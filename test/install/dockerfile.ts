/** Reads a Dockerfile as far as ours goes, and follows its steps in a folder, without an engine. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** The folder that the Dockerfile is in: the context of the build. */
export const CONTEXT: string = path.resolve(import.meta.dirname, '../..');

/** One line: `COPY a b` is the word COPY and the text `a b`. */
export interface Instruction {
  readonly word: string;
  readonly text: string;
}

/** What follows one FROM. */
export interface Stage {
  /** The image, build arguments in their defaults. */
  readonly image: string;
  readonly name: string | undefined;
  readonly steps: readonly Instruction[];
}

/** The stages, first to last. */
export function stagesIn(text: string): readonly Stage[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const instructions = lines.filter((line) => line.trim() !== '').map(instructionIn);
  const starts = instructions.flatMap(({ word }, index) => (word === 'FROM' ? [index] : []));
  const defaults = instructions.slice(0, starts[0]).map(({ text: argument }) => argument);
  return starts.map((start, index) => {
    const words = (instructions[start]?.text ?? '').split(' ').filter((word) => !word.startsWith('--'));
    const [image = '', , name] = words;
    return {
      image: filledIn(image, defaults),
      name,
      steps: instructions.slice(start + 1, starts[index + 1]),
    };
  });
}

/** The text of the last instruction of that word in a stage. */
export function lastOf({ steps }: Stage, word: string): string | undefined {
  return steps.findLast((step) => step.word === word)?.text;
}

/** What is copied from the context. */
export function copiedFromContext(stages: readonly Stage[]): readonly string[] {
  const copies = stages.flatMap(({ steps }) => steps).filter(({ word }) => word === 'COPY');
  return copies.flatMap(({ text }) => (text.startsWith('--') ? [] : text.split(' ').slice(0, -1)));
}

/** Takes Node and libraries from an image: what is followed here runs on those of this machine. */
const RUNTIME = 'runtime';

/**
 * Follows all stages below `folder`, one folder each, and answers that of the last: the image without Node.
 *
 * @param installs whether `npm ci` is run; else the packages that are installed here take its place
 */
export function follow(stages: readonly Stage[], folder: string, installs: boolean): string {
  const roots = new Map<string, string>();
  let root = folder;
  for (const [index, stage] of stages.entries()) {
    root = path.join(folder, String(index));
    roots.set(stage.name ?? String(index), root);
    if (stage.name === RUNTIME) continue;
    followStage(stage, root, roots, installs);
  }
  return root;
}

function followStage(
  { steps }: Stage,
  root: string,
  roots: ReadonlyMap<string, string>,
  installs: boolean,
): void {
  let workdir = root;
  for (const { word, text } of steps) {
    if (word === 'WORKDIR') workdir = path.join(root, text);
    mkdirSync(workdir, { recursive: true });
    if (word === 'COPY' && !text.startsWith(`--from=${RUNTIME} `)) copy(text, workdir, roots);
    else if (word === 'RUN') run(text, workdir, installs);
  }
}

function instructionIn(line: string): Instruction {
  const [word = '', ...rest] = line.trim().split(' ');
  return { word, text: rest.join(' ').trim() };
}

/** `image` with `${NAME}` replaced by the default of `ARG NAME=default`. */
function filledIn(image: string, defaults: readonly string[]): string {
  return image.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const argument = defaults.find((text) => text.startsWith(`${name}=`));
    return argument?.slice(name.length + 1).replaceAll('"', '') ?? '';
  });
}

function copy(text: string, workdir: string, roots: ReadonlyMap<string, string>): void {
  const [first = '', ...rest] = text.split(' ');
  const from = /^--from=(.*)$/.exec(first)?.[1];
  const base = from === undefined ? CONTEXT : (roots.get(from) ?? '');
  const words = from === undefined ? [first, ...rest] : rest;
  const target = path.join(workdir, words.at(-1) ?? '');
  for (const source of words.slice(0, -1)) {
    const file = path.join(base, source);
    const isInto = (words.at(-1) ?? '').endsWith('/') && !statSync(file).isDirectory();
    cpSync(file, isInto ? path.join(target, path.basename(file)) : target, { recursive: true });
  }
}

function run(text: string, workdir: string, installs: boolean): void {
  if (text.startsWith('npm ci') && !installs) {
    symlinkSync(path.join(CONTEXT, 'node_modules'), path.join(workdir, 'node_modules'));
    return;
  }
  // The image's node is the one that runs this test.
  const folders = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  execFileSync('/bin/sh', ['-c', text], {
    cwd: workdir,
    env: { ...process.env, PATH: folders },
    stdio: 'pipe',
  });
}

/** The Dockerfile's text. */
export function dockerfile(): string {
  return readFileSync(path.join(CONTEXT, 'Dockerfile'), 'utf8');
}

/** The words of the ENTRYPOINT. */
export function entrypoint(): readonly string[] {
  const final = stagesIn(dockerfile()).at(-1);
  // Written as a list of words, a shell would otherwise be process 1 and keep the signals.
  return JSON.parse((final && lastOf(final, 'ENTRYPOINT')) ?? '') as string[];
}
