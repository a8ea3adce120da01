/** What a new leader looks at before it acts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, type ObjectKey, type WorkloadRef } from '../../../lib/model/object-ref.ts';
import { catchUp } from '../../../lib/repair/catch-up.ts';
import { settled } from '../tracking/world.ts';

/** What is looked at beside a state that says `entry` of cfg and `others`; the first `failures` looks fail. */
async function looks(
  entry: string,
  others: Readonly<Record<string, string>> = {},
  { failures = 0, unlisted = '' } = {},
) {
  const world = settled('web');
  const seen: string[] = [];
  let left = failures;
  const look = (what: string): Promise<boolean> => {
    seen.push(what);
    left -= 1;
    return Promise.resolve(left < 0);
  };
  const data = { 'v1.ConfigMap_cfg': entry, ...others };
  const annotations = { 'reloader.k8s.collaborne.com/state-version': '1' };
  const isSeen = await catchUp(
    world.store,
    [{ resourceVersion: '1', data, annotations }],
    {
      atConfig: (config: ObjectKey) => look(config),
      atWorkload: (ref: WorkloadRef) => look(keyOf(ref)),
    },
    ({ kind }) => kind !== unlisted,
  );
  return { seen, isSeen, entry: world.store.persisted.entryOf(world.configRef('cfg'))?.digest };
}

const DIGESTS = { a: 'a'.repeat(40), b: 'b'.repeat(40) };

test('where the state says what the caches show nothing is looked at', async () => {
  const world = settled('web');
  const known = world.store.configs.get(world.configKey('cfg'))?.digest;
  assert.deepEqual((await looks(`${known}.1`)).seen, []);
});

test('an object that the state knows otherwise is looked at, and then who follows it', async () => {
  const { seen, isSeen, entry } = await looks(`${DIGESTS.b}.1`);
  assert.deepEqual(seen, ['home/ConfigMap/cfg', 'home/Deployment/web']);
  assert.deepEqual([isSeen, entry], [true, DIGESTS.b]);
});

test('a workload that only the state names is looked at', async () => {
  const world = settled('web');
  const known = world.store.configs.get(world.configKey('cfg'))?.digest;
  const { seen } = await looks(`${known}.1?Deployment/new`);
  assert.deepEqual(seen, ['home/Deployment/new']);
});

test('as long as one look fails no leader acts, and what depends on it is not looked at', async () => {
  const { seen, isSeen } = await looks(`${DIGESTS.b}.1`, {}, { failures: 1 });
  assert.deepEqual([seen, isSeen], [['home/ConfigMap/cfg'], false]);
});

test('what is not listed yet is not looked at: its list will be newer than the state', async () => {
  assert.deepEqual((await looks(`${DIGESTS.b}.1?Deployment/new`, {}, { unlisted: 'Deployment' })).seen, [
    'home/ConfigMap/cfg',
  ]);
  assert.deepEqual((await looks(`${DIGESTS.b}.1`, {}, { unlisted: 'ConfigMap' })).seen, [
    'home/Deployment/web',
  ]);
});
