/** Where the demo plays: a served sandbox with the examples in it, a reloader beside it, and a screen. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ConfigRef, describe, type WorkloadRef } from '../../lib/model/object-ref.ts';
import type { RawWorkload } from '../../lib/model/raw-objects.ts';
import { parseDurationMs } from '../../lib/model/time.ts';
import { isRolledOut, workloadKindOf } from '../../lib/model/workload-kind.ts';
import { ReloaderProcess, until } from '../integration/reloader-process.ts';
import { delay } from '../sandbox/abort.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import { isCurrent } from '../sandbox/current-pods.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { kubeconfig, type Served, serve } from '../sandbox/serve.ts';
import { createExamples, NAMESPACE, WORKLOADS, write } from './examples.ts';
import { Ledger } from './ledger.ts';
import { LogView } from './log-view.ts';
import type { Screen } from './screen.ts';

/** What a stage is built of. */
export interface StageOptions {
  readonly screen: Screen;
  /** The quiet period, as the reloader's flag takes it. */
  readonly coalescePeriod: string;
  /** Whoever waits gives up when it is aborted. */
  readonly signal: AbortSignal;
}

/** All workloads, in the order of the table. */
export const ALL: readonly WorkloadRef[] = Object.values(WORKLOADS);

const PATIENCE_MS = 60_000;
/** Long enough for a person to see that a pod starts. */
const POD_START_MS = 150;
/** How long after the end of a window something that was due has certainly come. */
const AFTERWARDS_MS = 500;

/** See the file's comment. */
export class Stage {
  readonly screen: Screen;
  readonly sandbox: Sandbox;
  readonly ledger: Ledger;
  readonly url: string;
  /** The path of a kubeconfig for the sandbox. */
  readonly kubeconfig: string;
  /** The flags of the reloader that a reader cares about. */
  readonly flags: readonly string[];
  /** How long after a change nothing more can come of it. */
  readonly windowMs: number;
  readonly #place: Place;
  readonly #signal: AbortSignal;
  readonly #reloaders: ReloaderProcess[] = [];

  private constructor({ screen, coalescePeriod, signal }: StageOptions, place: Place) {
    this.screen = screen;
    this.sandbox = place.sandbox;
    this.url = place.served.url;
    this.kubeconfig = place.kubeconfig;
    this.flags = ['--namespace', NAMESPACE, '--coalesce-period', coalescePeriod];
    this.windowMs = (parseDurationMs(coalescePeriod) ?? 0) + AFTERWARDS_MS;
    this.#signal = signal;
    this.#place = place;
    this.ledger = new Ledger(ALL, (ref) => this.sandbox.revisions(ref).at(-1)?.revision ?? 0);
  }

  /** An empty stage. */
  static async build(options: StageOptions): Promise<Stage> {
    return new Stage(options, await newPlace());
  }

  /** Puts the examples on it; all pods run, no reloader does yet. */
  async furnish(): Promise<void> {
    createExamples(this.sandbox);
    await until('all pods run', () => ALL.every((ref) => this.hasRolled(ref)));
    this.ledger.begin();
  }

  /** The reloader that was started last. */
  get reloader(): ReloaderProcess {
    const last = this.#reloaders.at(-1);
    if (last === undefined) throw new Error('no reloader was started yet');
    return last;
  }

  /** All writes that a reloader sent, whatever became of them. */
  get sent(): readonly AuditRecord[] {
    return this.#place.records.filter(({ userAgent }) => userAgent.startsWith('kubernetes-reloader'));
  }

  /** All that reloaders have logged. */
  get logs(): string {
    return this.#reloaders.map(({ log }) => log).join('');
  }

  /** Starts a reloader and waits until it has listed everything. */
  async start(): Promise<void> {
    const own = ['--kubeconfig', this.kubeconfig, '--port', '0', '--log-format', 'json'];
    const view = new LogView(this.screen);
    this.#reloaders.push(new ReloaderProcess([...own, ...this.flags], {}, (line) => view.show(line)));
    await this.until('the reloader has listed everything', () => this.reloader.isReady());
  }

  /** Gives keys of an object other values, and waits until the reloader says so. Answers what takes the change back. */
  async change(config: ConfigRef, data: Readonly<Record<string, string>>): Promise<() => void> {
    let takeBack: () => void = () => undefined;
    await this.hear(`${describe(config)} changed`, () => {
      takeBack = write(this.sandbox, config, data);
    });
    return takeBack;
  }

  /** Does something, and waits until a new line of the reloader's log begins so. */
  async hear(words: string, act: () => void): Promise<void> {
    const known = this.reloader.lines.length;
    act();
    await this.until(`the log says "${words}"`, () =>
      this.reloader.lines.slice(known).some(({ message }) => message.startsWith(words)),
    );
  }

  /** Waits until these workloads are rolled out, and all their pods run the present content. */
  async rolled(...refs: readonly WorkloadRef[]): Promise<void> {
    for (const ref of refs)
      await this.until(`the pods of ${describe(ref)} run the present content`, () => this.hasRolled(ref));
  }

  /** Whether a workload is rolled out, and all its pods run the present content. */
  hasRolled(ref: WorkloadRef): boolean {
    const kind = workloadKindOf(ref.kind);
    // What is stored is JSON of that shape: the server admitted it.
    const live = this.sandbox.get(kind.resource, ref.namespace, ref.name) as RawWorkload | undefined;
    return live !== undefined && isRolledOut(kind, live) && isCurrent(this.sandbox, ref);
  }

  /** Waits until nothing is owed and everything is committed. */
  async settled(): Promise<void> {
    await this.until('everything is rolled and committed', () => this.reloader.isSettled());
  }

  /** Lets time pass. */
  async pass(ms: number, why: string): Promise<void> {
    await this.screen.during(why, delay(ms, this.#signal));
  }

  /** Waits for a condition, visibly; rejects when it does not come true, the demo is ended or the reloader ends. */
  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const checked = (): boolean | Promise<boolean> => {
      this.#signal.throwIfAborted();
      const { exit } = this.reloader;
      if (exit !== undefined) throw new Error(endOf(this.reloader));
      return condition();
    };
    await this.screen.during(what, until(what, checked, PATIENCE_MS));
  }

  /** Ends everything and leaves nothing behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#reloaders.map(async (each) => each.exit ?? (await each.stop())));
    this.sandbox.close();
    await this.#place.served.close();
    await rm(path.dirname(this.kubeconfig), { recursive: true });
  }
}

/** How a reloader that should run came to its end, with what Node said of it. */
export function endOf({ exit, stderr }: ReloaderProcess): string {
  const cries = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return [`the reloader ended by itself, with code ${exit?.code}`, ...cries].join('\n');
}

interface Place {
  readonly sandbox: Sandbox;
  /** All finished writes. */
  readonly records: readonly AuditRecord[];
  readonly served: Served;
  /** The path of a kubeconfig in a folder of its own. */
  readonly kubeconfig: string;
}

async function newPlace(): Promise<Place> {
  const records: AuditRecord[] = [];
  const audit = (record: AuditRecord): void => {
    if (record.body !== undefined) records.push(record);
  };
  const sandbox = createSandbox({ podStartMs: POD_START_MS, audit });
  const served = await serve(sandbox.handle);
  const file = path.join(await mkdtemp(path.join(tmpdir(), 'reloader-demo-')), 'kubeconfig');
  await writeFile(file, kubeconfig(served.url, NAMESPACE));
  return { sandbox, records, served, kubeconfig: file };
}
