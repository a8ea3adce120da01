/** What the status tells of objects of other namespaces. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reloader } from '../../../lib/app/reloader.ts';
import { statusOf } from '../../../lib/app/status.ts';
import { World } from '../tracking/world.ts';

/** The objects that the status of `web` has. */
function shownIn({ store }: World): readonly string[] {
  const nothing = { of: () => [], workloads: () => [] };
  const rollouts = { pendingChangesOf: () => undefined, pendingReasonOf: () => undefined };
  const reloader = { store, leads: true, journal: { decisions: [] }, findings: nothing, rollouts };
  const [web] = statusOf(reloader as unknown as Reloader, 0).workloads;
  return web?.follows.map(({ object }) => object) ?? [];
}

test('an object of another namespace is not shown before it is seen to allow it, whatever the state says of it', () => {
  const world = new World({ 'shop_v1.ConfigMap_cfg': 'a.1' });
  world.workload('web', { follows: ['shop/cfg'] }, { initial: true });
  assert.deepEqual(shownIn(world), []);
  world.config('shop/cfg', 'a', {
    initial: true,
    marks: { 'reloader.k8s.collaborne.com/allow-from': 'home' },
  });
  assert.deepEqual(shownIn(world), ['ConfigMap/cfg']);
  world.config('shop/cfg', 'a', { marks: {} });
  assert.deepEqual(shownIn(world), []);
});
