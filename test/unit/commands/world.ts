/** A cluster in which a person asks: workloads, objects, a reloader that is installed, and what it has committed. */

import type { Facts } from '../../../lib/commands/explain/cause.ts';
import { explanationOf, type WorkloadExplanation } from '../../../lib/commands/explain/explanation.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { answerOf } from '../../../lib/commands/reads.ts';
import { factsOf, withLeader } from '../../../lib/commands/scene.ts';
import { subjectOf } from '../../../lib/commands/subject.ts';
import { ApiError } from '../../../lib/kubernetes/api-error.ts';
import type { ApiRequest, ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';
import { STATE_VERSION, STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import { digestOf } from '../../digests.ts';
import type { JsonObject } from '../../sandbox/json.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';

/** Annotations, by their keys. */
export type Words = Readonly<Record<string, string>>;

/** The parts of a Deployment that differ. */
export interface DeploymentParts {
  /** @default web */
  readonly name?: string;
  readonly annotations?: Words;
  readonly labels?: Words;
  readonly onTemplate?: Words;
  readonly spec?: object;
  /** The names of the ConfigMaps that its pods read. @default web */
  readonly reads?: readonly string[];
  readonly container?: object;
}

/** The native annotation that names these ConfigMaps. */
export function follows(...names: readonly string[]): Words {
  return { 'reloader.k8s.collaborne.com/configmap': names.join(', ') };
}

const STATUS = '/api/v1/namespaces/reloader/pods/reloader-7f-x:8080/proxy/status.json';
const USER = 'system:serviceaccount:reloader:default';

/** A Lease as a reloader holds it. */
export interface LeaseParts {
  /** @default that of a pod of `install` */
  readonly holder?: string;
  /** @default a second */
  readonly renewedMsAgo?: number;
  /** Empty: it was created without a spec. @default kubernetes-reloader */
  readonly manager?: string;
  /** @default reloader */
  readonly namespace?: string;
}

/** What a test puts into a cluster. Everything is in the namespace `default`, and called `web` unless named otherwise. */
export class World {
  readonly sandbox: Sandbox;
  readonly #aheadMs: number | undefined;
  /** Refuses a request in place of the API server. */
  refuses: (request: ApiRequest) => boolean = () => false;

  /** @param aheadMs how far the clock of the API server is ahead; undefined: it sends no Date */
  constructor(options: SandboxOptions = {}, aheadMs?: number) {
    this.#aheadMs = aheadMs;
    this.sandbox = createSandbox({
      namespaces: ['default', 'kube-system', 'reloader', 'shared'],
      ...options,
    });
  }

  /** What the leader of `install` answers at /status.json; undefined: the person may not ask it. */
  report: object | undefined;

  /** Whether the account of a reloader has a right in a namespace; undefined: the person may not review that. */
  mayDo: (resource: string, namespace?: string, verb?: string, name?: string) => boolean | undefined = () =>
    true;

  readonly send: Send = async (request) => {
    if (request.path.endsWith('/subjectaccessreviews')) {
      const { spec } = JSON.parse(request.body ?? '');
      const { verb, resource, namespace, name } = spec.resourceAttributes;
      const allowed = spec.user === USER ? this.mayDo(resource, namespace, verb, name) : undefined;
      if (allowed !== undefined) return answerOf(201, { status: { allowed } });
      throw new ApiError('forbidden', 'may not');
    }
    const isRefused = this.refuses(request);
    if (request.path === '/version') return this.#version();
    if (request.path === STATUS && this.report !== undefined) return answerOf(200, this.report);
    if (request.path !== STATUS && !isRefused) return await this.sandbox.handle(request);
    throw new ApiError('forbidden', 'may not');
  };

  #version(): ApiResponse {
    if (this.#aheadMs === undefined) return answerOf(200, {});
    const date = new Date(Date.now() + this.#aheadMs).toUTCString();
    return { ...answerOf(200, {}), headers: { date } };
  }

  /** Installs a reloader with these arguments. */
  install(
    args: readonly string[] = ['-A'],
    replicas = 1,
    env: readonly object[] = [],
    envFrom: readonly object[] = [],
    command?: readonly string[],
  ): this {
    const words = [...args, '--state-namespace=reloader'];
    const container = { name: 'reloader', args: words, env, envFrom, ...(command && { command }) };
    return this.#reloader({ namespace: 'reloader', name: 'reloader' }, replicas, container);
  }

  /** A second Deployment like that of `install`, in the namespace `shared`, with these arguments. */
  another(args: readonly string[] = ['-A']): this {
    return this.#reloader({ namespace: 'shared', name: 'second' }, 1, { args });
  }

  #reloader(
    metadata: { readonly namespace: string; readonly name: string },
    replicas: number,
    container: object,
  ): this {
    const labels = { 'app.kubernetes.io/part-of': 'kubernetes-reloader' };
    const template = { metadata: { labels }, spec: podOf([], container) };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    this.sandbox.create('deployments', { metadata: { ...metadata, labels }, spec });
    if (replicas > 0) this.pod(container, metadata.namespace);
    return replicas > 0 ? this.lease({ ...metadata, manager: 'other' }) : this;
  }

  /** The pod that holds the Lease, with this container, in place of one that is there; undefined: there is none. */
  pod(container?: object, namespace = 'reloader', name = 'reloader-7f-x'): this {
    if (this.sandbox.get('pods', namespace, name) !== undefined) this.sandbox.remove('pods', namespace, name);
    if (container !== undefined)
      this.sandbox.create('pods', { metadata: { namespace, name }, spec: podOf([], container) });
    return this;
  }

  /** The Lease of a leader, in place of one that is there. */
  lease({ holder = 'reloader-7f-x_uid_0a', renewedMsAgo = 1000, ...parts }: LeaseParts = {}): this {
    const { manager = 'kubernetes-reloader', namespace = 'reloader' } = parts;
    const renewTime = new Date(Date.now() + (this.#aheadMs ?? 0) - renewedMsAgo)
      .toISOString()
      .replace('Z', '000Z');
    const metadata = { namespace, name: 'reloader-state' };
    const spec = { holderIdentity: holder, renewTime, leaseDurationSeconds: 15 };
    this.unlease(namespace).sandbox.create('leases', { metadata, ...(manager && { spec }) }, manager);
    if (manager === '') this.sandbox.patch('leases', namespace, metadata.name, { spec });
    return this;
  }

  /** Takes the Lease away. */
  unlease(namespace = 'reloader'): this {
    if (this.sandbox.get('leases', namespace, 'reloader-state') !== undefined)
      this.sandbox.remove('leases', namespace, 'reloader-state');
    return this;
  }

  /** A ConfigMap with one value; `isCommitted`: the reloader has written its digest to the state. */
  configMap(name = 'web', metadata: object = {}, isCommitted = true, namespace = 'default'): this {
    const raw = { metadata: { namespace, name, ...metadata }, data: { value: 'A' } };
    this.sandbox.create('configmaps', raw);
    return isCommitted ? this.commit(name, digestOf('ConfigMap', raw), namespace) : this;
  }

  /** Writes an entry of a ConfigMap to the state. */
  commit(name: string, digest: string, namespace = 'default'): this {
    const data = { [`${namespace}_v1.ConfigMap_${name}`]: `${digest}.1` };
    const annotations = { [STATE_VERSION_ANNOTATION]: STATE_VERSION };
    const state = { namespace: 'reloader', name: 'reloader-state', annotations };
    if (this.sandbox.get('configmaps', state.namespace, state.name) === undefined)
      this.sandbox.create('configmaps', { metadata: state, data });
    else this.sandbox.patch('configmaps', state.namespace, state.name, { data });
    return this;
  }

  /** Marks a follower of a ConfigMap in the state. */
  mark(name: string, follower: string, namespace = 'default'): this {
    const key = `${namespace}_v1.ConfigMap_${name}`;
    const { data } = this.sandbox.get('configmaps', 'reloader', 'reloader-state') as unknown as {
      data: Record<string, string>;
    };
    const marked = { [key]: `${data[key]}?${follower}` };
    this.sandbox.patch('configmaps', 'reloader', 'reloader-state', { data: marked });
    return this;
  }

  /** The content of a ConfigMap changes. */
  change(name = 'web', namespace = 'default'): this {
    this.sandbox.patch('configmaps', namespace, name, { data: { value: 'B' } });
    return this;
  }

  /** An Event of the reloader about the Deployment `web`, in that minute. */
  event(
    reason: string,
    minute: number,
    uid: unknown = this.sandbox.get('deployments', 'default', 'web')?.metadata.uid,
  ): this {
    const name = `web.${minute}`;
    const lastTimestamp = `2026-01-31T12:0${minute}:00.000Z`;
    const parts = { reason, lastTimestamp, source: { component: 'kubernetes-reloader' } };
    this.sandbox.create('events', {
      metadata: { namespace: 'default', name },
      involvedObject: { uid },
      ...parts,
    });
    return this;
  }

  /** A Deployment whose pods are there. */
  deployment({
    name = 'web',
    annotations,
    labels,
    onTemplate,
    spec,
    reads = ['web'],
    container,
  }: DeploymentParts = {}): this {
    this.sandbox.create('deployments', {
      metadata: { namespace: 'default', name, annotations, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name }, annotations: onTemplate },
          spec: podOf(reads, container),
        },
        ...spec,
      },
    });
    return this;
  }

  /** The facts about a workload, as `explain` gathers them. */
  async factsAbout(operand: string): Promise<Facts> {
    const namespace = 'default';
    const { send } = this;
    const reloader = await findReloader(send, { namespace, settings: [] });
    const subject = subjectOf([operand], reloader.options);
    if (subject.is !== 'workload') throw new Error(`${operand} is no workload`);
    const scene = { send, namespace, reloader };
    const [facts] = await withLeader(scene, [await factsOf(scene, subject.row, subject.name)]);
    if (facts === undefined) throw new Error('no facts');
    return facts;
  }

  /** The explanation of deployment/web. */
  async explained(): Promise<WorkloadExplanation> {
    const facts = await this.factsAbout('deployment/web');
    const explanation = explanationOf(facts);
    await facts.observation.end();
    return explanation;
  }
}

/** The spec of pods that read these ConfigMaps. */
export function podOf(reads: readonly string[], container: object = {}): JsonObject {
  const envFrom = reads.map((name) => ({ configMapRef: { name } }));
  return { containers: [{ name: 'app', image: 'app:1', envFrom, ...container }] };
}
