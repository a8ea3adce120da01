import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigRef, keyOf } from '../../../lib/model/object-ref.ts';
import { PartsIndex } from '../../../lib/store/parts-index.ts';

const WHOLE: ConfigRef = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' };
const PART: ConfigRef = { ...WHOLE, keys: ['a', 'b'] };
const NEIGHBOUR: ConfigRef = { ...WHOLE, name: 'cfg-2', keys: ['a'] };

function indexOf(...refs: ConfigRef[]): PartsIndex {
  const index = new PartsIndex();
  for (const ref of refs) index.set(keyOf(ref), ref);
  return index;
}

test('what is kept of one object is found together, and nothing of its neighbours', () => {
  const index = indexOf(PART, NEIGHBOUR, WHOLE, PART);
  assert.deepEqual(index.of(keyOf(WHOLE)), [PART, WHOLE]);
  assert.deepEqual([...index.keys()].sort(), [WHOLE, PART, NEIGHBOUR].map(keyOf).sort());
  assert.deepEqual(index.get(keyOf(PART)), PART);
  assert.equal(index.has(keyOf({ ...WHOLE, keys: ['a'] })), false);
});

test('of what is forgotten nothing is kept', () => {
  const index = indexOf(WHOLE, PART);
  index.delete(keyOf(PART));
  index.delete(keyOf(NEIGHBOUR));
  assert.deepEqual(index.of(keyOf(WHOLE)), [WHOLE]);
  assert.equal(index.hasOf(keyOf(WHOLE)), true);
  index.delete(keyOf(WHOLE));
  assert.deepEqual(index.of(keyOf(WHOLE)), []);
  assert.deepEqual([index.hasOf(keyOf(WHOLE)), index.isEmpty], [false, true]);
});
