/** The index from keys to values, and what is derived once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Index, once, parentOf } from '../../../lib/store/key-index.ts';
import { fc } from '../../laws.ts';

const steps = fc.array(
  fc.tuple(fc.boolean(), fc.constantFrom('w1', 'w2', 'w3'), fc.constantFrom('c1', 'c2', 'c3')),
  { maxLength: 60, size: 'max' },
);

test('law: the index answers what a scan of all pairs answers, and keeps no key without a value', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const index = new Index<string, string>();
      let pairs: (readonly [string, string])[] = [];
      for (const [isAdded, value, key] of history) {
        const others = pairs.filter(([v, k]) => v !== value || k !== key);
        const isKnown = others.length < pairs.length;
        if (isAdded) index.add(key, value);
        else index.delete(key, value);
        if (!isAdded) pairs = others;
        else if (!isKnown) pairs = [...pairs, [value, key]];
      }
      assert.deepEqual([...index.keys()].sort(), [...new Set(pairs.map(([, key]) => key))].sort());
      const valuesOf = (key: string): string[] => pairs.filter(([, k]) => k === key).map(([value]) => value);
      for (const key of ['c1', 'c2', 'c3'])
        assert.deepEqual([...index.of(key)], valuesOf(key), 'in the order in which they were added');
      const any = new Set([...valuesOf('c1'), ...valuesOf('c3')]);
      assert.deepEqual(index.ofAny(['c1', 'c3']), any);
    }),
  );
});

test('the parent of a set of keys is its object, and that of an object its namespace and kind', () => {
  assert.equal(parentOf('home/ConfigMap/cfg/a,b'), 'home/ConfigMap/cfg');
  assert.equal(parentOf('home/ConfigMap/cfg'), 'home/ConfigMap');
});

test('a derived value is made once for each source', () => {
  let made = 0;
  const sizeOf = once((source: readonly string[]) => {
    made += 1;
    return { size: source.length };
  });
  const source = ['a', 'b'];
  assert.deepEqual([sizeOf(source), sizeOf(source), sizeOf([])], [{ size: 2 }, { size: 2 }, { size: 0 }]);
  assert.equal(made, 2);
});
