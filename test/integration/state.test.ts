/** The state ConfigMap as other programs, other versions and people leave it, and the dry run that must not touch it. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallMatch } from '../sandbox/faults.ts';
import { Cluster, stampsOf } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';
import { base64, olderDigest } from './older-state.ts';

const STATE = { namespace: 'default', name: 'reloader-state' };
const VERSION = 'reloader.k8s.collaborne.com/state-version';

describe('a state', { concurrency: 4 }, () => {
  test('that takes its time to be created holds a baseline of what is listed meanwhile too', async () => {
    await using cluster = await Cluster.start();
    const secret = { kind: 'Secret', namespace: 'default', name: 'late' } as const;
    put(cluster, secret, 'one');
    const late = deploy(cluster, 'late', { follows: { Secret: ['late'] } });
    await pair(cluster, 'early');
    const slow = (match: CallMatch, ms: number): void =>
      void cluster.sandbox.addFault({ match, effect: { kind: 'latency', ms } });
    slow({ verb: 'list', resource: 'secrets' }, 400);
    slow({ verb: 'apply' }, 800);
    const reloader = await cluster.reloader();
    await reloader.kill();
    put(cluster, secret, 'two');
    await cluster.settled(await cluster.reloader());
    assert.equal(cluster.rollouts(late), 1);
  });

  test('of an older program is taken over without a rollout, and what changed meanwhile is caught', async () => {
    await using cluster = await Cluster.start();
    const secret = { kind: 'Secret', namespace: 'default', name: 'same' } as const;
    put(cluster, secret, 'one');
    put(cluster, configMap('changed'), 'one');
    const same = await pair(cluster, 'marker');
    const both = deploy(cluster, 'both', { follows: { ConfigMap: ['marker'], Secret: ['same'] } });
    const changed = deploy(cluster, 'changed');
    await cluster.podsAreCurrent(both, changed);
    const orphan = olderDigest({ gone: 'long ago' });
    cluster.sandbox.create('configmaps', {
      metadata: STATE,
      data: {
        'v1.ConfigMap_marker': olderDigest({ value: 'one' }),
        'v1.ConfigMap_changed': olderDigest({ value: 'zero' }),
        'v1.Secret_same': olderDigest({ value: base64('one') }),
        'v1.ConfigMap_orphan': orphan,
      },
    });
    const reloader = await cluster.reloader();
    await cluster.until('what changed is rolled', () => cluster.rollouts(changed) === 1);
    await cluster.settled(reloader);
    assert.deepEqual(
      [same, both].map((ref) => cluster.rollouts(ref)),
      [0, 0],
    );
    assert.equal(
      cluster.sandbox.get('configmaps', 'default', 'reloader-state')?.metadata.annotations?.[VERSION],
      '1',
    );
    assert.equal(cluster.state()['v1.ConfigMap_orphan'], `collaborne:${orphan}.0`);
    await reloader.stop();
    const next = await cluster.reloader();
    await mark(cluster);
    await cluster.settled(next);
    assert.deepEqual(
      [same, both, changed].map((ref) => cluster.rollouts(ref)),
      [1, 1, 1],
    );
    put(cluster, secret, 'two');
    await cluster.podsAreCurrent(both);
    await cluster.settled(next);
    assert.deepEqual(
      [same, both, changed].map((ref) => cluster.rollouts(ref)),
      [1, 2, 1],
    );
  });

  test('of an older program keeps its entry for an object that nobody follows until somebody does', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    put(cluster, configMap('web'), 'one');
    cluster.sandbox.create('configmaps', {
      metadata: STATE,
      data: { 'v1.ConfigMap_web': olderDigest({ value: 'long ago' }) },
    });
    const reloader = await cluster.reloader();
    await mark(cluster);
    assert.match(cluster.state()['v1.ConfigMap_web'] ?? '', /^collaborne:/);
    const web = deploy(cluster, 'web');
    await cluster.podsAreCurrent(web);
    await mark(cluster);
    await cluster.settled(reloader);
    assert.equal(cluster.rollouts(web), 0);
    put(cluster, configMap('web'), 'two');
    await cluster.podsAreCurrent(web);
    await cluster.settled(reloader);
    assert.equal(cluster.rollouts(web), 1);
    assert.equal(cluster.state()['v1.ConfigMap_web'], stampsOf(cluster, web)['_RELOADER_CONFIGMAP_WEB']);
  });

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

  test('that becomes one of a later version while it runs makes it stand down too', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'web');
    const reloader = await cluster.reloader();
    cluster.sandbox.patch('configmaps', 'default', 'reloader-state', {
      metadata: { annotations: { [VERSION]: '2' } },
    });
    const left = cluster.state();
    put(cluster, configMap('web'), 'two');
    assert.deepEqual(await reloader.ended, { code: 1, signal: null });
    assert.deepEqual(cluster.state(), left);
    assert.ok(reloader.says(/state version 2/));
  });

  const damages: Record<string, (cluster: Cluster) => void> = {
    deleted: ({ sandbox }) => void sandbox.remove('configmaps', 'default', 'reloader-state'),
    emptied: ({ sandbox }) =>
      void sandbox.patch('configmaps', 'default', 'reloader-state', {
        data: null,
        metadata: { annotations: null },
      }),
  };
  for (const [name, damage] of Object.entries(damages)) {
    test(`that is ${name} while it runs is written again, with a warning, and nothing is lost or rolled`, async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      const web = await pair(cluster, 'web');
      const other = await pair(cluster, 'other');
      const reloader = await cluster.reloader();
      const before = cluster.state();
      damage(cluster);
      put(cluster, configMap('web'), 'two');
      await cluster.podsAreCurrent(web);
      await cluster.until('the state is written again', () => Object.keys(cluster.state()).length === 3);
      await cluster.settled(reloader);
      const warning =
        /"warn".*reloader-state: A state ConfigMap was deleted or emptied; it is written again from memory/;
      await reloader.hasSaid(warning);
      const digest = (entry: string | undefined): string | undefined => entry?.split('.')[0];
      const [now, key] = [cluster.state(), 'v1.ConfigMap_other'];
      assert.equal(digest(now[key]), digest(before[key]));
      await reloader.kill();
      put(cluster, configMap('other'), 'two');
      await cluster.settled(await cluster.reloader());
      await mark(cluster);
      assert.deepEqual(
        [web, other].map((ref) => cluster.rollouts(ref)),
        [1, 1],
      );
    });
  }

  test('with an entry that does not parse: the present content is the baseline, with a warning', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const web = await pair(cluster, 'web');
    const data = { 'v1.ConfigMap_web': 'what is this', 'something.else': 'stays' };
    cluster.sandbox.create('configmaps', { metadata: { ...STATE, annotations: { [VERSION]: '1' } }, data });
    const reloader = await cluster.reloader();
    assert.ok(reloader.says(/"warn".*v1\.ConfigMap_web.*does not parse/));
    await mark(cluster);
    assert.equal(cluster.rollouts(web), 0);
    assert.match(cluster.state()['v1.ConfigMap_web'] ?? '', /^[0-9a-f]{40}\.\d+$/);
    assert.equal(cluster.state()['something.else'], 'stays');
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

describe('a dry run', { concurrency: 2 }, () => {
  test('reports each rollout that would be, once, and needs nothing but rights to read', async () => {
    await using cluster = await Cluster.start();
    await pair(cluster, 'marker');
    const web = await pair(cluster, 'web');
    await (await cluster.reloader()).stop();
    const before = [cluster.writes().length, JSON.stringify(cluster.state())];
    for (const verb of ['patch', 'create', 'update', 'delete']) cluster.sandbox.denied.push({ verb });
    put(cluster, configMap('web'), 'two');
    const reloader = await cluster.reloader({ flags: ['--dry-run'] });
    const rolled = (name: string): number =>
      reloader.lines.filter(({ message }) => message.startsWith(`Deployment/${name} would be rolled:`))
        .length;
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
    assert.ok(reloader.says(/dry run: what would be rolled is reported, nothing is written/));
  });

  test('of a first start, with no state at all, writes nothing either', async () => {
    await using cluster = await Cluster.start();
    const web = await pair(cluster, 'web');
    const reloader = await cluster.reloader({ flags: ['--dry-run=true'] });
    put(cluster, configMap('web'), 'two');
    await reloader.hasSaid(/Deployment\/web would be rolled: 1 source/);
    await cluster.settled(reloader);
    assert.equal(cluster.writes().length, 0);
    assert.equal(cluster.rollouts(web), 0);
    assert.equal(cluster.rollouts(deployment('marker')), 0);
  });
});
