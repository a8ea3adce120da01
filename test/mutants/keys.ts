/** Sabotages of what is followed of an object where pods read single keys. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/tracking/key-scoped.test.ts';
const HISTORIES = 'test/simulation/keys.test.ts';

/** Every one of them must be noticed. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'keys: what was owed is forgotten when the template reads other keys',
    edit: change('ranOf', 'isCurrent ? (after.lastDigest ?? UNKNOWN) : UNKNOWN', 'after.lastDigest'),
    tests: [UNIT],
  },
  {
    name: 'keys: a start asks no other entry of the object',
    edit: change('digestByOtherScopes', 'isCurrent ? undefined : UNKNOWN', 'undefined'),
    tests: [UNIT],
  },
  {
    name: 'keys: a stamp of other keys is believed',
    edit: change('live-stamps/isOf', 'isDigestOf()', 'keys.length > 0'),
    tests: [UNIT],
  },
  {
    name: 'keys: a key that is not there has no place in the digest',
    edit: change('scopedDigestOf', 'repeat()', "''"),
    tests: ['test/unit/model/key-digests.test.ts'],
  },
  {
    name: 'keys: every key of the object counts',
    edit: change('scopedObjectOf', 'ref.keys ?? []', '[keyDigests]'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: the old entry is given up in a write of its own',
    edit: drop('rescope', 'placeBeside()'),
    tests: ['test/unit/tracking/key-shards.test.ts'],
  },
  {
    name: 'keys: a dependency that no stream shows is not looked for again',
    edit: drop('RolloutAttempts.run', 'tries.needs.length > 0'),
    tests: ['test/unit/rollout/rollout-controller.test.ts'],
  },
  {
    name: 'keys: a commit waits for a workload that waits for a dependency',
    edit: drop('RolloutController.isWaiting', 'this.needsOf(workload).length > 0'),
    tests: ['test/unit/rollout/rollout-controller.test.ts'],
  },
  {
    name: 'keys: each rollout that waits for an object asks for it',
    edit: drop('MissingObjectProbe.lookFor', 'now - lastAt < REFUSAL_BACKOFF.baseMs'),
    tests: ['test/unit/repair/missing-object-probe.test.ts'],
  },
  {
    name: 'keys: a workload does not wait for what its pods need',
    edit: drop('RolloutAttempts.#keptFrom', 'needs.length > 0'),
    tests: ['test/unit/rollout/rollout-controller.test.ts'],
  },
  {
    name: 'keys: what may be missing is needed',
    edit: change('keysRead', 'isNeeded ? sorted(named) : []', 'sorted(named)'),
    tests: ['test/unit/model/keys-read.test.ts'],
  },
  {
    name: 'keys: what no key can be called is followed as one',
    edit: change('KEY', '/^(?!\\.$|\\.\\.)[-._a-zA-Z0-9]{1,253}$/', '/^[-._a-zA-Z0-9]{1,253}$/'),
    tests: ['test/unit/model/keys-read.test.ts'],
  },
  {
    name: 'keys: an entry is given up before anything is said of the part that is followed',
    edit: change('desiredEntry', '!isAllThatIsSaid()', 'true'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: what is recorded of a part that nobody follows goes with it',
    edit: change('overridesOfFormer', 'store.abandoned.isEmpty', 'true'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: what was absent at the start is the baseline when it comes',
    edit: change('begunEdge', 'isFirst === true && dependent.isFromStart', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: an entry of others is believed of pods that missed a change',
    edit: change('believedDigest', 'isOfOthers && hasDebtOfOtherScope(store, record, config)', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: a stamp of keys speaks for the whole object',
    edit: change('believedDigest', 'isOfPart()', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'keys: the number of a patch under way is used again for other keys',
    edit: change('rescope', 'sequenceInFlight()', '0'),
    tests: ['test/unit/tracking/key-scoped.test.ts'],
  },
];
