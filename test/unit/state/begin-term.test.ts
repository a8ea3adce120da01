/** How a leader begins its term: it marks each shard before all else, and what its answers say is the state that counts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import { annotationsOf, markIn, type TermMark } from '../../../lib/model/shards.ts';
import { beginTerm } from '../../../lib/state/begin-term.ts';
import type { AllShards, StateClient } from '../../../lib/store/state-client.ts';
import { fc } from '../../laws.ts';
import { OURS } from './committer-stage.ts';
import { type Fault, ScriptedStore } from './scripted-store.ts';

const TOLD = 'reloader.k8s.collaborne.com/state-shards';
const OLD = { term: 4, writer: 'old' };
const NEW = { term: 5, writer: 'new' };
const marked = (mark: TermMark = OLD) => ({ ...OURS, ...annotationsOf(mark) });

/** A store whose shards an earlier leader has marked; each holds its own number. */
function storeOf(shards = 1, mark = OLD): ScriptedStore {
  const store = new ScriptedStore();
  for (let shard = 0; shard < shards; shard += 1) store.put({ shard: String(shard) }, marked(mark), shard);
  return store;
}

async function begin(stateClient: StateClient) {
  return await beginTerm(stateClient, 'new', 'home');
}

/** Tries until a term is begun. */
async function begun(stateClient: StateClient, identity = 'new') {
  for (let tries = 0; tries < 20; tries += 1) {
    const result = await beginTerm(stateClient, identity, 'home');
    if (result.kind === 'begun') return { ...result, term: result.mark.term };
  }
  assert.fail('no term is begun');
}

const marksOf = (shards: AllShards) => shards.map((shard) => shard && markIn(shard.annotations));
const live = (store: ScriptedStore) => [...store.shards.values()];

test('each shard is marked with a term above the highest, by a write of nothing else', async () => {
  const store = storeOf(3);
  store.put({ shard: '1' }, marked({ term: 9, writer: 'older' }), 1);
  const { term, shards } = await begun(store);
  assert.equal(term, 10);
  assert.deepEqual(shards, live(store));
  assert.deepEqual(marksOf(shards), Array(3).fill({ term: 10, writer: 'new' }));
  assert.deepEqual(
    shards.map((shard) => shard?.data),
    [{ shard: '0' }, { shard: '1' }, { shard: '2' }],
  );
  assert.deepEqual(
    store.patches.map(({ data, annotations }) => [data, annotations]),
    Array(3).fill([{}, annotationsOf({ term: 10, writer: 'new', homeNamespace: 'home' })]),
  );
});

test('a state that no leader has marked begins with the first term, and keeps what version it has', async () => {
  const store = new ScriptedStore({ key: 'value' });
  const { term, shards } = await begun(store);
  assert.deepEqual(
    [term, shards[0]?.annotations],
    [1, annotationsOf({ term: 1, writer: 'new', homeNamespace: 'home' })],
  );
});

test('a made up term is no term', async () => {
  for (const made of ['99999999999999999999', '-7', '1e9', 'x']) {
    const store = storeOf(2);
    store.put({}, { ...OURS, 'reloader.k8s.collaborne.com/term': made }, 1);
    assert.equal((await begun(store)).term, 5, made);
  }
});

test('without a state nothing is written', async () => {
  const store = new ScriptedStore();
  assert.deepEqual(await begin(store), {
    kind: 'begun',
    mark: { term: 1, writer: 'new', homeNamespace: 'home' },
    shards: [undefined],
  });
  assert.ok(store.calls.every((call) => call.startsWith('read')));
});

test('a shard that is missing between others stays so', async () => {
  const store = storeOf(3);
  store.shards.delete(1);
  const { shards } = await begun(store);
  assert.deepEqual(marksOf(shards), [NEW, undefined, NEW]);
  assert.equal(store.creations, 0);
});

test('a state of a later version is not touched', async () => {
  const store = storeOf(2);
  store.put({ shard: '1' }, { [STATE_VERSION_ANNOTATION]: '99' }, 1);
  const { shards } = await begun(store);
  assert.deepEqual([shards, store.patches], [live(store), []]);
});

/** The first write of the mark is on its way while `meanwhile` happens. */
async function begunWhile(store: ScriptedStore, meanwhile: () => void) {
  const { promise, resolve } = Promise.withResolvers<void>();
  store.faults.push({ kind: 'held', until: promise });
  const result = begun(store);
  while (store.patches.length === 0) await new Promise((next) => setImmediate(next));
  meanwhile();
  resolve();
  return await result;
}

test('what an earlier leader commits just before the mark is part of the state that counts', async () => {
  const store = storeOf(2);
  const { term, shards } = await begunWhile(store, () => store.put({ shard: 'late' }, marked()));
  assert.deepEqual([term, shards], [5, live(store)]);
  assert.deepEqual(shards[0]?.data, { shard: 'late' });
});

test('so is a shard that it has made just before', async () => {
  const store = storeOf();
  const { shards } = await begunWhile(store, () => {
    store.put({ made: 'late' }, marked(), 1);
    store.put({ shard: '0' }, { ...marked(), [TOLD]: '2' });
  });
  assert.deepEqual(shards, live(store));
  assert.deepEqual(marksOf(shards), [NEW, NEW]);
});

test('a leader that was faster is outdone', async () => {
  const store = storeOf(2);
  const other = { term: 5, writer: 'other' };
  const { term, shards } = await begunWhile(store, () => store.put({ shard: '0' }, marked(other)));
  assert.equal(term, 6);
  assert.deepEqual(marksOf(shards), Array(2).fill({ term: 6, writer: 'new' }));
});

test('a process that leads again begins a term of its own', async () => {
  const store = storeOf(2, { term: 4, writer: 'new' });
  assert.equal((await begun(store)).term, 5);
});

for (const fault of [{ kind: 'answer-lost' }, { kind: 'unanswered', message: 'reset' }] as const) {
  test(`after a mark without an answer (${fault.kind}) all shards carry one mark all the same`, async () => {
    const store = storeOf(2);
    store.faultsOf.set(1, [fault]);
    const { term, shards } = await begun(store);
    assert.equal(term, 6);
    assert.deepEqual(shards, live(store));
    assert.deepEqual(marksOf(shards), Array(2).fill({ term: 6, writer: 'new' }));
  });
}

test('a shard that is gone meanwhile is read again', async () => {
  const store = storeOf(2);
  const { shards } = await begunWhile(store, () => store.shards.delete(0));
  assert.deepEqual(marksOf(shards), [undefined, NEW]);
});

const FAILURES: Record<string, readonly [fault: Fault, failure: object]> = {
  'without the right to patch': [
    { kind: 'rejected', code: 'forbidden', message: 'cannot patch' },
    { message: 'no term can be begun in the state: cannot patch', isForbidden: true },
  ],
  'by a server that is busy': [
    { kind: 'throttled', message: 'slow down', retryAfterMs: 7000 },
    { message: 'no term can be begun in the state: slow down', retryAfterMs: 7000 },
  ],
  'without any answer': [
    { kind: 'unanswered', message: 'reset' },
    { message: 'no term can be begun in the state: reset' },
  ],
  'against others who write at the same time': [
    { kind: 'conflict' },
    { message: 'no term can be begun in the state: another client wrote it first' },
  ],
};

for (const [sentence, [fault, failure]] of Object.entries(FAILURES)) {
  test(`no term is begun ${sentence}, and it is not tried again at once`, async () => {
    const store = storeOf(2);
    store.faults.push(fault);
    assert.deepEqual(await begin(store), { kind: 'failed', ...failure });
    assert.equal(store.patches.length, 1);
  });
}

test('no term is begun while the state cannot be read', async () => {
  const store = storeOf();
  store.readFaults.push('away');
  assert.deepEqual(await begin(store), { kind: 'failed', message: 'away' });
});

/** The store behind a network in which each request about a shard that is there, and each answer, takes its own time. */
function faraway(store: ScriptedStore, network: fc.Scheduler): StateClient {
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    await network.schedule(Promise.resolve());
    const answer = await call();
    await network.schedule(Promise.resolve());
    return answer;
  };
  return {
    read: (shard) => (store.shards.has(shard) ? slowly(() => store.read(shard)) : store.read(shard)),
    create: (shard) => slowly(() => store.create(shard)),
    patch: (shard, patch) => slowly(() => store.patch(shard, patch)),
  };
}

test('law: two begin at once and answers are lost; an earlier leader’s late commit is part of the state or fails', async () => {
  const faults = fc.array(
    fc.constantFrom<Fault>({ kind: 'answer-lost' }, { kind: 'unanswered', message: '' }),
    {
      maxLength: 3,
    },
  );
  const scene = [fc.scheduler(), fc.integer({ min: 1, max: 3 }), fc.nat(2), faults] as const;
  await fc.assert(
    fc.asyncProperty(...scene, async (network, count, at, lost) => {
      const store = storeOf(count);
      const shard = at % count;
      const fence = store.shards.get(shard)?.resourceVersion ?? '';
      store.faults.push(...lost);
      const late = { resourceVersion: fence, data: { late: 'yes' }, annotations: marked() };
      const far = faraway(store, network);
      const all = Promise.all([begun(far, 'a'), begun(far, 'b'), far.patch(shard, late)]);
      const [a, b, commit] = await network.waitFor(all);
      assert.notEqual(a.term, b.term);
      const [writer, latest] = a.term > b.term ? ['a', a] : ['b', b];
      assert.deepEqual(latest.shards, live(store));
      assert.deepEqual(marksOf(latest.shards), Array(count).fill({ term: latest.term, writer }));
      if (commit.kind === 'accepted') assert.equal(latest.shards[shard]?.data['late'], 'yes');
      if (commit.kind === 'conflict') assert.equal(latest.shards[shard]?.data['late'], undefined);
    }),
    { numRuns: 200 },
  );
});

test('a state that was restored from another namespace names the same objects as before, from the first write on', async () => {
  const store = new ScriptedStore();
  const long = `v1.ConfigMap_${'x'.repeat(236)}`;
  const data = {
    'v1.ConfigMap_cfg': 'a',
    home_v1_Secret: 'note',
    'home_v1.Secret_tls': 'b',
    'far_v1.ConfigMap_x': 'c',
    [long]: 'd',
  };
  store.put(data, marked({ ...OLD, homeNamespace: 'former' }));
  const { shards } = await begun(store);
  assert.deepEqual(shards[0]?.data, {
    'former_v1.ConfigMap_cfg': 'a',
    home_v1_Secret: 'note',
    'v1.Secret_tls': 'b',
    'far_v1.ConfigMap_x': 'c',
  });
  assert.equal((await begun(store)).shards[0]?.data['v1.Secret_tls'], 'b', 'it is translated once');
});
