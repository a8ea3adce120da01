/** What is read to compare the stamps of another reloader: no more than is needed, and each thing once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stakaterDigestOf } from '../../../lib/annotations/inherited-digests.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { InheritedStamps } from '../../../lib/repair/inherited-comparison.ts';
import { settle } from '../state/committer-stage.ts';
import { World } from '../tracking/world.ts';

const WRITTEN = 1_000_000_000;
const RAW = { metadata: { name: 'cfg' }, data: { key: 'value' } };

/** Workloads that follow `cfg`, with a stamp of this content, whose pods are so much younger than the object. */
async function compared(names: readonly string[], stamp: string, youngerS: number) {
  const world = new World();
  world.config('cfg', 'b', { initial: true });
  const config = world.store.configs.get(world.configKey('cfg'));
  assert.ok(config !== undefined);
  config.lastWrite = WRITTEN;
  const env = [{ name: 'STAKATER_CFG_CONFIGMAP', value: stamp }];
  const template = { spec: { containers: [{ name: 'main', env }] } };
  for (const name of names)
    world.workload(name, { follows: ['cfg'], template, uid: `uid-${name}` }, { initial: true });
  assert.deepEqual(world.plans(), [], 'nothing is written before');
  const asked: string[] = [];
  const birth = { revision: '1', createdAt: WRITTEN + youngerS };
  const inherited = new InheritedStamps({
    store: world.store,
    client: { get: () => assert.fail('no workload is read') },
    readConfig: ({ name }) => {
      asked.push(name);
      return Promise.resolve({ kind: 'found', object: RAW });
    },
    readBirths: (namespace, kind) => {
      asked.push(`${kind}s of ${namespace}`);
      return Promise.resolve({
        kind: 'listed',
        births: new Map(names.map((name) => [`uid-${name}`, birth])),
      });
    },
    isSynced: () => true,
    apply: () => undefined,
    random: () => 0,
    log: NO_LOG,
  });
  inherited.review();
  await settle();
  assert.notDeepEqual(world.plans(), [], 'the baseline is written then');
  return { asked, outdated: names.filter((name) => world.needsRollout(name)) };
}

const SAME = stakaterDigestOf('ConfigMap', RAW);
const OTHER = 'f'.repeat(40);

test('templates are listed once for a namespace, and an object that many follow is read once', async () => {
  const asked = ['Deployments of home', 'cfg'];
  assert.deepEqual(await compared(['web', 'api'], OTHER, 0), { asked, outdated: ['web', 'api'] });
  assert.deepEqual(await compared(['web', 'api'], SAME, 0), { asked, outdated: [] });
});

test('beside younger pods no object is read', async () => {
  assert.deepEqual(await compared(['web'], OTHER, 2), { asked: ['Deployments of home'], outdated: [] });
});
