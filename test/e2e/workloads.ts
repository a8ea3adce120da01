/** Workloads of each kind for the end-to-end tests, and what their controllers tell of them. */

import { nativeVocabulary } from '../../lib/annotations/vocabulary.ts';
import type { ConfigKind } from '../../lib/model/object-ref.ts';
import { STAMPS_ANNOTATION, STAMPS_FIELD } from '../../lib/model/workload.ts';
import { classVolume } from '../control-plane/secrets-store.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';

/** The kinds of workload. */
export const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;

/** The kinds of object that they follow, which `putAll` gives a content. */
export const CONFIG_KINDS: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** How a container gets at a content. */
export const READINGS = ['env', 'envFrom', 'volume'] as const;

/** One workload of a stage. */
export interface WorkloadName {
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
}

/** What a workload is to be. */
export interface WorkloadParts extends WorkloadName {
  /** The names of what it follows and reads. */
  readonly follows: Partial<Readonly<Record<ConfigKind, readonly string[]>>>;
  /** Variables of the template's own; if empty, so is the list. @default none */
  readonly variables?: Readonly<Record<string, string>>;
  /** @default envFrom */
  readonly reads?: (typeof READINGS)[number];
  /** A DaemonSet has as many as there are nodes. @default 2 */
  readonly replicas?: number;
  /** Those of the workload itself. @default the native lists of what it follows */
  readonly annotations?: Readonly<Record<string, string>>;
  /** @default none */
  readonly templateAnnotations?: Readonly<Record<string, string>>;
  /** Whether a container `first`, which reads nothing, stands before `app`, which reads. @default false */
  readonly hasFirst?: boolean;
}

/** Real clusters can pull it, kwok does not need to. */
const IMAGE = 'registry.k8s.io/pause:3.10';

/** A Deployment that follows the ConfigMap of its own name. */
export function web(name = 'web', parts: Partial<WorkloadParts> = {}): WorkloadParts {
  return { kind: 'Deployment', name, follows: { ConfigMap: [name] }, ...parts };
}

/** The manifest; contents are optional, so that pods start without them. */
export function manifestOf({
  kind,
  name,
  follows,
  variables,
  reads = 'envFrom',
  replicas = 2,
  annotations = annotationsFor(follows),
  templateAnnotations,
  hasFirst = false,
}: WorkloadParts): JsonObject {
  const labels = { app: name };
  const own = Object.entries(variables ?? {}).map(([variable, value]) => ({ name: variable, value }));
  const read = partsThatRead(reads, follows);
  const env = [...own, ...objectsOf(read['env'])];
  const container = {
    name: 'app',
    image: IMAGE,
    ...read,
    ...(variables !== undefined || env.length > 0 ? { env } : {}),
  };
  const volumes = reads === 'volume' ? eachOf(follows, volumeOf) : [];
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, annotations },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(templateAnnotations ? { annotations: templateAnnotations } : {}) },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [...(hasFirst ? [{ name: 'first', image: IMAGE }] : []), container],
          ...(volumes.length > 0 ? { volumes } : {}),
        },
      },
    },
  };
}

/** The annotations that name these contents. */
export function annotationsFor(follows: WorkloadParts['follows']): Record<string, string> {
  const lists = Object.entries(follows).map(([kind, names]): [string, string] => [
    nativeVocabulary().named[kind as ConfigKind][0] ?? '',
    names.join(', '),
  ]);
  return Object.fromEntries(lists);
}

/** Whether its controller has seen the present template, and all pods are of it and available. */
export function isRolledOut(workload: JsonObject): boolean {
  const status = objectOf(workload['status']);
  if (status['observedGeneration'] !== pick(workload, 'metadata', 'generation')) return false;
  const wanted = status['desiredNumberScheduled'] ?? pick(workload, 'spec', 'replicas');
  const counts = COUNTS[String(workload['kind'])] ?? [];
  const isOneRevision = status['updateRevision'] === status['currentRevision'];
  return isOneRevision && counts.every((count) => (status[count] ?? 0) === wanted);
}

/**
 * The stamps of a pod or its template: the variables of either vocabulary, and the objects that its annotations name, with
 * their values.
 */
export function stampsOf(pod: Json | undefined): Record<string, string> {
  const env = objectsOf(pick(pod, 'spec', 'containers')).flatMap((each) => objectsOf(each['env']));
  const pairs = env.map(({ name, value }): [string, string] => [String(name), String(value)]);
  const variables = pairs.filter(([variable]) => /^(?:_RELOADER|STAKATER)_/.test(variable));
  const annotations = objectOf(pick(pod, 'metadata', 'annotations'));
  const texts = Object.entries(annotations).filter(([key]) => key.endsWith('/last-reloaded-from'));
  const stamps = texts.map(([, text]) => objectOf(objectOf(JSON.parse(String(text)))[STAMPS_FIELD]));
  stamps.push(objectOf(JSON.parse(String(annotations[STAMPS_ANNOTATION] ?? '{}'))));
  return Object.assign(Object.fromEntries(variables), ...stamps) as Record<string, string>;
}

/** The fields of the status that have to be as many as there are to be pods. */
const COUNTS: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['replicas', 'updatedReplicas', 'availableReplicas'],
  StatefulSet: ['replicas', 'availableReplicas'],
  DaemonSet: ['currentNumberScheduled', 'updatedNumberScheduled', 'numberAvailable'],
};

type Content = readonly [kind: ConfigKind, name: string];

function eachOf(follows: WorkloadParts['follows'], make: (content: Content) => JsonObject): JsonObject[] {
  return Object.entries(follows).flatMap(([kind, names]) =>
    names.map((name) => make([kind as ConfigKind, name])),
  );
}

function partsThatRead(reads: string, follows: WorkloadParts['follows']): JsonObject {
  if (reads === 'env') return { env: eachOf(follows, variableOf) };
  if (reads === 'envFrom') return { envFrom: eachOf(follows, sourceOf) };
  return { volumeMounts: eachOf(follows, mountOf) };
}

function variableOf([kind, name]: Content): JsonObject {
  const ref = kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef';
  return {
    name: `${kind}_${name}`.replaceAll(/\W/g, '_'),
    valueFrom: { [ref]: { name, key: 'key', optional: true } },
  };
}

function sourceOf([kind, name]: Content): JsonObject {
  return { [kind === 'Secret' ? 'secretRef' : 'configMapRef']: { name, optional: true } };
}

function mountOf([kind, name]: Content): JsonObject {
  return { name: volumeName([kind, name]), mountPath: `/etc/${volumeName([kind, name])}` };
}

function volumeOf([kind, name]: Content): JsonObject {
  if (kind === 'SecretProviderClass') return { ...classVolume(name), name: volumeName([kind, name]) };
  const source =
    kind === 'Secret'
      ? { secret: { secretName: name, optional: true } }
      : { configMap: { name, optional: true } };
  return { name: volumeName([kind, name]), ...source };
}

function volumeName([kind, name]: Content): string {
  return `${kind.toLowerCase()}-${name}`;
}
