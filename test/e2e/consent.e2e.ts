/** An object of another namespace, on a real control plane: followed while it allows that, and told of while it does not. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { pick } from '../sandbox/json.ts';
import { isAt } from './endings.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const ALLOW_FROM = 'reloader.k8s.collaborne.com/allow-from';

test('an object of another namespace rolls who names it only while it allows that', async () => {
  await using stage = await Stage.open(cluster);
  await using other = await Stage.open(cluster);
  const shared = `${other.namespace}/shop`;
  const shop = web('shop', { annotations: { 'reloader.k8s.collaborne.com/configmap': shared } });
  const edit = (key: string, namespaces: string | null) =>
    other.expect('PATCH', 'configmaps/shop', {
      metadata: { annotations: { [ALLOW_FROM]: namespaces } },
      data: { key },
    });
  const told = async () => {
    const events = await stage.list('events');
    const own = events.filter(({ reason }) => reason === 'CrossNamespaceNotAllowed');
    return own.map((event) => String(pick(event, 'message')));
  };
  await other.put('shop', 'A');
  await stage.create(shop);
  await stage.createMarker();
  const places = ['--namespace', other.namespace, '--state-namespace', stage.namespace];
  const reloader = await stage.reloader({ flags: places });
  await stage.until('it is told', async () => (await told()).length > 0);
  assert.match((await told()).join(), new RegExp(`${shared} .*${ALLOW_FROM}: "${stage.namespace}"`));

  await edit('B', null);
  await stage.mark(reloader);
  await edit('B', `elsewhere, ${stage.namespace}`);
  await stage.until('it is followed', async () =>
    Object.keys(await stage.state()).includes(`${other.namespace}_v1.ConfigMap_shop`),
  );
  await stage.mark(reloader);
  await isAt(stage, shop, 1);

  await edit('C', stage.namespace);
  const stamps = await stage.stampedAfter(shop, {});
  assert.deepEqual(Object.keys(stamps), [`ConfigMap/${shared}`]);
  await stage.mark(reloader);
  await isAt(stage, shop, 2);

  await edit('C', null);
  await edit('D', null);
  await stage.mark(reloader);
  assert.deepEqual(await isAt(stage, shop, 2), stamps);
  await stage.until(
    'it is forgotten',
    async () =>
      !Object.keys(await stage.state())
        .join()
        .includes('shop'),
  );
});
