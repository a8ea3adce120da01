/** Whether an existing copy of a Job is one of ours: any client that may create Jobs can write the same annotations. */

import { isCopyOf, successorOf } from '../model/jobs.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { Store } from '../store/store.ts';

/**
 * Whether `job` may be deleted for `copy`, or be created from it where it is undefined: only what asks for reloads, and only
 * for what would be made of it. If the Job is gone, there is nothing to compare with, and nothing to lose.
 */
export function isGenuineCopy(store: Store, copy: RawWorkload, job: RawWorkload | undefined): boolean {
  const { vocabularies } = store.settings;
  const { name, namespace = '' } = copy.metadata;
  const workload = store.viewOf({ kind: 'Job', namespace, name }, job ?? successorOf(copy, name));
  const asks = vocabularies.hasPatterns(workload) || vocabularies.follows(workload, () => []).length > 0;
  return asks && !workload.isLeftAlone && (job === undefined || isCopyOf(copy, job, vocabularies));
}
