/** The committer: when it writes, what it waits for, and what each answer of the API server leads to. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const NEVER_AGAIN = async (): Promise<boolean> => false;

test('a baseline is written at once, and gives the state its version', async (t) => {
  const stage = new CommitterStage(t, {}, {}).listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(0);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
  assert.deepEqual(stage.store.live?.annotations, OURS);
  assert.deepEqual(stage.results, [{ kind: 'accepted', nextTryMs: undefined }]);
});

test('without a ConfigMap it is created before the first write', async (t) => {
  const stage = new CommitterStage(t).listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(0);
  assert.equal(stage.store.creations, 1);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
  assert.deepEqual(stage.reasons, [], 'a first start is no damage');
});

test('what a crash would not lose is written at most once per second, all of it in one patch', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' });
  for (const name of ['one', 'two', 'three', 'four']) {
    stage.listed(name, 'a', `of-${name}`);
    stage.request(name);
    await stage.pass(300);
  }
  await stage.pass(2000);
  assert.equal(Object.keys(stage.data ?? {}).length, 5);
  const [first = 0, second = 0, ...more] = stage.store.times;
  assert.ok(second - first >= 1000);
  assert.deepEqual(more, []);
});

test('never two writes at a time: what comes while one is on its way is written after it', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.store.faults.push({ kind: 'held', until: promise });
  stage.request('tls');
  await stage.pass(0);
  stage.world.config('cfg', 'b');
  stage.world.roll('web');
  stage.request('cfg');
  await stage.pass(5000);
  assert.equal(stage.store.patches.length, 1);
  resolve();
  await stage.pass(1000);
  assert.deepEqual(stage.data, { [CFG]: 'b.1', 'v1.ConfigMap_tls': 'a.1' });
});

test('while all followers are about to be patched nothing is written', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web', 'api');
  stage.world.config('cfg', 'b');
  for (const name of ['web', 'api']) stage.waiting.add(name);
  stage.request('cfg');
  await stage.pass(10_000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
  stage.world.roll('web');
  stage.waiting.delete('web');
  stage.request('cfg');
  await stage.pass(1000);
  assert.deepEqual(stage.data, { [CFG]: 'b.1?Deployment/api' });
});

test('what is not due is written with what is', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.world.config('cfg', 'b');
  stage.waiting.add('web');
  stage.request('cfg');
  await stage.pass(5000);
  stage.request('tls');
  await stage.pass(1000);
  assert.deepEqual(stage.data, { [CFG]: 'b.1?Deployment/web', 'v1.ConfigMap_tls': 'a.1' });
  assert.equal(stage.store.patches.length, 1);
});

test('whatever happens meanwhile, it is not looked more than ten times a second for something to write', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.world.config('cfg', 'b');
  stage.waiting.add('web');
  const looks = t.mock.method(stage.waiting, 'has').mock;
  stage.request('cfg');
  for (let i = 0; i < 50; i += 1) {
    stage.committer.relist();
    await stage.pass(0);
  }
  assert.equal(looks.callCount(), 1);
  stage.world.roll('web');
  stage.waiting.delete('web');
  stage.committer.relist();
  await stage.pass(100);
  assert.deepEqual(stage.data, { [CFG]: 'b.1' });
});

test('what a crash would lose does not wait for the next batch', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web', 'api');
  for (const [content, name] of [
    ['b', 'web'],
    ['c', 'api'],
  ] as const) {
    stage.world.config('cfg', content);
    stage.world.workload(name, { image: content });
    stage.request('cfg');
    await stage.pass(100);
    assert.match(stage.data?.[CFG] ?? '', new RegExp(`Deployment/${name}`));
  }
});

test('what cannot be written before everything is listed is written when it is', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.isSynced = false;
  stage.request('cfg');
  await stage.pass(60_000);
  assert.deepEqual(stage.data, {});
  stage.isSynced = true;
  stage.committer.relist();
  await stage.pass(0);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('a conflict: the state is read again and written at once', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.put({ note: 'of a person' }, OURS);
  stage.request('cfg');
  await stage.pass(100);
  assert.deepEqual(stage.data, { note: 'of a person', [CFG]: 'a.1' });
  assert.deepEqual(stage.results, [
    { kind: 'conflict', nextTryMs: 0 },
    { kind: 'accepted', nextTryMs: undefined },
  ]);
});

test('conflicts without end are tried again with a backoff', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.faults.push({ kind: 'conflict' }, { kind: 'conflict' }, { kind: 'conflict' });
  stage.request('cfg');
  await stage.pass(400);
  assert.equal(stage.store.patches.length, 2);
  await stage.pass(2000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('a deleted state is damage: it is created again from memory, with a warning', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1', 'v1.ConfigMap_tls': 'a.1' });
  stage.listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.store.live = undefined;
  stage.world.config('cfg', 'b');
  stage.request('cfg');
  await stage.pass(1000);
  assert.deepEqual(stage.reasons, ['state-damaged']);
  assert.deepEqual(stage.data, { [CFG]: 'b.1?Deployment/web', 'v1.ConfigMap_tls': 'a.1' });
});

test('an emptied state is damage too', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.store.put({}, OURS);
  stage.request('tls');
  await stage.pass(1000);
  assert.deepEqual(stage.reasons, ['state-damaged']);
  assert.deepEqual(stage.data, { [CFG]: 'a.1', 'v1.ConfigMap_tls': 'a.1' });
});

test('a lost answer to a write that is in force: nothing is written twice', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.faults.push({ kind: 'answer-lost' });
  stage.request('cfg');
  await stage.pass(10_000);
  assert.equal(stage.store.patches.length, 1);
  assert.ok(
    !stage.reasons.includes('state-foreign'),
    'an entry of this process is not taken for one of others',
  );
  assert.equal(stage.world.plan(), undefined);
});

test('a write that is not answered or applied can no longer be applied, and is sent again after a pause', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.faults.push({ kind: 'unanswered', message: 'reset' });
  stage.request('cfg');
  await stage.pass(400);
  const [late, fence, ...others] = stage.store.patches;
  assert.ok(late !== undefined && others.length === 0);
  assert.deepEqual(fence?.data, {});
  assert.deepEqual(await stage.store.patch(0, late), { kind: 'conflict' });
  await stage.pass(200);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('a throttled write waits as long as it is told', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.faults.push({ kind: 'throttled', message: 'slow down', retryAfterMs: 7000 });
  stage.request('cfg');
  await stage.pass(6900);
  assert.equal(stage.store.patches.length, 1);
  await stage.pass(200);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('a forbidden write is tried for ever, and new requests do not hurry it', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  const refusal = { kind: 'rejected', code: 'forbidden', message: 'no' } as const;
  stage.store.faults.push(...Array.from({ length: 20 }, () => refusal));
  stage.request('cfg');
  for (let second = 0; second < 60; second += 1) {
    stage.request('cfg');
    await stage.pass(100);
  }
  assert.equal(stage.store.patches.length, 12, 'one at once, then one each half second');
  await stage.pass(10_000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('an entry that others wrote is told of, and written again from memory with the doubt that it leaves', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.store.put({ [CFG]: `${'c'.repeat(40)}.1` }, OURS);
  stage.request('tls');
  await stage.pass(2000);
  assert.ok(stage.reasons.includes('state-foreign'));
  assert.equal(stage.data?.[CFG], 'a.1?Deployment/web');
  assert.ok(stage.world.needsRollout('web'));
});

for (const how of ['at the start', 'in between'] as const) {
  test(`a state of a later version ${how}: this program writes nothing any more`, async (t) => {
    const later = { 'reloader.k8s.collaborne.com/state-version': '2' };
    const stage = new CommitterStage(t, {}, how === 'at the start' ? later : OURS).listed('cfg', 'a', 'web');
    stage.store.put({}, later);
    stage.request('cfg');
    await stage.pass(60_000);
    stage.request('cfg');
    await stage.committer.close(NEVER_AGAIN);
    assert.deepEqual(stage.data, {});
    assert.deepEqual(stage.unknownVersions, ['2']);
    assert.equal(stage.store.patches.length, how === 'at the start' ? 0 : 1);
  });
}

test('a state of Collaborne is given a version, and an entry that nobody follows stays', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a', 'v1.Secret_orphan': 'b' }, {}).listed('cfg', 'c', 'web');
  stage.request('cfg');
  await stage.pass(1000);
  assert.deepEqual(stage.store.live?.annotations, OURS);
  assert.equal(stage.data?.['v1.Secret_orphan'], 'b');
  assert.match(stage.data?.[CFG] ?? '', /\?Deployment\/web$/, 'owed since the start');
});

test('an entry under a key that is lost is told of by the key', (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'k00000009:a.1' });
  assert.deepEqual(stage.reasons, ['state-key-lost']);
});

test('an entry goes when its last dependent was seen to go', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.world.noWorkload('web');
  stage.request('cfg');
  await stage.pass(1000);
  assert.deepEqual(stage.data, {});
});

test('an entry without followers stays until everything is listed', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.isSynced = false;
  stage.world.noWorkload('web');
  stage.request('cfg');
  await stage.pass(1000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
  stage.isSynced = true;
  stage.committer.relist();
  await stage.pass(1000);
  assert.deepEqual(stage.data, {});
});

test('closing writes what can be written once more, and nothing afterwards', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.request('cfg');
  await stage.committer.close(NEVER_AGAIN);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
  stage.request('tls');
  await stage.pass(5000);
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('closing tries again what met a conflict, as long as there is time', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.put({ note: 'of a person' }, OURS);
  stage.store.faults.push({ kind: 'conflict' }, { kind: 'throttled', message: 'slow', retryAfterMs: 3000 });
  stage.request('cfg');
  const waits: number[] = [];
  await stage.committer.close(async (ms) => {
    waits.push(ms);
    await stage.pass(ms);
    return true;
  });
  assert.deepEqual(stage.data, { note: 'of a person', [CFG]: 'a.1' });
  assert.deepEqual(waits.slice(0, 2), [0, 3000]);
});

test('closing ends when there is no time left', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  stage.store.faults.push({ kind: 'conflict' }, { kind: 'conflict' }, { kind: 'conflict' });
  stage.request('cfg');
  let tries = 0;
  await stage.committer.close(async () => {
    tries += 1;
    return tries < 2;
  });
  assert.equal(stage.store.patches.length, 2);
  assert.deepEqual(stage.data, {});
});

test('closing waits for the write under way', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.store.faults.push({ kind: 'held', until: promise });
  stage.request('cfg');
  await stage.pass(0);
  let isClosed = false;
  const closed = stage.committer.close(NEVER_AGAIN).then(() => {
    isClosed = true;
  });
  await stage.pass(1000);
  assert.equal(isClosed, false);
  resolve();
  await closed;
  assert.deepEqual(stage.data, { [CFG]: 'a.1' });
});

test('a clock that goes on while a write is scheduled makes no negative delay', async (t) => {
  const stage = new CommitterStage(t).listed('cfg', 'a', 'web');
  const present = performance.now();
  let passed = 0;
  const now = () => {
    passed += 1;
    return present + passed;
  };
  Object.defineProperty(performance, 'now', { value: now, configurable: true });
  const timeouts = t.mock.method(globalThis, 'setTimeout').mock;
  stage.request('cfg');
  assert.deepEqual(
    timeouts.calls.map((call) => call.arguments[1]),
    [0],
  );
  await stage.pass(100);
});

test('what is asked for at any moment of a batch belongs to it, or to the next one', async (t) => {
  for (let turns = 0; turns < 14; turns += 1) {
    await t.test(`${turns} turns after it began`, async (inner) => {
      const stage = new CommitterStage(inner, { [CFG]: 'a.1' });
      stage.listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
      stage.world.config('cfg', 'b');
      stage.world.roll('web');
      stage.request('cfg');
      inner.mock.timers.tick(0);
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      stage.request('tls');
      await stage.pass(5000);
      assert.deepEqual(stage.data, { [CFG]: 'b.1', 'v1.ConfigMap_tls': 'a.1' });
    });
  }
});
