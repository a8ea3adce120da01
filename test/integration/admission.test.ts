/** A webhook that cannot have its certificate keeps the reloader from nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cluster, stampsOf } from './harness.ts';
import { configMap, pair, put } from './manifests.ts';

test('where the configuration of the webhook is missing, that is said, and changes are rolled', async () => {
  await using cluster = await Cluster.start();
  const web = await pair(cluster, 'web');
  const reloader = await cluster.reloader({
    flags: ['--webhook-port', '0', '--webhook-tls-secret', 'webhook'],
  });
  await reloader.hasSaid(/certificate of the admission webhook cannot be looked after/);
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is rolled', () => Object.keys(stampsOf(cluster, web)).length > 0);
  await cluster.podsAreCurrent(web);
  await cluster.settled(reloader);
  assert.equal(cluster.sandbox.get('secrets', 'default', 'webhook'), undefined);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
});
