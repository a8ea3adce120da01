/** A Rollout and the Deployment that has its template are one workload. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockOf, newBlockers } from '../../../lib/blockers/blockers.ts';
import type { RawWorkload, Referenced } from '../../../lib/model/raw-objects.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { planRollout } from '../../../lib/rollout/plan-rollout.ts';
import { needsRollout } from '../../../lib/tracking/edge-policy.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { observeWorkload } from '../../../lib/tracking/observe-workload.ts';
import { healthy } from './rollout-world.ts';
import { changesOf } from './sketch.ts';
import { settled, type World } from './world.ts';

const ROLLOUT = 'home/Rollout/web';
const ASKS = { 'reloader.k8s.collaborne.com/configmap': 'cfg' };

interface Told {
  readonly at: number;
  readonly to?: string;
  readonly version?: number;
  readonly generation?: number;
  readonly rolled?: number;
  readonly asks?: Readonly<Record<string, string>>;
  readonly problem?: string;
}

function rawOf({
  at,
  to = 'web',
  version = at,
  generation = 1,
  rolled = 1,
  asks = ASKS,
  problem,
}: Told): RawWorkload {
  const referenced: Referenced = {
    kind: 'Deployment',
    name: to,
    generation,
    resourceVersion: String(version),
    annotations: asks,
    ownAnnotations: asks,
  };
  const template = { spec: { containers: [{ name: 'main', image: `v${generation}` }] } };
  return {
    metadata: {
      name: 'web',
      namespace: 'home',
      uid: 'uid-of-rollout',
      resourceVersion: String(at),
      generation: 1 + generation,
      annotations: asks,
    },
    spec: problem === undefined ? { template } : {},
    status: { ...healthy('h1'), observedGeneration: '1', workloadObservedGeneration: String(rolled) },
    referenced:
      problem === undefined ? referenced : { ...referenced, generation: 0, resourceVersion: '', problem },
  };
}

function view(world: World, told: Told): Workload {
  return workloadOf(workloadKindOf('Rollout'), rawOf(told), world.store.settings.vocabularies);
}

function tell(world: World, told: Told): Effects {
  const object = view(world, told);
  const span = { from: told.at - 1, to: told.at };
  const event = {
    type: 'present',
    key: ROLLOUT,
    object,
    span,
    isInInitialList: false,
    isRelisted: false,
  } as const;
  return observeWorkload(world.store, event);
}

test('annotations on both objects are one edge, and the Deployment owes nothing of its own', () => {
  const world = settled('web');
  tell(world, { at: 20 });
  assert.deepEqual([...world.store.workloads.keys()], [ROLLOUT]);
  world.now = 20;
  world.config('cfg', 'b');
  world.tellWorkload('web');
  assert.deepEqual([...world.store.workloads.keys()], [ROLLOUT]);
  assert.ok(needsRollout(world.store, ROLLOUT));
  const plan = planRollout(world.store, ROLLOUT);
  assert.deepEqual(
    [plan?.workload.kind, plan?.referenced?.kind, plan?.referenced?.resourceVersion],
    ['Rollout', 'Deployment', '20'],
  );
});

test('an approval is asked for on the Deployment, whose patch removes it, and on a Rollout that is restarted', () => {
  const PREFIX = 'reloader.k8s.collaborne.com';
  const restarting = { 'reloader.stakater.com/rollout-strategy': 'restart' };
  for (const [further, asked] of [
    [{}, 'deployment/app'],
    [restarting, 'rollout/web'],
  ] as const) {
    const world = settled();
    const asks = { ...ASKS, ...further, [`${PREFIX}/approval`]: 'required', [`${PREFIX}/approved`]: 'stale' };
    tell(world, { at: 20, to: 'app', asks });
    world.now = 20;
    world.config('cfg', 'b');
    const record = world.store.workloads.get(ROLLOUT);
    assert.ok(record !== undefined);
    assert.match(blockOf(newBlockers(world), record, 0)?.message ?? '', new RegExp(` ${asked} -n home `));
    const plan = planRollout(world.store, ROLLOUT);
    assert.equal(plan?.referenced?.name, further === restarting ? undefined : 'app');
    assert.equal(plan && changesOf(plan).annotations[`${PREFIX}/approved`], null);
  }
});

test('a Rollout that asks for nothing leaves its Deployment alone too', () => {
  const world = settled('web');
  tell(world, { at: 20, asks: {} });
  assert.equal(world.store.workloads.size, 0);
  world.workload('web', { image: 'v2' });
  assert.equal(world.store.workloads.size, 0);
});

test('a Deployment is followed again once the Rollout is gone', () => {
  const world = settled('web');
  tell(world, { at: 20 });
  const absent = { type: 'absent', key: ROLLOUT, span: { from: 20, to: 21 } } as const;
  observeWorkload(world.store, absent);
  assert.equal(world.store.workloads.size, 0);
  world.now = 21;
  world.workload('web', { image: 'v2' });
  assert.deepEqual([...world.store.workloads.keys()], [world.workloadKey('web')]);
});

test('a Deployment is followed again once the Rollout refers elsewhere', () => {
  const world = settled('web', 'other');
  tell(world, { at: 20 });
  tell(world, { at: 21, to: 'other' });
  world.now = 21;
  world.workload('web', { image: 'v2' });
  world.workload('other', { image: 'v2' });
  assert.deepEqual([...world.store.workloads.keys()].sort(), [world.workloadKey('web'), ROLLOUT].sort());
});

test('only the generation of the Deployment that was rolled tells that the pods are new', () => {
  const world = settled();
  assert.equal(view(world, { at: 20 }).isRolledOut, true);
  assert.equal(view(world, { at: 20, generation: 2 }).isRolledOut, false);
  assert.equal(view(world, { at: 20, generation: 2, rolled: 2 }).isRolledOut, true);
  // It was created anew.
  assert.equal(view(world, { at: 20, generation: 1, rolled: 2 }).isRolledOut, false);
});

test('a later version of the Deployment is news, although the Rollout stays at its version', () => {
  const world = settled();
  tell(world, { at: 20, version: 15 });
  tell(world, { at: 20, version: 25, generation: 2 });
  assert.equal(world.store.workloads.get(ROLLOUT)?.workload.referenced?.resourceVersion, '25');
  tell(world, { at: 20, version: 15 });
  assert.equal(world.store.workloads.get(ROLLOUT)?.workload.referenced?.resourceVersion, '25');
});

test('a Rollout whose Deployment is missing follows nothing', () => {
  const world = settled();
  tell(world, { at: 20 });
  tell(world, { at: 20, problem: 'it is gone' });
  assert.equal(world.store.workloads.size, 0);
});
