/** Faults between the bundle, with the rights of `k8s/base`, and a real API server: nothing is lost, and nothing rolled twice. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { readText } from '../../lib/kubernetes/json-call.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import { pause } from '../faults/churn.ts';
import { FAULTS } from '../faults/faults.ts';
import { LEASE_MS } from '../faults/pair.ts';
import { Scene, WORKLOADS } from '../faults/scene.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { elected } from './leads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'the certificate of a control plane of its own is needed';

/** The changes of `web` and `other` have been one rollout, and the reloader is well. */
async function hasRolledOnce(scene: Scene, reloader: ReloaderProcess): Promise<void> {
  await scene.isRight(reloader);
  for (const workload of WORKLOADS) await scene.stage.rolledOut(workload);
  const expected = WORKLOADS.map(({ name }) => (name === 'idle' ? 1 : 2));
  assert.deepEqual(await scene.stage.revisions(WORKLOADS), expected);
  assert.equal(reloader.exit, undefined);
  assert.equal((await reloader.page('/healthz')).status, 200);
  assert.ok(!reloader.says(/internal error/), reloader.log);
}

/** Both change, near enough to each other to be one rollout of who follows both. */
async function changeBoth(scene: Scene): Promise<void> {
  await Promise.all([scene.change('web'), scene.change('other')]);
}

/** The one of them that leads; resolves when one does. */
async function leaderOf(scene: Scene, all: readonly ReloaderProcess[]): Promise<ReloaderProcess> {
  let found: ReloaderProcess | undefined;
  await scene.stage.until('one of them leads', async () => {
    const reports = await Promise.all(all.map((each) => each.status()));
    found = all.find((_, index) => reports[index]?.leader?.isThis === true);
    return found !== undefined;
  });
  assert.ok(found !== undefined);
  return found;
}

/** What the API server answers whoever sends so. */
async function statusFor(send: Send): Promise<number> {
  const response = await send({ method: 'GET', path: '/version' });
  await readText(response);
  return response.status;
}

describe('a change is rolled once although', { skip, concurrency: 5 }, () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    test(name, async () => {
      await using scene = await Scene.open(cluster);
      const { stage, proxy } = scene;
      const reloader = await scene.reloader({ needsHurry: fault.needsHurry ?? false, periodMs: 1500 });
      const end = await fault.begin(proxy);
      await changeBoth(scene);
      await stage.until('the fault is felt', () => proxy.deeds > 0);
      for (const words of fault.says) await reloader.hasSaid(words);
      await end();
      await hasRolledOnce(scene, reloader);
      assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    });
  }

  test('its token has expired, and a new one stands in --token-file later', async () => {
    await using scene = await Scene.open(cluster);
    const { stage, proxy } = scene;
    const file = path.join(cluster.access.folder, `${stage.namespace}-token`);
    await stage.put('session', 'its end is the end of the token', 'Secret');
    const account = [stage.namespace, 'reloader'] as const;
    const token = await cluster.serviceAccountToken(...account, 'session');
    await writeFile(file, token, { mode: 0o600 });
    const reloader = await scene.reloader({ flags: ['--token-file', file], token: 'none', periodMs: 1500 });
    const send = cluster.sendAs(token);
    await stage.expect('DELETE', 'secrets/session');
    // The API server believes a token for ten seconds after it was shown to be good.
    await stage.until('the token is refused', async () => (await statusFor(send)) === 401);
    proxy.disturb({}, 'cut');
    await reloader.hasSaid(/watch of ConfigMap failed, retrying.*Unauthorized/);
    await changeBoth(scene);
    await writeFile(file, await cluster.serviceAccountToken(...account));
    await hasRolledOnce(scene, reloader);
    assert.ok(!reloader.log.includes('eyJ'), 'the log holds no token');
  });
});

test('a change is rolled once although what the watches missed is forgotten by etcd', { skip }, async () => {
  assert.ok(cluster instanceof ControlPlane);
  await using scene = await Scene.open(cluster);
  const reloader = await scene.reloader({ periodMs: 1500 });
  await scene.proxy.disappear();
  await changeBoth(scene);
  await scene.stage.put('unrelated', 'so that the present version is another one');
  await cluster.compact();
  // One that runs may still know it by heart.
  await cluster.killApiServer();
  await cluster.startApiServer();
  await scene.proxy.appear();
  await reloader.hasSaid(/watch of ConfigMap failed, retrying.*expired/);
  await hasRolledOnce(scene, reloader);
});

test('a change is rolled once although the API server is killed in the middle of it', { skip }, async () => {
  assert.ok(cluster instanceof ControlPlane);
  await using scene = await Scene.open(cluster);
  const reloader = await scene.reloader({ periodMs: 1500 });
  await changeBoth(scene);
  // One of them that is heard of only after the end of the other's window is a rollout of its own.
  for (const change of [/ConfigMap\/web changed/, /ConfigMap\/other changed/]) await reloader.hasSaid(change);
  await cluster.killApiServer();
  await reloader.hasSaid(/watch of ConfigMap failed, retrying/);
  await cluster.startApiServer();
  await hasRolledOnce(scene, reloader);
});

test('a change is rolled once although the API server was away for a leader and a standby for longer than the lease', {
  skip,
}, async () => {
  assert.ok(cluster instanceof ControlPlane);
  await using scene = await Scene.open(cluster);
  const leader = await scene.reloader({ ...elected('reloader-0'), periodMs: 1500 });
  const proxy = await scene.addProxy();
  const standby = await scene.start({ ...elected('reloader-1'), periodMs: 1500, proxy });
  await scene.stage.until('the other one stands by', () => standby.isReady());
  await cluster.killApiServer();
  await leader.hasSaid(/lost the lead/);
  await pause(LEASE_MS);
  await cluster.startApiServer();
  await changeBoth(scene);
  await hasRolledOnce(scene, await leaderOf(scene, [leader, standby]));
  for (const process of [leader, standby]) assert.deepEqual(await process.stop(), { code: 0, signal: null });
});
