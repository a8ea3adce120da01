import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Controllers, carryOut } from '../../../lib/app/controllers.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import type { Due } from '../../../lib/report/reporter.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { settled } from '../tracking/world.ts';

test('workloads whose windows end at different times are told of apart, those of one moment together', () => {
  const world = settled('api', 'web', 'held', 'worker');
  const windows = new Map([
    [world.workloadKey('api'), 5000],
    [world.workloadKey('web'), 60_000],
    [world.workloadKey('held'), Number.POSITIVE_INFINITY],
    [world.workloadKey('worker'), 4999],
  ]);
  const told: (readonly [object: string, ms: number, workloads: readonly string[]])[] = [];
  const targets = {
    store: world.store,
    fence: { run: (_what: string, _key: string, handle: () => void) => handle() },
    rollouts: {
      touch: (key: string, changes: number) => (changes === 1 ? (windows.get(key) ?? 0) : Number.NaN),
      isWaiting: () => true,
    },
    reporter: {
      notes: () => {},
      due: ({ name }: ConfigRef, { ms, refs }: Due) => told.push([name, ms, refs.map((ref) => ref.name)]),
    },
    committer: { request: () => {} },
  };
  const effects = new Effects();
  const config = world.configKey('cfg');
  for (const key of windows.keys()) effects.enqueue(key, { type: 'changed', config });
  effects.enqueue(world.workloadKey('api'), { type: 'changed', config });
  carryOut(targets as unknown as Controllers, effects);
  assert.deepEqual(told, [
    ['cfg', 5000, ['api', 'worker']],
    ['cfg', 60_000, ['web']],
  ]);
});
