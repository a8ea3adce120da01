/** All sabotages, and whether they still fit the source. */

import { ADMISSION_MUTANTS } from './admission.ts';
import { ARGO_MUTANTS } from './argo.ts';
import { BOUND_MUTANTS } from './bounds.ts';
import { BUDGET_MUTANTS } from './budget.ts';
import { CLASS_MUTANTS } from './classes.ts';
import { CLOCK_MUTANTS } from './clocks.ts';
import { COMMAND_MUTANTS } from './commands.ts';
import { CONSENT_MUTANTS } from './consent.ts';
import { CUSTOM_PATCH_MUTANTS } from './custom-patches.ts';
import { DIALECT_MUTANTS } from './dialects.ts';
import { DROP_IN_MUTANTS } from './drop-in.ts';
import { EDGE_MUTANTS } from './edges.ts';
import type { Places } from './edit.ts';
import { EVICTION_MUTANTS } from './evictions.ts';
import { FENCE_MUTANTS } from './fences.ts';
import { GATE_MUTANTS } from './gates.ts';
import { IMPORT_MUTANTS } from './imports.ts';
import { KEY_MUTANTS } from './keys.ts';
import { KIND_MUTANTS } from './kinds.ts';
import { LEADER_MUTANTS } from './leader.ts';
import { LIST_MUTANTS } from './lists.ts';
import { NOTICE_MUTANTS } from './notices.ts';
import { OPENSHIFT_MUTANTS } from './openshift.ts';
import { OPTION_MUTANTS } from './options.ts';
import { OWNER_MUTANTS } from './owners.ts';
import { PACE_MUTANTS } from './paces.ts';
import { PAUSE_MUTANTS } from './pauses.ts';
import { POLICY_MUTANTS } from './policies.ts';
import { PRESENCE_MUTANTS } from './presence.ts';
import { PROCESS_MUTANTS } from './processes.ts';
import { RIGHT_MUTANTS } from './rights.ts';
import { ROTATION_MUTANTS } from './rotations.ts';
import { SCENE_MUTANTS } from './scenes.ts';
import { SCOPE_MUTANTS } from './scope.ts';
import { SERVING_MUTANTS } from './serving.ts';
import { SHARD_MUTANTS } from './shards.ts';
import { STAGE_MUTANTS } from './stages.ts';
import { STATE_MUTANTS } from './state.ts';
import { MUTANTS, type Mutant } from './table.ts';
import { TAKE_OVER_MUTANTS } from './take-overs.ts';
import { TERM_MUTANTS } from './terms.ts';
import { TOLD_MUTANTS } from './told.ts';
import { TWO_ALGORITHM_MUTANTS } from './two-algorithms.ts';

/** Every sabotage, in the order in which they are tried. */
export const ALL_MUTANTS: readonly Mutant[] = [
  ...MUTANTS,
  ...NOTICE_MUTANTS,
  ...POLICY_MUTANTS,
  ...PRESENCE_MUTANTS,
  ...KEY_MUTANTS,
  ...ROTATION_MUTANTS,
  ...OWNER_MUTANTS,
  ...EDGE_MUTANTS,
  ...PAUSE_MUTANTS,
  ...OPENSHIFT_MUTANTS,
  ...EVICTION_MUTANTS,
  ...BUDGET_MUTANTS,
  ...GATE_MUTANTS,
  ...STAGE_MUTANTS,
  ...DIALECT_MUTANTS,
  ...CUSTOM_PATCH_MUTANTS,
  ...ARGO_MUTANTS,
  ...CLASS_MUTANTS,
  ...CONSENT_MUTANTS,
  ...BOUND_MUTANTS,
  ...PACE_MUTANTS,
  ...SCOPE_MUTANTS,
  ...SCENE_MUTANTS,
  ...TOLD_MUTANTS,
  ...TWO_ALGORITHM_MUTANTS,
  ...PROCESS_MUTANTS,
  ...SHARD_MUTANTS,
  ...ADMISSION_MUTANTS,
  ...DROP_IN_MUTANTS,
  ...KIND_MUTANTS,
  ...LEADER_MUTANTS,
  ...LIST_MUTANTS,
  ...RIGHT_MUTANTS,
  ...FENCE_MUTANTS,
  ...CLOCK_MUTANTS,
  ...STATE_MUTANTS,
  ...TERM_MUTANTS,
  ...TAKE_OVER_MUTANTS,
  ...IMPORT_MUTANTS,
  ...SERVING_MUTANTS,
  ...OPTION_MUTANTS,
  ...COMMAND_MUTANTS,
];

/** Which edits no longer have exactly one place in the source, in words. */
export function misfits(places: Places, mutants: readonly Mutant[]): string[] {
  return mutants.flatMap(({ name, edit }) => {
    const found = places.find(edit);
    return typeof found === 'string' ? [`'${name}': ${found}`] : [];
  });
}
