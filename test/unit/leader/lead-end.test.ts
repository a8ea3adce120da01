import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record, stage } from './electors.ts';

test('the end of the process: the lead is told, renews until its work is done, and releases last', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one', { lingers: true });
  await pass(5_000);
  one.end();
  await pass(100);
  const [leadership] = one.leads;
  assert.deepEqual([leadership?.signal.aborted, leadership?.isValid()], [true, true]);
  await pass(30_000);
  assert.deepEqual([leadership?.isValid(), one.isGone], [true, false]);
  one.finish('ended');
  await pass(100);
  assert.deepEqual([leadership?.isValid(), one.isGone, one.elector.status.isLeader], [false, true, false]);
  assert.deepEqual(
    [store.sent.at(-1)?.record?.holderIdentity, store.lease?.record?.holderIdentity],
    ['', ''],
  );
  const { length } = store.sent;
  await pass(30_000);
  assert.equal(store.sent.length, length);
});

test('what was lost meanwhile is not released', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one', { lingers: true });
  await pass(5_000);
  const taken = store.put(record('other'));
  one.finish('ended');
  one.end();
  await pass(100);
  assert.deepEqual([one.isGone, store.lease], [true, taken]);
});

test('after a renewal without answer nothing is released: the Lease may be another’s by now', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one', { lingers: true });
  await pass(100);
  store.passage = ({ verb }) =>
    verb === 'update' ? { answer: { kind: 'unanswered', message: 'internal error' } } : {};
  await pass(2_200);
  store.passage = () => ({});
  const taken = store.put(record('other'));
  one.finish('ended');
  one.end();
  await pass(100);
  assert.deepEqual([one.isGone, store.lease], [true, taken]);
});

test('a process that ends while it takes the Lease releases it, and does not lead', async (t) => {
  const { store, pass, join } = stage(t);
  store.passage = ({ verb }) => (verb === 'create' ? { backMs: 1_000 } : {});
  const one = join('one');
  await pass(500);
  one.end();
  await pass(700);
  assert.deepEqual([one.leads.length, one.isGone, store.lease?.record?.holderIdentity], [0, true, '']);
});

test('a lead that is contested releases the Lease, and stands again after a lease', async (t) => {
  const { store, pass, join } = stage(t);
  const one = join('one');
  await pass(5_000);
  one.finish('contested');
  await pass(100);
  assert.deepEqual([one.isValid(), store.lease?.record?.holderIdentity], [false, '']);
  const { length } = store.sent;
  await pass(14_800);
  assert.equal(store.sent.length, length);
  await pass(200);
  assert.deepEqual([one.leads.length, one.isValid()], [2, true]);
});
