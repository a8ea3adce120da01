/** A leader and a standby: whatever becomes of the one, the other goes on, and nothing is lost or rolled twice. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { whileChanging } from '../faults/churn.ts';
import { LEASE_MS, Pair, RETRY_MS, SHORT_LEASE } from '../faults/pair.ts';
import { Scene, WEB, WORKLOADS } from '../faults/scene.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { randomOf } from '../simulation/random.ts';
import { elected, SLACK_MS, tellsWhoLeads } from './leads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

/** Where the leader releases the Lease. */
const RELEASED_MS = 2000;

/** What a former leader has rolled without a commit may be rolled once more: so often was the lead lost. */
function rollsOnce(pair: Pair, losses: number): void {
  assert.deepEqual(pair.needless(losses), []);
  assert.ok(WORKLOADS.slice(0, 3).every((each) => pair.scene.rollouts(each) > 0));
}

function leaseIn({ stage }: Scene): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${stage.namespace}/leases`;
}

test('nothing is lost or rolled twice where the leader is killed and ended', { skip }, async () => {
  await using pair = await Pair.open(cluster, { flags: SHORT_LEASE });
  const random = randomOf(1);
  await tellsWhoLeads(pair);
  for (const end of ['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    const { leaseMs } = await pair.takeOver(end, random);
    const mostMs = end === 'SIGTERM' ? RELEASED_MS : LEASE_MS + RETRY_MS + SLACK_MS;
    assert.ok(leaseMs <= mostMs, `${end}: ${leaseMs} ms`);
  }
  await pair.isRight();
  await tellsWhoLeads(pair);
  assert.deepEqual(pair.intrusions(), []);
  rollsOnce(pair, 2);
});

describe('what becomes of the lead where', { skip, concurrency: 2 }, () => {
  test('the leader is stopped for longer than its lease, and goes on', async () => {
    await using pair = await Pair.open(cluster, { flags: SHORT_LEASE });
    const { scene, leader, standby } = pair;
    await whileChanging(scene, randomOf(2), async () => {
      leader.process.pause();
      await scene.stage.until('the other one leads', () => pair.isHeldBy(standby));
      const { length } = scene.changedAt;
      leader.process.resume();
      // Which of them it notices first is a matter of chance: that its lease is over, or the mark of the other one.
      await leader.process.hasSaid(/lost the lead|another process writes the state/);
      await scene.stage.until('more has changed', () => scene.changedAt.length > length + 5);
    });
    await pair.isRight();
    await tellsWhoLeads(pair);
    assert.equal(pair.leader, standby);
    assert.deepEqual(pair.intrusions(), []);
    rollsOnce(pair, 1);
  });

  const HANDS: Readonly<Record<string, (lease: string) => Promise<JsonObject>>> = {
    deleted: (lease) => cluster.expect('DELETE', lease),
    emptied: (lease) => cluster.expect('PATCH', lease, { spec: { holderIdentity: '' } }),
    'given to one that never comes': (lease) =>
      cluster.expect('PATCH', lease, { spec: { holderIdentity: 'a person' } }),
  };
  for (const [what, edit] of Object.entries(HANDS))
    test(`the Lease is ${what}`, async () => {
      await using pair = await Pair.open(cluster, { flags: SHORT_LEASE });
      const { scene, leader, standby } = pair;
      const lease = `${leaseIn(scene)}/reloader-state`;
      const edited = await edit(lease);
      await Promise.all(['web', 'other'].map((name) => scene.change(name)));
      await scene.stage.until('one that runs has it', async () => {
        const { body } = await cluster.ask('GET', lease);
        const version = pick(body, 'metadata', 'resourceVersion');
        const isNewer = version !== pick(edited, 'metadata', 'resourceVersion');
        const isSeen = pick(body, 'spec', 'holderIdentity') === pair.witness.holder;
        return isNewer && isSeen && (pair.isHeldBy(leader) || pair.isHeldBy(standby));
      });
      await pair.isRight();
      rollsOnce(pair, 1);
    });

  test('the Lease is held by one that never returns', async () => {
    await using scene = await Scene.open(cluster);
    const now = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '000Z');
    const spec: JsonObject = {
      holderIdentity: 'gone',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 7,
    };
    await cluster.expect('POST', leaseIn(scene), { metadata: { name: 'reloader-state' }, spec });
    const before = performance.now();
    const reloader = await scene.start(elected('reloader-0'));
    await reloader.hasSaid(/became the leader/);
    const waitedMs = performance.now() - before;
    assert.ok(waitedMs >= LEASE_MS, `${waitedMs} ms`);
    const lease = await cluster.expect('GET', `${leaseIn(scene)}/reloader-state`);
    assert.equal(pick(lease, 'spec', 'leaseTransitions'), 8);
    await scene.stage.ready(reloader);
    await scene.change('web');
    await scene.isRight(reloader);
    assert.equal(scene.rollouts(WEB), 1);
  });

  test('a process has no right to leases: it leads alone, and warns once', async () => {
    await using scene = await Scene.open(cluster);
    const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${scene.stage.namespace}/roles/reloader-state`;
    const rules = objectsOf((await cluster.expect('GET', role))['rules']);
    const others = rules.filter(({ resources }) => !(resources as readonly string[]).includes('leases'));
    assert.ok(others.length < rules.length);
    await cluster.expect('PATCH', role, { rules: others });
    const reloader = await scene.reloader(elected('reloader-0'));
    await reloader.hasSaid(/"reason":"baseline".*ConfigMap\/web|ConfigMap\/web.*"reason":"baseline"/);
    await scene.stage.mark(reloader);
    await scene.change('web');
    await scene.isRight(reloader);
    assert.equal(scene.rollouts(WEB), 1);
    assert.equal(await reloader.metric('reloader_leader'), 1);
    assert.equal((await reloader.status()).leader?.isThis, true);
    const warnings = reloader.lines.filter(({ level, message }) => level === 'warn' && /lead/.test(message));
    assert.deepEqual(
      warnings.map(({ message }) => /leases of coordination\.k8s\.io/.test(message)),
      [true],
    );
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  });
});
