/** Why nothing happens, as people are told it: a line of the log, a notice on the page, an Event on the workload. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reason } from '../../lib/model/reasons.ts';
import type { StoredObject } from '../sandbox/stored-object.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const PREFIX = 'reloader.k8s.collaborne.com';

/** A Deployment `web` that follows nothing, with these annotations. */
function web(cluster: Cluster, annotations: Record<string, string>): void {
  put(cluster, configMap('web'), 'one');
  deploy(cluster, 'web', { follows: {} });
  cluster.sandbox.patch('deployments', 'default', 'web', { metadata: { annotations } });
}

/** The Events of a reason that the cluster holds. */
function events({ sandbox }: Cluster, reason: string): StoredObject[] {
  return sandbox.list('events').filter((event) => event['reason'] === reason);
}

/** How often the reloaders tried to record an Event of a reason. */
function attempts({ audits }: Cluster, reason: string): number {
  return audits.filter(({ resource, body }) => {
    return resource === 'events' && (body as { reason?: string } | undefined)?.reason === reason;
  }).length;
}

/** The lines of its log that have this reason. */
function lines(reloader: ReloaderProcess, reason: Reason): string[] {
  return reloader.lines.filter((line) => line['reason'] === reason).map(({ message }) => message);
}

/** What stands against the Deployment `web` on the page. */
async function findings(reloader: ReloaderProcess): Promise<{ reason: Reason; message: string }[]> {
  const { workloads } = await reloader.status();
  const found = workloads.find(({ workload }) => workload === 'Deployment/web');
  return (found?.findings ?? []).map(({ reason, message }) => ({ reason, message }));
}

/** Resolves when all that was to be recorded until now has been tried: a rollout of the marker is recorded too. */
async function allRecorded(cluster: Cluster): Promise<void> {
  const before = attempts(cluster, 'Reloaded');
  await mark(cluster);
  await cluster.until('the marker is recorded', () => attempts(cluster, 'Reloaded') > before);
}

test('why nothing happens is told by the log, the page and an Event, and not repeated', async () => {
  await using cluster = await Cluster.start();
  await pair(cluster, 'marker');
  web(cluster, { [`${PREFIX}/configmaps`]: 'web' });
  const reloader = await cluster.reloader();
  const event = 'MistypedAnnotation';
  await cluster.until('an Event tells of it', () => events(cluster, event).length > 0);
  const [told] = events(cluster, event);
  assert.match(String(told?.['message']), /has no effect; write .*\/configmap$/);
  assert.equal(told?.['type'], 'Warning');
  await cluster.until('the log does too', () => lines(reloader, 'mistyped').length > 0);
  assert.deepEqual(lines(reloader, 'mistyped'), [`Deployment/web: ${told?.['message']}`]);
  assert.deepEqual(await findings(reloader), [{ reason: 'mistyped', message: told?.['message'] }]);

  cluster.sandbox.restart(deployment('web'));
  await allRecorded(cluster);
  assert.deepEqual([lines(reloader, 'mistyped').length, attempts(cluster, event)], [1, 1]);

  await reloader.stop();
  const next = await cluster.reloader();
  await cluster.until('the next one has tried too', () => attempts(cluster, event) === 2);
  await allRecorded(cluster);
  assert.deepEqual([events(cluster, event).length, attempts(cluster, event)], [1, 2]);

  const annotations = { [`${PREFIX}/configmaps`]: null, [`${PREFIX}/configmap`]: 'web' };
  cluster.sandbox.patch('deployments', 'default', 'web', { metadata: { annotations } });
  await cluster.until('it is mended', async () => (await findings(next)).length === 0);
  await cluster.settled(next);
  put(cluster, configMap('web'), 'two');
  await cluster.until('it is rolled', () => cluster.rollouts(deployment('web')) === 1);
});

test('that a paused Deployment will take its rollout later is told, once', async () => {
  await using cluster = await Cluster.start();
  const ref = await pair(cluster, 'web');
  cluster.sandbox.patch('deployments', 'default', 'web', { spec: { paused: true } });
  const reloader = await cluster.reloader();
  assert.deepEqual(await findings(reloader), []);
  for (const [index, value] of ['two', 'three'].entries()) {
    put(cluster, configMap('web'), value);
    await cluster.until('it is recorded', () => events(cluster, 'Reloaded').length === index + 1);
  }
  const says = /it is paused: its pods take it after kubectl rollout resume deployment\/web$/;
  await cluster.until('an Event tells of it', () => events(cluster, 'PodsNotReplaced').length > 0);
  for (const event of [...events(cluster, 'PodsNotReplaced'), ...events(cluster, 'Reloaded')])
    assert.match(String(event['message']), says);
  assert.deepEqual(
    (await findings(reloader)).map(({ reason }) => reason),
    ['pods-not-replaced'],
  );
  assert.ok(!cluster.isCurrent(ref));
  assert.deepEqual(
    [lines(reloader, 'pods-not-replaced').length, attempts(cluster, 'PodsNotReplaced')],
    [1, 1],
  );
  cluster.sandbox.patch('deployments', 'default', 'web', { spec: { paused: false } });
  await cluster.podsAreCurrent(ref);
  await cluster.until('nothing stands', async () => (await findings(reloader)).length === 0);
});

describe('Events', { concurrency: 4 }, () => {
  test('that may not be recorded are complained of once, and nothing else suffers', async () => {
    await using cluster = await Cluster.start();
    const match = { resource: 'events' };
    cluster.sandbox.addFault({ match, times: 'always', effect: { kind: 'status', code: 403 } });
    await pair(cluster, 'marker');
    web(cluster, { [`${PREFIX}/configmaps`]: 'web', [`${PREFIX}/secrets`]: 'web' });
    const reloader = await cluster.reloader();
    await cluster.until('both are tried', () => attempts(cluster, 'MistypedAnnotation') === 2);
    await allRecorded(cluster);
    await cluster.settled(reloader);
    await reloader.stop();
    const complaints = reloader.lines.filter(({ message }) => message.startsWith('cannot record Events'));
    assert.equal(complaints.length, 1);
    assert.equal(lines(reloader, 'mistyped').length, 2);
    assert.equal(cluster.sandbox.list('events').length, 0);
  });
});
