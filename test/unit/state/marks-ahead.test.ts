/** The marks that an attempt has written before its patch: when they are, and when they cannot be. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL_BYTES } from '../../../lib/model/shards.ts';
import { CommitterStage } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';
const MARKED = { 'ran.Deployment_web': `{"${CFG}":"?"}`, 'ran.Deployment_api': `{"${CFG}":"?"}` };
const NOT_WRITTEN = { [CFG]: 'a.1', [TLS]: 'a.1' };

interface Situation {
  /** What else the ConfigMap has. */
  readonly note?: string;
  readonly given?: (stage: CommitterStage) => void;
  readonly isMarked: boolean;
  readonly data: Readonly<Record<string, string>>;
  readonly patches: number;
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'all that wait share one write': {
    isMarked: true,
    data: { [CFG]: 'b.1', [TLS]: 'a.1', ...MARKED },
    patches: 1,
  },
  'a write that fails gives no mark': {
    given: ({ store }) => store.faults.push({ kind: 'rejected', code: 'forbidden', message: 'no' }),
    isMarked: false,
    data: NOT_WRITTEN,
    patches: 1,
  },
  'nor does one without an answer': {
    given: ({ store }) => store.faults.push({ kind: 'unanswered', message: 'reset' }),
    isMarked: false,
    data: NOT_WRITTEN,
    patches: 1,
  },
  'after a conflict the state is read and written again': {
    given: ({ store }) => store.faults.push({ kind: 'conflict' }),
    isMarked: true,
    data: { [CFG]: 'b.1', [TLS]: 'a.1', ...MARKED },
    patches: 2,
  },
  'what has no room is not waited for': {
    note: 'x'.repeat(FULL_BYTES - 160),
    isMarked: true,
    data: NOT_WRITTEN,
    patches: 0,
  },
  'before all kinds are listed the digest of the entry stays': {
    given: (stage) => {
      stage.isSynced = false;
    },
    isMarked: true,
    data: { ...NOT_WRITTEN, ...MARKED },
    patches: 1,
  },
  'a committer that ends gives no mark': {
    given: ({ committer }) => committer.halt(),
    isMarked: false,
    data: NOT_WRITTEN,
    patches: 0,
  },
};

for (const [sentence, { note, given, isMarked, data, patches }] of Object.entries(SITUATIONS)) {
  test(`marks: ${sentence}`, async (t) => {
    const stage = new CommitterStage(t, { ...NOT_WRITTEN, ...(note && { note }) });
    stage.listed('cfg', 'a', 'web', 'api').listed('tls', 'a', 'tls');
    stage.world.config('cfg', 'b');
    given?.(stage);
    const records = ['web', 'api'].map((name) => stage.world.record(name));
    const answers = Promise.all(records.map((record) => stage.committer.mark(record)));
    await stage.pass(400);
    assert.deepEqual(await answers, [isMarked, isMarked]);
    assert.deepEqual(
      records.map((record) => stage.committer.isMarked(record)),
      [isMarked, isMarked],
    );
    const { note: _, ...written } = stage.data ?? {};
    assert.deepEqual(written, data);
    assert.equal(stage.store.patches.length, patches);
  });
}

test('marks: an end while they are written is an answer', async (t) => {
  const stage = new CommitterStage(t, NOT_WRITTEN).listed('cfg', 'a', 'web');
  stage.world.config('cfg', 'b');
  const answer = stage.committer.mark(stage.world.record('web'));
  stage.committer.halt();
  assert.equal(await answer, false);
});

test('marks: before all kinds are listed the second is written at once too', async (t) => {
  const stage = new CommitterStage(t, NOT_WRITTEN).listed('cfg', 'b', 'web').listed('tls', 'b', 'tls');
  stage.isSynced = false;
  for (const name of ['web', 'tls']) {
    const answer = stage.committer.mark(stage.world.record(name));
    await stage.pass(100);
    assert.equal(await answer, true, name);
  }
});
