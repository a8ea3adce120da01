/** A state of a later version, a state that is gone, and the dry run that must not touch any. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, pair, put } from './manifests.ts';

const STATE = { namespace: 'default', name: 'reloader-state' };
const VERSION = 'reloader.k8s.collaborne.com/state-version';

describe('a state', { concurrency: 4 }, () => {
  test('of a later version is left alone: it stands down with 1 and says why', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const data = { 'v1.ConfigMap_web': 'something new' };
    cluster.sandbox.create('configmaps', { metadata: { ...STATE, annotations: { [VERSION]: '2' } }, data });
    const reloader = cluster.spawn();
    assert.deepEqual(await reloader.ended, { code: 1, signal: null });
    const error = reloader.lines.find(({ level }) => level === 'error')?.message ?? '';
    assert.match(error, /written by a later version of this program \(state version 2\): run that version/);
    assert.deepEqual(cluster.state(), data);
    assert.equal(cluster.rollouts(web), 0);
    assert.equal(cluster.writes().length, 0);
  });

  test('that is gone at a start, although stamps are there, is told of', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    put(cluster, configMap('web'), 'two');
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    await reloader.stop();
    cluster.sandbox.remove('configmaps', 'default', 'reloader-state');
    const next = await cluster.reloader();
    assert.ok(next.says(/"warn".*no state was found although Deployment\/web carry stamps/));
    put(cluster, configMap('web'), 'one');
    await cluster.podsAreCurrent(web);
    await cluster.settled(next);
    assert.equal(cluster.rollouts(web), 2);
  });
});

test('a dry run reports each rollout that would be, once, and needs nothing but rights to read', async () => {
  await using cluster = await Cluster.start();
  await pair(cluster, 'marker');
  const web = await pair(cluster, 'web');
  await (await cluster.reloader()).stop();
  const before = [cluster.writes().length, JSON.stringify(cluster.state())];
  for (const verb of ['patch', 'create', 'update', 'delete']) cluster.sandbox.denied.push({ verb });
  put(cluster, configMap('web'), 'two');
  const reloader = await cluster.reloader({ flags: ['--dry-run'] });
  const rolled = (name: string): number =>
    reloader.lines.filter(({ message }) => message.startsWith(`Deployment/${name} would be rolled:`)).length;
  await cluster.until('the change is reported', () => rolled('web') === 1);
  await cluster.settled(reloader);
  put(cluster, configMap('web'), 'three');
  await cluster.until('the next one too', () => rolled('web') === 2);
  put(cluster, configMap('marker'), 'two');
  await cluster.until('the marker is reported', () => rolled('marker') === 1);
  await cluster.settled(reloader);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  assert.equal(rolled('web'), 2);
  assert.equal(cluster.rollouts(web), 0);
  assert.deepEqual([cluster.writes().length, JSON.stringify(cluster.state())], before);
  assert.ok(!reloader.lines.some(({ level }) => level === 'error'));
  assert.ok(reloader.says(/dry run: reporting rollouts without writing anything/));
});
