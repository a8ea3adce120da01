/** Sabotages of the keys of digests, which come and go. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/state/digest-keys.test.ts';
const KEPT = 'test/simulation/kept.test.ts';
const HISTORIES = 'test/simulation/simulation-rotations.test.ts';

/** Every one of them must be noticed. */
export const ROTATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'rotations: entries are compared without translation',
    edit: change('edgeAtStart', 'translated()', 'believed'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'rotations: a key is dropped that something is under',
    edit: change('DigestKeys.look', '!used.has(id)', 'true'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'rotations: stamps that are not committed are no use of a key',
    edit: change('algorithmUses', 'isUncommitted()', 'false'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'rotations: an override whose key is lost is the baseline',
    edit: change('parseOverrides', 'isKnown(digest, knows) ? digest : UNKNOWN', 'digest'),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'rotations: a new key puts the workloads of a kind that is not listed out of date',
    edit: change('ranBefore', 'translated()', 'before.digest'),
    tests: [UNIT, 'test/simulation/unordered-kind.test.ts', HISTORIES],
  },
  {
    name: 'rotations: a version without keys is told that it can read overrides under one',
    edit: change(
      'needsKeys',
      "digest === undefined || isKeyId(algorithmOf(digest) ?? '')",
      'digest === undefined',
    ),
    tests: [UNIT, HISTORIES],
  },
  {
    name: 'rotations: what nothing is keyed in keeps the version of keys',
    edit: change('beginTerm', 'loweredVersion()', '{}'),
    tests: [KEPT],
  },
  {
    name: 'rotations: a standby that knows every key waits for the Secret',
    edit: change('DigestKeys.read', 'keyring.hasBegun && named.every((id) => keyring.named(id))', 'false'),
    tests: [KEPT],
  },
  {
    name: 'rotations: the keys are read without regard to the state',
    edit: change('Terms.#beginOnce', 'keys.read()', 'keys.read(stateClient.keys, [undefined], signal)'),
    tests: [UNIT, HISTORIES],
  },
];
