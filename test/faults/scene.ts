/** Workloads, and reloaders that reach their API server through a proxy: what faults are tried on. */

import { pathToFileURL } from 'node:url';
import { digestOf } from '../../lib/model/digest.ts';
import type { RawConfigObject } from '../../lib/model/raw-objects.ts';
import type { RealCluster } from '../control-plane/cluster.ts';
import { type Sender, senderTo } from '../control-plane/sender.ts';
import { type ReloaderOptions, Stage } from '../e2e/stage.ts';
import { type WorkloadParts, web } from '../e2e/workloads.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { FaultProxy } from './fault-proxy.ts';
import { installRights } from './rights.ts';

/** What follows what. */
export const WEB: WorkloadParts = web('web');
const BOTH = web('both', { follows: { ConfigMap: ['web', 'other'] } });
const SET: WorkloadParts = {
  kind: 'StatefulSet',
  name: 'set',
  follows: { ConfigMap: ['other'] },
  replicas: 1,
};
/** What it follows changes by no churn. */
export const IDLE: WorkloadParts = web('idle', { replicas: 1 });

/** All of them. */
export const WORKLOADS: readonly WorkloadParts[] = [WEB, BOTH, SET, IDLE];

const CONFIG_MAPS = ['web', 'other', 'idle'];
const HURRY = pathToFileURL(`${import.meta.dirname}/hurry.ts`).href;

/** How a reloader is started here. */
export interface SceneReloaderOptions extends Pick<ReloaderOptions, 'flags' | 'periodMs' | 'env'> {
  /** Whether its long waits pass faster, see hurry.ts. @default false */
  readonly needsHurry?: boolean;
  /** @default the first */
  readonly proxy?: FaultProxy;
  /** @default that of the service account that `k8s/base` makes */
  readonly token?: string;
}

/** A namespace with the rights of `k8s/base`, the workloads above, and proxies. */
export class Scene implements AsyncDisposable {
  readonly stage: Stage;
  /** The first is there from the start. */
  readonly proxies: FaultProxy[] = [];
  /** How often each ConfigMap was given another content, or may have been. */
  readonly changes: Map<string, number> = new Map();
  /** When, in ms of the clock, all ConfigMaps together. */
  readonly changedAt: number[] = [];
  readonly #senders: Sender[] = [];
  readonly #firstDigests = new Map<string, string>();
  readonly #cluster: RealCluster;
  #granted: Promise<string> | undefined;
  #contents = 0;

  private constructor(cluster: RealCluster, stage: Stage) {
    this.#cluster = cluster;
    this.stage = stage;
  }

  /** Resolves when the pods of all workloads run. */
  static async open(cluster: RealCluster): Promise<Scene> {
    const scene = new Scene(cluster, await Stage.open(cluster));
    await scene.addProxy();
    if (cluster.access.hasAccounts) await installRights(cluster, scene.stage.namespace);
    await scene.stage.createMarker();
    for (const name of CONFIG_MAPS) {
      await scene.stage.put(name, 'first');
      scene.#firstDigests.set(name, await scene.#digest(name));
    }
    await Promise.all(WORKLOADS.map((each) => scene.stage.create(each)));
    return scene;
  }

  /** The first proxy. */
  get proxy(): FaultProxy {
    const [proxy] = this.proxies;
    if (proxy === undefined) throw new Error('there is no proxy yet');
    return proxy;
  }

  /** One more way to the API server. */
  async addProxy(): Promise<FaultProxy> {
    const { url, ca } = this.#cluster.access;
    const sender = senderTo(ca === '' ? { url } : { url, ca });
    this.#senders.push(sender);
    const proxy = await FaultProxy.start(sender.send, this.#cluster.servingCertificate());
    this.proxies.push(proxy);
    return proxy;
  }

  /** Gives a ConfigMap a content that it never had. */
  async change(name: string): Promise<void> {
    this.changes.set(name, (this.changes.get(name) ?? 0) + 1);
    this.#contents += 1;
    this.changedAt.push(Date.now());
    await this.stage.put(name, `content ${this.#contents}`);
  }

  /** Starts a reloader; it may not be ready yet. */
  async start({
    needsHurry = false,
    proxy = this.proxy,
    token,
    env = {},
    ...options
  }: SceneReloaderOptions = {}): Promise<ReloaderProcess> {
    const hurry: Record<string, string> = needsHurry ? { NODE_OPTIONS: `--import=${HURRY}` } : {};
    return await this.stage.startReloader({
      ...options,
      env: { ...env, ...hurry },
      as: { token: token ?? (await this.#token()), url: proxy.url },
    });
  }

  /** Starts a reloader; it is ready, and all that it follows is committed, when this resolves. */
  async reloader(options?: SceneReloaderOptions): Promise<ReloaderProcess> {
    const process = await this.start(options);
    await this.stage.ready(process);
    return process;
  }

  /** The workloads whose pods were last started for another content than the one in force. */
  async lost(): Promise<readonly string[]> {
    const are = await Promise.all(WORKLOADS.map((each) => this.#isCurrent(each)));
    return WORKLOADS.filter((_, index) => !are[index]).map(({ name }) => name);
  }

  /** Resolves when nothing is lost and `reloader` has nothing more to do; rejects when that takes too long. */
  async isRight(reloader: ReloaderProcess): Promise<void> {
    await this.stage.until('all pods run what is in force', async () => (await this.lost()).length === 0);
    await this.stage.mark(reloader);
  }

  /** Whether the content of a ConfigMap is not the one that is committed. */
  async isOpen(): Promise<boolean> {
    const state = await this.stage.state();
    const digests = await Promise.all(CONFIG_MAPS.map((name) => this.#digest(name)));
    return CONFIG_MAPS.some((name, i) => state[`v1.ConfigMap_${name}`]?.split('.', 1)[0] !== digests[i]);
  }

  /** How often what a workload follows was changed. */
  changesOf({ follows }: WorkloadParts): number {
    const names = follows.ConfigMap ?? [];
    return names.reduce((sum, name) => sum + (this.changes.get(name) ?? 0), 0);
  }

  /** The workloads that were rolled more often than changes and `mishaps`, each of which may repeat one, explain. */
  rolledTooOften(mishaps: number): readonly string[] {
    const tooOften = WORKLOADS.filter((each) => {
      const changes = this.changesOf(each);
      return this.rollouts(each) > changes + (changes === 0 ? 0 : mishaps);
    });
    return tooOften.map((each) => `${each.name}: ${this.rollouts(each)} for ${this.changesOf(each)} changes`);
  }

  /** How often the template of a workload was patched through the proxies. */
  rollouts({ name }: WorkloadParts): number {
    const writes = this.proxies.flatMap((proxy) => proxy.writes);
    return writes.filter((each) => each.tookEffect && isPatchOf(each, name)).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    for (const proxy of this.proxies) await proxy[Symbol.asyncDispose]();
    for (const sender of this.#senders) sender.close();
  }

  /** That of the service account, asked for once: also an API server that is away leaves reloaders to be started. */
  #token(): Promise<string> {
    const { access } = this.#cluster;
    this.#granted ??= access.hasAccounts
      ? this.#cluster.serviceAccountToken(this.stage.namespace, 'reloader')
      : Promise.resolve(access.adminToken);
    return this.#granted;
  }

  async #isCurrent(workload: WorkloadParts): Promise<boolean> {
    const names = workload.follows.ConfigMap ?? [];
    const digests = await Promise.all(names.map((name) => this.#digest(name)));
    const pods = await this.stage.podStamps(workload);
    return pods.every((stamps) =>
      names.every((name, index) => {
        const stamp = stamps[`_RELOADER_CONFIGMAP_${name.toUpperCase()}`];
        const runs = stamp?.split('.', 1)[0] ?? this.#firstDigests.get(name);
        return runs === digests[index];
      }),
    );
  }

  async #digest(name: string): Promise<string> {
    const object = await this.stage.expect('GET', `configmaps/${name}`);
    return digestOf('ConfigMap', object as unknown as RawConfigObject);
  }
}

function isPatchOf({ verb, resource, name }: FaultProxy['writes'][number], wanted: string): boolean {
  return verb === 'patch' && resource !== 'configmaps' && name === wanted;
}
