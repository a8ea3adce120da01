/** A Prometheus that scrapes reloaders once a second and evaluates rules as often; it forgets everything at its end. */

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { prometheusOf } from '../control-plane/assets.ts';
import { freePort } from '../control-plane/free-port.ts';
import { Processes, type Running, tailOf } from '../control-plane/processes.ts';
import { until } from '../integration/reloader-process.ts';

/** What is scraped, with the labels that a PodMonitor would give it. */
export interface Target {
  readonly port: number;
  readonly labels: Readonly<Record<'namespace' | 'job' | 'pod', string>>;
}

/** One series: its labels, and its values as [seconds since 1970, text]. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

/** One alert that fires. */
export interface Firing {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** From when to when, in seconds since 1970, and how far apart. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

/** See the file's comment. */
export class Prometheus implements AsyncDisposable {
  readonly #url: string;
  readonly #folder: string;
  readonly #processes: Processes;

  private constructor(url: string, folder: string) {
    this.#url = url;
    this.#folder = folder;
    this.#processes = new Processes(folder);
  }

  /** Starts one with these rules; it answers when this resolves. `access`: further fields of how targets are scraped. */
  static async start(targets: readonly Target[], rules: string, access: object = {}): Promise<Prometheus> {
    const port = await freePort();
    const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'));
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, folder);
    writeFileSync(path.join(folder, 'rules.yaml'), rules);
    writeFileSync(path.join(folder, 'prometheus.yaml'), JSON.stringify(configurationFor(targets, access)));
    try {
      await prometheus.#run(port);
    } catch (error) {
      await prometheus[Symbol.asyncDispose]();
      throw error;
    }
    return prometheus;
  }

  /** The series that an expression answers now. */
  async query(expr: string): Promise<readonly Series[]> {
    const found = await this.#ask<{ result: readonly (Series & { value: Series['values'][0] })[] }>('query', {
      query: expr,
    });
    return found.result.map(({ metric, value }) => ({ metric, values: [value] }));
  }

  /** The series that it answers in a span. */
  async range(expr: string, span: Span): Promise<readonly Series[]> {
    const times = Object.fromEntries(Object.entries(span).map(([name, value]) => [name, String(value)]));
    const found = await this.#ask<{ result: readonly Series[] }>('query_range', { query: expr, ...times });
    return found.result;
  }

  /** The alerts that fire now. */
  async firing(): Promise<readonly Firing[]> {
    const { alerts } = await this.#ask<{ alerts: readonly (Firing & { state: string })[] }>('alerts');
    return alerts.filter(({ state }) => state === 'firing');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(port: number): Promise<void> {
    const program = prometheusOf('prometheus');
    if (program === undefined) throw new Error('Prometheus is not built: npm run control-plane');
    const running = this.#processes.start('prometheus', program, [
      '--config.file=prometheus.yaml',
      '--storage.tsdb.path=data',
      '--storage.tsdb.retention.time=1h',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ]);
    await until('Prometheus is ready', () => this.#isReady(running));
  }

  async #isReady(running: Running): Promise<boolean> {
    if (running.hasEnded()) throw new Error(`Prometheus has ended\n${tailOf(running)}`);
    try {
      return (await fetch(`${this.#url}/-/ready`)).ok;
    } catch {
      return false; // it does not listen yet
    }
  }

  async #ask<T>(what: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${what}?${new URLSearchParams(query)}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`Prometheus: ${query['query'] ?? what}: ${text}`);
    return (JSON.parse(text) as { readonly data: T }).data;
  }
}

function configurationFor(targets: readonly Target[], access: object): object {
  const jobs = Object.entries(Object.groupBy(targets, ({ labels }) => labels.job));
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: jobs.map(([job, members = []]) => ({
      ...access,
      job_name: job,
      static_configs: members.map(({ port, labels }) => ({ targets: [`127.0.0.1:${port}`], labels })),
    })),
  };
}
