/** Plans the rollout of one workload: one patch that stamps all objects on which it is outdated. */

import type { ObjectKey } from '../model/object-ref.ts';
import { type PlannedStamp, type PlannedVersion, planOf, type RolloutPlan } from '../model/rollout-plan.ts';
import { APPROVED_ANNOTATION } from '../model/workload.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn, isUrgentFor, observedBy } from '../tracking/edge-policy.ts';

/** What a plan depends on besides the store. */
export interface PlanFacts {
  /** When the first change was seen, in seconds since 1970. */
  readonly seconds?: number;
  /** The present time as RFC 3339, with which a pause begins. */
  readonly now?: string;
  /** See RolloutDraft. */
  readonly testsTemplate?: boolean;
  /** The id of its stamps. @default a new one */
  readonly id?: number;
}

/**
 * The rollout that `workload` needs now; undefined if it needs none or does not exist. One plan stamps all of its out-of-date
 * edges.
 */
export function planRollout(
  store: Store,
  workload: ObjectKey,
  { seconds = 0, now = '', testsTemplate, id = store.settings.newStampId() }: PlanFacts = {},
): RolloutPlan | undefined {
  const record = store.workloads.get(workload);
  if (record === undefined) return undefined;
  const stamps: PlannedStamp[] = [];
  const versions = new Map<ObjectKey, PlannedVersion>();
  let annotations = {};
  for (const [config, edge] of record.edges) {
    const observed = store.configs.get(config);
    const variables = record.variables.get(config);
    const digest = observedBy(store, record, observed);
    if (observed === undefined || digest === undefined || variables === undefined) continue;
    const { changedAt, resourceVersion: objectVersion } = observed;
    versions.set(config, { digest, changedAt, objectVersion });
    if (!isOutdatedOn(store, record, config, edge)) continue;
    const about = [record.workload, observed.ref, observed.annotations] as const;
    const places = store.settings.vocabularies.placesOf(...about, variables);
    stamps.push({ config, stamp: { digest, id }, places, variables: variables.read });
    const further = store.settings.vocabularies.tellingAnnotations(...about, { digest, seconds });
    annotations = { ...annotations, ...further };
  }
  if (stamps.length === 0) return undefined;
  const pause =
    store.settings.onlyTells || isUrgentFor(store, record)
      ? undefined
      : store.settings.vocabularies.pausing.begin(record.workload, now);
  const contents = [...record.edges.keys()].flatMap((config) => store.configs.get(config) ?? []);
  const hashes = store.settings.vocabularies.hashAnnotations(record.workload, contents);
  annotations = { ...annotations, ...hashes };
  // The rollout uses the approval up.
  const approvals = Object.keys(record.workload.annotations).filter((key) => key === APPROVED_ANNOTATION);
  const triggers = [...store.settings.vocabularies.triggersOf(record.workload), ...approvals];
  const draft = { stamps, versions, annotations, pause, triggers, testsTemplate };
  return planOf(record.workload, draft);
}
