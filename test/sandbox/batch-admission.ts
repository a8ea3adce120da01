/** What the server does to a Job or a CronJob before it is stored. */

import { type JsonObject, objectOf, pick, sameJson } from './json.ts';
import type { ResourceRow } from './resource-table.ts';
import { invalid } from './status-error.ts';
import { checkTemplate, nameOf } from './template-checks.ts';

const TEMPLATE = ['spec', 'template'] as const;
const TEMPLATE_OF_RUNS = ['spec', 'jobTemplate', 'spec', 'template'] as const;
const CRON_JOB_DEFAULTS: JsonObject = {
  concurrencyPolicy: 'Allow',
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
};
const JOB_DEFAULTS: JsonObject = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  manualSelector: false,
};

/**
 * `object` with defaults and with what the server generates.
 *
 * @param previous the stored object when this is an update
 * @throws StatusError 422 when it cannot be stored
 */
export function admittedBatch(
  row: ResourceRow,
  given: JsonObject,
  previous: JsonObject | undefined,
): JsonObject {
  if (row.kind === 'CronJob') return admittedCronJob(row, given);
  return previous === undefined ? newJob(row, given) : changedJob(row, given, previous);
}

function admittedCronJob(row: ResourceRow, given: JsonObject): JsonObject {
  const object = withDefaults(given, CRON_JOB_DEFAULTS);
  checkTemplate(row, object, TEMPLATE_OF_RUNS);
  return object;
}

/** The labels and the selector that tell the pods of one Job from those of another. */
function newJob(row: ResourceRow, given: JsonObject): JsonObject {
  const object = withDefaults(given, JOB_DEFAULTS);
  checkTemplate(row, object, TEMPLATE);
  const spec = objectOf(object['spec']);
  if (spec['manualSelector'] === true) return object;
  const uid = String(pick(object, 'metadata', 'uid'));
  const generated: JsonObject = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': nameOf(object),
    'controller-uid': uid,
    'job-name': nameOf(object),
  };
  const template = objectOf(spec['template']);
  const metadata = objectOf(template['metadata']);
  const labels = { ...generated, ...objectOf(metadata['labels']) };
  const matchLabels = { 'batch.kubernetes.io/controller-uid': uid };
  const selector = spec['selector'] ?? { matchLabels };
  if (!sameJson({ ...labels, ...generated }, labels) || !sameJson(selector, { matchLabels }))
    throw invalid(row, nameOf(object), 'spec.selector', 'Invalid value: `selector` not auto-generated');
  const stamped = { ...template, metadata: { ...metadata, labels } };
  return { ...object, spec: { ...spec, selector, template: stamped } };
}

function changedJob(row: ResourceRow, given: JsonObject, previous: JsonObject): JsonObject {
  const object = withDefaults(given, JOB_DEFAULTS);
  for (const field of ['template', 'selector', 'completions'] as const) {
    if (!sameJson(pick(object, 'spec', field), pick(previous, 'spec', field)))
      throw invalid(row, nameOf(object), `spec.${field}`, 'Invalid value: field is immutable');
  }
  return object;
}

function withDefaults(object: JsonObject, defaults: JsonObject): JsonObject {
  const spec = objectOf(object['spec']);
  const isComplete = Object.keys(defaults).every((field) => spec[field] !== undefined);
  return isComplete ? object : { ...object, spec: { ...defaults, ...spec } };
}
