/** What `reloader plan` says of an object that is created, and of a change that is taken back. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shortDigest } from '../../../lib/model/digest.ts';
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
function held(running?: string): World {
  const annotations = { ...follows('web'), 'reloader.k8s.collaborne.com/hold': 'true' };
  const world = new World().install().configMap().deployment({ annotations });
  world.change().commit('web', digestOfValue('B')).mark('web', 'Deployment/web');
  const web = { namespace: 'default', workload: 'Deployment/web' };
  const follow = { object: 'ConfigMap/web', runningDigest: running };
  const waiting = { reason: 'hold', message: 'it is held' };
  if (running !== undefined) world.report = { workloads: [{ ...web, waiting, follows: [follow] }] };
  return world;
}

describe('a change that is held', () => {
  const [a, doubted, closed] = [shortDigest(digestOfValue('A')), '?', undefined];
  const says =
    'the running reloader alone knows whether pods of Deployment/web in default run the new content of ConfigMap/web, and /status.json of Pod/reloader-7f-x in reloader may not be read with your rights (get pods/proxy)';
  /** By what the leader says that pods run, and the next content: whether it is rolled, and what is unknown. */
  const rows: readonly (readonly [string | undefined, string, boolean, readonly string[]])[] = [
    [a, 'A', false, []],
    [a, 'C', true, []],
    [doubted, 'A', true, []],
    [closed, 'A', true, [says]],
  ];
  for (const [running, value, isRolled, unknown] of rows)
    test(`and then ${value} is applied, where the leader says ${running}`, async () => {
      const answer = await onCluster(held(running), [configMap({ value })]);
      assert.deepEqual([answer.rollouts.length, answer.unknown], [isRolled ? 1 : 0, unknown]);
      assert.equal(answer.withdrawn.length, isRolled ? 0 : 1);
    });
});
