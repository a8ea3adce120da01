/** What another client may write before a patch, and what it delays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sketch } from '../tracking/sketch.ts';
import { RolloutStage } from './rollout-stage.ts';

const EDITED: Record<string, readonly [edit: (count: number) => Sketch, outcomes: readonly string[]]> = {
  'and leaves the template as it is delays the patch once': [
    (count) => ({ replicas: count }),
    ['conflict', 'rolled'],
  ],
  'and changes the template delays it each time': [
    (count) => ({ image: `v${count + 1}` }),
    ['conflict', 'conflict', 'conflict', 'rolled'],
  ],
  'and holds it is respected': [
    () => ({ asks: { 'reloader.k8s.collaborne.com/hold': 'true' } }),
    ['conflict', 'hold'],
  ],
  'and writes a status does not delay it': [(count) => ({ updated: count }), ['rolled']],
};

for (const [sentence, [edit, outcomes]] of Object.entries(EDITED)) {
  test(`a client that writes before each patch ${sentence}`, async (t) => {
    const stage = new RolloutStage(t);
    for (const count of [1, 2, 3])
      stage.faults.push({ before: () => stage.world.edit('web', edit(count + 1)) });
    stage.change('b');
    await stage.pass(10_000);
    assert.deepEqual(stage.outcomes, outcomes);
  });
}

test('a workload that does not follow the object any more by the time of its patch is forgotten with the answer', async (t) => {
  const stage = new RolloutStage(t);
  stage.faults.push({ before: () => stage.world.edit('web', { follows: [] }) });
  stage.change('b');
  await stage.pass(1000);
  assert.deepEqual([stage.outcomes, stage.world.store.workloads.size], [['rolled'], 0]);
});

test('a test that fails twice on fresh data is a refusal', async (t) => {
  const stage = new RolloutStage(t);
  const unmet = { result: { kind: 'conflict', message: 'testing value failed' } } as const;
  stage.faults.push(unmet, unmet, unmet);
  stage.change('b');
  await stage.pass(2000);
  assert.deepEqual(stage.outcomes, ['conflict', 'conflict', 'refused']);
});
