/** Runs of CronJobs, and Jobs that are created anew. */

import { createHash } from 'node:crypto';
import type { RawMetadata, RawPodTemplate, RawWorkload } from './raw-objects.ts';
import { merged, type RolloutPlan } from './rollout-plan.ts';

import { type MarkWords, templateWithoutMarks } from './workload.ts';
import { REPLACES_ANNOTATION } from './workload-kind.ts';

/** A Job to be created, as `kubectl create job --from` would write it. */
export interface JobManifest {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** A Job's name is a label of its pods. */
const LONGEST_NAME = 63;
const DIGITS = 10;

/**
 * The Job for `plan`. `stamped` is the CronJob as it will be once the stamps are in force: its generation is one that no
 * write before has had, so while they are not, every attempt, by whatever process, asks for a Job of the same name, and
 * afterwards no change ever asks for that one again.
 */
export function runOf(stamped: RawWorkload, plan: RolloutPlan): JobManifest {
  const { name, namespace = '', uid = '', generation = 0 } = stamped.metadata;
  const { metadata, spec } = stamped.spec?.jobTemplate ?? {};
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name.slice(0, LONGEST_NAME - 1 - DIGITS)}-${digestOf(uid, generation, plan)}`,
      namespace,
      annotations: { ...metadata?.annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true }],
    },
    spec,
  };
  return manifest;
}

/** The numbers of the stamps have no part in it: a state write may lift them while an answer is awaited. */
function digestOf(uid: string, generation: number, { stamps }: RolloutPlan): string {
  const owed = stamps.map(({ config, stamp }) => `${config}=${stamp.digest}`).sort();
  const text = JSON.stringify([uid, generation, owed]);
  return createHash('sha1').update(text).digest('hex').slice(0, DIGITS);
}

/** What is there under the two names. */
export interface JobPair {
  /** Under the name of the Job: the old one, the new one, or somebody else's. */
  readonly job: RawWorkload | undefined;
  /** Our copy; what else bears its name is none. */
  readonly copy: RawWorkload | undefined;
}

/** What is done next; `done`: nothing. */
export type SuccessionStep = 'delete-job' | 'create-job' | 'delete-copy' | 'done';

/** The Job that a copy was made of. */
export interface Replaced {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

const SUFFIX = '-reload';
/** What the API server writes into the pod template of each Job to tell its pods from others. */
const GENERATED_LABELS = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/**
 * A Job that was changed since its copy was made, by its controller or by anybody else, is decided on again: the copy goes.
 * So it does once another Job has the name, whoever made it: its pods have started with what is in force.
 */
export function nextStep({ job, copy }: JobPair): SuccessionStep {
  if (copy === undefined) return 'done';
  if (job === undefined) return 'create-job';
  const replaced = replacedBy(copy);
  const { uid, resourceVersion } = job.metadata;
  return replaced?.uid === uid && replaced?.resourceVersion === resourceVersion
    ? 'delete-job'
    : 'delete-copy';
}

/** The name of the copy of a Job; a long one ends in a digest of itself. */
export function copyNameOf(job: string): string {
  if (job.length + SUFFIX.length <= LONGEST_NAME) return job + SUFFIX;
  const digest = createHash('sha1').update(job).digest('hex').slice(0, DIGITS);
  return `${job.slice(0, LONGEST_NAME - SUFFIX.length - 1 - DIGITS)}-${digest}${SUFFIX}`;
}

/** The Job that `copy` is one of; undefined if it is no copy of ours. */
export function replacedBy({ metadata }: RawWorkload): Replaced | undefined {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[REPLACES_ANNOTATION] ?? '');
    const { name, uid, resourceVersion } = parsed as Partial<Record<keyof Replaced, unknown>>;
    if (typeof name !== 'string' || typeof uid !== 'string' || typeof resourceVersion !== 'string')
      return undefined;
    return copyNameOf(name) === metadata.name ? { name, uid, resourceVersion } : undefined;
  } catch {
    return undefined; // somebody else wrote it: it is none of ours
  }
}

/**
 * Whether `copy` is what this program would make of `job` as it is, whatever stamps it has. Anybody who may create Jobs may
 * say of one that it is the copy of another.
 */
export function isCopyOf(copy: RawWorkload, job: RawWorkload, words: MarkWords): boolean {
  return comparable(copy, words) === comparable(job, words);
}

/** What a copy and its Job have in common: the API server writes the fields of both in one order. */
function comparable(job: RawWorkload, words: MarkWords): string {
  const { [REPLACES_ANNOTATION]: _, ...annotations } = job.metadata.annotations ?? {};
  const template = templateWithoutMarks(withoutGenerated(job.spec?.template ?? {}), words);
  return JSON.stringify(manifestOf(job, { name: '', annotations }, { template, suspend: false }));
}

/** The copy of `job` with the stamps of `plan`: suspended, so that nothing of it runs. */
export function copyOf(job: RawWorkload, plan: RolloutPlan): RawWorkload {
  const { name, uid = '', resourceVersion = '' } = job.metadata;
  const replaced: Replaced = { name, uid, resourceVersion };
  const annotations = { ...job.metadata.annotations, [REPLACES_ANNOTATION]: JSON.stringify(replaced) };
  const template = merged(job.spec?.template ?? {}, plan.template);
  return manifestOf(job, { name: copyNameOf(name), annotations }, { template, suspend: true });
}

/** The Job that takes the place of the one that `copy` was made of. */
export function successorOf(copy: RawWorkload, name: string): RawWorkload {
  const { [REPLACES_ANNOTATION]: _, ...annotations } = copy.metadata.annotations ?? {};
  return manifestOf(copy, { name, annotations }, { suspend: false });
}

/** What a person wrote of `job`, without what the API server and the controller have added, and with these changes. */
function manifestOf(
  { metadata, spec }: RawWorkload,
  own: Pick<RawMetadata, 'name' | 'annotations'>,
  changes: RawWorkload['spec'],
): RawWorkload {
  const { namespace = '', labels, ownerReferences } = metadata;
  const { selector, template, ...rest } = { ...spec, ...changes };
  const isManual = spec?.manualSelector === true;
  const manifest = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...own, namespace, ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) },
    spec: {
      ...rest,
      ...(isManual && selector !== undefined ? { selector } : {}),
      template: isManual ? (template ?? {}) : withoutGenerated(template ?? {}),
    },
  };
  return manifest;
}

function withoutGenerated(template: RawPodTemplate): RawPodTemplate {
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(
    ([key]) => !GENERATED_LABELS.includes(key),
  );
  return { ...template, metadata: { ...template.metadata, labels: Object.fromEntries(labels) } };
}
