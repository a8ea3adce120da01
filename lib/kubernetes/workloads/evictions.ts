/** Lists the pods of workloads, and evicts them through the Eviction API, which respects PodDisruptionBudgets. */

import { isCustom } from '../../model/kinds/custom-kind.ts';
import type { ApiResource, WorkloadRef } from '../../model/object-ref.ts';
import type { Pod, PodClient, PodsReading, WriteResult } from '../../model/outcome.ts';
import type { RawCondition, RawObject, RawWorkload } from '../../model/raw-objects.ts';
import { epochSecondsOf } from '../../model/time.ts';
import { controllerOf, workloadKindOf } from '../../model/workload-kind.ts';
import { ApiError, failedRead, writeResultOf } from '../api-error.ts';
import { collectionPath, objectPath, PODS, v1, writing } from '../api-path.ts';
import { callJson, callList, METADATA_ALONE } from '../json-call.ts';
import type { Send } from '../transport.ts';

/** A pod, as far as it is read. */
interface RawPod extends RawObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly RawCondition[];
    readonly containerStatuses?: readonly RawContainerStatus[];
    readonly initContainerStatuses?: readonly RawContainerStatus[];
  };
}

interface RawContainerStatus {
  readonly name?: string;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}

/** Reasons for which a container waits that do not pass by themselves. */
const FAILING = /BackOff$|^(?:CreateContainer(?:Config)?Error|RunContainerError|InvalidImageName)$/;

/** What an operator may make of an object of its kind, for the pods. */
const MADE_BY_OPERATORS = ['Deployment', 'StatefulSet', 'DaemonSet'];
const ENDED: readonly (string | undefined)[] = ['Succeeded', 'Failed'];
const UNREACHED =
  'no pod in the namespace is controlled by it, nor by its Deployments, StatefulSets, DaemonSets or ReplicaSets, so none can be evicted';

/** What may stand between a workload and its pods. */
const BETWEEN = [
  { ...v1('apps', 'replicasets'), kind: 'ReplicaSet' },
  { ...v1('', 'replicationcontrollers'), kind: 'ReplicationController' },
];

/** See the file's comment. Its methods never reject. */
export class Evictions implements PodClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** See PodClient. */
  async podsOf({ kind, namespace, name }: WorkloadRef, uid: string): Promise<PodsReading> {
    try {
      const path = objectPath(workloadKindOf(kind), namespace, name);
      const raw = await callJson<RawWorkload>(this.#send, { method: 'GET', path });
      if (raw.metadata.uid !== uid) return { kind: 'gone' };
      // What a selector means in a kind of an operator's is not known.
      const isOfOperator = isCustom(workloadKindOf(kind));
      const labelSelector = isOfOperator ? undefined : selectorText(raw.spec?.selector);
      const all = await callList<RawPod>(this.#send, collectionPath(PODS, namespace), { labelSelector });
      // A pod that has ended runs nothing, and its controller has another one in its place.
      const pods = all.filter(({ status }) => !ENDED.includes(status?.phase));
      const owners = new Set([uid]);
      const between = [
        ...(isOfOperator && pods.length > 0 ? MADE_BY_OPERATORS.map(workloadKindOf) : []),
        ...BETWEEN.filter(({ kind: of }) => pods.some(({ metadata }) => controllerOf(metadata)?.kind === of)),
      ];
      for (const resource of between) await this.#addOwned(owners, resource, namespace);
      const own = pods.filter(({ metadata }) => owners.has(controllerOf(metadata)?.uid ?? ''));
      const desired = desiredOf(raw);
      if (isOfOperator && own.length === 0 && desired !== 0)
        return { kind: 'failed', message: UNREACHED, isUnreached: true };
      return { kind: 'listed', pods: own.map(podOf), desired };
    } catch (thrown) {
      return ApiError.from(thrown).code === 'not-found' ? { kind: 'gone' } : failedRead(thrown);
    }
  }

  /** See PodClient. The uid is a precondition: a newer pod of the same name is not evicted. */
  async evict(namespace: string, { name, uid }: Pod): Promise<WriteResult<unknown>> {
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      deleteOptions: { preconditions: { uid } },
    };
    const path = `${objectPath(PODS, namespace, name)}/eviction`;
    return await writeResultOf(async () => callJson(this.#send, writing('POST', path, body)));
  }

  /** Adds the objects that one of `owners` controls. */
  async #addOwned(owners: Set<string>, resource: ApiResource, namespace: string): Promise<void> {
    const path = collectionPath(resource, namespace);
    const all = await callList<RawObject>(this.#send, path, {}, METADATA_ALONE);
    for (const { metadata } of all)
      if (owners.has(controllerOf(metadata)?.uid ?? '')) owners.add(metadata.uid ?? '');
  }
}

/** How many pods there should be; in a kind of an operator's the field may have any form. */
function desiredOf({ spec, status }: RawWorkload): number | undefined {
  const desired: unknown = status?.desiredNumberScheduled ?? spec?.replicas;
  return typeof desired === 'number' ? desired : undefined;
}

function podOf({ metadata, status }: RawPod): Pod {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdAt: epochSecondsOf(metadata.creationTimestamp),
    isReady: isReady === true,
    isLeaving: metadata.deletionTimestamp !== undefined,
    failure: failureOf(status),
  };
}

function failureOf({ containerStatuses, initContainerStatuses }: RawPod['status'] = {}): string | undefined {
  const containers = [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])];
  const failing = containers.find(({ state }) => FAILING.test(state?.waiting?.reason ?? ''));
  return failing && `container ${failing.name}: ${failing.state?.waiting?.reason}`;
}

/** The labels that all pods of the selector have: of a LabelSelector, or, as DeploymentConfigs have it, a map of labels. */
function selectorText(selector: object = {}): string {
  const { matchLabels, matchExpressions } = selector as {
    readonly matchLabels?: object;
    readonly matchExpressions?: unknown;
  };
  const labels = matchLabels ?? (matchExpressions === undefined ? selector : {});
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',');
}
