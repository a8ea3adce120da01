import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DependentsIndex } from '../../../lib/store/store.ts';
import { fc } from '../../laws.ts';

const steps = fc.array(
  fc.tuple(fc.boolean(), fc.constantFrom('w1', 'w2', 'w3'), fc.constantFrom('c1', 'c2', 'c3')),
  { maxLength: 60, size: 'max' },
);

test('law: the index answers what a scan of all edges answers, and keeps nothing of the gone', () => {
  fc.assert(
    fc.property(steps, (history) => {
      const index = new DependentsIndex();
      let edges: (readonly [string, string])[] = [];
      for (const [isAdded, workload, config] of history) {
        const others = edges.filter(([w, c]) => w !== workload || c !== config);
        const isKnown = others.length < edges.length;
        if (isAdded) index.add(workload, config);
        else index.delete(workload, config);
        if (!isAdded) edges = others;
        else if (!isKnown) edges = [...edges, [workload, config]];
      }
      assert.equal(index.size, edges.length);
      assert.deepEqual([...index.configs()].sort(), [...new Set(edges.map(([, config]) => config))].sort());
      for (const config of ['c1', 'c2', 'c3']) {
        const scanned = edges.filter(([, c]) => c === config).map(([workload]) => workload);
        assert.deepEqual(
          [...index.dependentsOf(config)],
          scanned,
          'in the order in which they began to follow',
        );
      }
    }),
  );
});
