/** The bundle as a process beside a sandbox over HTTP, on 127.0.0.1 only: what the integration tests are written in. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiRequest, ApiResponse } from '../../lib/kubernetes/transport.ts';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { WORKLOAD_KINDS } from '../../lib/model/workload-kind.ts';
import type { AuditRecord } from '../sandbox/api-server.ts';
import { isCurrent } from '../sandbox/current-pods.ts';
import { stringOf } from '../sandbox/json.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { kubeconfig, type Served, serve } from '../sandbox/serve.ts';
import { BUNDLE, hasDoubt, ReloaderProcess, untilOrLogs } from './reloader-process.ts';

/** What a cluster is made of. */
export interface ClusterOptions extends Omit<SandboxOptions, 'audit'> {
  /** The bearer tokens accepted now; may change. @default every token, and none */
  readonly tokens?: ReadonlySet<string>;
}

/** How a reloader is started. */
export interface StartOptions {
  /** Beside `--kubeconfig`, `--port 0` and a JSON log of all levels. */
  readonly flags?: readonly string[];
  /** Beside PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** The window. @default 100 */
  readonly periodMs?: number;
  /** Options of Node. @default none */
  readonly node?: readonly string[];
}

/** A sandbox that is served, the reloaders that work on it, and a folder for their files. */
export class Cluster {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** All finished requests. */
  readonly audits: AuditRecord[] = [];
  /** `GET /api/v1/configmaps?…`, in the order of arrival, also of those that are not answered yet. */
  readonly arrived: string[] = [];
  /** Answers a request in place of the sandbox; undefined: the sandbox does. */
  intercept: (request: ApiRequest) => ApiResponse | undefined = () => undefined;
  readonly #options: ClusterOptions;
  readonly #processes: ReloaderProcess[] = [];
  #server: Served | undefined;
  #port = 0;

  private constructor(folder: string, options: ClusterOptions) {
    this.folder = folder;
    this.#options = options;
    this.sandbox = createSandbox({ ...options, audit: (record) => this.audits.push(record) });
  }

  /** A cluster that answers. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(path.join(tmpdir(), 'reloader-test-')), options);
    await cluster.appear();
    return cluster;
  }

  /** A cluster whose address is known and where nobody answers yet. */
  static async unreachable(): Promise<Cluster> {
    const cluster = await Cluster.start();
    await cluster.disappear();
    return cluster;
  }

  /** The server begins to answer, at the address that it has always had. */
  async appear(): Promise<void> {
    const { tokens } = this.#options;
    const handle: Sandbox['handle'] = (request) => {
      this.arrived.push(`${request.method} ${request.path}`);
      const answer = this.intercept(request);
      return answer === undefined ? this.sandbox.handle(request) : Promise.resolve(answer);
    };
    this.#server = await serve(handle, { port: this.#port, ...(tokens === undefined ? {} : { tokens }) });
    this.#port = this.#server.port;
    await this.writeKubeconfig();
  }

  /** The server breaks off all connections and refuses new ones. */
  async disappear(): Promise<void> {
    await this.#server?.close();
  }

  /** The path of a file in the folder. */
  file(name: string): string {
    return path.join(this.folder, name);
  }

  /** Writes the kubeconfig that reloaders are started with. */
  async writeKubeconfig(token?: string): Promise<void> {
    await writeFile(this.file('kubeconfig'), kubeconfig(`http://127.0.0.1:${this.#port}`, 'default', token));
  }

  /** Starts a reloader; it may not be ready yet. */
  spawn({ flags = [], env = {}, periodMs = 100, node = [] }: StartOptions = {}): ReloaderProcess {
    const own = ['--port', '0', '--log-format', 'json', '--log-level', 'debug'];
    const argv = [
      '--kubeconfig',
      this.file('kubeconfig'),
      ...own,
      '--coalesce-period',
      `${periodMs}ms`,
      ...flags,
    ];
    const reloader = new ReloaderProcess(argv, { HOME: this.folder, ...env }, undefined, [
      process.execPath,
      ...node,
      BUNDLE,
    ]);
    this.#processes.push(reloader);
    return reloader;
  }

  /** Starts a reloader; it is ready, and what it follows has a baseline. */
  async reloader(options: StartOptions = {}): Promise<ReloaderProcess> {
    const process = this.spawn(options);
    await this.until('the reloader is ready', () => process.isReady());
    await this.settled(process);
    return process;
  }

  /** Resolves when `reloader` owes nothing and all it knows is committed. */
  async settled(reloader: ReloaderProcess): Promise<void> {
    await this.until(
      'everything is rolled and committed',
      async () => (await reloader.isSettled()) && !hasDoubt(this.state()),
    );
  }

  /** Resolves when `condition` holds; rejects with `what` and the end of every log when it has not for too long. */
  async until(what: string, condition: () => boolean | Promise<boolean>, patienceMs?: number): Promise<void> {
    await untilOrLogs(this.#processes, what, condition, patienceMs);
  }

  /** Resolves when every pod of these workloads has read the current content now. */
  async podsAreCurrent(...refs: readonly WorkloadRef[]): Promise<void> {
    for (const ref of refs)
      await this.until(`the pods of ${ref.kind}/${ref.name} run the present content`, () =>
        this.isCurrent(ref),
      );
  }

  /** Whether every pod of a workload has read the current content now. */
  isCurrent(ref: WorkloadRef): boolean {
    return isCurrent(this.sandbox, ref);
  }

  /** The patches of a workload that took effect, heard or not. */
  rollouts({ kind, namespace, name }: WorkloadRef): number {
    return this.patches().filter(
      ({ resource, namespace: where, name: who, before, after }) =>
        resource === resourceOf(kind) && where === namespace && who === name && before !== after,
    ).length;
  }

  /** The requests to patch a workload, whatever became of them. */
  patches(): AuditRecord[] {
    return this.audits.filter(
      ({ verb, resource }) => verb === 'patch' && WORKLOAD_RESOURCES.includes(resource),
    );
  }

  /** The requests to write anything; to ask for rights is none. */
  writes(): AuditRecord[] {
    return this.audits.filter(
      ({ verb, resource }) => !['get', 'list', 'watch'].includes(verb) && !resource.endsWith('accessreviews'),
    );
  }

  /** The data of the state ConfigMap. */
  state(): Readonly<Record<string, string>> {
    const data = this.sandbox.get('configmaps', 'default', 'reloader-state')?.['data'];
    return (data ?? {}) as Record<string, string>;
  }

  /** The keys of its entries, sorted: marks of workloads go with a later write. */
  entries(): readonly string[] {
    return entriesIn(this.state());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
    this.sandbox.close();
    await this.disappear();
    if (existsSync(this.folder)) await rm(this.folder, { recursive: true });
  }
}

const WORKLOAD_RESOURCES: readonly string[] = WORKLOAD_KINDS.map(({ resource }) => resource);

/** The plural of a workload's kind. */
export function resourceOf(kind: string): string {
  return WORKLOAD_KINDS.find((row) => row.kind === kind)?.resource ?? '';
}

/** The stamps of a workload's first container, by variable. */
export function stampsOf(cluster: Cluster, { kind, namespace, name }: WorkloadRef): Record<string, string> {
  const live = cluster.sandbox.get(resourceOf(kind), namespace, name) as
    | { spec?: { template?: { spec?: { containers?: { env?: { name: string; value?: string }[] }[] } } } }
    | undefined;
  const env = live?.spec?.template?.spec?.containers?.[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name: variable, value }) => [variable, stringOf(value) ?? '']));
}

/** The keys of the entries in the data of a state, sorted. */
export function entriesIn(state: object): readonly string[] {
  return Object.keys(state)
    .filter((key) => key.includes('v1.'))
    .sort();
}
