/** Objects for the integration tests: contents of one value, and workloads whose pods read what they follow. */

import type { ConfigKind, ConfigRef, WorkloadRef } from '../../lib/model/object-ref.ts';
import { type Cluster, resourceOf } from './harness.ts';

/** What a workload is to be, beside its name. */
export interface WorkloadParts {
  /** @default Deployment */
  readonly kind?: string;
  /** @default default */
  readonly namespace?: string;
  /** What its annotations name. @default the ConfigMap of its own name */
  readonly follows?: Partial<Readonly<Record<ConfigKind, readonly string[]>>>;
  /** The annotations that name them. @default the native ones */
  readonly annotations?: Readonly<Partial<Record<ConfigKind, string>>>;
}

const NATIVE: Readonly<Record<ConfigKind, string>> = {
  ConfigMap: 'reloader.k8s.collaborne.com/configmap',
  Secret: 'reloader.k8s.collaborne.com/secret',
  SecretProviderClass: 'reloader.k8s.collaborne.com/secret-provider-class',
};

/** A Deployment in the namespace `default`. */
export function deployment(name: string): WorkloadRef {
  return { kind: 'Deployment', namespace: 'default', name };
}

/** A ConfigMap in the namespace `default`. */
export function configMap(name: string, namespace = 'default'): ConfigRef {
  return { kind: 'ConfigMap', namespace, name };
}

/** Creates an object, or gives it this content. `type`: of a Secret that is created. */
export function put(
  cluster: Cluster,
  { kind, namespace, name }: ConfigRef,
  value: string,
  type?: string,
): void {
  const data = { value: kind === 'Secret' ? Buffer.from(value).toString('base64') : value };
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  if (cluster.sandbox.get(resource, namespace, name) === undefined)
    cluster.sandbox.create(resource, {
      metadata: { namespace, name },
      ...(type === undefined ? {} : { type }),
      data,
    });
  else cluster.sandbox.patch(resource, namespace, name, { data });
}

/** Creates a workload of two pods; what it follows has to exist for them to start. */
export function deploy(cluster: Cluster, name: string, parts: WorkloadParts = {}): WorkloadRef {
  const { kind = 'Deployment', namespace = 'default', annotations = NATIVE } = parts;
  const { ConfigMap = [], Secret = [] } = parts.follows ?? { ConfigMap: [name] };
  const envFrom = [
    ...ConfigMap.map((config) => ({ configMapRef: { name: config } })),
    ...Secret.map((config) => ({ secretRef: { name: config } })),
  ];
  cluster.sandbox.create(resourceOf(kind), {
    metadata: {
      namespace,
      name,
      annotations: {
        ...(ConfigMap.length > 0 ? { [annotations.ConfigMap ?? '']: ConfigMap.join(', ') } : {}),
        ...(Secret.length > 0 ? { [annotations.Secret ?? '']: Secret.join(', ') } : {}),
      },
    },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: 2 }),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image: 'app:1', envFrom }] },
      },
    },
  });
  return { kind, namespace, name };
}

/** A ConfigMap and the Deployment of the same name that follows it, whose pods run. */
export async function pair(cluster: Cluster, name: string, namespace = 'default'): Promise<WorkloadRef> {
  put(cluster, configMap(name, namespace), 'one');
  const ref = deploy(cluster, name, { namespace });
  await cluster.podsAreCurrent(ref);
  return ref;
}

/**
 * Rolls a workload that was not touched before, by a change of its own: what was due earlier by any reloader that runs
 * now has happened when this resolves.
 */
export async function mark(cluster: Cluster): Promise<void> {
  const name = 'marker';
  if (cluster.sandbox.get('configmaps', 'default', name) === undefined)
    throw new Error('deploy the marker first');
  const before = cluster.rollouts(deployment(name));
  markers += 1;
  put(cluster, configMap(name), `marker ${markers}`);
  await cluster.until('the marker is rolled', () => cluster.rollouts(deployment(name)) > before);
}

let markers = 0;
