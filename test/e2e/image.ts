/** Builds the image of the Dockerfile for real, without a registry, and starts it as a pod would be. */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CONTEXT, dockerfile, stagesIn } from '../install/dockerfile.ts';
import { programOnPath } from '../install/tools.ts';
import type { JsonObject } from '../sandbox/json.ts';

const TOOLS = ['podman', 'runc', 'mmdebstrap'];
const IMAGE = 'localhost/kubernetes-reloader:test';
/** Lower than what this process has, which needs no right: Podman would raise them. */
const ULIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];

/** Why the image cannot be built here; false if it can. */
export function cannotBuild(): string | false {
  const missing = TOOLS.filter((tool) => programOnPath(tool) === undefined);
  if (missing.length > 0) return `${missing.join(', ')}: not on PATH`;
  try {
    asRoot('true');
    return false;
  } catch {
    return 'Podman has to run as root, and `sudo -n` is refused';
  }
}

/** The image in a store of its own, which is removed at the end. */
export class BuiltImage implements Disposable {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'reloader-image-'));
  readonly #names: string[] = [];

  /** @throws what a builder said that failed */
  constructor() {
    const [image = ''] = stagesIn(dockerfile()).map((stage) => stage.image.replace(/@.*/, ''));
    try {
      this.#build(this.#base(), '--tag', `docker.io/library/${image}`);
      // The base is of this machine: no digest can be its own.
      this.#build(CONTEXT, '--build-arg', 'NODE_DIGEST=', ...npmSettings(), '--tag', IMAGE);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** What `podman image inspect` says of it. */
  inspect(): JsonObject {
    return JSON.parse(this.#podman('image', 'inspect', '--format', '{{json .Config}}', IMAGE)) as JsonObject;
  }

  /** Its files, in a folder. */
  mount(): string {
    return this.#podman('image', 'mount', IMAGE).trim();
  }

  /** The command that starts it: read-only, without a capability, with the network of the machine. */
  command(name: string, options: readonly string[]): [string, ...string[]] {
    this.#names.push(name);
    const [program, ...words] = this.#command();
    const confined = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
    ];
    const pod = ['--rm', '--name', name, '--network=host', '--memory=256m', ...confined, ...ULIMITS];
    return [program, ...words, 'run', ...pod, ...options, IMAGE];
  }

  /** The process that runs in a container. */
  pidOf(name: string): number {
    return Number(this.#podman('inspect', '--format', '{{.State.Pid}}', name));
  }

  [Symbol.dispose](): void {
    for (const name of this.#names) this.#podman('rm', '--force', '--ignore', name);
    this.#podman('image', 'unmount', '--all', '--force');
    asRoot('rm', '-rf', this.#folder);
  }

  /** A folder from which an image of that Debian with this Node is built. */
  #base(): string {
    const folder = path.join(this.#folder, 'base');
    mkdirSync(folder);
    const suite = 'trixie';
    asRoot('mmdebstrap', '--variant=minbase', '--include=libstdc++6', suite, path.join(folder, 'root.tar'));
    const node = `node_modules/node-${process.platform}-${process.arch}`;
    cpSync(path.resolve(process.execPath, '../..', node), path.join(folder, 'node'), { recursive: true });
    const npm = path.join(run('npm', 'root', '--global').trim(), 'npm');
    cpSync(npm, path.join(folder, 'npm'), { recursive: true, dereference: true });
    const steps = [
      'FROM scratch',
      'ADD root.tar /',
      'COPY node /usr/local',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ];
    writeFileSync(path.join(folder, 'Dockerfile'), `${steps.join('\n')}\n`);
    return folder;
  }

  #build(context: string, ...options: readonly string[]): void {
    this.#podman(
      'build',
      '--quiet',
      '--layers=false',
      '--isolation=chroot',
      '--network=host',
      ...options,
      context,
    );
  }

  #podman(...args: readonly string[]): string {
    const [program, ...words] = this.#command();
    return run(program, ...words, ...args);
  }

  #command(): [string, ...string[]] {
    const store = ['root', 'runroot', 'tmpdir'].map((name) => `--${name}=${path.join(this.#folder, name)}`);
    return [...rootly('podman'), ...store, '--runtime=runc', '--cgroup-manager=cgroupfs'];
  }
}

/** The settings with which npm finds its registry here; the image keeps none of it. */
function npmSettings(): string[] {
  const setting = (name: string): string => run('npm', 'config', 'get', name).trim();
  const mounts: readonly (readonly [string, string])[] = [
    [setting('userconfig'), '/root/.npmrc'],
    [setting('globalconfig'), '/usr/local/etc/npmrc'],
    [setting('cafile'), setting('cafile')],
  ];
  return mounts
    .filter(([file]) => existsSync(file))
    .flatMap(([from, to]) => ['--volume', `${from}:${to}:ro`]);
}

function rootly(program: string): [string, ...string[]] {
  return process.getuid?.() === 0 ? [program] : ['sudo', '-n', program];
}

function asRoot(program: string, ...args: readonly string[]): void {
  const [first, ...words] = rootly(program);
  run(first, ...words, ...args);
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: CONTEXT, encoding: 'utf8', stdio: 'pipe' });
}
