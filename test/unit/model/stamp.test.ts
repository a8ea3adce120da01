import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatStamp,
  highestStamp,
  parseStamp,
  type Stamp,
  sequenceAfter,
} from '../../../lib/model/stamp.ts';
import { formatEntry, parseEntry } from '../../../lib/model/state-entry.ts';
import { fc } from '../../laws.ts';
import { knows } from '../../settings.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const VALUES: Record<string, readonly [string | undefined, Stamp | undefined]> = {
  'digest and sequence': [`${A}.7`, { digest: A, sequence: 7 }],
  'a bare digest has the sequence 0': [A, { digest: A, sequence: 0 }],
  'no value': [undefined, undefined],
  'an empty value': ['', undefined],
  "another reloader's hash": ['c'.repeat(64), undefined],
  'an algorithm before the digest': [`k0a1b2c3d:${A}.1`, { digest: `k0a1b2c3d:${A}`, sequence: 1 }],
  'an algorithm without a name': [`:${A}.1`, undefined],
  'an empty sequence': [`${A}.`, undefined],
  'a sign': [`${A}.+1`, undefined],
  'text behind it': [`${A}.1 `, undefined],
  'a line break behind it': [`${A}.1\n`, undefined],
  'the highest sequence that can be counted': [
    `${A}.${Number.MAX_SAFE_INTEGER}`,
    { digest: A, sequence: Number.MAX_SAFE_INTEGER },
  ],
  'what comes after it': [`${A}.9007199254740992`, undefined],
  'a sequence of seventeen digits': [`${A}.00000000000000001`, undefined],
};

for (const [sentence, [value, stamp]] of Object.entries(VALUES)) {
  test(`a stamp: ${sentence}`, () => assert.deepEqual(parseStamp(value), stamp));
}

test('law: a stamp is read as it was written', () => {
  const stamps = fc.record(
    {
      digest: fc.stringMatching(/^[0-9a-f]{40}$/),
      sequence: fc.maxSafeNat(),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(stamps, (stamp) => assert.deepEqual(parseStamp(formatStamp(stamp)), stamp)));
});

test('law: after an invented sequence of repeated digits, the stamps and entries that follow are parsed', () => {
  for (const figure of '123456789') {
    for (let length = 1; length <= 20; length += 1) {
      const stamp = parseStamp(`${A}.${figure.repeat(length)}`);
      const entry = parseEntry(`${A}.${figure.repeat(length)}`, knows);
      assert.deepEqual(entry, stamp);
      if (stamp === undefined) continue;
      for (const step of [1, 2, 1_000_000_000_000]) {
        const next: Stamp = { ...stamp, sequence: stamp.sequence + step };
        assert.deepEqual(parseStamp(formatStamp(next)), next);
        assert.deepEqual(parseEntry(formatEntry(next), knows), next);
      }
    }
  }
});

const HIGHEST: Record<string, { stamps: Stamp[]; stamp: Stamp | undefined; ambiguous: boolean }> = {
  'of none there is none': { stamps: [], stamp: undefined, ambiguous: false },
  'of several the highest sequence counts': {
    stamps: [
      { digest: A, sequence: 2 },
      { digest: B, sequence: 10 },
      { digest: A, sequence: 9 },
    ],
    stamp: { digest: B, sequence: 10 },
    ambiguous: false,
  },
  'the same stamp twice is no contradiction': {
    stamps: [
      { digest: A, sequence: 2 },
      { digest: A, sequence: 2 },
    ],
    stamp: { digest: A, sequence: 2 },
    ambiguous: false,
  },
  'equal sequences with different digests contradict each other': {
    stamps: [
      { digest: A, sequence: 2 },
      { digest: B, sequence: 2 },
    ],
    stamp: { digest: A, sequence: 2 },
    ambiguous: true,
  },
  'a contradiction below the highest sequence does not matter': {
    stamps: [
      { digest: A, sequence: 1 },
      { digest: B, sequence: 1 },
      { digest: A, sequence: 2 },
    ],
    stamp: { digest: A, sequence: 2 },
    ambiguous: false,
  },
};

for (const [sentence, { stamps, ...expected }] of Object.entries(HIGHEST)) {
  test(sentence, () => {
    assert.deepEqual(highestStamp(stamps), expected);
    assert.equal(highestStamp([...stamps].reverse()).ambiguous, expected.ambiguous);
  });
}

const NEXT: Record<string, readonly [used: number, term: number | undefined, next: number]> = {
  'without a term it is the next one': [7, undefined, 8],
  'it leaves the remainder of the term': [0, 3, 3],
  'of a term beyond 16 too': [0, 35, 3],
  'a term that 16 divides has 16, 32, …': [0, 32, 16],
  'a used sequence is not used again': [3, 3, 19],
  'it goes on from there': [19, 3, 35],
  'above what another term has used it is the first of its own': [20, 3, 35],
  'it may be the very next one': [18, 3, 19],
  'a high term is counted exactly': [2 ** 24, 2 ** 40, 2 ** 24 + 16],
};

for (const [sentence, [used, term, next]] of Object.entries(NEXT)) {
  test(`the sequence of the next stamp: ${sentence}`, () => assert.equal(sequenceAfter(used, term), next));
}

test('law: of 16 consecutive terms no two use the same sequence, and none uses one twice', () => {
  const numbersOf = (term: number): Set<number> => {
    const numbers = new Set<number>();
    for (let used = 0; used <= 100; used += 1) {
      const sequence = sequenceAfter(used, term);
      assert.ok(sequence > used && sequence <= used + 16);
      numbers.add(sequence);
    }
    return numbers;
  };
  for (let term = 1; term <= 40; term += 1) {
    const own = numbersOf(term);
    for (let later = term + 1; later < term + 16; later += 1) {
      const shared = [...numbersOf(later)].filter((sequence) => own.has(sequence));
      assert.deepEqual(shared, [], `${term} and ${later}`);
    }
  }
});

test('law: the same for any terms and any sequences', () => {
  const used = fc.integer({ min: 0, max: 2 ** 48 });
  const terms = fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.integer({ min: 1, max: 15 }));
  fc.assert(
    fc.property(used, used, terms, (a, b, [term, after]) => {
      assert.notEqual(sequenceAfter(a, term), sequenceAfter(b, term + after));
    }),
  );
});
