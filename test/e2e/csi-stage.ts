/** Workloads that mount what the imitated driver gives them, and reloaders with exactly the rights for that. */

import assert from 'node:assert/strict';
import type { RealCluster } from '../control-plane/cluster.ts';
import {
  classesPath,
  installSecretsStoreKinds,
  SecretsStoreDriver,
  type Versions,
} from '../control-plane/secrets-store.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type ReloaderOptions, Stage } from './stage.ts';
import { type WorkloadParts, web } from './workloads.ts';

/** The class that workloads mount if nothing else is said. */
export const DB = 'db';
/** Its versions in the store, from the first on. */
export const V1: Versions = { password: '1', user: 'same' };
export const V2: Versions = { password: '2', user: 'same' };
export const V3: Versions = { password: '3', user: 'same' };

/** The component of `k8s/` with the rights. */
const COMPONENTS = ['secrets-store-csi'];
const installed = new WeakMap<RealCluster, Promise<void>>();

/** A Deployment that mounts the class and names it. */
export function mounting(name = 'web', parts: Partial<WorkloadParts> = {}): WorkloadParts {
  return web(name, { follows: { SecretProviderClass: [DB] }, reads: 'volume', ...parts });
}

/** A namespace of its own, without a reloader. */
export class CsiStage implements AsyncDisposable {
  readonly stage: Stage;
  readonly driver: SecretsStoreDriver;
  readonly workloads: readonly WorkloadParts[];
  #reloader: ReloaderProcess | undefined;
  #options: ReloaderOptions = {};

  private constructor(stage: Stage, driver: SecretsStoreDriver, workloads: readonly WorkloadParts[]) {
    this.stage = stage;
    this.driver = driver;
    this.workloads = workloads;
  }

  /** With the class, in its first version, and workloads whose pods have mounted it. */
  static async open(
    cluster: RealCluster,
    workloads: readonly WorkloadParts[] = [mounting()],
    versions: Versions = V1,
  ): Promise<CsiStage> {
    const csi = await CsiStage.empty(cluster, workloads);
    csi.driver.put(DB, versions);
    await csi.driver.createClass(DB);
    await csi.createAll();
    return csi;
  }

  /** Without a class or a workload: `createAll` creates those that are named. */
  static async empty(cluster: RealCluster, workloads: readonly WorkloadParts[]): Promise<CsiStage> {
    const kinds = installed.get(cluster) ?? installSecretsStoreKinds(cluster);
    installed.set(cluster, kinds);
    await kinds;
    const stage = await Stage.open(cluster);
    await stage.createMarker();
    return new CsiStage(stage, SecretsStoreDriver.start(cluster, stage.namespace), workloads);
  }

  /** Creates the workloads; their pods have mounted everything when this resolves. */
  async createAll(): Promise<void> {
    await Promise.all(this.workloads.map((each) => this.stage.create(each)));
    await this.driver.hasMounted();
  }

  /** The one that was started last. */
  get reloader(): ReloaderProcess {
    return this.#reloader ?? assert.fail('no reloader was started');
  }

  /** Starts a reloader; it is ready and owes nothing when this resolves. */
  async start({ flags = [], ...options }: ReloaderOptions = {}): Promise<void> {
    this.#options = { flags, ...options };
    this.#reloader = await this.stage.reloaderWithRights(
      { ...options, flags: ['--enable-csi-integration=true', ...flags] },
      COMPONENTS,
    );
  }

  /** Starts another one like it. */
  async startAgain(): Promise<void> {
    await this.start(this.#options);
  }

  /** Puts other versions of the class into the store, and lets all pods have them. */
  async rotate(versions: Versions): Promise<void> {
    this.driver.put(DB, versions);
    assert.ok((await this.driver.poll()) > 0, 'no status was rewritten');
  }

  /** Resolves when each workload has had so many templates, all is mounted and nothing is owed; none has more. */
  async rollsTo(revision: number): Promise<void> {
    await this.#hasHad(revision);
    await this.restsAt(this.workloads.map(() => revision));
  }

  /** The pods of so many templates have come, and the last ones have mounted; no reloader is asked. */
  async hasReplacedPods(revision: number): Promise<void> {
    await this.#hasHad(revision);
    for (const each of this.workloads) await this.stage.rolledOut(each);
    await this.driver.hasMounted();
  }

  async #hasHad(revision: number): Promise<void> {
    const { stage, workloads } = this;
    await stage.until(`each has had ${revision} templates`, async () =>
      (await stage.revisions(workloads)).every((each) => each >= revision),
    );
  }

  /** Everything that is due has happened, mounts of new pods included; so many templates were needed. */
  async restsAt(revisions: readonly number[]): Promise<void> {
    const { stage, workloads } = this;
    await stage.mark(this.reloader);
    for (const each of workloads) await stage.rolledOut(each);
    await this.driver.hasMounted();
    await stage.mark(this.reloader);
    assert.deepEqual(await stage.revisions(workloads), revisions);
  }

  /** Deletes the class; pods keep what they have mounted. */
  async deleteClass(): Promise<void> {
    await this.stage.cluster.expect('DELETE', classesPath(this.stage.namespace, DB));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver[Symbol.asyncDispose]();
    await this.stage[Symbol.asyncDispose]();
  }
}
