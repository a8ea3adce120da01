/** What `reloader plan` says of an object that is created, and of a change that is taken back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../digests.ts';
import { rolledOut } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, World } from './world.ts';

test('only workloads that started without an object are rolled when it is created', async () => {
  const world = new World().install(['-A', '--reload-on-create']);
  world.deployment({ name: 'named', annotations: follows('n'), reads: [] });
  const envFrom = [{ configMapRef: { name: 'n', optional: true } }];
  world.deployment({ name: 'optional', annotations: follows('n'), container: { envFrom } });
  await rolledOut(world, (name) => name !== 'reloader');
  world.deployment({ name: 'required', annotations: follows('n'), reads: ['n'] });
  const { rollouts } = await onCluster(world, [configMap({ value: 'B' }, 'n')], true);
  assert.deepEqual(
    rollouts.map(({ workload }) => workload.name),
    ['named', 'optional'],
  );
});

function digestOfValue(value: string): string {
  return digestOf('ConfigMap', { metadata: { name: 'web' }, data: { value } });
}

/** Held for more than a minute, from A to B: the state marks it, and has the digest of B. */
function held(): World {
  const annotations = { ...follows('web'), 'reloader.k8s.collaborne.com/hold': 'true' };
  const world = new World().install().configMap().deployment({ annotations });
  return world.change().commit('web', digestOfValue('B')).mark('web', 'Deployment/web');
}

for (const value of ['A', 'C'])
  test(`whether pods run ${value}, which follows a change that is held, is not known`, async () => {
    const { rollouts, withdrawn, unknown } = await onCluster(held(), [configMap({ value })]);
    assert.deepEqual([rollouts.length, withdrawn], [1, []]);
    assert.deepEqual(unknown, [
      'the running reloader alone knows whether pods of Deployment/web in default run the new content of ConfigMap/web',
    ]);
  });
