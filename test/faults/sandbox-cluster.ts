/** A sandbox over HTTP where a real cluster is expected: no service accounts, no kubectl, nothing that ends. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type KubeconfigOptions, RealCluster } from '../control-plane/cluster.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { kubeconfig, type Served, serve } from '../sandbox/serve.ts';

/** For where no control plane is built. */
export class SandboxCluster extends RealCluster {
  readonly #sandbox: Sandbox;
  readonly #served: Served;
  #kubeconfigs = 0;

  private constructor(sandbox: Sandbox, served: Served, folder: string) {
    const adminToken = 'administrator';
    const has = { hasPods: true, hasAccounts: false };
    super({ url: served.url, ca: '', adminToken, kubectl: '', folder, ...has });
    this.#sandbox = sandbox;
    this.#served = served;
  }

  /** It answers when this resolves. */
  static async start(): Promise<SandboxCluster> {
    const sandbox = createSandbox();
    const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-cluster-'));
    return new SandboxCluster(sandbox, await serve(sandbox.handle), folder);
  }

  override async kubeconfig({ token, namespace = 'default', url }: KubeconfigOptions = {}): Promise<string> {
    this.#kubeconfigs += 1;
    const file = path.join(this.access.folder, `kubeconfig-${this.#kubeconfigs}`);
    await writeFile(file, kubeconfig(url ?? this.access.url, namespace, token ?? this.access.adminToken));
    return file;
  }

  /** Forgets the history: what was not watched has to be listed. */
  async compact(): Promise<void> {
    this.#sandbox.compact();
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    this.#sandbox.close();
    await this.#served.close();
    await rm(this.access.folder, { recursive: true });
  }
}
