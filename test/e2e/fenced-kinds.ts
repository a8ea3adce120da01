/** What the fences leave of kinds that a cluster may lack, as custom resources, and of pods. */

import { OWN_WRITES } from '../install/own-writes.ts';
import type { Json, JsonObject } from '../sandbox/json.ts';
import {
  add,
  annotation,
  type Case,
  named,
  passingOf,
  patching,
  pathOf,
  type Request,
  refusedOf,
  subject,
} from './fenced.ts';

/** Where kinds are defined. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const PODS = '/api/v1/namespaces/default/pods';
const DRY = '?dryRun=All';

/** A kind with any spec, as the API server is to serve it. */
function definitionOf(kind: string, group: string, version: string): JsonObject {
  const singular = kind.toLowerCase();
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${singular}s.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

/** The kinds that the policies know, and one that they do not. */
export const KINDS_DEFINED: readonly JsonObject[] = [
  definitionOf('Rollout', 'argoproj.io', 'v1alpha1'),
  definitionOf('DeploymentConfig', 'apps.openshift.io', 'v1'),
  definitionOf('Cloneset', 'apps.example.com', 'v1'),
];

/** The objects that the cases are about, by the path that they are sent to. */
export const FURTHER_SUBJECTS: readonly (readonly [path: string, body: JsonObject])[] = [
  [pathOf('Rollout'), rollout('subject', subject('Deployment', 'subject'))],
  [pathOf('Rollout'), rollout('restarted', { spec: { restartAt: '2026-01-01T00:00:00Z' } })],
  [
    pathOf('DeploymentConfig'),
    {
      ...subject('Deployment', 'subject'),
      apiVersion: 'apps.openshift.io/v1',
      kind: 'DeploymentConfig',
    },
  ],
  [
    PODS,
    {
      metadata: { name: 'subject', labels: { app: 'subject' } },
      spec: {
        containers: [{ name: 'app', image: 'registry.k8s.io/pause:3.10' }],
        nodeSelector: { none: 'such' },
      },
    },
  ],
];

/** With `like`’s metadata and spec; one without a pod template refers to a Deployment. */
function rollout(name: string, { metadata, spec }: JsonObject): JsonObject {
  const reference = { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'subject' } };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: metadata ?? { name, annotations: { 'example.com/own': '1' } },
    spec: { ...(metadata === undefined ? reference : {}), ...(spec as JsonObject) },
  };
}

const RESTART = add('/spec/restartAt', '2026-01-02T00:00:00Z');
const annotations = (keys: readonly string[]): Json[] => keys.flatMap((key) => annotation('/metadata', key));
const ASKS = annotations(OWN_WRITES.annotations.Rollout);
const COUNTS = annotations(OWN_WRITES.annotations.DeploymentConfig);

const eviction = (deleteOptions?: JsonObject): Request => [
  'POST',
  `${PODS}/subject/eviction${DRY}`,
  {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    ...named('subject'),
    ...(deleteOptions === undefined ? {} : { deleteOptions }),
  },
];

/** Requests that pass. */
const PASSING: Readonly<Record<string, Request>> = {
  'restart a Rollout': patching('Rollout', [...RESTART, ...ASKS]),
  'restart a Rollout again that refers to a Deployment': patching(
    'Rollout',
    [...RESTART, ...ASKS],
    'restarted',
  ),
  'note the version of a DeploymentConfig': patching('DeploymentConfig', COUNTS),
  'evict a pod': eviction(),
  'evict a pod with an option that takes nothing from its grace': eviction({ dryRun: ['All'] }),
};

/** Requests by what refuses them. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, Request>>>> = {
  'spec of a workload': {
    'take the time of its restart from a Rollout': patching(
      'Rollout',
      [{ op: 'remove', path: '/spec/restartAt' }],
      'restarted',
    ),
    'have a Rollout refer to another Deployment': patching(
      'Rollout',
      add('/spec/workloadRef/name', 'other'),
      'restarted',
    ),
    'restart a DeploymentConfig': patching('DeploymentConfig', RESTART),
  },
  'annotations of a workload': {
    'record the restart of a Deployment': patching('Deployment', ASKS),
    'record that of a DeploymentConfig': patching('DeploymentConfig', ASKS),
    'note a version of a Rollout': patching('Rollout', COUNTS),
  },
  'no other pause': { 'pause a Rollout': patching('Rollout', add('/spec/paused', true)) },
  "'kubernetes-reloader-writes'": {
    'evict a pod without a grace': eviction({ gracePeriodSeconds: 0 }),
    'delete a pod': ['DELETE', `${PODS}/subject${DRY}`],
    'delete all pods': ['DELETE', PODS + DRY],
    'create a pod': [
      'POST',
      PODS + DRY,
      { ...named('other'), spec: { containers: [{ name: 'app', image: 'a' }] } },
    ],
    'create a ReplicaSet': [
      'POST',
      `/apis/apps/v1/namespaces/default/replicasets${DRY}`,
      {
        ...named('other'),
        spec: {
          selector: { matchLabels: { app: 'other' } },
          template: {
            metadata: { labels: { app: 'other' } },
            spec: { containers: [{ name: 'app', image: 'a' }] },
          },
        },
      },
    ],
    'change a pod': ['PATCH', `${PODS}/subject${DRY}`, { metadata: { labels: { app: 'other' } } }],
    'bind a pod': [
      'POST',
      `${PODS}/subject/binding${DRY}`,
      { ...named('subject'), target: { kind: 'Node', name: 'other' } },
    ],
    'delete a Rollout': ['DELETE', pathOf('Rollout', 'subject') + DRY],
    'write the status of a Rollout': [
      'PATCH',
      `${pathOf('Rollout', 'subject/status')}${DRY}`,
      { status: { phase: 'Healthy' } },
    ],
  },
};

/** All of them. */
export const FURTHER_CASES: readonly Case[] = [
  ...['Rollout', 'DeploymentConfig'].flatMap((kind) => [...refusedOf(kind), ...passingOf(kind)]),
  ...Object.entries(PASSING).map(([name, request]) => ({ name, request })),
  ...Object.entries(REFUSED).flatMap(([message, requests]) =>
    Object.entries(requests).map(([name, request]) => ({
      name,
      request,
      refused: new RegExp(`^403 .*${message}`),
    })),
  ),
];

/** A kind that the policies do not know: its object, and a change of it. */
export const CUSTOM: { readonly path: string; readonly body: JsonObject; readonly change: Request } = {
  path: '/apis/apps.example.com/v1/namespaces/default/clonesets',
  body: { apiVersion: 'apps.example.com/v1', kind: 'Cloneset', ...named('subject'), spec: { replicas: 1 } },
  change: [
    'PATCH',
    `/apis/apps.example.com/v1/namespaces/default/clonesets/subject${DRY}`,
    { spec: { replicas: 2 } } satisfies Json,
  ],
};
