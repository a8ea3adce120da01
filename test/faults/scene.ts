/** Workloads, and reloaders that reach their API server through a proxy: what faults are tried on. */

import { pathToFileURL } from 'node:url';
import type { RealCluster } from '../control-plane/cluster.ts';
import { type Sender, senderTo } from '../control-plane/sender.ts';
import { type ReloaderOptions, type Settling, Stage } from '../e2e/stage.ts';
import { type WorkloadParts, web } from '../e2e/workloads.ts';
import { hasDoubt, type ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, pick, stringOf } from '../sandbox/json.ts';
import { Contents } from './contents.ts';
import { FaultProxy } from './fault-proxy.ts';
import { installRights } from './rights.ts';
import { Witness } from './witness.ts';

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

/** The ConfigMaps that change. */
export const CHANGING: readonly string[] = ['web', 'other'];
const CONFIG_MAPS = [...CHANGING, 'idle'];
const HURRY = pathToFileURL(`${import.meta.dirname}/hurry.ts`).href;

/** The environment of a reloader whose long waits pass faster, see hurry.ts. */
export const IN_HURRY: Readonly<Record<string, string>> = { NODE_OPTIONS: `--import=${HURRY}` };

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
  /** When a ConfigMap was given another content, or may have been, in ms of the clock, all together. */
  readonly changedAt: number[] = [];
  /** Hears of all that passes the proxies. */
  readonly witness: Witness;
  readonly #contents: Contents;
  readonly #cluster: RealCluster;
  readonly #sender: Sender;
  #granted: Promise<string> | undefined;

  private constructor(cluster: RealCluster, stage: Stage) {
    const { url, ca } = cluster.access;
    this.#cluster = cluster;
    this.#sender = senderTo(ca === '' ? { url } : { url, ca });
    this.stage = stage;
    this.#contents = new Contents(stage.namespace);
    this.witness = new Witness(this.#contents);
  }

  /** Resolves when the pods of all workloads run. */
  static async open(cluster: RealCluster): Promise<Scene> {
    const scene = new Scene(cluster, await Stage.open(cluster));
    await scene.addProxy();
    if (cluster.access.hasAccounts) await installRights(cluster, scene.stage.namespace);
    await scene.stage.createMarker();
    for (const name of CONFIG_MAPS) await scene.#put(name, 'first');
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
    const certificate = this.#cluster.servingCertificate();
    const proxy = await FaultProxy.start(this.#sender.send, certificate, this.witness.see);
    this.proxies.push(proxy);
    return proxy;
  }

  /** Gives a ConfigMap a content that it never had. */
  async change(name: string): Promise<void> {
    this.changedAt.push(Date.now());
    await this.#put(name, `content ${this.changedAt.length}`);
  }

  /** Starts a reloader; it may not be ready yet. */
  async start({
    needsHurry = false,
    proxy = this.proxy,
    token,
    env = {},
    ...options
  }: SceneReloaderOptions = {}): Promise<ReloaderProcess> {
    return await this.stage.startReloader({
      ...options,
      env: { ...env, ...(needsHurry ? IN_HURRY : {}) },
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
    await this.#readKeys();
    const are = await Promise.all(WORKLOADS.map((each) => this.#isCurrent(each)));
    return WORKLOADS.filter((_, index) => !are[index]).map(({ name }) => name);
  }

  /** Resolves when nothing is lost and `reloader` has nothing more to do; rejects when that takes too long. */
  async isRight(reloader: Settling): Promise<void> {
    await this.stage.until('all pods run the current content', async () => (await this.lost()).length === 0);
    await this.stage.mark(reloader);
  }

  /** Whether the content of a ConfigMap is not the one that is committed, or a rollout is not. */
  async isOpen(): Promise<boolean> {
    if (hasDoubt(await this.stage.state())) return true;
    const committed = await this.#committed();
    const inForce = await Promise.all(CONFIG_MAPS.map((name) => this.#inForce(name)));
    return CONFIG_MAPS.some((name, i) => committed(name) !== inForce[i]);
  }

  /** Resolves when the state has contents of all that changes that came after this call. */
  async commitsNewer(): Promise<void> {
    const known = CHANGING.map((name) => this.#contents.of(name).length);
    await this.stage.until('newer contents are in the state', async () => {
      const committed = await this.#committed();
      return CHANGING.every((name, i) => committed(name) >= Number(known[i]));
    });
  }

  /** How often what a workload follows was changed. */
  changesOf({ follows }: WorkloadParts): number {
    const names = follows.ConfigMap ?? [];
    return names.reduce((sum, name) => sum + this.#contents.of(name).length - 1, 0);
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

  /** How often the templates of all workloads were. */
  get allRollouts(): number {
    return WORKLOADS.reduce((sum, each) => sum + this.rollouts(each), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stage[Symbol.asyncDispose]();
    for (const proxy of this.proxies) await proxy[Symbol.asyncDispose]();
    this.#sender.close();
  }

  async #put(name: string, key: string): Promise<void> {
    this.#contents.add(name, key);
    await this.stage.put(name, key);
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
    const inForce = await Promise.all(names.map((name) => this.#inForce(name)));
    const pods = await this.stage.podStamps(workload);
    return pods.every((stamps) =>
      names.every((name, index) => {
        const stamp = stamps[`_RELOADER_CONFIGMAP_${name.toUpperCase()}`];
        const runs = stamp === undefined ? 0 : this.#contents.indexOf(name, stamp);
        return runs === inForce[index];
      }),
    );
  }

  /** Which content of each ConfigMap is committed. */
  async #committed(): Promise<(name: string) => number> {
    const state = await this.stage.state();
    await this.#readKeys();
    return (name) => this.#contents.indexOf(name, state[`v1.ConfigMap_${name}`] ?? '');
  }

  /** Which content a ConfigMap has. */
  async #inForce(name: string): Promise<number> {
    const object = await this.stage.expect('GET', `configmaps/${name}`);
    return this.#contents.of(name).indexOf(stringOf(pick(object, 'data', 'key')) ?? '');
  }

  /** Stamps and entries are under the keys that the Secret has by now. */
  async #readKeys(): Promise<void> {
    const path = this.stage.path('secrets/reloader-state-key');
    const { status, body } = await this.#cluster.ask('GET', path);
    if (status === 200) this.#contents.takeKeys(objectOf(pick(body, 'data')) as Record<string, string>);
  }
}

function isPatchOf({ verb, resource, name }: FaultProxy['writes'][number], wanted: string): boolean {
  return verb === 'patch' && resource !== 'configmaps' && name === wanted;
}
