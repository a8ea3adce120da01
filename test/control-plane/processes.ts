/** The processes of one control plane. None of them outlives the test process, however that ends. */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Ends every process whose id it was told, as soon as nobody holds its standard input any more. */
const GUARD =
  'trap \'\' INT TERM HUP; pids=; while read -r pid; do pids="$pids $pid"; done; kill -9 $pids 2>/dev/null';

/** A program that was started; its output is a log file. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly hasEnded: () => boolean;
  /** Ends it, and waits. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts programs, and ends them all. */
export class Processes implements AsyncDisposable {
  readonly #folder: string;
  readonly #guard: ChildProcess;
  readonly #running = new Set<Running>();

  /** @param folder for the logs */
  constructor(folder: string) {
    this.#folder = folder;
    this.#guard = spawn('sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'] });
    this.#guard.unref();
    this.#guard.stdin?.on('error', () => undefined); // without a guard the processes are ended by us alone
  }

  /** Starts a program; its output is appended to `<name>.log`. */
  start(name: string, program: string, args: readonly string[]): Running {
    const log = path.join(this.#folder, `${name}.log`);
    const output = openSync(log, 'a');
    const child = spawn(program, args, { cwd: this.#folder, env: {}, stdio: ['ignore', output, output] });
    closeSync(output);
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve()); // it could not be started: the caller waits for it in vain, and reads so
      child.once('close', () => resolve());
    });
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null || !child.pid;
    const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
      child.kill(signal);
      await ended;
    };
    const running = { name, pid: child.pid ?? 0, log, ended, hasEnded, kill };
    if (child.pid !== undefined) this.#guard.stdin?.write(`${child.pid}\n`);
    this.#running.add(running);
    void ended.then(() => this.#running.delete(running));
    return running;
  }

  /** Those that run now. */
  pids(): readonly number[] {
    return [...this.#running].map(({ pid }) => pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.kill()));
    this.#guard.kill('SIGKILL');
  }
}

/** The end of a program's log. */
export function tailOf({ name, log }: Running): string {
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  return `${name}:\n${text.trimEnd().split('\n').slice(-12).join('\n')}`;
}
