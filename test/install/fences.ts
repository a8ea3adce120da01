/**
 * The admission policies that fence the reloader's account, as `npm run reference` writes them. Each has one match condition, the
 * account, and variables for all names that an installation chooses: overlays and the chart replace these texts, and no other.
 */

import { stringify } from 'yaml';
import { OWN_WRITES } from '../../lib/annotations/own-writes.ts';
import { type ApiResource, EVENT_OBJECTS, JOBS, LEASES } from '../../lib/kubernetes/api-path.ts';
import { REPLACES_ANNOTATION } from '../../lib/model/kinds/batch.ts';
import { SOURCE_KINDS } from '../../lib/model/object-ref.ts';
import { shardNames } from '../../lib/model/shards.ts';
import { WORKLOAD_KINDS, workloadKindOf } from '../../lib/model/workload-kind.ts';
import type { JsonObject } from '../sandbox/json.ts';

const PATCHED = WORKLOAD_KINDS.filter(({ rollout }) => rollout !== 'recreate');
const PAUSED = WORKLOAD_KINDS.filter(({ isPaused }) => isPaused !== undefined);
const CRON_JOBS = workloadKindOf('CronJob').resource;
/** The API server changes them with every write. */
const SERVERS_METADATA = ['generation', 'managedFields', 'resourceVersion'];
/** The API server counts the templates of a DaemonSet in it. */
const SERVERS_ANNOTATION = 'deprecated.daemonset.template.generation';
const SERVERS_SCHEDULER = 'default-scheduler';
/** Not those that Kubernetes fills with the token of an account. */
const SECRET_TYPES = ['Opaque', 'kubernetes.io/tls'];
const STATE = 'reloader-state';
const WEBHOOK = 'kubernetes-reloader-webhook';
const GUIDE = 'docs/guides/tenants.md';

/** What an installation chooses, by variable; overlays replace the namespaces, the chart all of it. */
const NAMES = {
  stateNamespace: 'default',
  leaseNamespace: 'default',
  states: shardNames(STATE),
  lease: STATE,
  secrets: [`${STATE}-key`, WEBHOOK],
  configuration: 'kubernetes-reloader',
  pausedAt: OWN_WRITES.pausedAt,
} as const;
type Name = keyof typeof NAMES;

interface Rule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

interface Fence {
  readonly name: string;
  readonly about: string;
  readonly rules: readonly Rule[];
  readonly names: readonly Name[];
  /** Further variables: CEL by name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** CEL by the message of the refusal. */
  readonly validations: Readonly<Record<string, string>>;
}

/** A CEL literal. */
function literal(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

/** Whether two maps are equal but for the members `free`. */
function same(one: string, other: string, free: readonly string[]): string {
  const isFree = `k in ${literal(free)}`;
  return `${one}.all(k, ${isFree} || (k in ${other} && ${one}[k] == ${other}[k])) && ${other}.all(k, ${isFree} || k in ${one})`;
}

/** A field, or `otherwise` where it is absent. */
function optional(object: string, field: string, otherwise: string): string {
  return `${object}.?${field}.orValue(${otherwise})`;
}

function ruleFor(rows: readonly ApiResource[], operations: readonly string[]): Rule[] {
  const groups = Map.groupBy(rows, ({ group, version }) => `${group}/${version}`);
  return [...groups.values()].map((each) => ({
    apiGroups: [each[0]?.group ?? ''],
    apiVersions: [each[0]?.version ?? ''],
    operations,
    resources: each.map(({ resource }) => resource),
  }));
}

/** A write that is let through: of these resources, by these operations, and by place and name where `where` says so. */
interface Write {
  readonly group: string;
  readonly resources?: readonly string[];
  readonly operations: readonly string[];
  readonly where?: string;
}

const named = (namespace: string, names: string): string =>
  `request.?namespace.orValue("") == variables.${namespace} && object.metadata.name in ${names}`;

const WRITES: readonly Write[] = [
  ...[...Map.groupBy(PATCHED, ({ group }) => group)].map(([group, kinds]) => ({
    group,
    resources: kinds.map(({ resource }) => resource),
    operations: ['UPDATE'],
  })),
  { group: JOBS.group, resources: [JOBS.resource], operations: ['CREATE', 'DELETE'] },
  {
    group: '',
    resources: [SOURCE_KINDS.ConfigMap.resource],
    operations: ['CREATE', 'UPDATE'],
    where: named('stateNamespace', 'variables.states'),
  },
  {
    group: '',
    resources: [SOURCE_KINDS.Secret.resource],
    operations: ['CREATE', 'UPDATE'],
    where: `${named('stateNamespace', 'variables.secrets')} && object.type in ${literal(SECRET_TYPES)}`,
  },
  {
    group: LEASES.group,
    resources: [LEASES.resource],
    operations: ['CREATE', 'UPDATE'],
    where: named('leaseNamespace', '[variables.lease]'),
  },
  {
    group: 'admissionregistration.k8s.io',
    resources: ['mutatingwebhookconfigurations'],
    operations: ['UPDATE'],
    where: 'object.metadata.name == variables.configuration',
  },
  { group: '', resources: [EVENT_OBJECTS.resource], operations: ['CREATE'] },
  { group: 'authentication.k8s.io', operations: ['CREATE'] },
  { group: 'authorization.k8s.io', operations: ['CREATE'] },
];

function isWrite({ group, resources, operations, where }: Write): string {
  return [
    `request.resource.group == ${literal(group)}`,
    ...(resources === undefined ? [] : [`request.resource.resource in ${literal(resources)}`]),
    `request.operation in ${literal(operations)}`,
    ...(where === undefined ? [] : [where]),
  ].join(' && ');
}

const ALL_WRITES: Fence = {
  name: 'kubernetes-reloader-writes',
  about: 'Every write: of nothing but workloads, its state, its Lease, its certificate, and Events.',
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  names: ['stateNamespace', 'leaseNamespace', 'states', 'lease', 'secrets', 'configuration'],
  validations: {
    'the reloader may write workloads, its state, its Lease, its certificate and Events, and nothing else': [
      'request.?subResource.orValue("") == ""',
      `(${WRITES.map((write) => `(${isWrite(write)})`).join(' ||\n ')})`,
    ].join(' &&\n'),
  },
};

const STAMPS = `matches(${literal(OWN_WRITES.variablePattern)})`;
const ENV = optional('c', 'env', '[]');
const FORMER_ENV = optional('o', 'env', '[]');
const others = (env: string): string => `${env}.filter(e, !e.name.${STAMPS})`;
/** Whether the entry `e` of a variable is a stamp. */
const IS_STAMP = `e.all(k, k in ["name", "value"]) && ${optional('e', 'value', '""')}.matches(${literal(OWN_WRITES.stampPattern)})`;
const { name: NO_SCHEDULER, formerAnnotation } = OWN_WRITES.replacedScheduler;
const SERVED_WITH_PAUSE = literal(PAUSED.map(({ resource }) => resource));

const eachContainer = (condition: string): string =>
  `variables.containers.all(c, variables.formerContainers.exists_one(o, o.name == c.name && ${condition}))`;

const WORKLOADS: Fence = {
  name: 'kubernetes-reloader-workloads',
  about:
    'What a rollout, a pause and the cleanup of what wave left change in a workload: see lib/annotations/own-writes.ts.',
  rules: ruleFor(PATCHED, ['UPDATE']),
  names: ['pausedAt'],
  variables: {
    now: 'dyn(object)',
    was: 'dyn(oldObject)',
    isCronJob: `request.resource.resource == ${literal(CRON_JOBS)}`,
    annotations: optional('variables.now.metadata', 'annotations', '{}'),
    formerAnnotations: optional('variables.was.metadata', 'annotations', '{}'),
    finalizers: optional('variables.now.metadata', 'finalizers', '[]'),
    formerFinalizers: optional('variables.was.metadata', 'finalizers', '[]'),
    template:
      'variables.isCronJob ? variables.now.spec.jobTemplate.spec.template : variables.now.spec.template',
    formerTemplate:
      'variables.isCronJob ? variables.was.spec.jobTemplate.spec.template : variables.was.spec.template',
    templateMetadata: optional('variables.template', 'metadata', '{}'),
    formerTemplateMetadata: optional('variables.formerTemplate', 'metadata', '{}'),
    templateAnnotations: optional('variables.templateMetadata', 'annotations', '{}'),
    formerTemplateAnnotations: optional('variables.formerTemplateMetadata', 'annotations', '{}'),
    containers: optional('variables.template.spec', 'containers', '[]'),
    formerContainers: optional('variables.formerTemplate.spec', 'containers', '[]'),
    isPaused: optional('variables.now.spec', 'paused', 'false'),
    wasPaused: optional('variables.was.spec', 'paused', 'false'),
    scheduler: optional('variables.template.spec', 'schedulerName', '""'),
    formerScheduler: optional('variables.formerTemplate.spec', 'schedulerName', '""'),
  },
  validations: {
    'of the metadata of a workload the reloader may change annotations and finalizers alone': [
      same('variables.now', 'variables.was', ['metadata', 'spec']),
      same('variables.now.metadata', 'variables.was.metadata', [
        'annotations',
        'finalizers',
        ...SERVERS_METADATA,
      ]),
    ].join(' &&\n'),
    'of the annotations of a workload the reloader may change those of a pause, and remove those by which wave and SAP’s pod-reloader ask':
      annotationsAre('annotations', 'formerAnnotations', {
        set: `[variables.pausedAt, ${literal(SERVERS_ANNOTATION)}]`,
        removed: `[variables.pausedAt, ${literal([SERVERS_ANNOTATION, ...OWN_WRITES.removedAnnotations]).slice(1)}`,
      }),
    'of the finalizers of a workload the reloader may remove that of wave alone': [
      'variables.finalizers.all(f, f in variables.formerFinalizers)',
      `variables.formerFinalizers.all(f, f in variables.finalizers || f in ${literal(OWN_WRITES.removedFinalizers)})`,
    ].join(' &&\n'),
    'of the spec of a workload the reloader may change the pod template and spec.paused alone': [
      `(variables.isCronJob ? ${[
        same('variables.now.spec', 'variables.was.spec', ['jobTemplate']),
        same('variables.now.spec.jobTemplate', 'variables.was.spec.jobTemplate', ['spec']),
        same('variables.now.spec.jobTemplate.spec', 'variables.was.spec.jobTemplate.spec', ['template']),
      ].join(' &&\n')} : ${same('variables.now.spec', 'variables.was.spec', ['template', 'paused'])})`,
      same('variables.template', 'variables.formerTemplate', ['metadata', 'spec']),
    ].join(' &&\n'),
    'the reloader may pause a Deployment that it marks as paused by it, and end no other pause': [
      `(variables.isPaused == variables.wasPaused || request.resource.resource in ${SERVED_WITH_PAUSE} && variables.pausedAt in (variables.isPaused ? variables.annotations : variables.formerAnnotations))`,
      '(!(variables.pausedAt in variables.annotations) || variables.pausedAt in variables.formerAnnotations || variables.isPaused && !variables.wasPaused)',
    ].join(' &&\n'),
    'of the metadata of a pod template the reloader may change its own annotations alone': [
      same('variables.templateMetadata', 'variables.formerTemplateMetadata', ['annotations']),
      annotationsAre('templateAnnotations', 'formerTemplateAnnotations', {
        set: literal(OWN_WRITES.templateAnnotations),
        removed: literal(OWN_WRITES.templateAnnotations),
      }),
    ].join(' &&\n'),
    'of the spec of a pod template the reloader may change variables of containers alone': [
      same('variables.template.spec', 'variables.formerTemplate.spec', ['containers', 'schedulerName']),
      'variables.containers.map(c, c.name) == variables.formerContainers.map(c, c.name)',
      eachContainer(same('c', 'o', ['env'])),
    ].join(' &&\n'),
    'the reloader may replace a scheduler that wave has named, by the former one alone': [
      'variables.scheduler == variables.formerScheduler',
      `variables.formerScheduler == ${literal(NO_SCHEDULER)} && variables.scheduler in [${literal(SERVERS_SCHEDULER)}, ${`variables.formerAnnotations[?${literal(formerAnnotation)}].orValue(${literal(SERVERS_SCHEDULER)})`}]`,
    ].join(' ||\n'),
    'of the variables of a container the reloader may set its stamps alone, and remove them': [
      eachContainer(`${others(ENV)} == ${others(FORMER_ENV)}`),
      eachContainer(`${ENV}.all(e, !e.name.${STAMPS} || e in ${FORMER_ENV} || (${IS_STAMP}))`),
    ].join(' &&\n'),
  },
};

/** Whether two maps of annotations differ by such keys alone; `set`, `removed`: CEL of a list. */
function annotationsAre(
  now: string,
  was: string,
  { set, removed }: { readonly set: string; readonly removed: string },
): string {
  return [
    `variables.${now}.all(k, k in ${set} || (k in variables.${was} && variables.${was}[k] == variables.${now}[k]))`,
    `variables.${was}.all(k, k in ${removed} || k in variables.${now})`,
  ].join(' &&\n');
}

const isRunOf = (job: string): string =>
  `${optional(`${job}.metadata`, 'ownerReferences', '[]')}.exists(o, o.kind == "CronJob")`;
const annotationOf = (job: string, key: string): string =>
  `${optional(`${job}.metadata`, 'annotations', '{}')}[?${literal(key)}]`;

const JOB_FENCE: Fence = {
  name: 'kubernetes-reloader-jobs',
  about:
    'What can be told of a Job that is created or deleted: its pod template is free, as no policy can read the object that it comes from.',
  rules: ruleFor([JOBS], ['CREATE', 'DELETE']),
  names: [],
  variables: { job: 'request.operation == "DELETE" ? dyn(oldObject) : dyn(object)' },
  validations: {
    'the reloader may delete neither a run of a CronJob nor a Job with finalizers, nor create a Job with finalizers':
      [
        `${optional('variables.job.metadata', 'finalizers', '[]')} == []`,
        `(request.operation == "CREATE" || !${isRunOf('variables.job')})`,
      ].join(' &&\n'),
    'the reloader may create a run of a CronJob that says that it was started by hand, and a copy of a Job that is suspended':
      [
        'request.operation == "DELETE"',
        [
          `(!${isRunOf('variables.job')} || ${annotationOf('variables.job', 'cronjob.kubernetes.io/instantiate')}.orValue("") == "manual")`,
          `(!${annotationOf('variables.job', REPLACES_ANNOTATION)}.hasValue() || ${optional('variables.job.spec', 'suspend', 'false')})`,
        ].join(' && '),
      ].join(' ||\n'),
  },
};

const CONFIGURATION: Fence = {
  name: 'kubernetes-reloader-webhook',
  about: 'What the right to patch its webhook configuration is for: the authority of its certificate.',
  rules: [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      apiVersions: ['v1'],
      operations: ['*'],
      resources: ['mutatingwebhookconfigurations'],
    },
  ],
  names: ['configuration'],
  variables: {
    webhooks: optional('object', 'webhooks', '[]'),
    formerWebhooks: optional('oldObject', 'webhooks', '[]'),
  },
  validations: {
    'of webhook configurations the reloader may change the caBundle of its own alone': [
      'request.operation == "UPDATE" && object.metadata.name == variables.configuration',
      same('dyn(object)', 'dyn(oldObject)', ['metadata', 'webhooks']),
      same('dyn(object.metadata)', 'dyn(oldObject.metadata)', SERVERS_METADATA),
      'variables.webhooks.map(w, w.name) == variables.formerWebhooks.map(w, w.name)',
      `variables.webhooks.all(w, variables.formerWebhooks.exists_one(o, o.name == w.name && ${same('dyn(w)', 'dyn(o)', ['clientConfig'])} && ${same('dyn(w.clientConfig)', 'dyn(o.clientConfig)', ['caBundle'])}))`,
    ].join(' &&\n'),
  },
};

/** The policy and its binding. */
function objectsOf({ name, rules, names, variables = {}, validations }: Fence): JsonObject[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name, labels: { 'app.kubernetes.io/name': 'kubernetes-reloader' } };
  const chosen = names.map((each) => [each, literal(NAMES[each])] as const);
  const all = [...chosen, ...Object.entries(variables)];
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: rules as unknown as JsonObject[] },
    matchConditions: [
      {
        name: 'by-the-reloader',
        expression: 'request.userInfo.username == "system:serviceaccount:default:reloader"',
      },
    ],
    ...(all.length === 0
      ? {}
      : { variables: all.map(([variable, expression]) => ({ name: variable, expression })) }),
    validations: Object.entries(validations).map(([message, expression]) => ({
      expression,
      message: `${message}: ${GUIDE}`,
      reason: 'Forbidden',
    })),
  };
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

function textOf(fences: readonly Fence[]): string {
  const head = '# Written by npm run reference. Fields and names come from lib/annotations/own-writes.ts.\n';
  const documents = fences.map((fence) => {
    const [policy, binding] = objectsOf(fence).map((object) =>
      stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }),
    );
    return `---\n# ${fence.about}\n${policy}---\n${binding}`;
  });
  return head + documents.join('');
}

const FENCES = [ALL_WRITES, WORKLOADS, JOB_FENCE];

/** The text of each file, by its path below the repository's root. The chart has those of both components. */
export function fenceFiles(): Readonly<Record<string, string>> {
  return {
    'k8s/components/fences/policies.yaml': textOf(FENCES),
    'k8s/components/webhook/policy.yaml': textOf([CONFIGURATION]),
    'k8s/chart/files/fences.yaml': textOf([...FENCES, CONFIGURATION]),
  };
}
