/** The bundle as a process beside a real API server: what the end-to-end tests are written in. */

import { randomBytes } from 'node:crypto';
import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import type { KubeconfigOptions, RealCluster } from '../control-plane/cluster.ts';
import { ReloaderProcess, untilOrLogs } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';

/** How a reloader is started. */
export interface ReloaderOptions {
  /** Beside `--namespace`, `--port 0` and a JSON log of all levels. */
  readonly flags?: readonly string[];
  /** The window. @default 100 */
  readonly periodMs?: number;
  /** Whose rights it has. @default the administrator's */
  readonly as?: KubeconfigOptions;
}

/** Pods are made and started by others, who have more to do. */
const PATIENCE_MS = 60_000;
/** Real clusters can pull it, kwok does not need to. */
const IMAGE = 'registry.k8s.io/pause:3.10';

/** A namespace of one's own in a real cluster, and the reloaders that watch it. */
export class Stage implements AsyncDisposable {
  readonly cluster: RealCluster;
  readonly namespace: string;
  readonly #processes: ReloaderProcess[] = [];

  private constructor(cluster: RealCluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  /** A new namespace, in which pods may be made. */
  static async open(cluster: RealCluster): Promise<Stage> {
    const stage = new Stage(cluster, `test-${randomBytes(4).toString('hex')}`);
    await cluster.expect('POST', '/api/v1/namespaces', { metadata: { name: stage.namespace } });
    await stage.until('pods may be made', async () => {
      const account = await cluster.ask('GET', stage.path('serviceaccounts/default'));
      return account.status === 200;
    });
    return stage;
  }

  /** The path of a resource in the namespace: `configmaps/web`, `deployments?limit=1`. */
  path(below: string): string {
    const isApps = /^(deployments|statefulsets|daemonsets|replicasets)\b/.test(below);
    return `/${isApps ? 'apis/apps' : 'api'}/v1/namespaces/${this.namespace}/${below}`;
  }

  /** Sends as the administrator; rejects unless the status is 2xx. A PATCH is a merge patch. */
  expect(method: ApiRequest['method'], below: string, body?: JsonObject): Promise<JsonObject> {
    return this.cluster.expect(method, this.path(below), body);
  }

  /** The objects of a list. */
  async list(below: string): Promise<readonly JsonObject[]> {
    return objectsOf((await this.expect('GET', below))['items']);
  }

  /** Gives a ConfigMap this content, whether it is there or not. */
  async put(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const there = await this.cluster.ask('GET', this.path(`configmaps/${name}`));
    if (there.status === 404) await this.expect('POST', 'configmaps', { metadata: { name }, data });
    else await this.expect('PUT', `configmaps/${name}`, { metadata: { name }, data });
  }

  /** A Deployment of two pods that follows these ConfigMaps and reads them; resolves when its pods run. */
  async deploy(name: string, configMaps: readonly string[]): Promise<void> {
    const envFrom = configMaps.map((each) => ({ configMapRef: { name: each } }));
    const labels = { app: name };
    await this.expect('POST', 'deployments', {
      metadata: { name, annotations: { 'reloader.k8s.collaborne.com/configmap': configMaps.join() } },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'app', image: IMAGE, envFrom }] },
        },
      },
    });
    await this.rolledOut(name, 1);
  }

  /** Resolves when a Deployment has reached this revision and no pods of an older one are left. */
  async rolledOut(name: string, revision: number): Promise<void> {
    await this.until(`Deployment/${name} has rolled out revision ${revision}`, async () => {
      const live = await this.expect('GET', `deployments/${name}`);
      return revisionOf(live) === revision && isRolledOut(live);
    });
  }

  /** The ReplicaSets of a Deployment: each is a rollout. */
  async replicaSets(name: string): Promise<readonly JsonObject[]> {
    return await this.list(`replicasets?labelSelector=app%3D${name}`);
  }

  /** Starts a reloader for the namespace; it is ready, and all that it follows is committed, when this resolves. */
  async reloader({ flags = [], periodMs = 100, as = {} }: ReloaderOptions = {}): Promise<ReloaderProcess> {
    const kubeconfig = await this.cluster.kubeconfig({ namespace: this.namespace, ...as });
    const settings = ['--kubeconfig', kubeconfig, '--namespace', this.namespace, '--port', '0'];
    const logging = ['--log-format', 'json', '--log-level', 'debug'];
    const window = ['--coalesce-period', `${periodMs}ms`];
    const process = new ReloaderProcess([...settings, ...logging, ...window, ...flags], {});
    this.#processes.push(process);
    await this.until('the reloader is ready', () => process.isReady());
    await this.settled(process);
    return process;
  }

  /** Resolves when `reloader` owes nothing and all it knows is committed. */
  async settled(reloader: ReloaderProcess): Promise<void> {
    await this.until('everything is rolled and committed', () => reloader.isSettled());
  }

  /** Resolves when `condition` holds; rejects with `what` and the end of every log when it has not for too long. */
  async until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    await untilOrLogs(this.#processes, what, condition, PATIENCE_MS);
  }

  /** Ends the reloaders and deletes the namespace, without waiting for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()));
    await this.cluster.ask('DELETE', `/api/v1/namespaces/${this.namespace}`);
  }
}

/** The revision that a Deployment's controller has counted. */
export function revisionOf(deployment: Json): number {
  return Number(pick(deployment, 'metadata', 'annotations', 'deployment.kubernetes.io/revision'));
}

/** Whether a Deployment's controller has seen the present template and only pods of it are left, available. */
function isRolledOut(deployment: JsonObject): boolean {
  const { observedGeneration, replicas, updatedReplicas, availableReplicas } = objectOf(deployment['status']);
  const wanted = pick(deployment, 'spec', 'replicas');
  return (
    observedGeneration === pick(deployment, 'metadata', 'generation') &&
    [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted)
  );
}
