/** Starts the floor: a bare client as a process, to be measured as the reloader is. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { build } from 'esbuild';
import type { Connection } from './target.ts';

/** What the bare client is to do. */
export interface FloorTask {
  readonly connection: Connection;
  readonly namespace: string;
  /** The plurals of what it lists and watches. */
  readonly kinds: readonly string[];
  /** The Deployments that it patches when a ConfigMap changes, by the ConfigMap's name. @default none */
  readonly rolls?: Readonly<Record<string, readonly string[]>>;
}

/** Knows how to start bare clients; bundled, as the reloader is, so that neither has to drop types when it starts. */
export class Floor implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async prepare(): Promise<Floor> {
    const folder = await mkdtemp(path.join(tmpdir(), 'reloader-floor-'));
    await build({
      entryPoints: [path.join(import.meta.dirname, 'floor-client.ts')],
      outfile: path.join(folder, 'floor.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      logLevel: 'warning',
    });
    return new Floor(folder);
  }

  /** Resolves when the client has listed and watches. */
  async start(task: FloorTask): Promise<FloorProcess> {
    return await FloorProcess.start(path.join(this.#folder, 'floor.mjs'), task);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}

/** A bare client that runs. */
export class FloorProcess implements AsyncDisposable {
  /** From its start until it had listed and its watches were open. */
  readonly readySeconds: number;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>, readySeconds: number) {
    this.#child = child;
    this.readySeconds = readySeconds;
  }

  static async start(file: string, task: FloorTask): Promise<FloorProcess> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [file, JSON.stringify(task)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`the bare client ended with ${code}`)));
    });
    return new FloorProcess(child, (performance.now() - startedAt) / 1000);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }
}
