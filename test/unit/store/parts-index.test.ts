import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigRef, keyOf } from '../../../lib/model/object-ref.ts';
import { ScopesIndex } from '../../../lib/store/parts-index.ts';

const WHOLE: ConfigRef = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' };
const PART: ConfigRef = { ...WHOLE, keys: ['a', 'b'] };
const OTHER: ConfigRef = { ...WHOLE, keys: ['c'] };
const NEIGHBOUR: ConfigRef = { ...WHOLE, name: 'cfg-2', keys: ['a'] };

function indexOf(...refs: ConfigRef[]): ScopesIndex {
  const index = new ScopesIndex();
  for (const ref of refs) index.set(keyOf(ref), ref);
  return index;
}

test('the sets of keys of one object are found together, and none of its neighbours', () => {
  const index = indexOf(PART, NEIGHBOUR, OTHER, PART);
  assert.deepEqual(index.of(keyOf(WHOLE)), [PART, OTHER]);
});

test('of what is forgotten nothing is kept', () => {
  const index = indexOf(OTHER, PART);
  index.delete(keyOf(PART));
  index.delete(keyOf(NEIGHBOUR));
  assert.deepEqual(index.of(keyOf(WHOLE)), [OTHER]);
  assert.equal(index.hasOf(keyOf(WHOLE)), true);
  index.delete(keyOf(OTHER));
  assert.deepEqual([index.of(keyOf(WHOLE)), index.hasOf(keyOf(WHOLE))], [[], false]);
});
