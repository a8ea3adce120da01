/** A cluster that somebody else made, and that may be thrown away. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isObject, objectsOf, pick } from '../sandbox/json.ts';
import { findAssets, programOf } from './assets.ts';
import { type Access, RealCluster } from './cluster.ts';

const run = promisify(execFile);

/** The cluster of the present KUBECONFIG; its own credentials are used only to make an administrator for the tests. */
export class ExternalCluster extends RealCluster {
  readonly #admin: string;

  private constructor(access: Access, admin: string) {
    super(access);
    this.#admin = admin;
  }

  /** @throws when kubectl, the cluster or the right to do so is missing */
  static async connect(): Promise<ExternalCluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'external-cluster-'));
    const kubectl = kubectlPath();
    const { url, ca } = await whereItIs(kubectl);
    const admin = `reloader-test-${randomBytes(4).toString('hex')}`;
    await run(kubectl, ['create', 'serviceaccount', admin, '--namespace=kube-system']);
    const subject = `--serviceaccount=kube-system:${admin}`;
    await run(kubectl, ['create', 'clusterrolebinding', admin, '--clusterrole=cluster-admin', subject]);
    const token = ['create', 'token', admin, '--namespace=kube-system', '--duration=8h'];
    const adminToken = (await run(kubectl, token)).stdout.trim();
    return new ExternalCluster(
      { url, ca, adminToken, kubectl, hasPods: true, hasAccounts: true, folder },
      admin,
    );
  }

  /** Removes the administrator; what else the tests made stays. */
  override async [Symbol.asyncDispose](): Promise<void> {
    const { kubectl, folder } = this.access;
    await run(kubectl, ['delete', 'clusterrolebinding', this.#admin]);
    await run(kubectl, ['delete', 'serviceaccount', this.#admin, '--namespace=kube-system']);
    await super[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
}

function kubectlPath(): string {
  const assets = findAssets();
  return assets === undefined ? 'kubectl' : programOf(assets, 'kubectl');
}

async function whereItIs(kubectl: string): Promise<{ readonly url: string; readonly ca: string }> {
  const { stdout } = await run(kubectl, [
    'config',
    'view',
    '--raw',
    '--minify',
    '--flatten',
    '--output=json',
  ]);
  const config: unknown = JSON.parse(stdout);
  const [entry] = isObject(config) ? objectsOf(config['clusters']) : [];
  const url = pick(entry, 'cluster', 'server');
  const ca = pick(entry, 'cluster', 'certificate-authority-data');
  if (typeof url !== 'string' || typeof ca !== 'string')
    throw new Error('the kubeconfig has no cluster with a server and a certificate authority');
  return { url, ca: Buffer.from(ca, 'base64').toString('utf8') };
}
