/**
 * The Secrets Store CSI driver, imitated: its kinds, and what it writes for pods of a real API server. There are no nodes and
 * no volumes: `versions` says what the store holds, and a pod is mounted as soon as a node is chosen for it.
 */

import { isRequired } from '../install/tools.ts';
import { until } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { secretsStoreKinds } from './assets.ts';
import type { RealCluster } from './cluster.ts';

/** What pods name in a volume to be served by it. */
export const DRIVER = 'secrets-store.csi.k8s.io';

/** The versions in the store, by the id of an object; a function gives each pod credentials of its own. */
export type Versions = Readonly<Record<string, string | ((podUid: string) => string)>>;

/** How much of one poll is done. */
export interface PollOptions {
  /** How many statuses are rewritten at most. @default all */
  readonly most?: number;
  /** Of these pods alone, such as those of one node. @default all */
  readonly pods?: RegExp;
}

const GROUP = 'secrets-store.csi.x-k8s.io';
const NODE_LABEL = 'internal.secrets-store.csi.k8s.io/node-name';
const NOT_THERE = 'the kinds of the Secrets Store CSI driver are not there: npm run control-plane';

/** Why tests with the driver are skipped; false: they are not. */
export function skipWithoutSecretsStore({ access }: RealCluster): string | false {
  if (!access.hasPods) return 'pods are needed';
  return secretsStoreKinds() === undefined && !isRequired() && NOT_THERE;
}

/** Installs the kinds; what is there stays. */
export async function installSecretsStoreKinds(cluster: RealCluster): Promise<void> {
  const folder = secretsStoreKinds();
  if (folder === undefined) throw new Error(NOT_THERE);
  await cluster.kubectl(['apply', '-f', folder]);
  const names = ['secretproviderclasses', 'secretproviderclasspodstatuses'].map(
    (each) => `crd/${each}.${GROUP}`,
  );
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
}

/** The path of the classes of a namespace, or of one of them. */
export function classesPath(namespace: string, name?: string): string {
  return pathOf('secretproviderclasses', namespace, name);
}

/** The path of the statuses of a namespace, or of one of them. */
export function statusesPath(namespace: string, name?: string): string {
  return pathOf('secretproviderclasspodstatuses', namespace, name);
}

/** A volume of a class. */
export function classVolume(name: string): JsonObject {
  return { name, csi: { driver: DRIVER, readOnly: true, volumeAttributes: { secretProviderClass: name } } };
}

/** The driver on all nodes, for one namespace. It mounts as long as it is not disposed of; it rotates when it is told to. */
export class SecretsStoreDriver implements AsyncDisposable {
  readonly #cluster: RealCluster;
  readonly #namespace: string;
  readonly #store = new Map<string, Versions>();
  /** The uids of the pods that are mounted, by the name of the status. */
  readonly #mounted = new Map<string, string>();
  readonly #end = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  private constructor(cluster: RealCluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Starts it; the kinds have to be there. */
  static start(cluster: RealCluster, namespace: string): SecretsStoreDriver {
    const driver = new SecretsStoreDriver(cluster, namespace);
    void cluster.watch(driver.#core('pods'), driver.#end.signal, (pod, type) => {
      driver.#enqueue(() => (type === 'DELETED' ? driver.#collect(pod) : driver.#mountAll(pod)));
    });
    return driver;
  }

  /** Gives the objects of a class versions in the store; pods that are mounted keep theirs until a poll. */
  put(name: string, versions: Versions): void {
    this.#store.set(name, versions);
  }

  /** Creates a class. `secretObjects`: the Secrets that are to have what pods mount, by name. */
  async createClass(
    name: string,
    annotations: Readonly<Record<string, string>> = {},
    secretObjects: readonly string[] = [],
  ): Promise<void> {
    const synced = secretObjects.map((secretName) => ({
      secretName,
      type: 'Opaque',
      data: [{ objectName: 'password', key: 'password' }],
    }));
    await this.#cluster.expect('POST', classesPath(this.#namespace), {
      apiVersion: `${GROUP}/v1`,
      kind: 'SecretProviderClass',
      metadata: { name, annotations },
      spec: {
        provider: 'vault',
        parameters: { objects: name },
        ...(synced.length > 0 ? { secretObjects: synced } : {}),
      },
    });
    await this.#remount();
  }

  /** Resolves when each volume of each pod is mounted. */
  async hasMounted(): Promise<void> {
    const isDone = async (): Promise<boolean> => {
      await this.#queue;
      const mounts = (await this.statuses()).map((status) => mountOf(ownerOf(status), classIn(status)));
      const wanted = (await this.#pods()).flatMap((pod) =>
        volumesOf(pod).map((name) => mountOf(uidOf(pod), name)),
      );
      const there = new Set(mounts);
      return wanted.every((mount) => there.has(mount));
    };
    await until('all pods are mounted', isDone);
  }

  /** The statuses as they are. */
  async statuses(): Promise<readonly JsonObject[]> {
    const { items } = await this.#cluster.expect('GET', statusesPath(this.#namespace));
    return objectsOf(items);
  }

  /**
   * One poll of the rotation: one after the other, the status of each running pod whose class is there and whose versions
   * in the store are others is rewritten. Resolves with their count.
   */
  async poll({ most = Number.POSITIVE_INFINITY, pods = /^/ }: PollOptions = {}): Promise<number> {
    let rewritten = 0;
    for (const status of await this.statuses()) {
      if (rewritten === most) break;
      if (pods.test(textOf(status, 'podName')) && (await this.#rotate(status))) rewritten += 1;
    }
    return rewritten;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#queue;
  }

  async #rotate(status: JsonObject): Promise<boolean> {
    const { body: pod } = await this.#cluster.ask('GET', this.#core('pods', textOf(status, 'podName')));
    const name = classIn(status);
    const provider = await this.#classOf(name);
    const mayRotate = provider !== undefined && uidOf(pod) === ownerOf(status) && runs(pod);
    const objects = this.#objectsFor(name, uidOf(pod));
    if (!mayRotate || JSON.stringify(objects) === JSON.stringify(pick(status, 'status', 'objects')))
      return false;
    const path = statusesPath(this.#namespace, nameOf(status));
    await this.#cluster.expect('PUT', path, {
      ...status,
      status: { ...objectOf(status['status']), objects },
    });
    await this.#sync(provider, objects);
    return true;
  }

  /** Writes the Secrets of a class, once it is mounted or rotated. */
  async #sync(provider: JsonObject, objects: readonly JsonObject[]): Promise<void> {
    for (const { secretName } of objectsOf(pick(provider, 'spec', 'secretObjects'))) {
      const body = {
        metadata: { name: String(secretName) },
        stringData: { password: JSON.stringify(objects) },
      };
      const { status } = await this.#cluster.ask('POST', this.#core('secrets'), body);
      if (status === 409)
        await this.#cluster.expect('PATCH', this.#core('secrets', String(secretName)), body);
    }
  }

  /** The garbage collector knows kinds that are new only after half a minute: this is faster. */
  async #collect(pod: JsonObject): Promise<void> {
    for (const name of volumesOf(pod)) {
      const path = statusesPath(this.#namespace, this.#statusName(pod, name));
      const { body } = await this.#cluster.ask('GET', path);
      const { uid, resourceVersion } = objectOf(body['metadata']);
      if (ownerOf(body) !== uidOf(pod) || uid === undefined) continue;
      await this.#cluster.ask('DELETE', path, {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      });
    }
  }

  #statusName(pod: JsonObject, name: string): string {
    return `${nameOf(pod)}-${this.#namespace}-${name}`;
  }

  /** A mount that failed is tried again, as the kubelet does. */
  async #remount(): Promise<void> {
    for (const pod of await this.#pods()) this.#enqueue(() => this.#mountAll(pod));
    await this.#queue;
  }

  #enqueue(act: () => Promise<void>): void {
    this.#queue = this.#queue.then(() => (this.#end.signal.aborted ? undefined : act()));
  }

  async #mountAll(pod: JsonObject): Promise<void> {
    if (pick(pod, 'spec', 'nodeName') === undefined || !runs(pod)) return;
    for (const name of volumesOf(pod)) await this.#mount(pod, name);
  }

  async #mount(pod: JsonObject, name: string): Promise<void> {
    const podName = nameOf(pod);
    const status = this.#statusName(pod, name);
    if (this.#mounted.get(status) === uidOf(pod)) return;
    const provider = await this.#classOf(name);
    if (provider === undefined) return;
    const objects = this.#objectsFor(name, uidOf(pod));
    const targetPath = `/var/lib/kubelet/pods/${uidOf(pod)}/volumes/kubernetes.io~csi/${name}/mount`;
    const metadata = {
      name: status,
      labels: { [NODE_LABEL]: String(pick(pod, 'spec', 'nodeName')) },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: podName, uid: uidOf(pod) }],
    };
    await this.#createOrUpdate({
      apiVersion: `${GROUP}/v1`,
      kind: 'SecretProviderClassPodStatus',
      metadata,
      status: { podName, secretProviderClassName: name, targetPath, mounted: true, objects },
    });
    this.#mounted.set(status, uidOf(pod));
    await this.#sync(provider, objects);
  }

  async #createOrUpdate(wanted: JsonObject): Promise<void> {
    const created = await this.#cluster.ask('POST', statusesPath(this.#namespace), wanted);
    if (created.status === 201) return;
    const path = statusesPath(this.#namespace, nameOf(wanted));
    const there = await this.#cluster.ask('GET', path);
    const { resourceVersion = null } = objectOf(there.body['metadata']);
    const metadata = { ...objectOf(wanted['metadata']), resourceVersion };
    const updated = await this.#cluster.ask('PUT', path, { ...wanted, metadata });
    if (updated.status === 200) return;
    // The garbage collector, or a poll, was faster.
    if (![created, there, updated].some(({ status }) => status === 404 || status === 409))
      throw new Error(`${path}: ${updated.status}`);
    await this.#createOrUpdate(wanted);
  }

  async #classOf(name: string): Promise<JsonObject | undefined> {
    const { status, body } = await this.#cluster.ask('GET', classesPath(this.#namespace, name));
    return status === 200 ? body : undefined;
  }

  async #pods(): Promise<readonly JsonObject[]> {
    return objectsOf((await this.#cluster.expect('GET', this.#core('pods')))['items']).filter(runs);
  }

  #objectsFor(name: string, podUid: string): readonly JsonObject[] {
    const versions = Object.entries(this.#store.get(name) ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return versions.map(([id, version]) => ({
      id,
      version: typeof version === 'string' ? version : version(podUid),
    }));
  }

  #core(resource: string, name?: string): string {
    return `/api/v1/namespaces/${this.#namespace}/${resource}${name === undefined ? '' : `/${name}`}`;
  }
}

function pathOf(resource: string, namespace: string, name?: string): string {
  return `/apis/${GROUP}/v1/namespaces/${namespace}/${resource}${name === undefined ? '' : `/${name}`}`;
}

/** The classes that a pod mounts. */
function volumesOf(pod: JsonObject): readonly string[] {
  const volumes = objectsOf(pick(pod, 'spec', 'volumes')).map(({ csi }) => objectOf(csi));
  return volumes.flatMap(({ driver, volumeAttributes }) =>
    driver === DRIVER ? (stringOf(pick(volumeAttributes, 'secretProviderClass')) ?? []) : [],
  );
}

/** Whether a pod has an end neither behind nor before it. */
function runs(pod: JsonObject): boolean {
  const phase = String(pick(pod, 'status', 'phase'));
  return pick(pod, 'metadata', 'deletionTimestamp') === undefined && !['Succeeded', 'Failed'].includes(phase);
}

function ownerOf(status: JsonObject): string {
  const [owner] = objectsOf(pick(status, 'metadata', 'ownerReferences'));
  return String(owner?.['uid']);
}

function classIn(status: JsonObject): string {
  return textOf(status, 'secretProviderClassName');
}

function mountOf(podUid: string, name: string): string {
  return `${podUid}/${name}`;
}

function textOf(status: JsonObject, field: string): string {
  return String(pick(status, 'status', field));
}

function nameOf(object: JsonObject): string {
  return metadataOf(object, 'name');
}

function uidOf(object: JsonObject): string {
  return metadataOf(object, 'uid');
}

function metadataOf(object: JsonObject, field: string): string {
  const value: Json | undefined = pick(object, 'metadata', field);
  return String(value);
}
