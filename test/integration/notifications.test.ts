/** Who is told outside the cluster: a webhook in place of rollouts, and alerts beside them. */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { WorkloadRef } from '../../lib/model/object-ref.ts';
import { Cluster } from './harness.ts';
import { configMap, deploy, mark, pair, put } from './manifests.ts';
import { CUT, type Received, Receiver, SILENCE, status } from './receiver.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const SECRET = 'hunter2-in-the-path';

interface Told {
  readonly id: string;
  readonly time: string;
  readonly workload: WorkloadRef;
  readonly objects: readonly unknown[];
}

function toldBy({ bodies }: Receiver): readonly Told[] {
  return bodies.map((body) => JSON.parse(body) as Told);
}

function webhook({ host }: Receiver): { flags: string[] } {
  return { flags: ['--webhook-url', `http://me:${SECRET}@${host}/${SECRET}?key=${SECRET}`] };
}

function alerts({ host }: Receiver): { env: Record<string, string> } {
  const url = `http://${host}/${SECRET}`;
  return { env: { ALERT_ON_RELOAD: 'true', ALERT_SINK: 'slack', ALERT_WEBHOOK_URL: url } };
}

/** A Deployment that follows two ConfigMaps, whose pods run. */
async function web(cluster: Cluster): Promise<WorkloadRef> {
  for (const name of ['one', 'two']) put(cluster, configMap(name), '1');
  const ref = deploy(cluster, 'web', { follows: { ConfigMap: ['one', 'two'] } });
  await cluster.podsAreCurrent(ref);
  return ref;
}

/** Nothing that a person can see shows more of an address than its host. */
async function keepsTheSecret(reloader: ReloaderProcess): Promise<void> {
  const pages = await Promise.all(['/', '/status.json', '/metrics'].map((path) => reloader.page(path)));
  const shown = [reloader.log, ...pages.map(({ text }) => text)].join('\n');
  assert.ok(!shown.includes(SECRET), 'the secret part of an address is shown');
}

function events({ sandbox }: Cluster): string[] {
  return sandbox
    .list('events')
    .filter((event) => event['reason'] === 'WebhookNotified')
    .map((event) => String(event['message']));
}

describe('a webhook in place of rollouts', { concurrency: 4 }, () => {
  test('is told once of a window, who and what it is about, and nothing is patched', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start(status(202));
    const ref = await web(cluster);
    const first = await cluster.reloader(webhook(receiver));
    put(cluster, configMap('one'), '2');
    put(cluster, configMap('two'), '2');
    await cluster.until('it is told', () => receiver.bodies.length > 0);
    await cluster.settled(first);
    const [told] = toldBy(receiver);
    assert.deepEqual(told?.workload, ref);
    assert.deepEqual(told?.objects, [configMap('one'), configMap('two')]);
    await cluster.until('an Event tells of it', () => events(cluster).length > 0);
    assert.deepEqual(events(cluster), [
      'sent to the webhook once for 2 changes of ConfigMap/one, ConfigMap/two',
    ]);
    await keepsTheSecret(first);
    assert.deepEqual(await first.stop(), { code: 0, signal: null });
    const second = await cluster.reloader(webhook(receiver));
    put(cluster, configMap('one'), '3');
    await cluster.until('it is told of the next change', () => receiver.bodies.length > 1);
    await cluster.settled(second);
    assert.deepEqual(
      toldBy(receiver).map(({ objects }) => objects.length),
      [2, 1],
    );
    assert.equal(new Set(toldBy(receiver).map(({ id }) => id)).size, 2);
    assert.deepEqual(cluster.patches(), []);
  });

  test('is told with a signature of the key that the file has now', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start();
    await web(cluster);
    const file = cluster.file('key');
    const { flags } = webhook(receiver);
    const reloader = await cluster.reloader({ flags: [...flags, '--webhook-secret-file', file] });
    put(cluster, configMap('one'), '2');
    await reloader.hasSaid(/the file of --webhook-secret-file has no key.*next try in/);
    assert.deepEqual(receiver.bodies, []);
    await writeFile(file, 'hunter2\n');
    await cluster.settled(reloader);
    const [{ headers, body }] = receiver.received as [Received];
    const expected = createHmac('sha256', 'hunter2').update(body).digest('hex');
    assert.equal(headers['x-reloader-signature'], `sha256=${expected}`);
    assert.ok(!reloader.log.includes('hunter2'));
  });

  test('that fails is told again until it has taken it, also by the next process', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start(status(503));
    receiver.next.push(CUT);
    await web(cluster);
    const first = await cluster.reloader(webhook(receiver));
    put(cluster, configMap('one'), '2');
    await first.hasSaid(/Deployment\/web is not sent to the webhook yet: .* answered 503; next try in/);
    await keepsTheSecret(first);
    await first.kill();
    receiver.next.push(status(500));
    receiver.usual = status(200);
    const tries = receiver.bodies.length;
    const second = await cluster.reloader(webhook(receiver));
    await cluster.settled(second);
    assert.ok(receiver.bodies.length >= tries + 1);
    assert.equal(toldBy(receiver).at(-1)?.workload.name, 'web');
    const after = receiver.bodies.length;
    await second.stop();
    await (await cluster.reloader(webhook(receiver))).stop();
    assert.equal(receiver.bodies.length, after, 'what was taken is not told again');
    assert.deepEqual(cluster.patches(), []);
  });

  test('is not told anything by a dry run', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start();
    await web(cluster);
    const { flags } = webhook(receiver);
    const reloader = await cluster.reloader({ flags: [...flags, '--dry-run'] });
    put(cluster, configMap('one'), '2');
    await reloader.hasSaid(/Deployment\/web would be sent to the webhook: 1 source/);
    await reloader.stop();
    assert.deepEqual(receiver.bodies, []);
  });
});

describe('alerts', { concurrency: 4 }, () => {
  test('are one for each rollout, with all its objects, and none for a start', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start(status(202));
    const ref = await web(cluster);
    const reloader = await cluster.reloader(alerts(receiver));
    put(cluster, configMap('one'), '2');
    put(cluster, configMap('two'), '2');
    await cluster.podsAreCurrent(ref);
    await cluster.until('it has arrived', () => receiver.bodies.length > 0);
    await cluster.until('it is counted', async () => {
      return (await reloader.metric('reloader_alerts_total{result="sent"}')) === 1;
    });
    await keepsTheSecret(reloader);
    await reloader.stop();
    const text =
      'Reloader detected changes in *one* of type *CONFIGMAP*, *two* of type *CONFIGMAP* in namespace *default*. Hence reloaded *web* of type *Deployment* in namespace *default*';
    assert.deepEqual(
      receiver.bodies.map((body) => JSON.parse(body) as unknown),
      [{ attachments: [{ color: 'good', author_name: 'Reloader', text }] }],
    );
    assert.equal(cluster.rollouts(ref), 1);
  });

  test('are one for all workloads that wait for the approval of one content', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start(status(202));
    put(cluster, configMap('one'), '1');
    const annotations = { 'reloader.k8s.collaborne.com/approval': 'required' };
    for (const name of ['web', 'api']) {
      await cluster.podsAreCurrent(deploy(cluster, name, { follows: { ConfigMap: ['one'] } }));
      cluster.sandbox.patch('deployments', 'default', name, { metadata: { annotations } });
    }
    const reloader = await cluster.reloader(alerts(receiver));
    put(cluster, configMap('one'), '2');
    for (const name of ['web', 'api'])
      await reloader.hasSaid(new RegExp(`Deployment/${name} is not rolled yet: it needs an approval`));
    await reloader.stop();
    assert.equal(receiver.bodies.length, 1);
    const [body = ''] = receiver.bodies;
    assert.match(body, /"color":"warning".*changes in \*one\* of type \*CONFIGMAP\*.*\(ApprovalRequired\)/);
    for (const name of ['web', 'api']) assert.ok(body.includes(`*${name}* of type *Deployment*`));
  });

  test('that nobody takes delay no rollout, and not the end for long', async () => {
    await using cluster = await Cluster.start();
    await using receiver = await Receiver.start(SILENCE);
    await pair(cluster, 'marker');
    const reloader = await cluster.reloader(alerts(receiver));
    for (let i = 0; i < 3; i += 1) await mark(cluster);
    await cluster.settled(reloader);
    assert.equal(receiver.bodies.length, 1, 'one at a time');
    await keepsTheSecret(reloader);
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
    assert.ok(reloader.says(/alert not sent.*no answer from http:\/\/127\.0\.0\.1:\d+ before the end/));
    assert.ok(reloader.says(/no time left to send them.*"alerts":2/));
    assert.ok(!reloader.log.includes(SECRET));
  });
});
