import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duesOf } from '../../../lib/app/effects-runner.ts';
import type { ObjectKey } from '../../../lib/model/object-ref.ts';
import { settled } from '../tracking/world.ts';

test('workloads whose windows end at different times are told of apart, those of one moment together', () => {
  const world = settled('api', 'web', 'held', 'worker');
  const windows = new Map([
    [world.workloadKey('api'), 5000],
    [world.workloadKey('web'), 60_000],
    [world.workloadKey('held'), Number.POSITIVE_INFINITY],
    [world.workloadKey('worker'), 4999],
  ]);
  const config = world.configKey('cfg');
  const touched = new Map([...windows.keys()].map((key) => [key, new Set<ObjectKey>([config])]));
  const dues = duesOf(world.store, touched, (key) => windows.get(key) ?? 0);
  assert.deepEqual(
    dues.get(config)?.map(({ ms, refs }) => [ms, refs.map(({ name }) => name)]),
    [
      [5000, ['api', 'worker']],
      [60_000, ['web']],
      [Number.POSITIVE_INFINITY, ['held']],
    ],
  );
});
