/** The bundle as a process beside a real API server: what the end-to-end tests are written in. */

import { randomBytes } from 'node:crypto';
import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { workloadKindOf } from '../../lib/model/workload-kind.ts';
import type { KubeconfigOptions, RealCluster } from '../control-plane/cluster.ts';
import { installRights } from '../faults/rights.ts';
import { BUNDLE, digestIn, hasDoubt, ReloaderProcess, untilOrLogs } from '../integration/reloader-process.ts';
import { type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { type RunOptions, runProgram, type Said } from './programs.ts';
import {
  CONFIG_KINDS,
  isRolledOut,
  manifestOf,
  stampsOf,
  type WorkloadName,
  type WorkloadParts,
  web,
} from './workloads.ts';

/** How a reloader is started. */
export interface ReloaderOptions {
  /** Beside `--namespace`, `--port 0` and a JSON log of all levels. */
  readonly flags?: readonly string[];
  /** The window. @default 100 */
  readonly periodMs?: number;
  /** Whose rights it has. @default the administrator's */
  readonly as?: KubeconfigOptions;
  /** Beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What comes to have nothing to do. */
export type Settling = Pick<ReloaderProcess, 'isSettled'>;

/** Where resources are that are not of the core. */
const ROOTS: Readonly<Record<string, RegExp>> = {
  'apis/apps': /^(deployments|statefulsets|daemonsets|replicasets|controllerrevisions)\b/,
  'apis/batch': /^(cronjobs|jobs)\b/,
};

const MARKER = web('marker', { replicas: 0 });

/** A namespace in a real cluster, and the reloaders that watch it. */
export class Stage implements AsyncDisposable {
  readonly cluster: RealCluster;
  readonly namespace: string;
  /** All that were ever started. */
  readonly processes: ReloaderProcess[] = [];
  #kubeconfig: Promise<string> | undefined;

  private constructor(cluster: RealCluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** A namespace in which pods may be made, new if there is none of that name. @default a name of its own */
  static async open(cluster: RealCluster, name = `test-${randomBytes(4).toString('hex')}`): Promise<Stage> {
    const stage = new Stage(cluster, name);
    const there = await cluster.ask('GET', `/api/v1/namespaces/${name}`);
    if (there.status === 404) await cluster.expect('POST', '/api/v1/namespaces', { metadata: { name } });
    await stage.until('pods may be made', async () => {
      if (!cluster.access.hasAccounts) return true;
      const account = await cluster.ask('GET', stage.path('serviceaccounts/default'));
      return account.status === 200;
    });
    return stage;
  }

  /** The path of a resource in the namespace: `configmaps/web`, `deployments?limit=1`. */
  path(below: string): string {
    const [root] = Object.entries(ROOTS).find(([, resources]) => resources.test(below)) ?? ['api'];
    return `/${root}/v1/namespaces/${this.namespace}/${below}`;
  }

  /** Sends as the administrator; rejects unless the status is 2xx. A PATCH is a merge patch. */
  expect(method: ApiRequest['method'], below: string, body?: JsonObject): Promise<JsonObject> {
    return this.cluster.expect(method, this.path(below), body);
  }

  /** The objects of a list. */
  async list(below: string): Promise<readonly JsonObject[]> {
    return objectsOf((await this.expect('GET', below))['items']);
  }

  /** Runs kubectl in the namespace, as the administrator. */
  kubectl(args: readonly string[], options: RunOptions = {}): Promise<Said> {
    return this.run(this.cluster.access.kubectl, args, options);
  }

  /** Runs a program that takes a kubeconfig as kubectl does. */
  async run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Said> {
    const env = { HOME: this.cluster.access.folder };
    return await runProgram(program, ['--kubeconfig', await this.kubeconfig(), ...args], { env, ...options });
  }

  /** Runs a command of the bundle in the namespace, as the administrator. */
  async command(line: string, kubeconfig?: string): Promise<Said> {
    const [name = '', ...words] = line.split(' ');
    const person = ['--kubeconfig', kubeconfig ?? (await this.kubeconfig())];
    return await runProgram(process.execPath, [BUNDLE, name, ...person, ...words]);
  }

  /** The path of a kubeconfig of the administrator, for the namespace. */
  kubeconfig(): Promise<string> {
    this.#kubeconfig ??= this.cluster.kubeconfig({ namespace: this.namespace });
    return this.#kubeconfig;
  }

  /** Gives a ConfigMap or Secret a content of one key, whether it is there or not. */
  async put(name: string, key: string, kind: ConfigKind = 'ConfigMap'): Promise<void> {
    const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
    const body = { metadata: { name }, [kind === 'Secret' ? 'stringData' : 'data']: { key } };
    const there = await this.cluster.ask('GET', this.path(`${resource}/${name}`));
    if (there.status === 404) await this.expect('POST', resource, body);
    else await this.expect('PUT', `${resource}/${name}`, body);
  }

  /** Creates a workload; resolves when its pods run. */
  async create(parts: WorkloadParts): Promise<void> {
    await this.expect('POST', resourceOf(parts), manifestOf(parts));
    await this.rolledOut(parts);
  }

  /** Creates what a workload follows, the workload, and what `mark` needs. */
  async createPair(workload: WorkloadParts = web()): Promise<WorkloadParts> {
    await this.createMarker();
    await this.putAll(workload, 'A');
    await this.create(workload);
    return workload;
  }

  /** Gives everything that a workload follows a content. */
  async putAll({ follows }: WorkloadParts, key: string): Promise<void> {
    for (const kind of CONFIG_KINDS) for (const name of follows[kind] ?? []) await this.put(name, key, kind);
  }

  /** Changes all that a workload follows; resolves when it has a new stamp, its pods included. */
  async changeAndRoll(workload: WorkloadParts, key: string): Promise<void> {
    const before = await this.stamps(workload);
    await this.putAll(workload, key);
    await this.stampedAfter(workload, before);
    await this.rolledOut(workload);
  }

  /** A workload as it is now. */
  live(workload: WorkloadName): Promise<JsonObject> {
    return this.expect('GET', `${resourceOf(workload)}/${workload.name}`);
  }

  /** A merge patch of a workload. */
  patch(workload: WorkloadName, body: JsonObject, subresource = ''): Promise<JsonObject> {
    return this.expect('PATCH', `${resourceOf(workload)}/${workload.name}${subresource}`, body);
  }

  /** Resolves when all pods of a workload are of its present template. */
  async rolledOut(workload: WorkloadName): Promise<void> {
    const { kind, name } = workload;
    await this.until(`${kind}/${name} is rolled out`, async () => isRolledOut(await this.live(workload)));
  }

  /** How many templates a workload has had, by the count of its controller, which has seen the present one. */
  async revision(workload: WorkloadName): Promise<number> {
    const { kind, name } = workload;
    await this.until(`the controller has seen ${kind}/${name}`, async () => {
      const live = await this.live(workload);
      return pick(live, 'status', 'observedGeneration') === pick(live, 'metadata', 'generation');
    });
    if (kind === 'Deployment') {
      const revision = pick(await this.live(workload), 'metadata', 'annotations', REVISION);
      return Number(revision);
    }
    const revisions = await this.list(`controllerrevisions?labelSelector=app%3D${name}`);
    return Math.max(...revisions.map((each) => Number(each['revision'])));
  }

  /** The revisions of several workloads. */
  async revisions(workloads: readonly WorkloadName[]): Promise<readonly number[]> {
    return await Promise.all(workloads.map((each) => this.revision(each)));
  }

  /** The stamps of a workload's template, by variable. */
  async stamps(workload: WorkloadName): Promise<Record<string, string>> {
    return stampsOf(pick(await this.live(workload), 'spec', 'template'));
  }

  /** The stamps of each pod of a workload. */
  async podStamps({ name }: WorkloadName): Promise<readonly Record<string, string>[]> {
    const pods = await this.list(`pods?labelSelector=app%3D${name}`);
    return pods.filter((pod) => pick(pod, 'metadata', 'deletionTimestamp') === undefined).map(stampsOf);
  }

  /** Resolves when a workload carries a stamp other than `before`; answers the stamps. */
  async stampedAfter(
    workload: WorkloadName,
    before: Readonly<Record<string, string>>,
  ): Promise<Record<string, string>> {
    let stamps = {};
    await this.until(`${workload.kind}/${workload.name} has a new stamp`, async () => {
      stamps = await this.stamps(workload);
      return JSON.stringify(stamps) !== JSON.stringify(before);
    });
    return stamps;
  }

  /** What `mark` needs. */
  async createMarker(): Promise<void> {
    await this.put(MARKER.name, randomBytes(8).toString('hex'));
    await this.create(MARKER);
  }

  /**
   * Changes what a Deployment of its own follows, and resolves when that is stamped and nothing is owed: what was due
   * earlier by a reloader that runs now has happened by then.
   */
  async mark(reloader: Settling): Promise<void> {
    await this.markBeside();
    await this.settled(reloader);
  }

  /** The same where something else stays owed, such as what is held. */
  async markBeside(): Promise<void> {
    const digest = async (): Promise<string> => digestIn(Object.values(await this.stamps(MARKER))[0]);
    const before = await digest();
    await this.put(MARKER.name, randomBytes(8).toString('hex'));
    // After a kill its last rollout may be repeated: another stamp with the same digest.
    await this.until('the marker has a stamp of its change', async () => (await digest()) !== before);
  }

  /** The data of the state ConfigMap. */
  async state(): Promise<Readonly<Record<string, string>>> {
    const { data } = await this.expect('GET', 'configmaps/reloader-state');
    return Object.fromEntries(
      Object.entries(objectOf(data)).map(([key, value]) => [key, stringOf(value) ?? '']),
    );
  }

  /** The digest of the entry of a ConfigMap. */
  async entryOf(name: string): Promise<string> {
    return digestIn((await this.state())[`v1.ConfigMap_${name}`]);
  }

  /** The names of those in the namespace that the state marks: they are rolled after a kill, also if they have been already. */
  async marked(workloads: readonly WorkloadName[]): Promise<ReadonlySet<string>> {
    const own = Object.entries(await this.state()).filter(([key]) => /^v1\./.test(key));
    const marks = new Set(own.flatMap(([, entry]) => entry.split('?').slice(1)));
    const marked = workloads.filter(({ kind, name }) => marks.has(`${kind}/${name}`));
    return new Set(marked.map(({ name }) => name));
  }

  /** The entries of the state: marks of workloads go with a later write. */
  async entries(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries(Object.entries(await this.state()).filter(([key]) => key.includes('v1.')));
  }

  /** Starts a reloader for the namespace; it is ready, and all that it follows is committed, when this resolves. */
  async reloader(options: ReloaderOptions = {}): Promise<ReloaderProcess> {
    const process = await this.startReloader(options);
    await this.ready(process);
    return process;
  }

  /**
   * Starts a reloader with the rights of `k8s/base` in the namespace, and of these components, and no others: it is ready,
   * and all that it follows is committed, when this resolves. `as`: its way to the API server.
   */
  async reloaderWithRights(
    { as = {}, ...options }: ReloaderOptions = {},
    components: readonly string[] = [],
  ): Promise<ReloaderProcess> {
    return await this.reloader({ ...options, as: { ...(await this.rights(components)), ...as } });
  }

  /** As whom a reloader has these rights; the administrator where there are no accounts. */
  async rights(components: readonly string[] = []): Promise<KubeconfigOptions> {
    const { cluster, namespace } = this;
    if (!cluster.access.hasAccounts) return {};
    await installRights(cluster, namespace, components);
    return { token: await cluster.serviceAccountToken(namespace, 'reloader') };
  }

  /** Starts a reloader for the namespace; it may not be ready yet. */
  async startReloader({
    flags = [],
    periodMs = 100,
    as = {},
    env = {},
  }: ReloaderOptions = {}): Promise<ReloaderProcess> {
    const kubeconfig = await this.cluster.kubeconfig({ namespace: this.namespace, ...as });
    const settings = ['--kubeconfig', kubeconfig, '--namespace', this.namespace];
    return this.start([...settings, '--coalesce-period', `${periodMs}ms`, ...flags], env);
  }

  /** Starts a reloader with these arguments, a port of its own and a JSON log of all levels; `command`: another than the bundle. */
  start(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
    command?: readonly [string, ...string[]],
  ): ReloaderProcess {
    const own = ['--port', '0', '--log-format', 'json', '--log-level', 'debug'];
    const process = new ReloaderProcess([...argv, ...own], env, undefined, command);
    this.processes.push(process);
    return process;
  }

  /** Resolves when `reloader` decides, and all that it follows is committed. */
  async ready(reloader: ReloaderProcess): Promise<void> {
    await this.until('the reloader is ready', () => reloader.isReady());
    await this.settled(reloader);
  }

  /** Resolves when `reloader` owes nothing and all it knows is committed. */
  async settled(reloader: Settling): Promise<void> {
    await this.until(
      'everything is rolled and committed',
      async () => (await reloader.isSettled()) && !(await this.#hasDoubt()),
    );
  }

  /** Of the state in the namespace; there is none where the reloader has another home or writes nothing. */
  async #hasDoubt(): Promise<boolean> {
    const states = await this.list('configmaps?fieldSelector=metadata.name%3Dreloader-state');
    return states.some(({ data }) => hasDoubt(objectOf(data)));
  }

  /** Resolves when `condition` holds; rejects with `what` and the end of every log when it has not for too long. */
  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    await untilOrLogs(this.processes, what, condition);
  }

  /** What is created from now on is younger for certain than what was written until now, by times that are to the second. */
  async beYounger(): Promise<void> {
    const second = Math.floor(Date.now() / 1000) + 2;
    await this.until('two seconds are over', () => Date.now() / 1000 > second);
  }

  /** Ends the reloaders and deletes the namespace, without waiting for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.processes.map((process) => process.kill()));
    await this.cluster.ask('DELETE', `/api/v1/namespaces/${this.namespace}`);
  }
}

/** Where a Deployment's controller counts. */
const REVISION = 'deployment.kubernetes.io/revision';

/** The plural of a workload's kind. */
function resourceOf({ kind }: WorkloadName): string {
  return workloadKindOf(kind).resource;
}
