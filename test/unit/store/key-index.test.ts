/** The index from keys to values. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Index } from '../../../lib/store/key-index.ts';
import { fc } from '../../laws.ts';

const steps = fc.array(
  fc.tuple(fc.boolean(), fc.constantFrom('w1', 'w2', 'w3'), fc.constantFrom('c1', 'c2', 'c3')),
  { maxLength: 60, size: 'max' },
);

test('law: the index answers what a scan of all pairs answers, and keeps no key without a value', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const index = new Index<string, string>();
      const pairs = new Set<string>();
      for (const [isAdded, value, key] of history) {
        index[isAdded ? 'add' : 'delete'](key, value);
        pairs[isAdded ? 'add' : 'delete'](`${key} ${value}`);
      }
      const valuesOf = (key: string): string[] =>
        [...pairs].filter((pair) => pair.startsWith(key)).map((pair) => pair.slice(3));
      const held = ['c1', 'c2', 'c3'].filter((key) => valuesOf(key).length > 0);
      assert.deepEqual([...index.keys()].sort(), held);
      for (const key of ['c1', 'c2', 'c3'])
        assert.deepEqual([...index.of(key)], valuesOf(key), 'in the order in which they were added');
      const any = new Set([...valuesOf('c1'), ...valuesOf('c3')]);
      assert.deepEqual(index.ofAny(['c1', 'c3']), any);
    }),
  );
});
