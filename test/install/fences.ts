/**
 * The admission policies that fence the reloader's account, as `npm run reference` writes them. Each has one match condition, the
 * account, and variables for all names that an installation chooses: overlays and the chart replace these texts, and no other.
 */

import { EVENT_OBJECTS, JOBS, LEASES } from '../../lib/kubernetes/api-path.ts';
import { REPLACES_ANNOTATION } from '../../lib/model/kinds/built-in.ts';
import { type ApiResource, SOURCE_KINDS } from '../../lib/model/object-ref.ts';
import { shardNames } from '../../lib/model/shards.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS, workloadKindOf } from '../../lib/model/workload-kind.ts';
import { OWN_WRITES } from './own-writes.ts';
import { type Fence, literal, type Rule, textOf } from './policy.ts';

const PATCHED = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS].filter(({ rollout }) => rollout !== 'recreate');
const PAUSED = WORKLOAD_KINDS.filter(({ isPaused }) => isPaused !== undefined);
const CRON_JOBS = workloadKindOf('CronJob').resource;
const ROLLOUTS = workloadKindOf('Rollout').resource;
const CONFIGS = workloadKindOf('DeploymentConfig');
/** The API server changes them with every write. */
const SERVERS_METADATA = ['generation', 'managedFields', 'resourceVersion'];
/** The API server counts the templates of a DaemonSet in it. */
const SERVERS_ANNOTATION = 'deprecated.daemonset.template.generation';
const STATE = 'reloader-state';

/** What an installation chooses, by variable; overlays replace the namespaces, the chart all of it. */
const NAMES = {
  stateNamespace: 'default',
  leaseNamespace: 'default',
  states: shardNames(STATE),
  lease: STATE,
  key: `${STATE}-key`,
  furtherKinds: [],
  pausedAt: OWN_WRITES.pausedAt,
} as const;

/** Whether two maps are equal but for the members `free`, a list or the CEL of one. */
function same(one: string, other: string, free: readonly string[] | string): string {
  const isFree = `k in ${typeof free === 'string' ? free : literal(free)}`;
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
  /** @default the object itself */
  readonly subresource?: string;
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
  // Pods end in good order, and no budget for their disruption is passed over.
  {
    group: '',
    resources: ['pods'],
    subresource: 'eviction',
    operations: ['CREATE'],
    where: '!object.?deleteOptions.gracePeriodSeconds.hasValue()',
  },
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
    // Not one that Kubernetes fills with the token of an account.
    where: `${named('stateNamespace', '[variables.key]')} && object.type == "Opaque"`,
  },
  {
    group: LEASES.group,
    resources: [LEASES.resource],
    operations: ['CREATE', 'UPDATE'],
    where: named('leaseNamespace', '[variables.lease]'),
  },
  { group: '', resources: [EVENT_OBJECTS.resource], operations: ['CREATE'] },
  { group: 'authentication.k8s.io', operations: ['CREATE'] },
  { group: 'authorization.k8s.io', operations: ['CREATE'] },
];

function isWrite({ group, resources, subresource = '', operations, where }: Write): string {
  return [
    `request.?subResource.orValue("") == ${literal(subresource)}`,
    `request.resource.group == ${literal(group)}`,
    ...(resources === undefined ? [] : [`request.resource.resource in ${literal(resources)}`]),
    `request.operation in ${literal(operations)}`,
    ...(where === undefined ? [] : [where]),
  ].join(' && ');
}

const ALL_WRITES: Fence = {
  name: 'kubernetes-reloader-writes',
  about:
    'Every write: of nothing but workloads, its state, its Lease, evictions, and Events. furtherKinds are those of --workload-kinds, each as group/plural; no policy limits their fields.',
  rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }],
  names: ['stateNamespace', 'leaseNamespace', 'states', 'lease', 'key', 'furtherKinds'],
  validations: {
    'the reloader may write workloads, its state, its Lease, evictions and Events, and nothing else; a kind of --workload-kinds has to be named in furtherKinds of this policy':
      [
        ...WRITES.map((write) => `(${isWrite(write)})`),
        '(request.?subResource.orValue("") == "" && request.operation == "UPDATE" && request.resource.group + "/" + request.resource.resource in variables.furtherKinds)',
      ].join(' ||\n'),
  },
};

const STAMPS = `matches(${literal(OWN_WRITES.variablePattern)})`;
const ENV = optional('c', 'env', '[]');
const FORMER_ENV = optional('o', 'env', '[]');
const others = (env: string): string => `${env}.filter(e, !e.name.${STAMPS})`;
/** Whether the entry `e` of a variable is a stamp. */
const IS_STAMP = `e.all(k, k in ["name", "value"]) && ${optional('e', 'value', '""')}.matches(${literal(OWN_WRITES.stampPattern)})`;
const SERVED_WITH_PAUSE = literal(PAUSED.map(({ resource }) => resource));

const eachContainer = (condition: string): string =>
  `variables.containers.all(c, variables.formerContainers.exists_one(o, o.name == c.name && ${condition}))`;

const WORKLOADS: Fence = {
  name: 'kubernetes-reloader-workloads',
  about: 'What a rollout and a pause change in a workload: see test/install/own-writes.ts.',
  rules: ruleFor(PATCHED, ['UPDATE']),
  names: ['pausedAt'],
  variables: {
    now: 'dyn(object)',
    was: 'dyn(oldObject)',
    isCronJob: `request.resource.resource == ${literal(CRON_JOBS)}`,
    isRollout: `request.resource.resource == ${literal(ROLLOUTS)}`,
    isDeploymentConfig: `request.resource.resource == ${literal(CONFIGS.resource)}`,
    ownAnnotations: `${only('isRollout', OWN_WRITES.annotations.Rollout)} + ${only('isDeploymentConfig', OWN_WRITES.annotations.DeploymentConfig)} + [variables.pausedAt, ${literal(SERVERS_ANNOTATION)}]`,
    ownFields: `${only('isRollout', [OWN_WRITES.restartField])} + ["template", "paused"]`,
    annotations: optional('variables.now.metadata', 'annotations', '{}'),
    formerAnnotations: optional('variables.was.metadata', 'annotations', '{}'),
    // A Rollout that refers to a Deployment has none.
    template: templateIn('now'),
    formerTemplate: templateIn('was'),
    pods: optional('variables.template', 'spec', '{}'),
    formerPods: optional('variables.formerTemplate', 'spec', '{}'),
    templateMetadata: optional('variables.template', 'metadata', '{}'),
    formerTemplateMetadata: optional('variables.formerTemplate', 'metadata', '{}'),
    templateAnnotations: optional('variables.templateMetadata', 'annotations', '{}'),
    formerTemplateAnnotations: optional('variables.formerTemplateMetadata', 'annotations', '{}'),
    containers: optional('variables.pods', 'containers', '[]'),
    formerContainers: optional('variables.formerPods', 'containers', '[]'),
    isPaused: optional('variables.now.spec', 'paused', 'false'),
    wasPaused: optional('variables.was.spec', 'paused', 'false'),
  },
  validations: {
    'of the metadata of a workload the reloader may change annotations alone': [
      same('variables.now', 'variables.was', ['metadata', 'spec']),
      same('variables.now.metadata', 'variables.was.metadata', ['annotations', ...SERVERS_METADATA]),
    ].join(' &&\n'),
    'of the annotations of a workload the reloader may change those of a pause, of the restart of a Rollout and of the version of a DeploymentConfig, and remove an approval and the request to SAP’s pod-reloader':
      annotationsAre('annotations', 'formerAnnotations', {
        set: 'variables.ownAnnotations',
        removed: `variables.ownAnnotations + ${literal(OWN_WRITES.removedAnnotations)}`,
      }),
    'of the spec of a workload the reloader may change the pod template, spec.paused and spec.restartAt of a Rollout alone':
      [
        `(variables.isCronJob ? ${[
          same('variables.now.spec', 'variables.was.spec', ['jobTemplate']),
          same('variables.now.spec.jobTemplate', 'variables.was.spec.jobTemplate', ['spec']),
          same('variables.now.spec.jobTemplate.spec', 'variables.was.spec.jobTemplate.spec', ['template']),
        ].join(' &&\n')} : ${same('variables.now.spec', 'variables.was.spec', 'variables.ownFields')})`,
        `!(${literal(OWN_WRITES.restartField)} in variables.was.spec && !(${literal(OWN_WRITES.restartField)} in variables.now.spec))`,
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
      same('variables.pods', 'variables.formerPods', ['containers']),
      'variables.containers.map(c, c.name) == variables.formerContainers.map(c, c.name)',
      eachContainer(same('c', 'o', ['env'])),
    ].join(' &&\n'),
    'of the variables of a container the reloader may set its stamps alone, and remove them': [
      eachContainer(`${others(ENV)} == ${others(FORMER_ENV)}`),
      eachContainer(`${ENV}.all(e, !e.name.${STAMPS} || e in ${FORMER_ENV} || (${IS_STAMP}))`),
    ].join(' &&\n'),
  },
};

/** A list that is empty for other kinds. */
function only(kind: 'isRollout' | 'isDeploymentConfig', list: readonly string[]): string {
  return `(variables.${kind} ? ${literal(list)} : [])`;
}

function templateIn(object: 'now' | 'was'): string {
  const spec = `variables.${object}.spec`;
  return `variables.isCronJob ? ${spec}.jobTemplate.spec.template : ${optional(spec, 'template', '{}')}`;
}

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

const FENCES = [ALL_WRITES, WORKLOADS, JOB_FENCE];

/** The text of each file, by its path below the repository's root. */
export function fenceFiles(): Readonly<Record<string, string>> {
  return {
    'k8s/components/fences/policies.yaml': textOf(FENCES, NAMES),
    'k8s/chart/files/fences.yaml': textOf(FENCES, NAMES),
  };
}
