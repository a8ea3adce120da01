/** Sabotages of what is followed of an object where pods read single keys. */

import type { Mutant } from './table.ts';

const UNIT = 'test/unit/controller/key-scoped.test.ts';
const HISTORIES = 'test/simulation/keys.test.ts';

/** Every one of them must be noticed. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'keys: what was owed is forgotten when the template reads other keys',
    file: 'lib/controller/rescope.ts',
    find: 'return isCurrent ? (after.lastDigest ?? UNKNOWN) : UNKNOWN;',
    replace: 'return after.lastDigest;',
    tests: [UNIT],
  },
  {
    name: 'keys: a start asks no other entry of the object',
    file: 'lib/controller/other-scopes.ts',
    find: 'return isCurrent ? undefined : UNKNOWN;',
    replace: 'return undefined;',
    tests: [UNIT],
  },
  {
    name: 'keys: a stamp of other keys is believed',
    file: 'lib/controller/live-stamps.ts',
    find: 'digest === ABSENT || isDigestOf(digest, keys)',
    replace: 'digest === ABSENT || keys.length > 0',
    tests: [UNIT],
  },
  {
    name: 'keys: a key that is not there has no place in the digest',
    file: 'lib/model/key-digests.ts',
    find: "digestUnder(digests, key) ?? '-'.repeat(CHARACTERS)",
    replace: "digestUnder(digests, key) ?? ''",
    tests: ['test/unit/model/key-digests.test.ts'],
  },
  {
    name: 'keys: every key of the object counts',
    file: 'lib/controller/scoped-record.ts',
    find: 'annotations, digest: scopedDigestOf(keyDigests, ref.keys ?? []) };',
    replace: 'annotations, digest: scopedDigestOf(keyDigests, [keyDigests]) };',
    tests: [HISTORIES],
  },
  {
    name: 'keys: the old entry is given up in a write of its own',
    file: 'lib/controller/rescope.ts',
    find: 'edges.placeBeside(ref, before.config.ref);',
    replace: '',
    tests: ['test/unit/controller/key-shards.test.ts'],
  },
  {
    name: 'keys: a workload does not wait for what its pods need',
    file: 'lib/controller/rollout-attempt.ts',
    find: "if (needs.length > 0) return { type: 'lacking', needs };",
    replace: '',
    tests: ['test/unit/controller/rollout-controller.test.ts'],
  },
  {
    name: 'keys: what may be missing is needed',
    file: 'lib/model/keys-read.ts',
    find: 'needed: isNeeded ? sorted(named) : [] };',
    replace: 'needed: sorted(named) };',
    tests: ['test/unit/model/keys-read.test.ts'],
  },
  {
    name: 'keys: what no key can be called is followed as one',
    file: 'lib/model/keys-read.ts',
    find: '(?!\\.$|\\.\\.)',
    replace: '',
    tests: ['test/unit/model/keys-read.test.ts'],
  },
  {
    name: 'keys: an entry is given up before anything is said of the part that is followed',
    file: 'lib/controller/state-write.ts',
    find: '!isAllThatIsSaid(edges, ref)',
    replace: 'true',
    tests: [HISTORIES],
  },
  {
    name: 'keys: what is recorded of a part that nobody follows goes with it',
    file: 'lib/controller/state-exceptions.ts',
    find: 'edges.abandoned.isEmpty',
    replace: 'true',
    tests: [HISTORIES],
  },
  {
    name: 'keys: what was absent at the start is the baseline when it comes',
    file: 'lib/controller/config-controller.ts',
    find: 'isFirst === true && dependent.isFromStart',
    replace: 'false',
    tests: [HISTORIES],
  },
  {
    name: 'keys: an entry of others is believed of pods that missed a change',
    file: 'lib/controller/follow.ts',
    find: 'isOfOthers && hasDebtOfOtherScope(edges, record, config)',
    replace: 'false',
    tests: [HISTORIES],
  },
  {
    name: 'keys: a stamp of keys speaks for the whole object',
    file: 'lib/controller/follow.ts',
    find: 'isOfPart(edges, config.ref, stamp) ? undefined : stamp',
    replace: 'stamp',
    tests: [HISTORIES],
  },
  {
    name: 'keys: numbers begin anew with another part of the object',
    file: 'lib/controller/follow.ts',
    find: '{ ...newEdge(stamp, began), highestNumber: stampOfAnyPart(edges, record, keyOf(ref))?.number ?? 0 }',
    replace: 'newEdge(stamp, began)',
    tests: ['test/simulation/kept.test.ts'],
  },
  {
    name: 'keys: the number of a patch under way is used again for other keys',
    file: 'lib/controller/rescope.ts',
    find: 'withNumber(before.edge, numberOnItsWay(record, keyOf(before.config.ref)))',
    replace: 'withNumber(before.edge, 0)',
    tests: ['test/unit/controller/key-scoped.test.ts'],
  },
];
