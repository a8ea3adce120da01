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
    tests: [UNIT],
  },
  {
    name: 'rotations: the object has no part in its key',
    edit: change('keyedAlgorithm', 'update()', 'new HmacSha256(key)'),
    tests: ['test/unit/model/keyed-digest.test.ts'],
  },
  {
    name: 'rotations: without the right to the Secret what is keyed is compared without a key',
    edit: change(
      'DigestKeys.read',
      'held.isForbidden !== true || areNamed || keyring.hasBegun',
      'held.isForbidden !== true',
    ),
    tests: [UNIT],
  },
];
