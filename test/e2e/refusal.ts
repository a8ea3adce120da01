/** Rules of a cluster that refuse writes, and a webhook that is silent: what other people's admission does to ours. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { RealCluster } from '../control-plane/cluster.ts';
import type { JsonObject } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

/** What such a policy answers. */
export const REFUSAL = 'changes are frozen';

/** What is refused, in one namespace. */
export interface Refused {
  /** The plurals; one group. */
  readonly resources: readonly string[];
  /** What must be so, in CEL. */
  readonly unless: string;
  /** A merge patch that is refused, and of what: tried without effect until the rule is in force. */
  readonly probe: readonly [below: string, body: JsonObject];
}

/** Changes of the pod templates of all workloads, or of one Deployment; `probed` is a Deployment that there is. */
export function templates(probed: string, isOnlyThat = false): Refused {
  const isSame = 'object.spec.template == oldObject.spec.template';
  return {
    resources: ['deployments', 'statefulsets', 'daemonsets'],
    unless: isOnlyThat ? `object.metadata.name != '${probed}' || ${isSame}` : isSame,
    probe: [
      `deployments/${probed}`,
      { spec: { template: { metadata: { annotations: { probe: 'is it refused?' } } } } },
    ],
  };
}

/** Changes of the state: nothing is committed. */
export function commits(): Refused {
  return {
    resources: ['configmaps'],
    unless: "object.metadata.name != 'reloader-state' || object.data == oldObject.data",
    probe: ['configmaps/reloader-state', { data: { probe: 'is it refused?' } }],
  };
}

/** A rule that is in force until `end`. */
export class Refusal {
  readonly #cluster: RealCluster;
  readonly #paths: readonly string[];

  private constructor(cluster: RealCluster, paths: readonly string[]) {
    this.#cluster = cluster;
    this.#paths = paths;
  }

  /** A ValidatingAdmissionPolicy; the API server answers 422. */
  static async of(stage: Stage, refused: Refused): Promise<Refusal> {
    const name = nameOf(stage);
    return await Refusal.#begin(stage, refused.probe, {
      validatingadmissionpolicies: policyOf(name, refused),
      validatingadmissionpolicybindings: bindingOf(name, stage.namespace),
    });
  }

  static async #begin(
    stage: Stage,
    [below, body]: Refused['probe'],
    objects: Readonly<Record<string, JsonObject>>,
  ): Promise<Refusal> {
    const paths: string[] = [];
    for (const [resource, object] of Object.entries(objects)) {
      paths.unshift(await createRule(stage.cluster, resource, object));
    }
    await stage.until('the rule is in force', async () => {
      const answer = await stage.cluster.ask('PATCH', `${stage.path(below)}?dryRun=All`, body);
      return answer.status >= 400;
    });
    return new Refusal(stage.cluster, paths);
  }

  /** Takes it away. */
  async end(): Promise<void> {
    for (const path of this.#paths) await this.#cluster.expect('DELETE', path);
  }
}

/**
 * A webhook that takes calls and does not answer until `end`, for the Deployments of one name: a write of their templates
 * hangs for half a minute, and is then answered with 500.
 */
export class SilentWebhook implements AsyncDisposable {
  readonly #cluster: RealCluster;
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket.on('error', () => undefined));
  });
  readonly #sockets = new Set<Socket>();
  #path = '';

  private constructor(cluster: RealCluster) {
    this.#cluster = cluster;
  }

  static async of(stage: Stage, deployment: string): Promise<SilentWebhook> {
    const webhook = new SilentWebhook(stage.cluster);
    try {
      await webhook.#begin(stage, deployment);
      return webhook;
    } catch (error) {
      await webhook.end();
      throw error;
    }
  }

  /** Takes it away, once; what hangs is answered with 500. */
  async end(): Promise<void> {
    const path = this.#path;
    this.#path = '';
    try {
      if (path !== '') await this.#cluster.expect('DELETE', path);
    } finally {
      this.#server.close();
      for (const socket of this.#sockets) socket.destroy();
    }
  }

  /** A server that listens would keep the process of a failed test alive. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #begin(stage: Stage, deployment: string): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const rule = silentWebhook(nameOf(stage), stage.namespace, deployment, port);
    this.#path = await createRule(stage.cluster, 'validatingwebhookconfigurations', rule);
    const [below, body] = templates(deployment).probe;
    await stage.until('the webhook is called', async () => {
      // What is asked once the rule is in force hangs: nobody waits for it.
      const asked = stage.cluster.ask('PATCH', `${stage.path(below)}?dryRun=All`, body);
      await Promise.race([asked.catch(() => undefined), once(this.#server, 'connection')]);
      return this.#sockets.size > 0;
    });
  }
}

/** Answers the path of the rule. */
async function createRule(cluster: RealCluster, resource: string, object: JsonObject): Promise<string> {
  const { metadata } = await cluster.expect('POST', `${ADMISSION}/${resource}`, object);
  return `${ADMISSION}/${resource}/${String((metadata as JsonObject)['name'])}`;
}

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

function nameOf({ namespace }: Stage): string {
  return `refusal-${namespace}-${randomBytes(3).toString('hex')}`;
}

function policyOf(name: string, { resources, unless }: Refused): JsonObject {
  return {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [updatesOf(resources)] },
      validations: [{ expression: unless, message: REFUSAL, reason: 'Invalid' }],
    },
  };
}

function bindingOf(name: string, namespace: string): JsonObject {
  return {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: only(namespace) },
  };
}

function silentWebhook(name: string, namespace: string, app: string, port: number): JsonObject {
  return {
    metadata: { name },
    webhooks: [
      {
        name: 'silent.example.com',
        ...only(namespace),
        rules: [updatesOf(['deployments'])],
        matchConditions: [{ name: 'this-one', expression: `object.metadata.name == '${app}'` }],
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
      },
    ],
  };
}

function only(namespace: string): JsonObject {
  return { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
}

function updatesOf(resources: readonly string[]): JsonObject {
  const apiGroups = resources.includes('configmaps') ? [''] : ['apps'];
  return { apiGroups, apiVersions: ['v1'], operations: ['UPDATE'], resources: [...resources] };
}
