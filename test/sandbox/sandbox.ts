/** An embedded Kubernetes API server for tests and the demo: `handle` is the server, the rest is for whoever plays with it. */

import type { ApiRequest, ApiResponse } from '../../lib/kubernetes/transport.ts';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { ApiServer, type AuditRecord, type DeniedAccess } from './api-server.ts';
import type { CallFacts, CallMatch, FaultRule, WatchEffect } from './faults.ts';
import { isObject, type JsonObject } from './json.ts';
import { mergePatch } from './merge-patch.ts';
import type { Pod } from './pod.ts';
import { EXTENSIONS, type ResourceRow, rowOfKind, rowOfResource } from './resource-table.ts';
import type { VersionStyle } from './resource-versions.ts';
import { type Revision, restoredAnnotations } from './revisions.ts';
import { ServedKinds } from './served-kinds.ts';
import { Store } from './store.ts';
import { type StoredObject, storeKey, timestamp } from './stored-object.ts';
import { strategicMerge } from './strategic-merge.ts';
import { type Crashes, type Pace, WorkloadController } from './workload-controller.ts';
import type { Mutate, Target, WriteOptions } from './writes.ts';

/** How a sandbox behaves. */
export interface SandboxOptions {
  /** @default 'comparable' */
  readonly resourceVersions?: VersionStyle;
  /** The namespaces that exist from the start. @default ['default', 'kube-system'] */
  readonly namespaces?: readonly string[];
  /** A page of a list has no more objects than this, whatever limit is asked for. @default no fewer than the limit */
  readonly mostPerPage?: number;
  /** From a workload's change to its observation, and between two steps. @default 10 */
  readonly observeMs?: number;
  /** From a pod's creation to its start. @default 50 */
  readonly podStartMs?: number;
  /** Called synchronously once for each finished request; a watch counts as finished when it is open. */
  readonly audit?: (record: AuditRecord) => void;
  /** A mutating webhook, asked synchronously before an object is stored. @default none */
  readonly mutate?: Mutate;
  /** The kinds served besides those of each cluster: by their plural, or a customResource. @default none */
  readonly extensions?: readonly (keyof typeof EXTENSIONS | ResourceRow)[];
}

/** How a patch is understood. */
export type PatchType = 'merge' | 'strategic';

/**
 * A sandbox. Its helpers act at once, without requests: no faults, no latency, no audit. They throw the StatusError that
 * a client would get. `resource` is a plural such as `configmaps`; objects carry no kind and apiVersion.
 */
export interface Sandbox {
  /** The server: a `Send`. */
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;

  /** The live object. */
  get(resource: string, namespace: string | undefined, name: string): StoredObject | undefined;
  /** All live objects of a kind, of all namespaces, in order. */
  list(resource: string): readonly StoredObject[];
  /** Creates; the namespace is taken from the object's metadata. */
  create(resource: string, object: object, manager?: string): StoredObject;
  /** Creates, or replaces as `kubectl replace --force` without a deletion would. */
  replace(resource: string, object: object, manager?: string): StoredObject;
  /** Patches. */
  patch(
    resource: string,
    namespace: string | undefined,
    name: string,
    patch: object,
    type?: PatchType,
    manager?: string,
  ): StoredObject;
  /** Writes a status, as a controller does of a kind that has none here. */
  setStatus(resource: string, namespace: string, name: string, status: object): void;
  /** Deletes. */
  remove(resource: string, namespace: string | undefined, name: string): StoredObject;

  /** `kubectl rollout restart`: a new annotation in the pod template; twice within a second is once. */
  restart(ref: WorkloadRef): void;
  /**
   * `kubectl rollout undo`: brings back the template before; of a Deployment also its own annotations of that time.
   * Answers false where kubectl would not: paused, or no such revision.
   */
  undo(ref: WorkloadRef): boolean;
  /** The former templates of a workload and, last, the present one. */
  revisions(ref: WorkloadRef): readonly Revision[];
  /** All pods. */
  pods(): readonly Pod[];
  /** The pods of one workload. */
  podsOf(ref: WorkloadRef): readonly Pod[];
  /** How a workload rolls from now on; undefined: as usual. */
  setRolloutDelay(ref: WorkloadRef, pace: Pace | undefined): void;

  /** Pods of a workload that start from now on crash, and start again, as long as they read such contents; undefined: none do. */
  setCrashing(ref: WorkloadRef, crashes: Crashes | undefined): void;
  /** So many of its pods have to stay ready when one is evicted; undefined: any number may go. */
  setBudget(ref: WorkloadRef, minAvailable: number | undefined): void;

  /** Puts a fault in force; the function answered takes it back. */
  addFault(rule: FaultRule): () => void;
  /** Takes back all faults and delays of watches. */
  clearFaults(): void;
  /** Does something to all open watches that match; answers how many there were. */
  disturbWatches(match: CallMatch, effect: WatchEffect): number;
  /** From now on all lines of the watches on `resource` come so late; 0 ends that. */
  delayWatches(resource: string, ms: number): void;
  /** The calls whose watches are open. */
  openWatches(): readonly CallFacts[];
  /**
   * Another version of the API server takes over: it spells every pod template another way from now on, with the same
   * meaning, and all watches end.
   */
  respell(): void;
  /**
   * Serves a kind from now on, or no more: as if its custom resource definition were installed, or deleted with all its objects.
   */
  setServed(resource: string, isServed: boolean): void;
  /** From now on the API server of a group answers, or every request for it gets 503, as of an aggregated API. */
  setAvailable(group: string, isAvailable: boolean): void;
  /** Forgets the history: older versions and continued lists are expired. */
  compact(): void;
  /** What SelfSubjectAccessReview denies; a list to push to. */
  readonly denied: DeniedAccess[];
  /** How many writes there were. */
  readonly writes: number;
  /** Stops everything that moves by itself. */
  close(): void;
}

/** A sandbox with nothing in it but its namespaces. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new EmbeddedSandbox(options);
}

class EmbeddedSandbox implements Sandbox {
  readonly #store: Store;
  readonly #server: ApiServer;
  readonly #controller: WorkloadController;
  readonly #served: ServedKinds;
  readonly #delayed = new Set<string>();
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;

  constructor(options: SandboxOptions) {
    const { mostPerPage = Number.POSITIVE_INFINITY, observeMs = 10, podStartMs = 50 } = options;
    const { namespaces = ['default', 'kube-system'] } = options;
    this.#store = new Store(options.resourceVersions ?? 'comparable');
    const { extensions = [] } = options;
    this.#served = new ServedKinds(
      extensions.map((each) => (typeof each === 'string' ? EXTENSIONS[each] : each)),
    );
    this.#server = new ApiServer(this.#store, {
      mostPerPage,
      served: this.#served,
      audit: options.audit,
      mutate: options.mutate,
      checkBudget: (pod) => this.#controller.checkBudget(pod),
    });
    this.#controller = new WorkloadController(this.#store, this.#server.writes, {
      observeMs,
      podStartMs,
    });
    this.handle = (request) => this.#server.handle(request);
    for (const name of namespaces) this.create('namespaces', { metadata: { name } });
  }

  get denied(): DeniedAccess[] {
    return this.#server.denied;
  }

  get writes(): number {
    return this.#store.sequence;
  }

  get(resource: string, namespace: string | undefined, name: string): StoredObject | undefined {
    return this.#store.get(rowOfResource(resource), storeKey(namespace, name));
  }

  list(resource: string): readonly StoredObject[] {
    return this.#store.all(rowOfResource(resource));
  }

  create(resource: string, object: object, manager?: string): StoredObject {
    const body = jsonOf(object);
    const { row, namespace } = targetIn(resource, body);
    return this.#server.writes.create(row, namespace, body, writer(manager));
  }

  replace(resource: string, object: object, manager?: string): StoredObject {
    const body = jsonOf(object);
    const target = targetIn(resource, body);
    if (this.get(resource, target.namespace, target.name) === undefined)
      return this.create(resource, body, manager);
    return this.#server.writes.update(target, body, writer(manager));
  }

  patch(
    resource: string,
    namespace: string | undefined,
    name: string,
    patch: object,
    type: PatchType = 'merge',
    manager?: string,
  ): StoredObject {
    const target = { row: rowOfResource(resource), namespace, name };
    return this.#server.writes.patch(target, (live) => patchedBy(live, patch, type), writer(manager));
  }

  setStatus(resource: string, namespace: string, name: string, status: object): void {
    const target = { row: rowOfResource(resource), namespace, name };
    const options = {
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: 'status',
    } as const;
    const change = (live: StoredObject): JsonObject => ({ ...live, status: jsonOf(status) });
    this.#server.writes.patch(target, change, { ...options, dryRun: false });
  }

  remove(resource: string, namespace: string | undefined, name: string): StoredObject {
    return this.#server.writes.remove({ row: rowOfResource(resource), namespace, name }, {}, writer());
  }

  restart(ref: WorkloadRef): void {
    const annotations = { 'kubectl.kubernetes.io/restartedAt': timestamp() };
    const patch = { spec: { template: { metadata: { annotations } } } };
    this.#server.writes.patch(targetOf(ref), (live) => mergePatch(live, patch), writer('kubectl-rollout'));
  }

  undo(ref: WorkloadRef): boolean {
    const former = this.revisions(ref).at(-2);
    const target = targetOf(ref);
    const live = this.#store.get(target.row, storeKey(ref.namespace, ref.name));
    if (former === undefined || live === undefined) return false;
    const spec = isObject(live['spec']) ? live['spec'] : {};
    if (spec['paused'] === true) return false;
    const annotations =
      ref.kind === 'Deployment'
        ? restoredAnnotations(live.metadata.annotations ?? {}, former)
        : live.metadata.annotations;
    const undone: JsonObject = {
      ...live,
      metadata: { ...live.metadata, annotations },
      spec: { ...spec, template: former.template },
    };
    this.#server.writes.patch(target, () => undone, writer('kubectl'));
    return true;
  }

  revisions(ref: WorkloadRef): readonly Revision[] {
    return this.#controller.revisions(ref);
  }

  pods(): readonly Pod[] {
    return this.#controller.pods();
  }

  podsOf(ref: WorkloadRef): readonly Pod[] {
    return this.#controller.podsOf(ref);
  }

  setCrashing(ref: WorkloadRef, crashes: Crashes | undefined): void {
    this.#controller.setCrashing(ref, crashes);
  }

  setBudget(ref: WorkloadRef, minAvailable: number | undefined): void {
    this.#controller.setBudget(ref, minAvailable);
  }

  setRolloutDelay(ref: WorkloadRef, pace: Pace | undefined): void {
    this.#controller.setRolloutDelay(ref, pace);
  }

  addFault(rule: FaultRule): () => void {
    return this.#server.faults.add(rule);
  }

  clearFaults(): void {
    this.#server.faults.clear();
    for (const resource of this.#delayed) this.#server.watches.setDelay(resource, 0);
    this.#delayed.clear();
  }

  disturbWatches(match: CallMatch, effect: WatchEffect): number {
    return this.#server.watches.disturb(match, effect);
  }

  delayWatches(resource: string, ms: number): void {
    this.#delayed.add(resource);
    this.#server.watches.setDelay(resource, ms);
  }

  openWatches(): readonly CallFacts[] {
    return this.#server.watches.openCalls;
  }

  respell(): void {
    this.#server.spelling.turn();
    this.#server.watches.disturb({}, { kind: 'cut', how: 'end' });
  }

  setServed(resource: string, isServed: boolean): void {
    const row = rowOfResource(resource);
    this.#served.set(row, isServed);
    if (isServed) return;
    for (const object of this.#store.all(row)) this.#store.remove(row, object);
    this.#server.watches.disturb({ resource: row.resource }, { kind: 'cut', how: 'end' });
  }

  setAvailable(group: string, isAvailable: boolean): void {
    this.#served.setAvailable(group, isAvailable);
    if (isAvailable) return;
    for (const { resource } of this.#store.rows.filter((row) => row.group === group))
      this.#server.watches.disturb({ resource }, { kind: 'cut', how: 'throw' });
  }

  compact(): void {
    this.#store.compact();
  }

  close(): void {
    this.#controller.close();
    this.#server.watches.disturb({}, { kind: 'cut', how: 'end' });
  }
}

/** Objects given by tests are JSON by promise: they are written as object literals. */
function jsonOf(object: object): JsonObject {
  return object as JsonObject;
}

function patchedBy(live: StoredObject, patch: object, type: PatchType): JsonObject {
  return type === 'merge' ? mergePatch(live, jsonOf(patch)) : strategicMerge(live, jsonOf(patch));
}

function targetIn(resource: string, body: JsonObject): Target {
  const row = rowOfResource(resource);
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  const namespace = row.namespaced ? String(metadata['namespace'] ?? 'default') : undefined;
  return { row, namespace, name: String(metadata['name']) };
}

function targetOf(ref: WorkloadRef): Target {
  return { row: rowOfKind(ref.kind), namespace: ref.namespace, name: ref.name };
}

function writer(manager = 'kubectl'): WriteOptions {
  return { manager, operation: 'Update', dryRun: false };
}
