/** What is read at a start, also where rights name the first ConfigMap of the state alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readShards } from '../../../lib/store/state-client.ts';
import { CommitterStage, OURS } from '../state/committer-stage.ts';
import { ScriptedStore } from '../state/scripted-store.ts';

const TOLD = 'reloader.k8s.collaborne.com/state-shards';

interface Row {
  /** The shards that are there; what the first one tells of. */
  readonly there: readonly number[];
  readonly told?: string;
  readonly forbidden?: readonly number[];
  /** Whether each shard was found, or that nothing is known yet. */
  readonly read: readonly boolean[] | 'failed';
}

const ALL_BUT_THE_FIRST = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const ROWS: Record<string, Row> = {
  'without any there is a first one that is missing': { there: [], read: [false] },
  'the first alone': { there: [0], read: [true] },
  'as many as the first tells of': { there: [0, 1, 2], told: '3', read: [true, true, true] },
  'one that the first tells of and that is not there is missing': {
    there: [0, 1],
    told: '3',
    read: [true, true, false],
  },
  'one that the first does not tell of counts too': { there: [0, 1], read: [true, true] },
  'without the first the others are found': { there: [2], read: [false, false, true] },
  'where rights name the first alone there are no others': {
    there: [0, 1],
    forbidden: ALL_BUT_THE_FIRST,
    read: [true],
  },
  'one that the first tells of and that may not be read is waited for': {
    there: [0, 1],
    told: '2',
    forbidden: ALL_BUT_THE_FIRST,
    read: 'failed',
  },
  'the first is waited for': { there: [0], forbidden: [0], read: 'failed' },
};

for (const [sentence, { there, told, forbidden = [], read }] of Object.entries(ROWS)) {
  test(`read at a start: ${sentence}`, async () => {
    const store = new ScriptedStore();
    for (const shard of there)
      store.put({}, { ...OURS, ...(told && shard === 0 ? { [TOLD]: told } : {}) }, shard);
    for (const shard of forbidden) store.forbidden.add(shard);
    const reading = await readShards(store);
    const found = reading.kind === 'read' ? reading.shards.map((shard) => shard !== undefined) : reading.kind;
    assert.deepEqual(found, read);
  });
}

test('where rights name the first alone, a ConfigMap that is called like another one is no matter', async (t) => {
  const stage = new CommitterStage(t, {}).listed('cfg', 'a', 'web');
  for (const shard of ALL_BUT_THE_FIRST) stage.store.forbidden.add(shard);
  stage.committer.notice(1, 'of somebody else');
  stage.request('cfg');
  await stage.pass(5000);
  assert.deepEqual(stage.data, { 'v1.ConfigMap_cfg': 'a.1' });
  assert.deepEqual([stage.reasons, stage.committer.known.count], [[], 1]);
});

test('where rights name the first alone it takes more than its share', async (t) => {
  const stage = new CommitterStage(t, {}, OURS, { shardBytes: 60 });
  for (const shard of ALL_BUT_THE_FIRST) stage.store.forbidden.add(shard);
  stage.listed('cfg', 'a', 'web').listed('tls', 'b', 'api');
  stage.request('cfg', 'tls');
  await stage.pass(2000);
  assert.deepEqual(stage.data, { 'v1.ConfigMap_cfg': 'a.1', 'v1.ConfigMap_tls': 'b.1' });
});
