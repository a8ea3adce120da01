/** A look outside the streams is taken in only where it is news. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '../../../lib/model/log.ts';
import { Timeline } from '../../../lib/model/timeline.ts';
import { Refetcher, type RefetcherOptions } from '../../../lib/repair/refetcher.ts';
import { observeWorkload } from '../../../lib/tracking/observe-workload.ts';
import { settled, type World } from '../tracking/world.ts';

/** What a look does not need that is taken in by hand. */
const UNUSED: Omit<RefetcherOptions, 'store'> = {
  timeline: new Timeline(),
  project: () => assert.fail('no object is there'),
  readConfig: async () => ({ kind: 'absent' }),
  client: { get: async () => ({ kind: 'absent' }) },
  onConfig: () => assert.fail('no object is looked at'),
  onWorkload: () => assert.fail('no workload is looked at'),
  random: () => 0,
  log: NO_LOG,
};

function fresh(world: World): Refetcher {
  const { store } = world;
  return new Refetcher({
    ...UNUSED,
    store,
    onWorkload: (event) => void observeWorkload(store, event),
  });
}

const CASES: Readonly<Record<string, { readonly seen: string; readonly isTaken: boolean }>> = {
  'what the stream has not told yet is news': { seen: '103', isTaken: true },
  'what it has told is none': { seen: '102', isTaken: false },
  'nor is what is older than that': { seen: '99', isTaken: false },
};

for (const [sentence, { seen, isTaken }] of Object.entries(CASES)) {
  test(sentence, () => {
    const world = settled('web');
    const view = world.view('web');
    world.record('web').workload = { ...view, resourceVersion: '102' };
    fresh(world).take(view.ref, { ...view, resourceVersion: seen, annotations: {} });
    assert.equal(
      world.store.workloads.has(world.workloadKey('web')),
      !isTaken,
      'what was seen follows nothing',
    );
  });
}

/** How often an object was looked at whose stream tells something new during so many looks, and what came of it. */
async function lookOvertaken(times: number): Promise<{ readonly isSeen: boolean; readonly looks: number }> {
  const world = settled('web');
  const config = world.configKey('cfg');
  const record = world.store.configs.get(config) ?? assert.fail();
  let looks = 0;
  const look = new Refetcher({
    ...UNUSED,
    store: world.store,
    readConfig: async () => {
      looks += 1;
      if (looks <= times) record.resourceVersion = `told-${looks}`;
      return { kind: 'absent' };
    },
    onConfig: () => undefined,
  });
  return { isSeen: await look.atConfig(config), looks };
}

test('an object of which the stream is faster is looked at once more, and no oftener', async () => {
  assert.deepEqual(await lookOvertaken(0), { isSeen: true, looks: 1 });
  assert.deepEqual(await lookOvertaken(1), { isSeen: true, looks: 2 });
  assert.deepEqual(await lookOvertaken(2), { isSeen: false, looks: 2 });
});
