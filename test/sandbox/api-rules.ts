/**
 * The rules of the API that the reloader leans on, as cases that need nothing but a `send`: they hold for the sandbox and
 * for a real server alike. A case gets a namespace of its own.
 */

import { linesOf, readText } from '../../lib/kubernetes/json-call.ts';
import type { ApiRequest, Send } from '../../lib/kubernetes/transport.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsOf, pick } from './json.ts';

/** Rules by a sentence; each throws when it is broken. */
export type ApiRules = Readonly<Record<string, ApiRule>>;

/** One rule. */
export type ApiRule = (api: RuleClient) => Promise<void>;

/** An answer that has been read. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** How a patch is sent. */
export type PatchMedia = 'merge-patch' | 'json-patch' | 'strategic-merge-patch' | 'apply-patch';

/** The groups of the resources that are not of the core. */
const GROUPS: readonly (readonly [RegExp, string])[] = [
  [/^(deployments|statefulsets|daemonsets|replicasets)/, 'apps'],
  [/^(cronjobs|jobs)/, 'batch'],
  [/^widgets/, 'rules.example'],
];

/** A client for one case: paths are below the case's namespace, such as `configmaps/a`, or whole, such as `/api/v1/namespaces`. */
export class RuleClient {
  readonly send: Send;
  readonly namespace: string;
  readonly #aborts: AbortController[] = [];

  constructor(send: Send, namespace: string) {
    this.send = send;
    this.namespace = namespace;
  }

  /** The full path of `below`; what begins with a slash is one already. */
  path(below: string): string {
    if (below.startsWith('/')) return below;
    const [, group] = GROUPS.find(([resources]) => resources.test(below)) ?? [];
    return `/${group === undefined ? 'api' : `apis/${group}`}/v1/namespaces/${this.namespace}/${below}`;
  }

  get(below: string): Promise<ReadAnswer> {
    return this.#read({ method: 'GET', path: this.path(below) });
  }

  create(below: string, body: JsonObject): Promise<ReadAnswer> {
    return this.#read({
      method: 'POST',
      path: this.path(below),
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
  }

  update(below: string, body: JsonObject): Promise<ReadAnswer> {
    return this.#read({
      method: 'PUT',
      path: this.path(below),
      headers: JSON_TYPE,
      body: JSON.stringify(body),
    });
  }

  delete(below: string, body?: JsonObject): Promise<ReadAnswer> {
    const text = body === undefined ? {} : { headers: JSON_TYPE, body: JSON.stringify(body) };
    return this.#read({ method: 'DELETE', path: this.path(below), ...text });
  }

  patch(below: string, media: PatchMedia, body: Json): Promise<ReadAnswer> {
    const type = media === 'apply-patch' ? 'application/apply-patch+yaml' : `application/${media}+json`;
    const headers = { 'content-type': type };
    return this.#read({ method: 'PATCH', path: this.path(below), headers, body: JSON.stringify(body) });
  }

  /** Opens a watch; `next` answers its events one by one, undefined at its end. */
  async watch(
    below: string,
  ): Promise<{ readonly status: number; readonly next: () => Promise<JsonObject | undefined> }> {
    const abort = new AbortController();
    this.#aborts.push(abort);
    const path = `${this.path(below)}${below.includes('?') ? '&' : '?'}watch=1`;
    const response = await this.send({ method: 'GET', path, signal: abort.signal });
    const lines = linesOf(response.body, Number.POSITIVE_INFINITY);
    return {
      status: response.status,
      next: async () => {
        const { done, value } = await lines.next();
        return done ? undefined : objectOf(JSON.parse(value));
      },
    };
  }

  /** Creates and answers the stored object; throws when it is refused. */
  async created(below: string, body: JsonObject): Promise<JsonObject> {
    const answer = await this.create(below, body);
    if (answer.status !== 201) throw new Error(`not created: ${String(answer.body['message'])}`);
    return answer.body;
  }

  /** Ends the watches of this case. */
  close(): void {
    for (const abort of this.#aborts) abort.abort();
  }

  async #read(request: ApiRequest): Promise<ReadAnswer> {
    const response = await this.send(request);
    const text = await readText(response);
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body: isObject(body) ? body : {} };
  }
}

/** Runs one rule in a new namespace. */
export async function runRule(rule: ApiRule, send: Send, namespace: string): Promise<void> {
  const body = JSON.stringify({ metadata: { name: namespace } });
  const response = await send({ method: 'POST', path: '/api/v1/namespaces', headers: JSON_TYPE, body });
  if (response.status !== 201) throw new Error(`no namespace ${namespace}: ${response.status}`);
  for await (const _ of response.body);
  const api = new RuleClient(send, namespace);
  try {
    await rule(api);
  } finally {
    api.close();
  }
}

/** A ConfigMap. */
export function configMap(
  name: string,
  data: JsonObject = { key: 'value' },
  metadata: JsonObject = {},
): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

/** A Deployment without pods; `podSpec` is merged over one container called `app`. */
export function deployment(name: string, podSpec: JsonObject = {}): JsonObject {
  const labels = { app: name };
  const containers = [{ name: 'app', image: 'app:1', env: [{ name: 'OWN', value: '1' }] }];
  const template = { metadata: { labels }, spec: { containers, ...podSpec } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}

/** A strategic merge patch of one container's variables. */
export function envPatch(container: string, ...env: readonly JsonObject[]): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: container, env }] } } } };
}

/** The variables of the container `app` of a workload, in their order. */
export function variablesOf(workload: Json): Record<string, Json | undefined> {
  const containers = objectsOf(pick(workload, 'spec', 'template', 'spec', 'containers'));
  const found = containers.find((each) => each['name'] === 'app');
  return Object.fromEntries(objectsOf(found?.['env']).map((each) => [String(each['name']), each['value']]));
}

/** `metadata.<field>` of an object. */
export function metadataOf(object: Json | undefined, field: string): Json | undefined {
  return pick(object, 'metadata', field);
}

/** The resourceVersion of an object or list. */
export function versionOf(object: Json | undefined): string {
  return String(metadataOf(object, 'resourceVersion'));
}

const JSON_TYPE = { 'content-type': 'application/json' };
