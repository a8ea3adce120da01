/** Sabotages of the patches of kinds that take no strategic merge patch. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

const PATCH = ['test/unit/model/json-patch-of.test.ts'];
const WRITER = ['test/unit/kubernetes/custom-patches.test.ts'];

/** Every one of them must be noticed. */
export const CUSTOM_PATCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'custom patches: what was read in another version is patched',
    edit: change(
      'WorkloadWriter.#patchTemplate',
      'reading.object.metadata.resourceVersion !== resourceVersion',
      'false',
    ),
    tests: WRITER,
  },
  {
    name: 'custom patches: a list goes into a merge patch',
    edit: change(
      'WorkloadWriter.#patchTemplate',
      "template.spec === undefined || workloadKindOf(workload.kind).patch === 'strategic'",
      'true',
    ),
    tests: WRITER,
  },
  {
    name: 'custom patches: the webhook of another reloader is asked again and again',
    edit: change('jsonPatchOf', '!triggers.includes(key)', 'true'),
    tests: PATCH,
  },
];
