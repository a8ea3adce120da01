import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObservedLease } from '../../../lib/leader/lease.ts';
import { mockTime } from '../../mock-time.ts';
import { record } from './electors.ts';

test('no two records are the same, even where the time of day stands still', (t) => {
  mockTime(t);
  const observed = new ObservedLease();
  observed.see({ resourceVersion: '1', record: record('one') });
  const records = Array.from({ length: 1000 }, () => observed.recordFor('one', 15_000));
  assert.equal(new Set(records.map(({ renewTime }) => renewTime)).size, 1000);
  assert.deepEqual(
    records.filter(({ renewTime }) => !/^1970-01-01T00:00:00\.000\d{3}Z$/.test(renewTime)),
    [],
  );
});

test('a record that is renewed keeps when it was acquired, and one that another held does not', () => {
  const observed = new ObservedLease();
  observed.see({ resourceVersion: '1', record: record('one') });
  const [own, other] = [observed.recordFor('one', 15_000), observed.recordFor('two', 15_000)];
  assert.deepEqual([own.acquireTime, own.leaseTransitions], [record('one').acquireTime, 3]);
  assert.deepEqual([other.acquireTime, other.leaseTransitions], [other.renewTime, 4]);
  observed.see({ resourceVersion: '2', record: record('one', { acquireTime: '' }) });
  const { acquireTime, renewTime } = observed.recordFor('one', 15_000);
  assert.equal(acquireTime, renewTime);
});

test('a holder is known since it was first seen, whatever it renews', (t) => {
  mockTime(t);
  const observed = new ObservedLease();
  const seen: (number | undefined)[] = [];
  const start = performance.now();
  for (const [version, holder] of [
    ['1', 'one'],
    ['2', 'one'],
    ['3', ''],
    ['4', 'two'],
  ] as const) {
    t.mock.timers.tick(1_000);
    observed.see({ resourceVersion: version, record: record(holder) });
    seen.push(observed.holderSinceMs === undefined ? undefined : observed.holderSinceMs - start);
  }
  assert.deepEqual(seen, [1_000, 1_000, undefined, 4_000]);
  observed.see(undefined);
  assert.deepEqual([observed.holder, observed.resourceVersion], [undefined, undefined]);
});
