import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatStamp, highestStamp, parseStamp, type Stamp } from '../../../lib/model/stamp.ts';
import { formatEntry, parseEntry } from '../../../lib/model/state-entry.ts';
import { fc } from '../../laws.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const VALUES: Record<string, readonly [string | undefined, Stamp | undefined]> = {
  'digest and number': [`${A}.7`, { digest: A, number: 7 }],
  'a bare digest counts as number 0': [A, { digest: A, number: 0 }],
  'no value': [undefined, undefined],
  'an empty value': ['', undefined],
  "another reloader's hash": ['c'.repeat(64), undefined],
  'an algorithm before the digest': [`collaborne:${A}.1`, undefined],
  'an empty number': [`${A}.`, undefined],
  'a sign': [`${A}.+1`, undefined],
  'text behind it': [`${A}.1 `, undefined],
  'a line break behind it': [`${A}.1\n`, undefined],
  'the highest number that can be counted': [
    `${A}.${Number.MAX_SAFE_INTEGER}`,
    { digest: A, number: Number.MAX_SAFE_INTEGER },
  ],
  'what comes after it': [`${A}.9007199254740992`, undefined],
  'a number of seventeen digits': [`${A}.00000000000000001`, undefined],
};

for (const [sentence, [value, stamp]] of Object.entries(VALUES)) {
  test(`a stamp: ${sentence}`, () => assert.deepEqual(parseStamp(value), stamp));
}

test('law: a stamp is read as it was written', () => {
  const stamps = fc.record(
    {
      digest: fc.stringMatching(/^[0-9a-f]{40}$/),
      number: fc.maxSafeNat(),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(stamps, (stamp) => assert.deepEqual(parseStamp(formatStamp(stamp)), stamp)));
});

test('law: after a number that somebody made up by repeating a digit, the stamps and entries that follow are read', () => {
  for (const figure of '123456789') {
    for (let length = 1; length <= 20; length += 1) {
      const stamp = parseStamp(`${A}.${figure.repeat(length)}`);
      const entry = parseEntry(`${A}.${figure.repeat(length)}`, false);
      assert.deepEqual(entry, stamp);
      if (stamp === undefined) continue;
      for (const step of [1, 2, 1_000_000_000_000]) {
        const next: Stamp = { ...stamp, number: stamp.number + step };
        assert.deepEqual(parseStamp(formatStamp(next)), next);
        assert.deepEqual(parseEntry(formatEntry(next), false), next);
      }
    }
  }
});

const HIGHEST: Record<string, { stamps: Stamp[]; stamp: Stamp | undefined; ambiguous: boolean }> = {
  'of none there is none': { stamps: [], stamp: undefined, ambiguous: false },
  'of several the highest number counts': {
    stamps: [
      { digest: A, number: 2 },
      { digest: B, number: 10 },
      { digest: A, number: 9 },
    ],
    stamp: { digest: B, number: 10 },
    ambiguous: false,
  },
  'the same stamp twice is no contradiction': {
    stamps: [
      { digest: A, number: 2 },
      { digest: A, number: 2 },
    ],
    stamp: { digest: A, number: 2 },
    ambiguous: false,
  },
  'equal numbers with different digests contradict each other': {
    stamps: [
      { digest: A, number: 2 },
      { digest: B, number: 2 },
    ],
    stamp: { digest: A, number: 2 },
    ambiguous: true,
  },
  'a contradiction below the highest number does not matter': {
    stamps: [
      { digest: A, number: 1 },
      { digest: B, number: 1 },
      { digest: A, number: 2 },
    ],
    stamp: { digest: A, number: 2 },
    ambiguous: false,
  },
};

for (const [sentence, { stamps, ...expected }] of Object.entries(HIGHEST)) {
  test(sentence, () => {
    assert.deepEqual(highestStamp(stamps), expected);
    assert.equal(highestStamp([...stamps].reverse()).ambiguous, expected.ambiguous);
  });
}
