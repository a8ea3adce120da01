/**
 * `npm run control-plane`: builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, kwok,
 * Helm, Prometheus and Argo Rollouts from their Go modules into .control-plane/<version>, and copies the kinds of the Secrets
 * Store CSI driver from its own. Some minutes the first time, seconds when they are there. With names of folders beside this
 * file (`npm run control-plane -- secrets-store-csi`) only those parts.
 */

import { copyFileSync, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { copiesIn } from './assets.ts';
import { BuildError, isProgress, runGo } from './go.ts';
import { BUILDS, buildKey, GO_FLAGS, type GoModule, PARTS, type Part, versionIn } from './recipe.ts';

const HEARTBEAT_MS = 5000;
const started = Date.now();

/** Says every few seconds, also where nobody types, what is being done. */
class Progress {
  #doing = '';
  readonly #timer = setInterval(() => say(this.#doing), HEARTBEAT_MS);

  /** `doing` is what is said from now on. */
  is(doing: string): void {
    this.#doing = doing;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function say(what: string): void {
  const seconds = Math.round((Date.now() - started) / 1000);
  const elapsed = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.log(`control plane | ${elapsed} ${what}`);
}

async function build(module: GoModule, target: string): Promise<void> {
  const name = `${path.basename(module.folder)} ${versionIn(module, module.about)}`;
  using progress = new Progress();
  const packages = await packagesOf(module, name, progress);
  let compiled = 0;
  const onLine = (line: string): void => {
    if (isProgress(line)) compiled += 1;
    progress.is(`${name}: compiles and links; ${compiled} of at most ${packages} packages compiled`);
  };
  onLine('');
  const version = versionIn(module, module.about);
  const variables = module.versionVariables.map((variable) => `-X ${variable}=${version}`);
  const ldflags = ['-s', '-w', ...variables].join(' ');
  await runGo({
    folder: module.folder,
    args: ['build', '-v', ...flagsOf(module), '-ldflags', ldflags, '-o', `${target}/`, 'tool'],
    onLine,
  });
  for (const [program, made = program] of module.programs)
    await rename(path.join(target, made), path.join(target, program));
}

/** How many packages there are; fetches what is not there. */
async function packagesOf(module: GoModule, name: string, progress: Progress): Promise<number> {
  let fetched = 0;
  progress.is(`${name}: looking for its modules`);
  const onLine = (line: string): void => {
    if (line.startsWith('go: downloading ')) fetched += 1;
    if (fetched > 0) progress.is(`${name}: fetched ${fetched} modules`);
  };
  const args = ['list', ...flagsOf(module), '-deps', 'tool'];
  const list = await runGo({ folder: module.folder, args, onLine });
  return list.split('\n').length;
}

function flagsOf({ tags = '' }: GoModule): readonly string[] {
  return [...GO_FLAGS, '-tags', tags];
}

async function copyFiles({ folder, about, copies }: GoModule, target: string): Promise<void> {
  if (copies === undefined) return;
  const args = ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', about];
  const source = await runGo({ folder, args });
  await mkdir(path.join(target, copies.into));
  for (const [i, copy] of copiesIn(target, copies).entries())
    copyFileSync(path.join(source, copies.paths[i] ?? ''), copy);
}

/** Nobody ever sees half a build: it appears under its name when it is complete. */
async function buildAll(part: Part, final: string): Promise<void> {
  const draft = `${final}.${process.pid}.draft`;
  await mkdir(draft, { recursive: true });
  try {
    for (const module of part.modules) {
      if (module.programs.length > 0) await build(module, draft);
      else await runGo({ folder: module.folder, args: ['mod', 'download', module.about] });
      await copyFiles(module, draft);
    }
    if (!existsSync(final)) await rename(draft, final);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Earlier versions, and what an interrupted build left. */
async function removeOthers(): Promise<void> {
  const keys = PARTS.map(buildKey);
  for (const name of await readdir(BUILDS))
    if (!keys.includes(name)) await rm(path.join(BUILDS, name), { recursive: true, force: true });
}

async function freeSpace(): Promise<string> {
  const go = await runGo({ folder: BUILDS, args: ['env', 'GOCACHE', 'GOMODCACHE', 'GOTMPDIR'] }).catch(
    () => '',
  );
  const folders = [BUILDS, tmpdir(), ...go.split('\n')].filter((folder) => existsSync(folder));
  const lines = folders.map(async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    return `  ${((bavail * bsize) / 1e9).toFixed(1)} GB free in ${folder}`;
  });
  return (await Promise.all(lines)).join('\n');
}

/** Whether the part is there now. */
async function provide(part: Part): Promise<boolean> {
  const final = path.join(BUILDS, buildKey(part));
  if (existsSync(final)) {
    say(`is there: ${final}`);
    return true;
  }
  const { minutes } = part;
  say(
    `builds ${path.basename(final)} with ${availableParallelism()} processors; ${minutes} minutes on two, once`,
  );
  try {
    await buildAll(part, final);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(`\ncontrol plane | not built: ${error.message}`);
    if (error.message.startsWith('the disk is full'))
      console.error(`A build takes 5 GB, nearly all of it in Go's caches:\n${await freeSpace()}`);
    return false;
  }
  say(`built: ${final}`);
  return true;
}

async function main(): Promise<number> {
  const names = process.argv.slice(2);
  const wanted = PARTS.filter(({ modules }) =>
    modules.some(({ folder }) => names.length === 0 || names.includes(path.basename(folder))),
  );
  await mkdir(BUILDS, { recursive: true });
  for (const part of wanted) if (!(await provide(part))) return 1;
  if (names.length === 0) await removeOthers();
  return 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main();
