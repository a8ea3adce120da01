/** Requests that the fences of the reloader's account let through or refuse, and the objects that they are about. */

import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import { REPLACES_ANNOTATION } from '../../lib/model/kinds/built-in.ts';
import { OWN_WRITES } from '../install/own-writes.ts';
import { type Json, type JsonObject, objectsOf } from '../sandbox/json.ts';
import { KINDS, manifestOf, type WorkloadParts, web } from './workloads.ts';

/** One request; a list is a JSON patch. */
export type Request = readonly [method: ApiRequest['method'], path: string, body?: Json];

/** On a workload: the ConfigMap that it follows. */
export const FOLLOWS = 'reloader.k8s.collaborne.com/configmap';
/** No node has it: pods wait for ever, so a Job does not finish. */
const NOWHERE: JsonObject = { nodeSelector: { 'example.com/none': 'such' } };

const STAMP = `${'0'.repeat(40)}.1`;
const IMAGE = 'registry.k8s.io/pause:3.10';
const POD = '/spec/template/spec';
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'a' };
/** Metadata of a Job that the CronJob of this uid has started. */
export const ownedBy = (uid: string): JsonObject => ({
  ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'subject', uid }],
});
const DRY = '?dryRun=All';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** Where a kind is served that is not among those of apps/v1. */
const GROUPS: Readonly<Record<string, string>> = {
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  Rollout: 'argoproj.io/v1alpha1',
  DeploymentConfig: 'apps.openshift.io/v1',
};

/** The path of an object in the namespace `default`. */
export function pathOf(kind: string, name = ''): string {
  return `/apis/${GROUPS[kind] ?? 'apps/v1'}/namespaces/default/${kind.toLowerCase()}s${name === '' ? '' : `/${name}`}`;
}

/** A dry run of a patch of a workload. @param name default: that of `subject` */
export function patching(kind: string, body: Json, name = 'subject'): Request {
  return ['PATCH', `${pathOf(kind, name)}${DRY}`, body];
}

/** A JSON patch that adds or replaces. */
export const add = (path: string, value: Json): Json[] => [{ op: 'add', path, value }];
/** One of an annotation, of the object at a path. */
export const annotation = (at: string, key: string, value = 'x'): Json[] =>
  add(`${at}/annotations/${key.replaceAll('/', '~1')}`, value);
const variable = (value: JsonObject, containers = 'containers'): Json[] =>
  add(`${POD}/${containers}/0/env/-`, value);
/** An object that has a name alone. */
export const named = (name: string): JsonObject => ({ metadata: { name } });

/** Changes of a workload that has variables, an init container and annotations, by the message that refuses them. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  'metadata of a workload': {
    'a label': add('/metadata/labels', { team: 'other' }),
    'an owner': add('/metadata/ownerReferences', [OWNER]),
    'a finalizer': add('/metadata/finalizers', ['example.com/kept', 'example.com/other']),
    'no finalizer': [{ op: 'remove', path: '/metadata/finalizers' }],
  },
  'annotations of a workload': {
    'another annotation': annotation('/metadata', 'example.com/other'),
    'what it is asked for': annotation('/metadata', FOLLOWS, 'other'),
    'no annotation': [{ op: 'remove', path: '/metadata/annotations' }],
    'what asks SAP’s pod-reloader': annotation('/metadata', OWN_WRITES.removedAnnotations[0] ?? ''),
  },
  'spec of a workload': {
    replicas: add('/spec/replicas', 7),
    'another field': add('/spec/minReadySeconds', 7),
  },
  'metadata of a pod template': {
    'a label of pods': add('/spec/template/metadata/labels/team', 'other'),
    'an annotation of pods': annotation('/spec/template/metadata', 'example.com/other'),
    'no annotation of pods': [{ op: 'remove', path: '/spec/template/metadata/annotations' }],
  },
  'spec of a pod template': {
    'an image': add(`${POD}/containers/0/image`, 'example.com/other'),
    'a command': add(`${POD}/containers/0/command`, ['other']),
    'a container': add(`${POD}/containers/-`, { name: 'other', image: IMAGE }),
    'no container': [{ op: 'remove', path: `${POD}/containers/1` }],
    'another order of containers': [{ op: 'move', from: `${POD}/containers/0`, path: `${POD}/containers/1` }],
    'a variable of all keys': add(`${POD}/containers/0/envFrom`, [{ secretRef: { name: 'other' } }]),
    'a variable of an init container': variable(
      { name: '_RELOADER_SECRET_A', value: STAMP },
      'initContainers',
    ),
    'an image of an init container': add(`${POD}/initContainers/0/image`, 'example.com/other'),
    'another scheduler': add(`${POD}/schedulerName`, 'other'),
    'an account': add(`${POD}/serviceAccountName`, 'other'),
    'a volume': add(`${POD}/volumes`, [{ name: 'root', hostPath: { path: '/' } }]),
    'the network of the host': add(`${POD}/hostNetwork`, true),
  },
  'variables of a container': {
    'another variable': variable({ name: 'OTHER', value: STAMP }),
    'a variable that begins as a stamp': variable({ name: 'A_RELOADER_SECRET_A', value: STAMP }),
    'a stamp of another value': variable({ name: '_RELOADER_SECRET_A', value: 'other' }),
    'a stamp of any length': variable({
      name: '_RELOADER_SECRET_A',
      value: `${'a'.repeat(200_000)}:${STAMP}`,
    }),
    'a stamp with a reference': variable({ name: '_RELOADER_SECRET_A', value: `${STAMP}$(ONE)` }),
    'a stamp of two lines': variable({ name: '_RELOADER_SECRET_A', value: `${STAMP}\n` }),
    'a stamp of a Secret': variable({
      name: '_RELOADER_SECRET_A',
      valueFrom: { secretKeyRef: { name: 'other', key: 'key' } },
    }),
    'another value': add(`${POD}/containers/0/env/0/value`, 'other'),
    'no variable': [{ op: 'remove', path: `${POD}/containers/0/env/0` }],
  },
};

/** The same of a CronJob, whose template is deeper. */
const REFUSED_CRON_JOB: Readonly<Record<string, Json>> = {
  'another schedule': add('/spec/schedule', '* * * * *'),
  'a suspension': add('/spec/suspend', true),
  'labels of its Jobs': add('/spec/jobTemplate/metadata/labels/team', 'other'),
  'another field of its Jobs': add('/spec/jobTemplate/spec/backoffLimit', 7),
  'an image': add('/spec/jobTemplate/spec/template/spec/containers/0/image', 'example.com/other'),
  'another variable': add('/spec/jobTemplate/spec/template/spec/containers/0/env/-', {
    name: 'A',
    value: STAMP,
  }),
};

/** Changes of Deployments in a condition of their own: the Deployment, and the patch. */
const REFUSED_DEPLOYMENTS: Readonly<Record<string, readonly [subject: string, body: Json]>> = {
  'a pause without a mark': ['subject', add('/spec/paused', true)],
  'the end of a pause of a person': ['paused', add('/spec/paused', false)],
  'the end of a pause of a person, which it marks first': [
    'paused',
    [...add('/spec/paused', false), ...annotation('/metadata', OWN_WRITES.pausedAt)],
  ],
  'its mark on a pause of a person': ['paused', annotation('/metadata', OWN_WRITES.pausedAt)],
};

/** Changes that pass, though nothing but the reloader would make them. */
const PASSES: Readonly<Record<string, Json>> = {
  'a stamp': variable({ name: '_RELOADER_SECRET_A', value: STAMP }),
  'a stamp of a class': variable({ name: '_RELOADER_SECRETPROVIDERCLASS_A', value: STAMP }),
  'a stamp of Stakater Reloader’s name': variable({ name: 'STAKATER_A_CONFIGMAP_0A1B2C', value: STAMP }),
  'its annotations of pods': OWN_WRITES.templateAnnotations.flatMap((key) =>
    annotation('/spec/template/metadata', key),
  ),
};

function parts(kind: WorkloadParts['kind'], name: string): WorkloadParts {
  return { kind, name, follows: {}, variables: { ONE: '1', TWO: '2' }, replicas: 0, hasFirst: true };
}

/** A workload that has one of everything that is changed above. */
export function subject(kind: WorkloadParts['kind'], name: string): JsonObject {
  const manifest = manifestOf(parts(kind, name)) as JsonObject & {
    readonly spec: { readonly template: { readonly metadata: JsonObject; readonly spec: JsonObject } };
  };
  const { template } = manifest.spec;
  const env = [{ name: 'ONE', value: '1' }];
  const init = [{ name: 'init', image: IMAGE, env }];
  const containers = objectsOf(template.spec['containers']).toReversed();
  const annotations = { [FOLLOWS]: 'other-object', 'example.com/own': '1' };
  return {
    ...manifest,
    metadata: { name, annotations, finalizers: ['example.com/kept'] },
    spec: {
      ...manifest.spec,
      template: {
        metadata: { ...template.metadata, annotations: { 'example.com/own': '1' } },
        spec: { ...template.spec, containers, initContainers: init },
      },
    },
  };
}

/** A Deployment that a person has paused. */
export function pausedByPerson(): JsonObject {
  const { spec, ...rest } = manifestOf(parts('Deployment', 'paused'));
  const metadata = { name: 'paused', annotations: { 'example.com/own': '1' } };
  return { ...rest, metadata, spec: { ...(spec as JsonObject), paused: true } };
}

/** A CronJob that follows the ConfigMap of its name, and never runs by itself. */
export function cronJob(name: string): JsonObject {
  const containers = [{ name: 'app', image: IMAGE, env: [{ name: 'ONE', value: '1' }] }];
  const template = { metadata: { labels: { app: name } }, spec: { restartPolicy: 'Never', containers } };
  const jobTemplate = { metadata: { labels: { app: name } }, spec: { template } };
  return {
    metadata: { name, annotations: { [FOLLOWS]: name } },
    spec: { schedule: '0 0 29 2 *', jobTemplate },
  };
}

/** A Job whose pods no node takes. */
export function job(name: string, metadata: JsonObject): JsonObject {
  const containers = [{ name: 'app', image: IMAGE }];
  return {
    metadata: { name, ...metadata },
    spec: { template: { spec: { restartPolicy: 'Never', containers, ...NOWHERE } } },
  };
}

/** Writes beside those of workloads, by the policy that refuses them. */
const REFUSED_WRITES: Readonly<Record<string, Readonly<Record<string, Request>>>> = {
  writes: {
    'write another ConfigMap': ['POST', CONFIG_MAPS + DRY, named('other')],
    'write a state elsewhere': [
      'POST',
      '/api/v1/namespaces/kube-system/configmaps?dryRun=All',
      named('reloader-state'),
    ],
    'delete its state': ['DELETE', `${CONFIG_MAPS}/reloader-state${DRY}`],
    'write another Secret': ['POST', SECRETS + DRY, named('other')],
    'have the token of an account written into its key': [
      'POST',
      SECRETS + DRY,
      {
        metadata: {
          name: 'reloader-state-key',
          annotations: { 'kubernetes.io/service-account.name': 'default' },
        },
        type: 'kubernetes.io/service-account-token',
      },
    ],
    'write another Lease': ['POST', LEASES + DRY, named('other')],
    'scale a workload': [
      'PATCH',
      `${pathOf('Deployment', 'subject/scale')}${DRY}`,
      { spec: { replicas: 1 } },
    ],
    'write a status': [
      'PATCH',
      `${pathOf('Deployment', 'subject/status')}${DRY}`,
      { status: { observedGeneration: 9 } },
    ],
    'delete a workload': ['DELETE', `${pathOf('Deployment', 'subject')}${DRY}`],
    'create a workload': ['POST', pathOf('Deployment') + DRY, manifestOf(web())],
    'change a Job': ['PATCH', `${pathOf('Job', 'subject')}${DRY}`, { spec: { suspend: true } }],
    'ask for a token': [
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    ],
    'bind a role': [
      'POST',
      BINDINGS + DRY,
      {
        ...named('other'),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      },
    ],
    'register an admission webhook': ['POST', CONFIGURATIONS + DRY, named('other')],
    'change a namespace': [
      'PATCH',
      '/api/v1/namespaces/default?dryRun=All',
      { metadata: { labels: { a: 'b' } } },
    ],
  },
  jobs: {
    'create a Job with a finalizer': [
      'POST',
      pathOf('Job') + DRY,
      job('other', { finalizers: ['example.com/kept'] }),
    ],
    'create a run that the CronJob seems to have started': [
      'POST',
      pathOf('Job') + DRY,
      job('other', ownedBy('a')),
    ],
    'create a copy of a Job that runs': [
      'POST',
      pathOf('Job') + DRY,
      job('other', { annotations: { [REPLACES_ANNOTATION]: '{}' } }),
    ],
    'delete a run of a CronJob': ['DELETE', pathOf('Job', 'run') + DRY],
  },
};

/** Those that pass. */
const PASSING_WRITES: Readonly<Record<string, Request>> = {
  'create its state': ['POST', CONFIG_MAPS + DRY, named('reloader-state-9')],
  'create its key': ['POST', SECRETS + DRY, named('reloader-state-key')],
  'create its Lease': ['POST', LEASES + DRY, named('reloader-state')],
  'ask for its rights': [
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { resourceAttributes: { resource: 'pods', verb: 'list' } } },
  ],
  'create a Job': ['POST', pathOf('Job') + DRY, job('other', {})],
  'delete a Job': ['DELETE', pathOf('Job', 'subject') + DRY],
};

/** Each is refused by another policy. */
export const IN_FORCE: readonly Request[] = [
  patching('Deployment', add('/spec/replicas', 7)),
  ['POST', CONFIG_MAPS + DRY, named('other')],
  ['POST', pathOf('Job') + DRY, job('other', { finalizers: ['example.com/kept'] })],
];

/** A request of the account, as a test names it. */
export interface Case {
  readonly name: string;
  readonly request: Request;
  /** What the refusal says; undefined: it passes. */
  readonly refused?: RegExp;
}

/** All of those that the API server serves by itself. */
export const CASES: readonly Case[] = [
  ...KINDS.flatMap((kind) => [...refusedOf(kind), ...passingOf(kind)]),
  ...Object.entries(REFUSED_CRON_JOB).map(([name, body]) => ({
    name: `give a CronJob ${name}`,
    request: patching('CronJob', body),
    refused: /^403 .*'kubernetes-reloader-workloads'/,
  })),
  ...Object.entries(REFUSED_DEPLOYMENTS).map(([name, [of, body]]) => ({
    name: `give a Deployment ${name}`,
    request: patching('Deployment', body, of),
    refused: /^403 .*no other pause/,
  })),
  ...Object.entries(REFUSED_WRITES).flatMap(([policy, requests]) =>
    Object.entries(requests).map(([name, request]) => ({
      name,
      request,
      refused: new RegExp(`^403 .*'kubernetes-reloader-${policy}'`),
    })),
  ),
  ...Object.entries(PASSING_WRITES).map(([name, request]) => ({ name, request })),
];

/** What no workload with a pod template at /spec/template may be given. */
export function refusedOf(kind: string): readonly Case[] {
  return Object.entries(REFUSED).flatMap(([message, changes]) =>
    Object.entries(changes)
      // The API server drops a field that the kind does not have.
      .filter(([name]) => kind !== 'DaemonSet' || name !== 'replicas')
      .map(([name, body]) => ({
        name: `give a ${kind} ${name}`,
        request: patching(kind, body),
        refused: new RegExp(`^403 .*${message}`),
      })),
  );
}

/** What it may be given. */
export function passingOf(kind: string): readonly Case[] {
  return Object.entries(PASSES).map(([name, body]) => ({
    name: `give a ${kind} ${name}`,
    request: patching(kind, body),
  }));
}

/** A change that the policies refuse the account alone. */
export const OF_OTHERS: Request = patching('Deployment', add('/spec/replicas', 7));
