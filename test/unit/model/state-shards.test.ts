import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placerFor, type Shelves, shardNames, shardsToldBy, sizeOf } from '../../../lib/model/shards.ts';
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

const SHELVES: Record<string, { shelves: Shelves; sizes: readonly number[]; shards: readonly number[] }> = {
  'the first shard with room takes an entry': {
    shelves: { bytes: [95, 20, 10], most: 10, limitBytes: 100 },
    sizes: [10],
    shards: [1],
  },
  'an entry that fills a shard to the limit has room': {
    shelves: { bytes: [90], most: 10, limitBytes: 100 },
    sizes: [10],
    shards: [0],
  },
  'what was placed before takes its room': {
    shelves: { bytes: [80], most: 10, limitBytes: 100 },
    sizes: [15, 15, 5, 80, 15],
    shards: [0, 1, 0, 1, 2],
  },
  'a shard that is missing is empty': {
    shelves: { bytes: [100, 0, 50], most: 10, limitBytes: 100 },
    sizes: [60, 60],
    shards: [1, 3],
  },
  'where there may be no more the last one takes the rest': {
    shelves: { bytes: [100, 100], most: 2, limitBytes: 100 },
    sizes: [10, 500],
    shards: [1, 1],
  },
  'of several full ones that may grow to ten the tenth takes the rest': {
    shelves: { bytes: Array.from({ length: 9 }, () => 100), most: 10, limitBytes: 100 },
    sizes: [60, 60],
    shards: [9, 9],
  },
};
for (const [sentence, { shelves, sizes, shards }] of Object.entries(SHELVES)) {
  test(`placed: ${sentence}`, () => {
    const place = placerFor(shelves);
    assert.deepEqual(
      sizes.map((size) => place(size)),
      shards,
    );
  });
}

test('law: whatever is placed, no shard but the last is filled over its limit, and none is skipped', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 60 });
  const bytes = fc.array(fc.nat({ max: 120 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(bytes, sizes, (before, all) => {
      const place = placerFor({ bytes: before, most: 10, limitBytes: 100 });
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
