/** The bundle as a process: its log, its pages, its end. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { StatusReport } from '../../lib/model/status-report.ts';

/** What `npm run build` makes. */
export const BUNDLE: string = path.resolve(import.meta.dirname, '../../dist/reloader.mjs');

/** Only a failing test waits so long: a busy machine gets the time. */
const PATIENCE_MS = 120_000;
const POLL_MS = 15;
/** How often one asks who waits for long: fifty of them are a load. */
const LATER_POLL_MS = 100;
const LATER_MS = 2000;
/** A process that got no turn for longer has not waited: nor did the sandbox in it, which somebody waits for. */
const LONGEST_POLL_MS = 1000;

/** Resolves when `condition` holds; rejects with `what` when it has not for too long. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  patienceMs: number = PATIENCE_MS,
): Promise<void> {
  let waitedMs = 0;
  for (let before = Date.now(); !(await condition()); ) {
    if (waitedMs > patienceMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitedMs > LATER_MS ? LATER_POLL_MS : POLL_MS));
    const now = Date.now();
    waitedMs += Math.min(now - before, LONGEST_POLL_MS);
    before = now;
  }
}

/** As `until`; the error also has the end of every log. */
export async function untilOrLogs(
  processes: readonly ReloaderProcess[],
  what: string,
  condition: () => boolean | Promise<boolean>,
  patienceMs?: number,
): Promise<void> {
  try {
    await until(what, condition, patienceMs);
  } catch (error) {
    const logs = processes.map((process) => process.log.split('\n').slice(-25).join('\n'));
    throw new Error(`${String(error)}\n${logs.join('\n--\n')}`, { cause: error });
  }
}

/** One line of the JSON log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A page as it was answered. */
export interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** A reloader that was started. */
export class ReloaderProcess {
  /** Resolves when it has ended and all its output is here. */
  readonly ended: Promise<Exit>;
  stdout = '';
  stderr = '';
  /** Both, as they arrived. */
  log = '';
  /** The lines of its log that are complete. */
  readonly lines: LogLine[] = [];
  /** Undefined while it runs. */
  exit: Exit | undefined;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #port: number | undefined;

  /**
   * @param onLine is told of each line of the log when it is complete.
   * @param command comes before the arguments. @default the bundle
   */
  constructor(
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    onLine?: (line: LogLine) => void,
    [program, ...words]: readonly [string, ...string[]] = [process.execPath, BUNDLE],
  ) {
    this.#child = spawn(program, [...words, ...argv], {
      // It acts alone, unless its flags say otherwise: nothing waits for a Lease that a kill left behind.
      env: { PATH: process.env['PATH'], RELOADER_OPT_LEADER_ELECT: 'false', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    RUNNING.add(this.#child);
    for (const stream of ['stdout', 'stderr'] as const) {
      let rest = '';
      this.#child[stream].setEncoding('utf8').on('data', (text: string) => {
        this[stream] += text;
        this.log += text;
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        const known = this.lines.length;
        for (const line of lines) if (line.startsWith('{')) this.lines.push(JSON.parse(line) as LogLine);
        if (onLine !== undefined) this.lines.slice(known).forEach(onLine);
      });
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        RUNNING.delete(this.#child);
        this.exit = { code, signal };
        resolve(this.exit);
      });
    });
  }

  /** The process id; 0 if it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Whether a line of the log, fields included, says so. */
  says(words: RegExp): boolean {
    return this.lines.some((line) => words.test(JSON.stringify(line)));
  }

  /** Resolves when a line of the log says so. */
  async hasSaid(words: RegExp): Promise<void> {
    await until(`the log says ${words}\n${this.log.slice(-4000)}`, () => this.says(words));
  }

  /** The port of its pages; undefined before it listens. */
  get port(): number | undefined {
    if (this.#port !== undefined) return this.#port;
    const port = this.lines.find((line) => line['port'] !== undefined)?.['port'];
    this.#port = typeof port === 'number' ? port : undefined;
    return this.#port;
  }

  /** Fetches a page, once it listens. */
  async page(pathname: string, method = 'GET'): Promise<Page> {
    const response = await this.#fetch(pathname, method);
    const type = response.headers.get('content-type') ?? '';
    return { status: response.status, type, text: await response.text() };
  }

  /** The text of a page that tells of a moment after this call: what is shown may have been made up to a second before. */
  async freshText(pathname: string): Promise<string> {
    const askedAt = Date.now();
    for (;;) {
      const response = await this.#fetch(pathname, 'GET');
      const text = await response.text();
      const asOf = Date.parse(response.headers.get('snapshot-time') ?? '');
      if (!(asOf <= askedAt)) return text;
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, asOf + 1000 - Date.now())));
    }
  }

  /** What /status.json tells. */
  async status(): Promise<StatusReport> {
    return JSON.parse(await this.freshText('/status.json')) as StatusReport;
  }

  /** Whether it decides. */
  async isReady(): Promise<boolean> {
    if (this.exit !== undefined) throw new Error('the reloader has ended');
    return this.port !== undefined && (await this.page('/readyz')).status === 200;
  }

  /** Whether it owes nothing and the state has all digests that it knows; the mark of the last rollout may still be there. */
  async isSettled(): Promise<boolean> {
    const { workloads } = await this.status();
    return workloads.every(
      ({ isOutdated, follows }) =>
        !isOutdated &&
        follows.every(({ observed, committed }) => observed === undefined || observed === committed),
    );
  }

  /** The value of one series of /metrics, e.g. `reloader_edges`; undefined if there is none. */
  async metric(series: string): Promise<number | undefined> {
    const text = await this.freshText('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }

  async #fetch(pathname: string, method: string): Promise<Response> {
    await until('its port is known', () => this.port !== undefined);
    const address = `http://127.0.0.1:${this.port}${pathname}`;
    return await fetch(address, { method, headers: { connection: 'close' } });
  }

  /** Asks it to end, and waits. */
  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }

  /** Asks it to end. */
  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Stops it where it is, as when its machine sleeps; `resume` lets it go on. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  /** Lets it go on. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends it without a word, and waits. */
  async kill(): Promise<void> {
    if (this.exit === undefined) this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** The digest of a stamp, or of an entry of the state. */
export function digestIn(text: unknown): string {
  return String(text ?? '').replace(/\.\d+([!?].*)?$/, '');
}

/** Whether a mark in the data of a state is of a rollout that is not committed yet: a start would repeat it. */
export function hasDoubt(state: Readonly<Record<string, unknown>>): boolean {
  return Object.values(state).some((value) => /\?[^?=]+(\?|$)/.test(String(value)));
}

/** No test leaves a process behind, however it ends. */
const RUNNING = new Set<ChildProcessByStdio<null, Readable, Readable>>();
process.once('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});
