/** Whether a placeholder Job may be trusted: any client that may create Jobs can write one with the same annotations. */

import { isCopyOf, successorOf } from '../model/kinds/jobs.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import type { Store } from '../store/store.ts';

/**
 * Whether `job` may be deleted because of the placeholder `copy` or, if undefined, be created from it. Only a Job that asks for
 * rollouts, and only if this program would make the same placeholder of it. If the Job does not exist, there is nothing to
 * compare with, and nothing to lose.
 */
export function isGenuineCopy(store: Store, copy: RawWorkload, job: RawWorkload | undefined): boolean {
  const { vocabularies } = store.settings;
  const { name, namespace = '' } = copy.metadata;
  const workload = store.viewOf({ kind: 'Job', namespace, name }, job ?? successorOf(copy, name));
  const asks = vocabularies.hasPatterns(workload) || vocabularies.follows(workload, () => []).length > 0;
  return asks && !workload.isLeftAlone && (job === undefined || isCopyOf(copy, job, vocabularies));
}
