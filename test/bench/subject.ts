/** The reloader under measurement: the bundle as a process. */

import { dockerfile, stagesIn } from '../install/dockerfile.ts';
import { ReloaderProcess, until } from '../integration/reloader-process.ts';
import { heapAfterCollection } from './heap.ts';
import { cpuSeconds, peakBytes, residentBytes } from './process-facts.ts';
import type { Bench } from './scenario.ts';

/** What the process had resident, so long after its start. */
export interface MemorySample {
  readonly seconds: number;
  readonly bytes: number;
}

const READY_MS = 300_000;
const SAMPLE_MS = 50;
/** As Node says once the inspector is open, which a SIGUSR1 opens at any port. */
const INSPECTOR = /Debugger listening on (ws:\S+)\n/;

/** A reloader of one namespace. */
export class Subject implements AsyncDisposable {
  /** From its start until /readyz said so. */
  readonly readySeconds: number;
  /** Until it was ready. */
  readonly memory: readonly MemorySample[];
  readonly #process: ReloaderProcess;

  private constructor(process: ReloaderProcess, readySeconds: number, memory: readonly MemorySample[]) {
    this.#process = process;
    this.readySeconds = readySeconds;
    this.memory = memory;
  }

  /** Resolves when it is ready. */
  static async start(
    { target, nodeOptions }: Pick<Bench, 'target' | 'nodeOptions'>,
    namespace: string,
    flags: readonly string[] = [],
  ): Promise<Subject> {
    const kubeconfig = await target.kubeconfig(namespace);
    const startedAt = performance.now();
    const elapsed = (): number => (performance.now() - startedAt) / 1000;
    const own = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--port', '0', '--log-format', 'json'];
    const env = { ...environmentOfTheImage(), NODE_OPTIONS: `--inspect-port=0 ${nodeOptions}` };
    const process = new ReloaderProcess([...own, ...flags], env);
    const memory: MemorySample[] = [];
    const sampler = setInterval(
      () => memory.push({ seconds: elapsed(), bytes: residentBytes(process.pid) }),
      SAMPLE_MS,
    );
    try {
      await until('the reloader is ready', () => process.isReady(), READY_MS);
      return new Subject(process, elapsed(), memory);
    } catch (error) {
      await process.kill();
      throw new Error(`${String(error)}\n${process.log.slice(-4000)}`, { cause: error });
    } finally {
      clearInterval(sampler);
    }
  }

  /** The most memory that it ever had resident, in bytes. */
  peakBytes(): number {
    return peakBytes(this.#process.pid);
  }

  /** The bytes that its objects take after a collection. */
  async heapBytes(): Promise<number> {
    process.kill(this.#process.pid, 'SIGUSR1');
    await until('the inspector listens', () => INSPECTOR.test(this.#process.stderr));
    return await heapAfterCollection(INSPECTOR.exec(this.#process.stderr)?.[1] ?? '');
  }

  /** The time that it has computed so far. */
  cpuSeconds(): number {
    return cpuSeconds(this.#process.pid);
  }

  /** The requests that it has sent so far, by its own count; of `verbs`, where they are given. */
  async requests(verbs?: readonly string[]): Promise<number> {
    const text = await this.#process.freshText('/metrics');
    let sum = 0;
    for (const [, verb = '', value] of text.matchAll(
      /^reloader_api_requests_total\{verb="(\w+)".*\} (\d+)$/gm,
    ))
      if (verbs?.includes(verb) ?? true) sum += Number(value);
    return sum;
  }

  /** The text of /metrics. */
  async metrics(): Promise<string> {
    return await this.#process.freshText('/metrics');
  }

  /** Resolves when it owes nothing and all is committed. */
  async settled(): Promise<void> {
    await until(
      'everything is rolled and committed',
      async () => {
        const { workloads } = await this.#process.status();
        return workloads.every(
          ({ isOutdated, follows }) =>
            !isOutdated && follows.every(({ observed, committed }) => observed === committed),
        );
      },
      READY_MS,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop();
  }
}

/** The variables that the Dockerfile sets. */
function environmentOfTheImage(): Record<string, string> {
  const steps = stagesIn(dockerfile()).at(-1)?.steps ?? [];
  return Object.fromEntries(steps.filter(({ word }) => word === 'ENV').map(({ text }) => text.split('=')));
}
