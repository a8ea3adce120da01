/** What `reloader plan` says of an object that is created. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
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
