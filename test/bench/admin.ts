/** What the administrator does between measurements: makes namespaces, objects and changes. */

import { callJson } from '../../lib/kubernetes/json-call.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';

/** How many requests are under way at once. */
const PARALLEL = 48;
/** What an object's content weighs in bytes. */
const CONTENT_BYTES = 4096;

/** How many of `of` are done. */
export type OnProgress = (done: number, of: number) => void;

/** A Deployment that is made. */
export interface DeploymentParts {
  readonly name: string;
  readonly configMaps?: readonly string[];
  readonly secrets?: readonly string[];
}

/** Knows how to fill one namespace. */
export class Admin {
  readonly namespace: string;
  readonly #send: Send;

  private constructor(send: Send, namespace: string) {
    this.#send = send;
    this.namespace = namespace;
  }

  /** A namespace that did not exist before. */
  static async in(send: Send, namespace: string): Promise<Admin> {
    await post(send, '/api/v1/namespaces', { metadata: { name: namespace } });
    return new Admin(send, namespace);
  }

  /** ConfigMaps or Secrets of 4 KiB: those of `names`. */
  async fill(
    resource: 'configmaps' | 'secrets',
    names: readonly string[],
    onProgress?: OnProgress,
  ): Promise<void> {
    await each(
      names,
      (name) => this.#create(resource, { metadata: { name }, data: dataOf(resource, name) }),
      onProgress,
    );
  }

  /** ConfigMaps of a few bytes. */
  async configMaps(names: readonly string[]): Promise<void> {
    await each(names, (name) => this.#create('configmaps', { metadata: { name }, data: { value: 'first' } }));
  }

  /** Deployments without pods that follow what they name. */
  async deployments(all: readonly DeploymentParts[], onProgress?: OnProgress): Promise<void> {
    await each(all, (parts) => this.#create('deployments', deploymentOf(parts)), onProgress);
  }

  /** Gives a ConfigMap another content. */
  async change(name: string): Promise<void> {
    changes += 1;
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${name}`;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ data: { value: `change ${changes}` } });
    await callJson(this.#send, { method: 'PATCH', path, headers, body });
  }

  /** Gives ConfigMaps another content, several at once. */
  async changeAll(names: readonly string[], onProgress?: OnProgress): Promise<void> {
    await each(names, (name) => this.change(name), onProgress);
  }

  async #create(resource: string, object: object): Promise<void> {
    const root = resource === 'deployments' ? '/apis/apps/v1' : '/api/v1';
    await post(this.#send, `${root}/namespaces/${this.namespace}/${resource}`, object);
  }
}

/** `<prefix>-00000` and so on. */
export function numbered(prefix: string, count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${String(from + index).padStart(5, '0')}`);
}

let changes = 0;

async function post(send: Send, path: string, object: object): Promise<void> {
  await callJson(send, { method: 'POST', path, body: JSON.stringify(object) });
}

async function each<T>(
  all: readonly T[],
  action: (one: T) => Promise<void>,
  onProgress?: OnProgress,
): Promise<void> {
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) {
      await action(one);
      done += 1;
      onProgress?.(done, all.length);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

function dataOf(resource: 'configmaps' | 'secrets', name: string): Record<string, string> {
  const text = `${name} `.repeat(CONTENT_BYTES).slice(0, CONTENT_BYTES);
  return resource === 'configmaps'
    ? { 'application.yaml': text }
    : { password: Buffer.from(text.slice(0, (CONTENT_BYTES * 3) / 4)).toString('base64') };
}

function deploymentOf({ name, configMaps = [], secrets = [] }: DeploymentParts): object {
  const labels = { app: name };
  const annotations = {
    ...(configMaps.length > 0 ? { 'reloader.k8s.collaborne.com/configmap': configMaps.join(',') } : {}),
    ...(secrets.length > 0 ? { 'reloader.k8s.collaborne.com/secret': secrets.join(',') } : {}),
  };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  return {
    metadata: { name, annotations },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  };
}
