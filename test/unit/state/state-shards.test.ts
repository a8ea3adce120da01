/** A state in several shards: where an entry goes, how a shard comes to be, and what befalls one of them alone. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';
const TOLD = 'reloader.k8s.collaborne.com/state-shards';
const long = (letter: string): string => letter.repeat(40);

/** Shards that take one entry each. */
const ONE_EACH = { shardBytes: 60 };
const two = { [TOLD]: '2' };

/** `cfg` is in the first shard and `tls` in the second; `web` follows both. */
function spread(t: TestContext, cfg = 'a.1', tls = 'a.1', annotations = { ...OURS, ...two }): CommitterStage {
  const stage = new CommitterStage(t, { [CFG]: cfg }, annotations, {
    ...ONE_EACH,
    further: [{ [TLS]: tls }],
  });
  stage.world.config('cfg', 'a', { initial: true });
  stage.world.config('tls', 'a', { initial: true });
  stage.world.workload('web', { follows: ['cfg', 'tls'] }, { initial: true });
  return stage;
}

const told = (stage: CommitterStage): string | undefined => stage.store.live?.annotations[TOLD];

test('up to its limit the state is one ConfigMap, and nothing tells of more', async (t) => {
  const stage = new CommitterStage(t, {}, OURS, { shardBytes: 120 });
  stage.listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.request('cfg', 'tls');
  await stage.pass(0);
  assert.deepEqual(stage.data, { [CFG]: 'a.1', [TLS]: 'a.1' });
  assert.deepEqual([stage.store.shards.size, told(stage)], [1, undefined]);
});

test('a shard more is created, then told of, and only then written to', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, OURS, ONE_EACH);
  stage.listed('cfg', 'a', 'web').listed('tls', 'b', 'api');
  stage.request('tls');
  await stage.pass(0);
  assert.deepEqual(stage.store.calls, ['create 1', 'patch 0', 'patch 1']);
  assert.deepEqual(stage.store.patches[0]?.annotations, { ...OURS, ...two });
  assert.deepEqual([stage.data, stage.dataOf(1)], [{ [CFG]: 'a.1' }, { [TLS]: 'b.1' }]);
  assert.deepEqual(stage.store.shards.get(1)?.annotations, OURS, 'each has its version');
});

test('until it is told of nothing is written to a new shard', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, OURS, ONE_EACH);
  stage.listed('cfg', 'a', 'web').listed('tls', 'b', 'api');
  stage.store.faults.push({ kind: 'unanswered', message: 'reset' });
  stage.request('tls');
  await stage.pass(400);
  assert.deepEqual([stage.dataOf(1), told(stage)], [{}, undefined]);
  await stage.pass(1000);
  assert.deepEqual([stage.dataOf(1), told(stage)], [{ [TLS]: 'b.1' }, '2']);
});

test('many new entries fill one shard after the other', async (t) => {
  const names = ['one', 'two', 'three', 'four'];
  const stage = new CommitterStage(t, undefined, OURS, ONE_EACH);
  for (const name of names) stage.listed(name, 'a', 'web');
  stage.world.workload('web', { follows: names });
  stage.request(...names);
  await stage.pass(0);
  const keys = [0, 1, 2, 3].map((shard) => Object.keys(stage.dataOf(shard) ?? {}).join());
  assert.deepEqual(keys.sort(), names.map((name) => `v1.ConfigMap_${name}`).sort());
  assert.equal(told(stage), '4');
});

test('an entry stays in its shard, although there is room before it', async (t) => {
  const stage = spread(t);
  stage.store.put({}, { ...OURS, ...two });
  stage.committer.notice(0, 'another');
  stage.world.config('tls', 'b');
  stage.world.roll('web');
  stage.request('tls');
  await stage.pass(3000);
  assert.deepEqual(Object.keys(stage.dataOf(1) ?? {}), [TLS]);
});

test('a mark is written beside the entry of its object, in the same patch', async (t) => {
  const stage = spread(t);
  stage.world.config('tls', 'b');
  stage.request('tls');
  await stage.pass(1000);
  assert.deepEqual([stage.data, stage.dataOf(1)], [{ [CFG]: 'a.1' }, { [TLS]: 'b.1?Deployment/web' }]);
  assert.deepEqual(stage.store.calls, ['patch 1']);
});

test('one workload has marks in the shard of each object', async (t) => {
  const stage = spread(t);
  stage.world.config('cfg', 'b');
  stage.world.config('tls', 'c');
  stage.request('cfg', 'tls');
  await stage.pass(1000);
  assert.deepEqual(stage.data, { [CFG]: 'b.1?Deployment/web' });
  assert.deepEqual(stage.dataOf(1), { [TLS]: 'c.1?Deployment/web' });
  stage.world.roll('web');
  stage.request('cfg', 'tls');
  await stage.pass(2000);
  assert.deepEqual([stage.data, stage.dataOf(1)], [{ [CFG]: 'b.1' }, { [TLS]: 'c.1' }]);
});

test('each write is fenced by the version of its own shard', async (t) => {
  const stage = spread(t);
  stage.store.put({ [TLS]: `${long('a')}.1`, note: 'of a person' }, OURS, 1);
  stage.world.config('cfg', 'b');
  stage.world.config('tls', 'b');
  stage.request('cfg', 'tls');
  await stage.pass(2000);
  assert.deepEqual(stage.store.calls, ['patch 0', 'patch 1', 'read 1', 'patch 1']);
  assert.deepEqual(
    stage.results.map(({ kind }) => kind),
    ['accepted', 'conflict', 'accepted'],
  );
  assert.equal(stage.dataOf(1)?.['note'], 'of a person');
});

test('a shard that is refused for ever holds no other up, and is tried again', async (t) => {
  const stage = spread(t);
  const refusal = { kind: 'rejected', code: 'invalid', message: 'too long' } as const;
  stage.store.faultsOf.set(0, [refusal, refusal]);
  stage.world.config('cfg', 'b');
  stage.world.config('tls', 'b');
  stage.request('cfg', 'tls');
  await stage.pass(100);
  assert.deepEqual([stage.data?.[CFG], stage.dataOf(1)?.[TLS]], ['a.1', 'b.1?Deployment/web']);
  await stage.pass(5000);
  assert.equal(stage.data?.[CFG], 'b.1?Deployment/web');
});

test('failures in a row wait longer, although another shard is written in between', async (t) => {
  const stage = spread(t);
  stage.random = 1;
  const refusal = { kind: 'rejected', code: 'invalid', message: 'too long' } as const;
  stage.store.faultsOf.set(
    0,
    Array.from({ length: 4 }, () => refusal),
  );
  stage.world.config('cfg', 'b');
  for (const content of ['b', 'c', 'd', 'e']) {
    stage.world.config('tls', content);
    stage.world.roll('web');
    stage.request('cfg', 'tls');
    await stage.pass(10_000);
  }
  const waits = stage.results.flatMap(({ kind, nextTryMs }) => (kind === 'rejected' ? [nextTryMs] : []));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
  assert.equal(stage.dataOf(1)?.[TLS], 'e.1');
});

test('while it is not known whether a write is in force nothing is written to any shard', async (t) => {
  const stage = spread(t);
  stage.store.faultsOf.set(1, [{ kind: 'answer-lost' }]);
  stage.store.readFaults.push('away', 'away');
  stage.world.config('tls', 'b');
  stage.request('tls');
  await stage.pass(0);
  stage.world.config('cfg', 'b');
  stage.request('cfg');
  await stage.pass(600);
  assert.deepEqual(stage.store.calls, ['patch 1', 'read 1', 'read 1']);
  await stage.pass(5000);
  const marked = 'b.1?Deployment/web';
  assert.deepEqual([stage.data?.[CFG], stage.dataOf(1)?.[TLS]], [marked, marked]);
  assert.ok(
    !stage.reasons.includes('state-foreign'),
    'a write of this process is not taken for one of others',
  );
});

test('a new entry whose write may be applied is sent to the same shard again', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, OURS, ONE_EACH).listed('cfg', 'a', 'web');
  stage.listed('tls', 'b', 'api');
  const lost = { kind: 'unanswered', message: 'reset' } as const;
  stage.store.faultsOf.set(1, [lost, lost]);
  stage.request('tls');
  await stage.pass(0);
  stage.world.noWorkload('web');
  stage.request('cfg');
  await stage.pass(5000);
  assert.deepEqual([stage.data, stage.dataOf(1)], [{}, { [TLS]: 'b.1' }]);
});

test('a deleted shard is damage of that shard: it is written again from memory, with a warning', async (t) => {
  const stage = spread(t, 'a.1', 'a.4');
  stage.store.shards.delete(1);
  stage.committer.notice(1, undefined);
  await stage.pass(2000);
  assert.deepEqual(stage.reasons, ['state-damaged']);
  assert.match(stage.journal.decisions[0]?.message ?? '', /^reloader-state-1: A state ConfigMap was deleted/);
  const { [TLS]: tls = '', ...others } = stage.dataOf(1) ?? {};
  assert.match(tls, /^a\.\d+$/);
  assert.deepEqual([others, stage.data], [{}, { [CFG]: 'a.1' }]);
});

test('a deleted first shard leaves the others as they are, and tells of them again before all else', async (t) => {
  const stage = spread(t);
  stage.store.live = undefined;
  stage.committer.notice(0, undefined);
  await stage.pass(2000);
  assert.deepEqual(stage.reasons, ['state-damaged']);
  assert.deepEqual(stage.store.calls.slice(0, 3), ['read 0', 'create 0', 'patch 0']);
  assert.deepEqual(stage.store.patches[0], {
    ...stage.store.patches[0],
    data: {},
    annotations: { ...OURS, ...two },
  });
  assert.deepEqual([stage.data, stage.dataOf(1)], [{ [CFG]: 'a.1' }, { [TLS]: 'a.1' }]);
});

test('a shard that was emptied is damage of that shard', async (t) => {
  const stage = spread(t);
  stage.store.put({}, OURS, 1);
  stage.committer.notice(1, 'another');
  await stage.pass(2000);
  assert.deepEqual(stage.reasons, ['state-damaged']);
  assert.deepEqual(stage.dataOf(1), { [TLS]: 'a.1' });
});

test('a shard that is missing at the start is told, made again, and the present content is the baseline', async (t) => {
  const annotations = { ...OURS, ...two };
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, annotations, { ...ONE_EACH, further: [undefined] });
  stage.listed('cfg', 'a', 'web').listed('tls', 'b', 'api');
  assert.deepEqual(stage.reasons, ['state-missing']);
  assert.match(stage.journal.decisions[0]?.message ?? '', /^reloader-state-1: A state ConfigMap is missing/);
  stage.request('tls');
  await stage.pass(0);
  assert.deepEqual([stage.data, stage.dataOf(1)], [{ [CFG]: 'a.1' }, { [TLS]: 'b.1' }]);
});

test('a missing shard is made again although nothing is to be written to it', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, { ...OURS, ...two }, { further: [undefined] });
  stage.listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(2000);
  assert.deepEqual([stage.store.calls, stage.dataOf(1)], [['create 1'], {}]);
});

test('a first shard that does not tell of another one any more tells of it at once', async (t) => {
  const stage = spread(t);
  stage.store.put({ [CFG]: `${long('a')}.1` }, OURS);
  stage.committer.notice(0, 'another');
  await stage.pass(0);
  assert.equal(told(stage), '2');
});

test('until the first shard tells of another one again nothing is written to that', async (t) => {
  const stage = spread(t);
  stage.store.put({ [CFG]: `${long('a')}.1` }, OURS);
  stage.committer.notice(0, 'another');
  stage.store.faultsOf.set(0, [{ kind: 'throttled', message: 'slow down' }]);
  stage.world.config('tls', 'b');
  stage.request('tls');
  await stage.pass(400);
  assert.equal(stage.dataOf(1)?.[TLS], 'a.1');
  await stage.pass(1000);
  assert.deepEqual([told(stage), stage.dataOf(1)?.[TLS]], ['2', 'b.1?Deployment/web']);
});

test('a shard that others made is taken over before anything is written to it', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, OURS, ONE_EACH).listed('cfg', 'a', 'web');
  stage.listed('tls', 'b', 'api');
  stage.store.put({ [CFG]: `${long('a')}.1` }, { ...OURS, ...two });
  stage.store.put({ [TLS]: `${long('b')}.1` }, OURS, 1);
  stage.request('tls');
  await stage.pass(2000);
  assert.deepEqual(stage.store.calls, ['create 1', 'patch 0', 'read 0']);
  assert.deepEqual(stage.dataOf(1), { [TLS]: 'b.1' });
});

test('a new shard that is refused is done without: the last one takes the entry', async (t) => {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }, OURS, ONE_EACH);
  stage.listed('cfg', 'a', 'web').listed('tls', 'b', 'api');
  stage.store.creationFaults.push({ kind: 'rejected', code: 'forbidden', message: 'exceeded quota' });
  stage.request('tls');
  await stage.pass(0);
  assert.deepEqual(stage.data, { [CFG]: 'a.1', [TLS]: 'b.1' });
  assert.deepEqual(
    stage.results.map(({ kind }) => kind),
    ['rejected', 'accepted'],
  );
});

test('when all ten are full the last one takes the rest', async (t) => {
  const full = { note: 'x'.repeat(60) };
  const annotations = { ...OURS, [TOLD]: '10' };
  const stage = new CommitterStage(t, full, annotations, {
    ...ONE_EACH,
    further: Array.from({ length: 9 }, () => full),
  });
  stage.listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(0);
  assert.equal(stage.dataOf(9)?.[CFG], 'a.1');
});

test('a shard that nears what the API server allows is told once', async (t) => {
  const note = 'x'.repeat(786_432);
  const stage = new CommitterStage(t, { note }, OURS).listed('cfg', 'a', 'web');
  stage.request('cfg');
  await stage.pass(5000);
  stage.world.config('cfg', 'b');
  stage.request('cfg');
  await stage.pass(5000);
  assert.deepEqual(stage.reasons, ['state-full']);
  assert.match(stage.journal.decisions[0]?.message ?? '', /^reloader-state: A state ConfigMap is full/);
});

test('the more a batch wrote the later is the next: 256 KiB take a second', async (t) => {
  const note = 'x'.repeat(655_360);
  const stage = new CommitterStage(t, { note }, OURS, { shardBytes: 700_000 });
  for (const name of ['one', 'two']) {
    stage.listed(name, 'a', `of-${name}`);
    stage.request(name);
    await stage.pass(200);
  }
  await stage.pass(5000);
  const [first = 0, second = 0, ...more] = stage.store.times;
  assert.ok(second - first >= 2500 && second - first < 2700, String(second - first));
  assert.deepEqual(more, []);
});

test('what a crash would lose is written at once, and before the next batch only in the shards that it concerns', async (t) => {
  const stage = spread(t);
  stage.world.config('cfg', 'b');
  stage.request('cfg');
  await stage.pass(100);
  stage.world.config('tls', 'b');
  // Another writer starts pods while the change is open.
  stage.world.workload('web', { image: 'v2' });
  stage.listed('new', 'a', 'of-new');
  stage.request('tls', 'new');
  await stage.pass(100);
  assert.deepEqual(stage.store.calls, ['patch 0', 'patch 1']);
  assert.equal(stage.dataOf(1)?.[TLS], 'b.1?Deployment/web');
  await stage.pass(1000);
  assert.deepEqual(stage.dataOf(2), { 'v1.ConfigMap_new': 'a.1' });
});

test('a further shard of a later version: this program writes nothing any more', async (t) => {
  const stage = spread(t);
  stage.store.put({}, { 'reloader.k8s.collaborne.com/state-version': '2' }, 1);
  stage.committer.notice(1, 'another');
  stage.request('cfg');
  await stage.pass(60_000);
  await stage.committer.close(async () => true);
  assert.deepEqual([stage.unknownVersions, stage.store.patches], [['2'], []]);
});

test('closing writes every shard', async (t) => {
  const stage = spread(t);
  stage.world.config('cfg', 'b');
  stage.world.config('tls', 'b');
  stage.request('cfg');
  await stage.pass(100);
  stage.world.config('cfg', 'c');
  stage.request('cfg', 'tls');
  await stage.committer.close(async () => true);
  assert.deepEqual([stage.data?.[CFG], stage.dataOf(1)?.[TLS]], ['c.1?Deployment/web', 'b.1?Deployment/web']);
});
