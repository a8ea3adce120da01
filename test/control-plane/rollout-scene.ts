/** A Rollout in a namespace of its own, and everything that its status ever was. */

import { readText } from '../../lib/kubernetes/json-call.ts';
import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import { until } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import type { ArgoRollouts } from './argo-rollouts.ts';
import type { Answer, RealCluster } from './cluster.ts';

const COUNTS = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'];
const OVERLOOKED_AFTER_MS = 2000;
/** Where resources are that are not of the core. */
const ROOTS: Readonly<Record<string, RegExp>> = {
  '/apis/argoproj.io/v1alpha1': /^rollouts\b/,
  '/apis/apps/v1': /^(deployments|replicasets)\b/,
  '/apis/policy/v1': /^poddisruptionbudgets\b/,
};

/** The name of the Rollout, and of everything that it refers to. */
export const WEB = 'web';

/** A pod template whose annotation `content` is this; its container has only what it must have. */
export function template(content: string): JsonObject {
  return {
    metadata: { labels: { app: WEB }, annotations: { content } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'main' }] },
  };
}

/** A pod of the Rollout. */
export interface Pod {
  readonly name: string;
  /** The annotation of the template that it was made of. */
  readonly content: string;
  readonly created: string;
}

/** See the file's comment. */
export class RolloutScene implements AsyncDisposable {
  readonly namespace: string;
  readonly argo: ArgoRollouts;
  /** All versions of the Rollout, from its creation. */
  readonly versions: JsonObject[] = [];
  readonly #cluster: RealCluster;
  readonly #end = new AbortController();

  private constructor(cluster: RealCluster, argo: ArgoRollouts, namespace: string) {
    this.#cluster = cluster;
    this.argo = argo;
    this.namespace = namespace;
  }

  /** A new namespace without a Rollout. */
  static async open(cluster: RealCluster, argo: ArgoRollouts, namespace: string): Promise<RolloutScene> {
    const scene = new RolloutScene(cluster, argo, namespace);
    await cluster.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await until('pods may be made', async () => {
      const account = await cluster.ask('GET', scene.path('serviceaccounts/default'));
      return account.status === 200;
    });
    void scene.watch('rollouts', (version) => void scene.versions.push(version));
    return scene;
  }

  /** The path of a resource in the namespace: `pods`, `rollouts/web`. */
  path(below: string): string {
    const [root] = Object.entries(ROOTS).find(([, resources]) => resources.test(below)) ?? ['/api/v1'];
    return `${root}/namespaces/${this.namespace}/${below}`;
  }

  /** Sends as the administrator; rejects unless the status is 2xx. A PATCH is a merge patch. */
  expect(method: ApiRequest['method'], below: string, body?: JsonObject): Promise<JsonObject> {
    return this.#cluster.expect(method, this.path(below), body);
  }

  /** The same, whatever the status. */
  ask(method: ApiRequest['method'], below: string, body?: JsonObject): Promise<Answer> {
    return this.#cluster.ask(method, this.path(below), body);
  }

  /** Creates the Rollout, of two pods with the content A if `spec` does not say otherwise; resolves when it is healthy. */
  async create(strategy: JsonObject, spec: JsonObject = { template: template('A') }): Promise<void> {
    await this.expect('POST', 'rollouts', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: WEB },
      spec: { replicas: 2, selector: { matchLabels: { app: WEB } }, strategy, ...spec },
    });
    await this.reaches('Healthy');
  }

  /** The Rollout. */
  rollout(): Promise<JsonObject> {
    return this.expect('GET', `rollouts/${WEB}`);
  }

  /** Patches its spec, by a merge patch. */
  async patch(spec: JsonObject): Promise<void> {
    await this.expect('PATCH', `rollouts/${WEB}`, { spec });
  }

  /** Runs `kubectl argo rollouts <command> web`. */
  async kubectl(...command: readonly string[]): Promise<void> {
    await this.argo.kubectl([...command, WEB], { namespace: this.namespace });
  }

  /** Waits until it has a phase for its present generation; resolves with its status. */
  async reaches(phase: string): Promise<JsonObject> {
    return await this.until(phase, (status) => status['phase'] === phase);
  }

  /**
   * Waits until its status is such for its present generation; resolves with it. The controller may overlook what is
   * written in the milliseconds after a write of its own, for it then takes the answer to that for the latest version: a
   * further write helps.
   */
  async until(what: string, isSuch: (status: JsonObject) => boolean): Promise<JsonObject> {
    let last: JsonObject = {};
    let wroteAt = Date.now();
    const isNow = async (): Promise<boolean> => {
      last = await this.rollout();
      if (isObserved(last) && isSuch(statusOf(last))) return true;
      if (Date.now() > wroteAt + OVERLOOKED_AFTER_MS) {
        wroteAt = Date.now();
        await this.expect('PATCH', `rollouts/${WEB}`, {
          metadata: { annotations: { again: String(wroteAt) } },
        });
      }
      return false;
    };
    try {
      await until(`the Rollout is ${what}`, isNow);
    } catch (error) {
      throw new Error(`${String(error)}\n${JSON.stringify(last)}`, { cause: error });
    }
    return statusOf(last);
  }

  /** Waits until the contents of its pods are these, sorted. */
  async runs(contents: string): Promise<void> {
    await until(`its pods are ${contents}`, async () => (await this.contents()) === contents);
  }

  /** Its pods that are not being deleted. */
  async pods(): Promise<readonly Pod[]> {
    const pods = objectsOf((await this.expect('GET', 'pods'))['items']).map((each) =>
      objectOf(each['metadata']),
    );
    const stay = pods.filter(({ deletionTimestamp }) => deletionTimestamp === undefined);
    return stay.map((metadata) => ({
      name: String(metadata['name']),
      content: String(pick(metadata, 'annotations', 'content')),
      created: String(metadata['creationTimestamp']),
    }));
  }

  /** Their contents, sorted: `AB`. */
  async contents(): Promise<string> {
    const pods = await this.pods();
    return pods
      .map(({ content }) => content)
      .sort()
      .join('');
  }

  /** Patches it in a format; resolves with the status of the answer. */
  async patchAs(format: 'merge-patch' | 'strategic-merge-patch' | 'json-patch', body: Json): Promise<number> {
    const headers = { 'content-type': `application/${format}+json` };
    const request = { method: 'PATCH', path: this.path(`rollouts/${WEB}`), headers } as const;
    const answer = await this.#cluster.send({ ...request, body: JSON.stringify(body) });
    await readText(answer);
    return answer.status;
  }

  /** Tells `see` of every version of the objects of a resource, from now until the end of the scene. */
  async watch(resource: string, see: (version: JsonObject) => void): Promise<void> {
    await this.#cluster.watch(this.path(resource), this.#end.signal, see);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
  }
}

/** What a Rollout says of itself. */
export function statusOf(rollout: JsonObject): JsonObject {
  return objectOf(rollout['status']);
}

/** Whether the controller has seen the present spec. */
export function isObserved(rollout: JsonObject): boolean {
  return (
    Number(pick(rollout, 'status', 'observedGeneration')) === Number(pick(rollout, 'metadata', 'generation'))
  );
}

/** How often the spec of an object was changed. */
export function generationOf(object: JsonObject): number {
  return Number(pick(object, 'metadata', 'generation'));
}

/** Its replicas: all, updated, ready, available. A count that is zero is not written. */
export function countsOf(status: JsonObject): Json[] {
  return COUNTS.map((count) => status[count] ?? 0);
}

/** Whether the ReplicaSet of the template is the stable one. */
export function isStable(status: JsonObject): boolean {
  return status['stableRS'] !== undefined && status['stableRS'] === status['currentPodHash'];
}

/** An annotation of an object. */
export function annotationOf(object: JsonObject, name: string): Json | undefined {
  return pick(object, 'metadata', 'annotations', name);
}
