/** The manifests of runs of CronJobs and of Jobs that are created anew. */

import { createHash } from 'node:crypto';
import type { RawMetadata, RawPodTemplate, RawWorkload } from '../raw-objects.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import { merged } from '../template-patch.ts';
import { APPROVED_ANNOTATION, type MarkWords, templateWithoutMarks } from '../workload.ts';
import { REPLACES_ANNOTATION } from './built-in.ts';

/** Characters in the name of a Job, which is also a label of its pods. */
const LONGEST_NAME = 63;
const DIGITS = 10;

/**
 * The Job for `plan`, as `kubectl create job --from` would write it. `stamped` is the CronJob as it will be once the stamps are
 * written, with the next generation. Until they are, every attempt of any process requests a Job of the same name, so that there
 * is one run; afterwards the generation has changed, so that no later change requests that name again.
 */
export function runOf(stamped: RawWorkload, plan: RolloutPlan): Pick<RawWorkload, 'metadata'> {
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

/** The id of the stamps does not enter the digest: each process makes another one. */
function digestOf(uid: string, generation: number, { stamps }: RolloutPlan): string {
  const digests = stamps.map(({ config, stamp }) => `${config}=${stamp.digest}`).sort();
  const text = JSON.stringify([uid, generation, digests]);
  return createHash('sha1').update(text).digest('hex').slice(0, DIGITS);
}

/** The objects under the names of a Job and of its placeholder. */
export interface JobPair {
  /** The object under the name of the Job: the old one, the new one, or one of another client. */
  readonly job: RawWorkload | undefined;
  /** The placeholder Job; another object of that name does not count. */
  readonly copy: RawWorkload | undefined;
}

/** The next request; `done` if there is none. */
export type SuccessionStep = 'delete-job' | 'create-job' | 'delete-copy' | 'done';

/** The Job of which a placeholder was made. */
export interface Replaced {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

const SUFFIX = '-reload';
/** The labels that the API server adds to the pod template of each Job to select its pods. */
const GENERATED_LABELS = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/**
 * A Job that has changed since its placeholder was made, by its controller or another client, is decided on again: the placeholder
 * is deleted. It is also deleted once another Job has the name: its pods have started with the current content.
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

/** The name of the placeholder of a Job; a long one ends in a digest of the Job's name. */
export function copyNameOf(job: string): string {
  if (job.length + SUFFIX.length <= LONGEST_NAME) return job + SUFFIX;
  const digest = createHash('sha1').update(job).digest('hex').slice(0, DIGITS);
  return `${job.slice(0, LONGEST_NAME - SUFFIX.length - 1 - DIGITS)}-${digest}${SUFFIX}`;
}

/** The Job that `copy` replaces; undefined if it is not a placeholder Job. */
export function replacedBy({ metadata }: RawWorkload): Replaced | undefined {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[REPLACES_ANNOTATION] ?? '');
    const { name, uid, resourceVersion } = parsed as Partial<Record<keyof Replaced, unknown>>;
    if (typeof name !== 'string' || typeof uid !== 'string' || typeof resourceVersion !== 'string')
      return undefined;
    return copyNameOf(name) === metadata.name ? { name, uid, resourceVersion } : undefined;
  } catch {
    return undefined; // another client wrote the annotation: it is no placeholder
  }
}

/**
 * Whether `copy` equals the placeholder that this program would make of `job`, except for stamps. The check is necessary because
 * any client that may create Jobs can forge the annotation.
 */
export function isCopyOf(copy: RawWorkload, job: RawWorkload, words: MarkWords): boolean {
  return comparable(copy, words) === comparable(job, words);
}

/** The common part of a placeholder and its Job as text: the API server returns the fields of both in one order. */
function comparable(job: RawWorkload, words: MarkWords): string {
  const { [REPLACES_ANNOTATION]: _, ...annotations } = job.metadata.annotations ?? {};
  const template = templateWithoutMarks(withoutGenerated(job.spec?.template ?? {}), words);
  return JSON.stringify(manifestOf(job, { name: '', annotations }, { template, suspend: false }));
}

/** The placeholder of `job` with the stamps of `plan`: suspended, so that it runs no pods. */
export function copyOf(job: RawWorkload, plan: RolloutPlan): RawWorkload {
  const { name, uid = '', resourceVersion = '' } = job.metadata;
  const replaced: Replaced = { name, uid, resourceVersion };
  const annotations = { ...job.metadata.annotations, [REPLACES_ANNOTATION]: JSON.stringify(replaced) };
  const template = merged(job.spec?.template ?? {}, plan.template);
  return manifestOf(job, { name: copyNameOf(name), annotations }, { template, suspend: true });
}

/** The Job that replaces the one of which `copy` was made. An approval is used up by then. */
export function successorOf(copy: RawWorkload, name: string): RawWorkload {
  const {
    [REPLACES_ANNOTATION]: _,
    [APPROVED_ANNOTATION]: __,
    ...annotations
  } = copy.metadata.annotations ?? {};
  return manifestOf(copy, { name, annotations }, { suspend: false });
}

/**
 * `job` without the fields that the API server and the controller have added, and with these changes. Its owners no longer wait for
 * its deletion: to set blockOwnerDeletion needs a right to the owner's finalizers on OpenShift.
 */
function manifestOf(
  { metadata, spec }: RawWorkload,
  own: Pick<RawMetadata, 'name' | 'annotations'>,
  changes: RawWorkload['spec'],
): RawWorkload {
  const { namespace = '', labels } = metadata;
  const ownerReferences = metadata.ownerReferences?.map(({ blockOwnerDeletion: _, ...owner }) => owner);
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
