/** What a leader leaves on the state with each write, and what it does when it finds the mark of another one. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { annotationsOf } from '../../../lib/model/shards.ts';
import { beginTerm } from '../../../lib/state/begin-term.ts';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const MARK = { term: 7, writer: 'this' };
const LATER = { term: 8, writer: 'other' };
const A = `${'a'.repeat(40)}.1`;
const marked = (mark = MARK) => ({ ...OURS, ...annotationsOf(mark) });

/** A leader whose state (undefined: there is none yet) says that `cfg` is `a`; it has to be written. */
function leading(t: TestContext, state: Readonly<Record<string, string>> | undefined, isHeeding = true) {
  const stage = new CommitterStage(t, state, marked(), { mark: MARK, isHeeding });
  stage.listed('cfg', 'a', 'web');
  stage.request('cfg');
  return stage;
}

test('every write leaves the mark, the first one to a state that is made included', async (t) => {
  const stage = leading(t, undefined);
  await stage.pass(0);
  assert.deepEqual(stage.store.live?.annotations, marked());
  stage.store.shards.clear();
  stage.committer.notice(0, undefined);
  await stage.pass(5000);
  assert.deepEqual([stage.data, stage.store.live?.annotations], [{ [CFG]: 'a.1' }, marked()]);
  assert.deepEqual(stage.contests, []);
});

test('so does the first write to a further shard', async (t) => {
  const stage = new CommitterStage(t, {}, marked(), { mark: MARK, isHeeding: true, shardBytes: 60 });
  stage.listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.request('cfg', 'tls');
  await stage.pass(5000);
  assert.deepEqual(stage.dataOf(1), { 'v1.ConfigMap_tls': 'a.1' });
  assert.deepEqual(stage.store.shards.get(1)?.annotations, marked());
});

/** What another leader does, and how it is found out. */
const FOUND: Record<string, (stage: CommitterStage) => void> = {
  'by a conflict': (stage) => stage.store.put({}, marked(LATER)),
  'by the stream': (stage) => {
    stage.store.put({}, marked(LATER));
    stage.committer.notice(0, '2');
  },
  'of the same term': (stage) => stage.store.put({}, marked({ term: 7, writer: 'other' })),
};

for (const [sentence, happens] of Object.entries(FOUND)) {
  test(`another mark is found ${sentence}: it is told once, and nothing is written any more`, async (t) => {
    const stage = leading(t, {});
    happens(stage);
    const theirs = stage.store.live;
    await stage.pass(5000);
    stage.request('cfg');
    stage.committer.relist();
    stage.committer.notice(0, '99');
    await stage.pass(60_000);
    let tries = 0;
    await stage.committer.close(async () => ++tries < 3);
    assert.deepEqual(stage.store.live, theirs);
    assert.deepEqual(
      stage.contests.map(({ writer }) => writer),
      ['other'],
    );
    assert.ok(stage.store.patches.length <= 1);
  });
}

test('the end does not try again once it finds another leader', async (t) => {
  const stage = leading(t, { [CFG]: 'a.1' });
  // A crash would lose this: it is due at once.
  stage.world.config('cfg', 'b');
  stage.world.workload('web', { image: 'v2' });
  stage.store.put({}, marked(LATER));
  let tries = 0;
  await stage.committer.close(async () => ++tries < 10);
  assert.deepEqual([tries, stage.contests.length], [0, 1]);
});

test('another leader that has made the state first is left alone', async (t) => {
  const stage = leading(t, undefined);
  stage.store.put({ key: 'theirs' }, marked(LATER));
  await stage.pass(60_000);
  assert.deepEqual([stage.data, stage.store.patches], [{ key: 'theirs' }, []]);
  assert.deepEqual(stage.contests, [LATER]);
});

test('two shards of another leader are one contest', async (t) => {
  const further = [{ key: 'theirs' }];
  const stage = new CommitterStage(t, {}, marked(), { further, mark: MARK, isHeeding: true });
  stage.listed('cfg', 'a', 'web');
  for (const shard of [0, 1]) stage.store.put({}, marked(LATER), shard);
  for (const shard of [0, 1]) stage.committer.notice(shard, String(shard + 3));
  await stage.pass(60_000);
  assert.equal(stage.contests.length, 1);
});

const OF_NO_MATTER: Record<string, Readonly<Record<string, string>>> = {
  'the mark of an earlier term': marked({ term: 6, writer: 'other' }),
  'no mark': OURS,
  'the own mark': marked(),
};

for (const [sentence, annotations] of Object.entries(OF_NO_MATTER)) {
  test(`${sentence} on what others wrote is no contest`, async (t) => {
    const stage = leading(t, {});
    stage.store.put({ note: 'of a person' }, annotations);
    await stage.pass(5000);
    assert.deepEqual(stage.data, { note: 'of a person', [CFG]: 'a.1' });
    assert.deepEqual([stage.store.live?.annotations, stage.contests], [marked(), []]);
  });
}

test('where contests are no matter all is as without marks', async (t) => {
  const stage = leading(t, {}, false);
  stage.store.put({ note: 'of another one' }, marked(LATER));
  await stage.pass(5000);
  assert.deepEqual(stage.data, { note: 'of another one', [CFG]: 'a.1' });
});

test('a late commit of an earlier leader fails once the new term has begun, and ends that leader’s writes', async (t) => {
  const stage = leading(t, {});
  const { promise, resolve } = Promise.withResolvers<void>();
  stage.store.faults.push({ kind: 'held', until: promise });
  await stage.pass(0);
  const begun = await beginTerm(stage.store, 'other', 'home');
  resolve();
  await stage.pass(60_000);
  assert.ok(begun.kind === 'begun');
  assert.deepEqual([begun.mark.term, begun.shards], [8, [stage.store.live]]);
  assert.deepEqual([stage.data, stage.contests], [{}, [LATER]]);
});

test('a commit that was in force before the new term began is part of its state', async (t) => {
  const stage = leading(t, {});
  stage.store.faults.push({ kind: 'answer-lost' });
  await stage.pass(0);
  const begun = await beginTerm(stage.store, 'other', 'home');
  assert.ok(begun.kind === 'begun');
  assert.deepEqual(begun.shards[0]?.data, { [CFG]: A });
});
