/** The finding about objects that a workload names in a namespace that is not watched. */

import type { Finding } from '../model/finding.ts';
import { type ConfigRef, describe } from '../model/object-ref.ts';
import { listedText } from '../model/text.ts';

/** One finding for all such objects; empty if there are none. */
export function unwatchedNamespaceFindings(refs: readonly ConfigRef[]): readonly Finding[] {
  if (refs.length === 0) return [];
  const covers = refs.map((ref) => `${describe(ref)} of the namespace ${ref.namespace}`);
  const about = listedText(covers);
  const [is, it, namespace] =
    refs.length === 1 ? ['is', 'it', 'that namespace'] : ['are', 'them', 'those namespaces'];
  const were = refs.length === 1 ? 'it were' : 'they were';
  const remedy = `watch ${namespace} too (--namespace, --all-namespaces), or take ${it} out of the list`;
  const message = `${about} ${is} not watched: nothing is rolled for ${it}, all else is as if ${were} not named; ${remedy}`;
  return [{ reason: 'unwatched-namespace', about, covers, message }];
}
