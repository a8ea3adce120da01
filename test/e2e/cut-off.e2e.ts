/** A leader that cannot reach the API server, or only its Lease, and one beside which another acts without a Lease. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { whileChanging } from '../faults/churn.ts';
import type { FaultProxy } from '../faults/fault-proxy.ts';
import type { Fault } from '../faults/faults.ts';
import { LEASE_MS, Pair, RENEW_MS, RETRY_MS, SHORT_LEASE } from '../faults/pair.ts';
import { IDLE } from '../faults/scene.ts';
import type { Possession } from '../faults/witness.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { randomOf } from '../simulation/random.ts';
import { SLACK_MS, standsBy, tellsWhoLeads } from './leads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

/** How long a process without a Lease stays away from a state that another one writes. */
const AWAY_MS = 10_000;
/** By how much two pieces of news may come nearer to each other than what they tell of. */
const LATE_NEWS_MS = 1000;

/** New requests are not answered; what is open goes on. */
function hanging(match: CallMatch): Fault['begin'] {
  return async (proxy: FaultProxy) => {
    const lift = proxy.add({ match, times: 'always', effect: { kind: 'hang', effect: false } });
    return async () => lift();
  };
}

const CUTS: Readonly<Record<string, Fault['begin']>> = {
  'requests are not answered': hanging({}),
  'Lease alone is out of reach': hanging({ resource: 'leases' }),
  'connections are cut and refused': async (proxy) => {
    await proxy.disappear();
    return () => proxy.appear();
  },
};

/** It stops to act in time, stands by in the same process, and leads again. */
async function survives(cut: Fault['begin'], random: () => number): Promise<void> {
  await using pair = await Pair.open(cluster, { flags: SHORT_LEASE });
  const { scene, leader: late, standby: heir } = pair;
  await whileChanging(scene, random, async () => {
    const begun = performance.now();
    const mend = await cut(late.proxy);
    await late.process.hasSaid(/lost the lead/);
    const lostMs = performance.now() - begun;
    assert.ok(lostMs <= RENEW_MS + SLACK_MS, `${lostMs} ms`);
    await scene.stage.until('the other one leads', () => pair.isHeldBy(heir));
    const ledMs = Number(pair.witness.holders.at(-1)?.at) - begun;
    assert.ok(ledMs <= LEASE_MS + RETRY_MS + SLACK_MS, `${ledMs} ms`);
    await mend();
    await standsBy(late, heir);
  });
  await scene.isRight(heir.process);
  await tellsWhoLeads(pair);

  // Nothing was told of these two since the cut.
  await heir.process.stop();
  await scene.change('idle');
  await scene.isRight(late.process);
  assert.equal(scene.rollouts(IDLE), 1);
  assert.equal(pair.leader, late);
  assert.deepEqual(pair.intrusions(), []);
  assert.deepEqual(pair.needless(1), []);
}

/** Each stops when the other one has marked the state, and stands again after its time. */
async function isContested(): Promise<void> {
  await using pair = await Pair.prepare(cluster, { flags: SHORT_LEASE });
  const { scene, witness } = pair;
  const { process: leader } = await pair.start();
  await scene.stage.settled(leader);
  const proxy = await scene.addProxy();
  const other = await scene.start({ flags: ['--rollout-limit=off'], env: { POD_NAME: 'other' }, proxy });
  const marks = (): readonly Possession[] => witness.writers.filter(({ identity }) => identity !== '');
  await whileChanging(scene, randomOf(9), async () => {
    await scene.stage.until('each has marked the state twice', () => marks().length >= 4);
    await other.stop();
  });
  await scene.isRight(leader);

  for (const [index, { identity, at }] of marks().entries()) {
    // A process that starts waits for no other one.
    if (index < 2) continue;
    const ms = at - Number(marks()[index - 1]?.at);
    const leastMs = identity.startsWith('other_') ? AWAY_MS : LEASE_MS;
    assert.ok(ms >= leastMs - LATE_NEWS_MS, `${identity}: ${ms} ms`);
  }
  await leader.hasSaid(/\(other_\S+, term 2\): this one \(reloader-0_\S+, term 1\) stops/);
  await other.hasSaid(/\(reloader-0_\S+, term 3\): this one \(other_\S+, term 2\) stops/);
  const warnings = leader.lines.filter(
    ({ level, message }) => level === 'warn' && /writes the state/.test(message),
  );
  assert.equal(warnings.length, marks().filter(({ identity }) => identity.startsWith('other_')).length);
  // A patch that was sent before the Lease was released may arrive after it.
  assert.deepEqual(
    pair.intrusions().filter((each) => !each.endsWith('names ""')),
    [],
  );
  // A term may repeat a rollout of the one before it.
  assert.deepEqual(scene.rolledTooOften(marks().length), []);
}

describe('nothing is lost or rolled twice where', { skip, concurrency: 4 }, () => {
  for (const [index, [what, cut]] of Object.entries(CUTS).entries())
    test(`the leader's ${what}`, () => survives(cut, randomOf(index)));
  test('another process acts without a Lease', isContested);
});
