/** What is said of objects that a workload names in a namespace that is not watched. */

import type { Notice } from '../model/notice.ts';
import { type ConfigRef, describe } from '../model/object-ref.ts';

/** The notices of such objects. */
export function unwatchedNotices(refs: readonly ConfigRef[]): readonly Notice[] {
  return refs.map((ref) => {
    const about = `${describe(ref)} of the namespace ${ref.namespace}`;
    const remedy = 'watch that namespace too (--namespace, --all-namespaces), or take it out of the list';
    const message = `${about} is not watched: nothing is rolled for it, all else is as if it were not named; ${remedy}`;
    return { reason: 'unwatched-namespace', about, message };
  });
}
