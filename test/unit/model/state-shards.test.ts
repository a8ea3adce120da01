import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placerFor, shardNames, shardsToldBy, sizeOf } from '../../../lib/model/shards.ts';
import { fc } from '../../laws.ts';

const TOLD = 'reloader.k8s.collaborne.com/state-shards';

test('a state may lie in ten ConfigMaps, the first of which has its name', () => {
  const names = shardNames('state');
  assert.equal(names.length, 10);
  assert.deepEqual([names[0], names[1], names[9]], ['state', 'state-1', 'state-9']);
});

const ANNOTATIONS: Record<string, readonly [Record<string, string> | undefined, number]> = {
  'without a first one there is one': [undefined, 1],
  'without the annotation there is one': [{}, 1],
  'the annotation counts the first one too': [{ [TOLD]: '3' }, 3],
  'there are at most ten': [{ [TOLD]: '10' }, 10],
  'more than ten cannot be': [{ [TOLD]: '11' }, 1],
  'none cannot be': [{ [TOLD]: '0' }, 1],
  'a word is no number': [{ [TOLD]: 'three' }, 1],
};
for (const [sentence, [annotations, count]] of Object.entries(ANNOTATIONS)) {
  test(`told: ${sentence}`, () => assert.equal(shardsToldBy(annotations), count));
}

type Case = { shelves: Parameters<typeof placerFor>; sizes: readonly number[]; shards: readonly number[] };
const SHELVES: Record<string, Case> = {
  'the first shard with room takes an entry': {
    shelves: [[95, 20, 10], 10, 100],
    sizes: [10],
    shards: [1],
  },
  'an entry that fills a shard to the limit has room': {
    shelves: [[90], 10, 100],
    sizes: [10],
    shards: [0],
  },
  'what was placed before takes its room': {
    shelves: [[80], 10, 100],
    sizes: [15, 15, 5, 80, 15],
    shards: [0, 1, 0, 1, 2],
  },
  'a shard that is missing is empty': {
    shelves: [[100, 0, 50], 10, 100],
    sizes: [60, 60],
    shards: [1, 3],
  },
  'where there may be no more the last one takes the rest': {
    shelves: [[100, 100], 2, 100],
    sizes: [10, 500],
    shards: [1, 1],
  },
  'of several full ones that may grow to ten the tenth takes the rest': {
    shelves: [Array.from({ length: 9 }, () => 100), 10, 100],
    sizes: [60, 60],
    shards: [9, 9],
  },
};
for (const [sentence, { shelves, sizes, shards }] of Object.entries(SHELVES)) {
  test(`placed: ${sentence}`, () => assert.deepEqual(sizes.map(placerFor(...shelves)), shards));
}

test('law: whatever is placed, no shard but the last is filled over its limit, and none is skipped', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 60 });
  const bytes = fc.array(fc.nat({ max: 120 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(bytes, sizes, (before, all) => {
      const place = placerFor(before, 10, 100);
      const filled = [...before];
      for (const size of all) {
        const shard = place(size);
        assert.ok(shard <= filled.length && shard < 10);
        const used = (filled[shard] ?? 0) + size;
        const isLastResort = shard === 9 && filled.every((other) => other + size > 100);
        assert.ok(used <= 100 || isLastResort);
        filled[shard] = used;
      }
    }),
  );
});

test('the size of a shard is that of its keys and values', () => {
  assert.equal(sizeOf({ 'v1.Secret_a': 'b'.repeat(42), x: 'y' }), 55);
});
