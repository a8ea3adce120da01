/** Pages of docs/guides as programs: the blocks that say so are run in a shell, in the order of the page. */

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { runProgram, type Said } from './programs.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** `<!-- run -->` or `<!-- file: NAME -->`, and the block that follows. */
const MARKED = /^ *<!-- (?:run|file: (?<file>\S+)) -->\n+ *```(?:sh|yaml)\n(?<text>[\s\S]*?)^ *```$/gm;
/** A pipe that is its standard input would make bash read the files of a login. */
const BASH = ['--norc', '-euo', 'pipefail', '-c'];

/** One marked block. */
export interface Block {
  /** The name of the file that it is the text of; undefined: it is run. */
  readonly file: string | undefined;
  readonly text: string;
}

/** The marked blocks of a page, in its order. Throws where a marker has no block. */
export function blocksOf(page: string): readonly Block[] {
  const blocks = [...page.matchAll(MARKED)].map(({ groups = {} }) => ({
    file: groups['file'],
    text: groups['text'] ?? '',
  }));
  const markers = page.match(/<!-- (?:run|file:)/g) ?? [];
  if (markers.length !== blocks.length)
    throw new Error(`${markers.length} markers, but ${blocks.length} blocks after one`);
  return blocks;
}

/** A folder in which pages are followed: a clone is in it, and kubectl and Helm lead to one control plane. */
export class Shell implements AsyncDisposable {
  readonly #folder: string;
  readonly #kubeconfig: string;

  private constructor(folder: string, kubeconfig: string) {
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
  }

  /** @param programs by name: where they are */
  static async open(plane: ControlPlane, programs: Readonly<Record<string, string>>): Promise<Shell> {
    const folder = await mkdtemp(path.join(tmpdir(), 'reloader-guide-'));
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    for (const [name, program] of Object.entries(programs)) await symlink(program, path.join(bin, name));
    // Pages call the clone by its name, or speak of files in it.
    await symlink(ROOT, path.join(folder, 'kubernetes-reloader'));
    await symlink(path.join(ROOT, 'k8s'), path.join(folder, 'k8s'));
    return new Shell(folder, await plane.kubeconfig());
  }

  /** Writes the file, or runs the commands; rejects with what they said as soon as one of them fails. */
  async follow({ file, text }: Block): Promise<Said> {
    if (file === undefined) return await this.run(text);
    const target = path.join(this.#folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
    return { stdout: '', stderr: '' };
  }

  /** Runs commands; rejects with what they said as soon as one of them fails. */
  async run(commands: string): Promise<Said> {
    const PATH = `${path.join(this.#folder, 'bin')}:/usr/bin:/bin`;
    const env = { PATH, HOME: this.#folder, KUBECONFIG: this.#kubeconfig };
    return await runProgram('bash', [...BASH, `cd "$HOME"\n${commands}`], { env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}
