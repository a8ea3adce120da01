/** The decision to roll one workload: which stamps. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import { Effects } from '../../../lib/tracking/effects.ts';
import { abandonRollout, acceptRollout } from '../../../lib/tracking/rollout-decision.ts';
import { changesOf, d } from './sketch.ts';
import { settled, World } from './world.ts';

const stampsOf = (world: World): string[] =>
  (planRollout(world.store, world.workloadKey('web'))?.stamps ?? []).map(
    ({ places: [place], stamp }) => `${place?.variable}=${stamp.digest[0]}.${stamp.id}`,
  );

test('only what is owed is stamped, but the patch settles every object that the workload follows', () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1', 'v1.ConfigMap_tls': 'a.1' });
  for (const name of ['cfg', 'tls']) world.config(name, 'a', { initial: true });
  world.workload('web', { follows: ['cfg', 'tls'] }, { initial: true });
  world.config('cfg', 'b');
  assert.deepEqual(stampsOf(world), ['_RELOADER_CONFIGMAP_CFG=b.2']);
  const plan = world.send('web');
  world.config('tls', 'c');
  world.land(plan);
  world.answer(plan);
  assert.ok(world.needsRollout('web'), 'what changed since the plan was made is owed');
  assert.deepEqual(
    [world.edge('web', 'cfg').runningDigest, world.edge('web', 'tls').runningDigest],
    [d('b'), '?'],
  );
});

test('a workload that owes nothing, or is not known, has no plan', () => {
  const world = settled('web');
  assert.equal(planRollout(world.store, world.workloadKey('web')), undefined);
  assert.equal(planRollout(world.store, world.workloadKey('never-seen')), undefined);
});

/** What the patch says of a pause. */
function pauseIn(world: World): readonly unknown[] {
  const plan = planRollout(world.store, world.workloadKey('web'), { now: 'noon' });
  assert.ok(plan !== undefined);
  const { annotations, fields } = changesOf(plan);
  return [annotations, fields['paused']];
}

test('a Deployment that asks for a pause is paused by the patch that stamps it, unless nothing is patched', () => {
  const { pausePeriod, pausedAt } = STAKATER_KEYS;
  const world = settled('web');
  world.workload('web', { asks: { [pausePeriod]: '5m' } });
  world.config('cfg', 'b');
  assert.deepEqual(pauseIn(world), [{ [pausedAt]: 'noon' }, true]);
  world.workload('web', { asks: { [pausePeriod]: '5m', [pausedAt]: 'before' }, paused: true });
  assert.deepEqual(pauseIn(world), [{}, undefined]);
  world.workload('web', { asks: { [pausePeriod]: '5m' }, paused: false });
  world.settings.onlyTells = true;
  assert.deepEqual(pauseIn(world), [{}, undefined]);
});

test('a dry run is believed without a live stamp', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const plan = world.send('web');
  acceptRollout(world.store, new Effects(), plan, undefined, { from: world.now, to: world.now });
  assert.equal(world.edge('web').runningDigest, d('b'));
  assert.equal(world.needsRollout('web'), false);
});

test('the informer may tell first: the answer then says nothing more', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const plan = world.send('web');
  world.land(plan);
  world.tellWorkload('web');
  assert.equal(world.edge('web').runningDigest, d('b'));
  world.config('cfg', 'c');
  const effects = world.answer(plan);
  assert.equal(effects.enqueuedFor('changed').length, 0);
  assert.equal(world.edge('web').runningDigest, '?', 'it changed while pods were starting');
});

test('a patch that is abandoned leaves what was owed', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  abandonRollout(world.store, new Effects(), world.send('web'));
  assert.equal(world.record('web').inFlight, undefined);
  assert.ok(world.needsRollout('web'));
});

test('a later write of somebody else that is known already makes what the patch stamped unknown', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  const plan = world.send('web');
  world.land(plan);
  const answer = world.view('web');
  world.workload('web', { stamps: {}, image: 'v2' });
  acceptRollout(world.store, new Effects(), plan, answer, { from: 0, to: 1 });
  assert.equal(world.edge('web').runningDigest, '?');
  assert.deepEqual(stampsOf(world), ['_RELOADER_CONFIGMAP_CFG=b.3']);
});
