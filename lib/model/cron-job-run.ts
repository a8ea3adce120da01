/** The run of a CronJob that is started because of a change: a Job whose name says what it is started for. */

import { createHash } from 'node:crypto';
import type { RawWorkload } from './raw-objects.ts';
import type { RolloutPlan } from './rollout-plan.ts';

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
