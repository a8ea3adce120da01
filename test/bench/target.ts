/** What is measured against: a cluster, as the administrator sees it and as a client finds it. */

import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HttpsTransport } from '../../lib/kubernetes/https-transport.ts';
import { loadKubeConfig } from '../../lib/kubernetes/kube-config.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { availableIn, isExternal } from '../control-plane/availability.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { stringOf } from '../sandbox/json.ts';
import { kubeconfig } from '../sandbox/serve.ts';

/** Where the API server is, and who is asking. */
export interface Connection {
  readonly url: string;
  /** PEM. */
  readonly ca?: string;
  readonly token?: string;
}

/** A cluster that nobody else uses. */
export interface Target extends AsyncDisposable {
  /** As the report calls it. */
  readonly name: string;
  /** As the administrator. */
  readonly send: Send;
  readonly connection: Connection;
  /** Writes a kubeconfig of the administrator; resolves with its path. */
  readonly kubeconfig: (namespace: string) => Promise<string>;
}

/** Which target is wanted; undefined: a real API server where there is one. */
export type TargetName = 'control-plane' | 'sandbox' | undefined;

/** Starts the target. */
export async function startTarget(wanted: TargetName): Promise<Target> {
  const hasReal = isExternal() || availableIn().hasApi;
  if (wanted === 'control-plane' || (wanted === undefined && hasReal)) return await realTarget();
  return await sandboxTarget();
}

async function realTarget(): Promise<Target> {
  const cluster = await startCluster();
  const { url, ca, adminToken } = cluster.access;
  const version = stringOf((await cluster.expect('GET', '/version'))['gitVersion']) ?? '';
  return {
    name: `kube-apiserver ${version.slice(1)}`,
    send: cluster.send,
    connection: { url, ca, token: adminToken },
    kubeconfig: (namespace) => cluster.kubeconfig({ namespace }),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** A sandbox in a process of its own, over HTTP. */
async function sandboxTarget(): Promise<Target> {
  const folder = await mkdtemp(path.join(tmpdir(), 'reloader-bench-'));
  const server = fork(path.join(import.meta.dirname, 'sandbox-server.ts'));
  const url = await new Promise<string>((resolve, reject) => {
    server.once('message', (message) => resolve(String(message)));
    server.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  const write = async (namespace: string): Promise<string> => {
    const file = path.join(folder, `kubeconfig-${namespace}`);
    await writeFile(file, kubeconfig(url, namespace));
    return file;
  };
  const own = await write('default');
  const transport = new HttpsTransport({
    load: () => loadKubeConfig({ kubeconfig: own }, {}),
    version: 'bench',
  });
  const dispose = async (): Promise<void> => {
    transport.close();
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
    await rm(folder, { recursive: true });
  };
  return {
    name: 'the sandbox',
    send: transport.send,
    connection: { url },
    kubeconfig: write,
    [Symbol.asyncDispose]: dispose,
  };
}
