/**
 * A cluster that is restored from a backup: versions go back, and what is known is of another time. Whatever is not sure is
 * rolled, once.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Effects } from '../../../lib/controller/effects.ts';
import { abandonRollout } from '../../../lib/controller/rollout.ts';
import { CommitterStage } from './committer-stage.ts';
import { d } from './sketch.ts';
import { fenceOf, settled, World } from './world.ts';

/** How a stream finds the restore out. */
const FOUND_OUT = { restored: true } as const;

/** `cfg` was a and is b since 900, `web` was rolled for it and the state says so; then the cluster is restored to 500. */
function restoredWorld(): World {
  const world = settled('web');
  world.now = 900;
  world.config('cfg', 'b');
  world.roll('web');
  world.write();
  world.now = 1000;
  world.restore(500);
  return world;
}

/** The stream of ConfigMaps finds out that `cfg` is `content`. */
const configs = (content: string) => (world: World) => void world.config('cfg', content, FOUND_OUT);
/** The stream of Deployments finds out that the template of `web` is that of before. */
const workloads = (world: World) => void world.workload('web', { stamps: {} }, FOUND_OUT);
const edited = (content: string) => (world: World) => void world.config('cfg', content);
const rolledSlowly = (world: World) => {
  world.roll('web', false);
  for (const isRolledOut of [false, false, true]) world.workload('web', { isRolledOut });
};

interface Play {
  readonly steps: readonly ((world: World) => void)[];
  /** Whether `web` is owed a rollout then; after it nothing is owed any more. */
  readonly isOwed: boolean;
}

const PLAYS: Record<string, Play> = {
  'content that was restored is owed': { steps: [configs('a'), workloads], isOwed: true },
  'and so it is where the workloads are heard of first': { steps: [workloads, configs('a')], isOwed: true },
  'content that is edited after it was restored is owed': {
    steps: [configs('a'), edited('c'), workloads],
    isOwed: true,
  },
  'content that came back in between may have been missed by pods of the older template': {
    steps: [configs('a'), edited('b'), workloads],
    isOwed: true,
  },
  'and so it may where the workloads are heard of first': { steps: [workloads, configs('b')], isOwed: true },
  'pods may have come and gone unseen where generation and template are the same': {
    steps: [(world) => void world.workload('web', { isRolledOut: true }, FOUND_OUT), configs('b')],
    isOwed: true,
  },
  'an edit after the rollout is owed again': {
    steps: [configs('a'), workloads, rolledSlowly, edited('c')],
    isOwed: true,
  },
  'what is rolled owes nothing for what happened before the restore': {
    steps: [configs('a'), workloads, rolledSlowly],
    isOwed: false,
  },
  'what is the same in the same version owes nothing': {
    steps: [
      (world) => void world.tellConfig('cfg', FOUND_OUT),
      (world) => void world.tellWorkload('web', FOUND_OUT),
    ],
    isOwed: false,
  },
  'other content under the same version is owed': {
    steps: [
      (world) => {
        world.now = 950;
        const { version = 0 } = world.contents.get('cfg') ?? {};
        world.contents.set('cfg', { content: 'd', version });
        world.tellConfig('cfg', FOUND_OUT);
      },
      workloads,
    ],
    isOwed: true,
  },
  'an object that the list does not show is compared when it comes back': {
    steps: [
      workloads,
      (world) => {
        world.contents.delete('cfg');
        world.tellConfig('cfg', FOUND_OUT);
      },
      edited('c'),
    ],
    isOwed: true,
  },
};

for (const [sentence, { steps, isOwed }] of Object.entries(PLAYS)) {
  test(`after a restore: ${sentence}`, () => {
    const world = restoredWorld();
    for (const step of steps) step(world);
    assert.equal(world.owes('web'), isOwed);
    if (isOwed) rolledSlowly(world);
    world.write();
    assert.equal(world.owes('web'), false, 'once is enough');
    assert.equal(world.restart().owes('web'), false);
  });
}

test('until the stream finds out, a look outside of it that shows an older version is not believed', () => {
  const world = restoredWorld();
  world.config('cfg', 'c', { relisted: true });
  world.workload('web', { stamps: {} }, { relisted: true });
  assert.equal(world.owes('web'), false);
  world.tellConfig('cfg', FOUND_OUT);
  assert.equal(world.owes('web'), true);
});

test('a patch in flight is of another time: its next one is fenced by what is there now', () => {
  const world = settled('web');
  world.now = 900;
  world.config('cfg', 'b');
  const plan = world.send('web');
  world.restore(500);
  world.workload('web', { image: 'v0' }, FOUND_OUT);
  assert.equal(world.record('web').inFlight, plan, 'what became of it is not known yet');
  abandonRollout(world.edges, new Effects(), plan);
  world.config('cfg', 'b', FOUND_OUT);
  assert.equal(fenceOf(world.send('web')), world.view('web').resourceVersion);
});

test('an answer that came before its stream found out is no later than what the stream tells', () => {
  const world = restoredWorld();
  world.config('cfg', 'a', FOUND_OUT);
  const plan = world.send('web');
  world.land(plan);
  world.record('web').workload = { ...world.record('web').workload, resourceVersion: '300' };
  world.answer(plan);
  assert.equal(world.owes('web'), false);
  world.workload('web', { stamps: {} }, FOUND_OUT);
  assert.equal(world.owes('web'), true, 'somebody took the stamp away');
});

test('after a restore nobody waits for a version that a look outside the stream has shown', () => {
  const world = restoredWorld();
  world.record('web').awaitedVersion = 'of another time';
  world.workload('web', { image: 'v0' }, FOUND_OUT);
  assert.equal(world.record('web').awaitedVersion, undefined);
  assert.equal(world.record('web').workload.resourceVersion, world.view('web').resourceVersion);
});

test('a workload that the list does not show is forgotten, however new it was', () => {
  const world = restoredWorld();
  world.live.delete('web');
  world.tellWorkload('web', FOUND_OUT);
  assert.equal(world.edges.workloads.size, 0);
});

test('an owner’s rollout of before the restore is not waited for, and the restored template begins none', () => {
  const world = settled('web');
  world.edges.absorbsOwnersRollouts = true;
  world.now = 900;
  world.workload('web', { image: 'v2', isRolledOut: false });
  assert.ok(world.record('web').ownersRollout !== undefined);
  world.restore(500);
  const { resumed } = world.workload('web', { image: 'v1', isRolledOut: true }, FOUND_OUT);
  assert.deepEqual([...resumed], [world.workloadKey('web')]);
  world.workload('web', { image: 'v0', isRolledOut: false }, FOUND_OUT);
  assert.equal(world.record('web').ownersRollout, undefined);
});

test('what is created after a restore was not in force when an owner rolled after it', () => {
  const world = new World({}, 'home', {}, { onCreate: true, onDelete: false });
  world.edges.absorbsOwnersRollouts = true;
  world.listed();
  world.workload('web', { mayMiss: ['cfg'], follows: ['cfg'] }, { initial: true });
  world.now = 1000;
  world.restore(500);
  world.workload('web', { image: 'v2', isRolledOut: false });
  world.config('cfg', 'a');
  world.workload('web', { isRolledOut: true });
  assert.equal(world.owes('web'), true);
});

test('the state is read again after a restore: an entry of after the backup is written anew', async (t) => {
  const stage = new CommitterStage(t, { 'v1.ConfigMap_cfg': 'a.1' }).listed('cfg', 'a', 'web');
  stage.listed('late', 'a', 'api');
  stage.request(['late']);
  await stage.pass(2000);
  stage.store.live = { resourceVersion: '0', data: { 'v1.ConfigMap_cfg': `${d('c')}.1` }, annotations: {} };
  stage.committer.notice(0, '0');
  await stage.pass(2000);
  assert.deepEqual(stage.store.calls, ['patch 0'], 'the stream may lag behind a write of this process');
  stage.committer.notice(0, '0', true);
  await stage.pass(5000);
  assert.equal(stage.data?.['v1.ConfigMap_late'], 'a.1');
  assert.match(stage.data?.['v1.ConfigMap_cfg'] ?? '', /^a\./);
});
