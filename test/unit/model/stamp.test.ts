import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatStamp, latestStamp, parseStamp, type Stamp, stampIds } from '../../../lib/model/stamp.ts';
import { fc } from '../../laws.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const VALUES: Record<string, readonly [string | undefined, Stamp | undefined]> = {
  'digest and id': [`${A}.7`, { digest: A, id: 7 }],
  'a bare digest has the id 0': [A, { digest: A, id: 0 }],
  'no value': [undefined, undefined],
  'an empty value': ['', undefined],
  "another reloader's hash": ['c'.repeat(64), undefined],
  'an algorithm before the digest': [`k0a1b2c3d:${A}.1`, { digest: `k0a1b2c3d:${A}`, id: 1 }],
  'an algorithm without a name': [`:${A}.1`, undefined],
  'an empty id': [`${A}.`, undefined],
  'a sign': [`${A}.+1`, undefined],
  'text behind it': [`${A}.1 `, undefined],
  'a line break behind it': [`${A}.1\n`, undefined],
  'the highest id that can be counted': [
    `${A}.${Number.MAX_SAFE_INTEGER}`,
    { digest: A, id: Number.MAX_SAFE_INTEGER },
  ],
  'what comes after it': [`${A}.9007199254740992`, undefined],
  'a id of seventeen digits': [`${A}.00000000000000001`, undefined],
};

for (const [sentence, [value, stamp]] of Object.entries(VALUES)) {
  test(`a stamp: ${sentence}`, () => assert.deepEqual(parseStamp(value), stamp));
}

test('law: a stamp is read as it was written', () => {
  const stamps = fc.record(
    {
      digest: fc.stringMatching(/^[0-9a-f]{40}$/),
      id: fc.maxSafeNat(),
    },
    { noNullPrototype: true },
  );
  fc.assert(fc.property(stamps, (stamp) => assert.deepEqual(parseStamp(formatStamp(stamp)), stamp)));
});

const LATEST: Record<string, readonly [readonly Stamp[], Stamp | undefined]> = {
  'of none there is none': [[], undefined],
  'of several that with the highest id': [
    [
      { digest: A, id: 2 },
      { digest: B, id: 10 },
      { digest: A, id: 9 },
    ],
    { digest: B, id: 10 },
  ],
  'of two with one id the first': [
    [
      { digest: A, id: 2 },
      { digest: B, id: 2 },
    ],
    { digest: A, id: 2 },
  ],
};

for (const [sentence, [stamps, latest]] of Object.entries(LATEST)) {
  test(`the latest stamp: ${sentence}`, () => assert.deepEqual(latestStamp(stamps), latest));
}

test('ids grow with the time, are never used twice, and differ from those of another term in the same moment', () => {
  const NOW = 1_764_000_000_000;
  let now = NOW;
  const [own, next] = [stampIds(7, () => now), stampIds(1008, () => now)];
  const ids = [own(), own(), next(), next()];
  now += 10;
  ids.push(own());
  assert.deepEqual(
    ids.map((id) => id - NOW * 1000),
    [7, 1007, 8, 1008, 10_007],
  );
  assert.ok(ids.every((id) => parseStamp(`${A}.${id}`)?.id === id));
  now = NOW;
  assert.equal(own(), (NOW + 11) * 1000 + 7, 'a clock that is set back');
});
