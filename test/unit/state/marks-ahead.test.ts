/** The marks that an attempt has written before its patch: when they are, and when they cannot be. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { REPLACES_ANNOTATION } from '../../../lib/model/kinds/built-in.ts';
import type { WorkloadRef } from '../../../lib/model/object-ref.ts';
import { FULL_BYTES } from '../../../lib/model/shards.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { World } from '../tracking/world.ts';
import { CommitterStage } from './committer-stage.ts';
import type { Fault } from './scripted-store.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';
const MARKED = '?Deployment/api?Deployment/web';
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
    data: { [CFG]: `b.1${MARKED}`, [TLS]: 'a.1' },
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
    patches: 2,
  },
  'after a conflict the state is read and written again': {
    given: ({ store }) => store.faults.push({ kind: 'conflict' }),
    isMarked: true,
    data: { [CFG]: `b.1${MARKED}`, [TLS]: 'a.1' },
    patches: 2,
  },
  'where the marks have no room, one stands for all': {
    note: 'x'.repeat(FULL_BYTES - 120),
    isMarked: true,
    data: { [CFG]: 'b.1?*', [TLS]: 'a.1' },
    patches: 1,
  },
  'before all kinds are listed the digest of the entry stays': {
    given: (stage) => {
      stage.isSynced = false;
    },
    isMarked: true,
    data: { ...NOT_WRITTEN, [CFG]: `a.1${MARKED}` },
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

/** `cfg` has changed, and `web` is marked. */
async function markedStage(t: TestContext): Promise<CommitterStage> {
  const stage = new CommitterStage(t, { [CFG]: 'a.1' }).listed('cfg', 'a', 'web');
  stage.world.config('cfg', 'b');
  const first = stage.committer.mark(stage.world.record('web'));
  await stage.pass(100);
  assert.equal(await first, true);
  return stage;
}

test('marks: a write on its way that removes one is waited for', async (t) => {
  const stage = await markedStage(t);
  const { world, committer, store } = stage;
  const { promise, resolve } = Promise.withResolvers<void>();
  store.faults.push({ kind: 'held', until: promise });
  world.config('cfg', 'a');
  stage.request('cfg');
  await stage.pass(2000);
  world.config('cfg', 'b');
  assert.equal(committer.isMarked(world.record('web')), false);
  const again = committer.mark(world.record('web'));
  resolve();
  await stage.pass(100);
  assert.equal(await again, true);
  assert.deepEqual(stage.data, { [CFG]: 'b.1?Deployment/web' });
});

const FENCES: Readonly<Record<string, Fault>> = {
  'not answered': { kind: 'unanswered', message: 'timeout' },
  throttled: { kind: 'throttled', message: 'slow down', retryAfterMs: 2000 },
  refused: { kind: 'rejected', code: 'forbidden', message: 'no' },
};

for (const [how, fault] of Object.entries(FENCES)) {
  test(`marks: none counts while a write without an answer may still remove it, and the next one is ${how}`, async (t) => {
    const stage = await markedStage(t);
    const { world, committer, store } = stage;
    store.faults.push({ kind: 'unanswered', message: 'timeout' }, fault);
    world.config('cfg', 'a');
    stage.request('cfg');
    await stage.pass(1050);
    const late = store.patches.find(({ data }) => data[CFG]?.includes('?') === false);
    world.config('cfg', 'b');
    const isMarked = committer.isMarked(world.record('web'));
    assert.deepEqual([stage.data, isMarked], [{ [CFG]: 'b.1?Deployment/web' }, false]);
    await stage.pass(4000);
    assert.equal(committer.isMarked(world.record('web')), true);
    assert.ok(late !== undefined);
    assert.deepEqual(await store.patch(0, late), { kind: 'conflict' });
  });
}

test('marks: that of an outdated workload stays beside a write of another object', async (t) => {
  const stage = new CommitterStage(t, NOT_WRITTEN).listed('cfg', 'a', 'web').listed('tls', 'a', 'api');
  stage.isSynced = false;
  for (const [name, workload] of [
    ['cfg', 'web'],
    ['tls', 'api'],
  ] as const) {
    stage.world.config(name, 'b');
    const answer = stage.committer.mark(stage.world.record(workload));
    await stage.pass(1500);
    assert.equal(await answer, true);
  }
  assert.ok(stage.world.needsRollout('web') && stage.committer.isMarked(stage.world.record('web')));
});

class JobWorld extends World {
  override workloadRef(name: string): WorkloadRef {
    return { ...super.workloadRef(name), kind: 'Job' };
  }

  override view(name: string): Workload {
    return workloadOf(workloadKindOf('Job'), this.raw(name), this.store.settings.vocabularies);
  }
}

test('marks: that of a Job stays while its placeholder exists, and so does one for all', () => {
  const world = new JobWorld({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'a', { initial: true });
  for (const name of ['web', 'api']) world.workload(name, { follows: ['cfg'] }, { initial: true });
  world.config('cfg', 'b');
  world.send('web');
  world.workload('web-reload', { asks: { [REPLACES_ANNOTATION]: '{}' } });
  world.noWorkload('web');
  // It is created, its pod reads b, and the answer is lost with the process.
  world.config('cfg', 'c');
  world.write();
  assert.match(world.written['v1.ConfigMap_cfg'] ?? '', /\?Job\/web$/);
  world.state({ 'v1.ConfigMap_cfg': 'c.1?*' });
  world.write();
  assert.match(world.written['v1.ConfigMap_cfg'] ?? '', /\?\*/);
  world.noWorkload('web-reload');
  world.write();
  assert.doesNotMatch(world.written['v1.ConfigMap_cfg'] ?? '', /Job\/web$/);
});
