/**
 * A leader is stopped for longer than its lease while a write of it is on its way. The other one goes on; the write comes later,
 * and so does the process: neither does harm.
 */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { FaultProxy, Held, HeldPart } from '../faults/fault-proxy.ts';
import { type Member, Pair, SHORT_LEASE } from '../faults/pair.ts';
import { IDLE, type Scene, WORKLOADS } from '../faults/scene.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { pick } from '../sandbox/json.ts';
import { standsBy, tellsWhoLeads } from './leads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

/** Who sends the write that is held, which the proxy was told before. */
interface Late {
  readonly late: Member;
  readonly held: Held;
}

type Hold = (proxy: FaultProxy) => Held;

interface Write {
  readonly match: CallMatch;
  /** So many that match go on before. @default 0 */
  readonly passing?: number;
  /** Where the heir rolls once more, since the state does not tell of the rollout. @default nowhere */
  readonly repeats?: HeldPart;
  /** Runs two processes, of which the one that leads is about to send it. */
  readonly by: (pair: Pair, hold: Hold) => Promise<Late>;
  /** What the API server answers: to a request that comes late, and to one that came in time. */
  readonly statuses: Readonly<Record<HeldPart, number>>;
}

/** By one that finds no state. */
async function byTheFirst(pair: Pair, hold: Hold): Promise<Late> {
  const proxy = await pair.scene.addProxy();
  const held = hold(proxy);
  const late = await pair.start(proxy);
  await pair.start();
  return { late, held };
}

/** By one that rolls a change of what one workload follows: the second write of the state is the commit. */
async function byOneThatRolls(pair: Pair, hold: Hold): Promise<Late> {
  await pair.startBoth();
  const { leader: late } = pair;
  const held = hold(late.proxy);
  await pair.scene.change('idle');
  return { late, held };
}

/** By one that takes over, when there is something to do. */
async function byOneThatTakesOver(pair: Pair, hold: Hold): Promise<Late> {
  await pair.startBoth();
  const { leader, standby: late } = pair;
  const held = hold(late.proxy);
  await leader.process.stop();
  await pair.scene.change('web');
  // A process that starts now may find the Lease before the next try of the standby.
  await pair.scene.stage.until('the standby leads', () => pair.isHeldBy(late));
  await pair.start();
  return { late, held };
}

const STATE: CallMatch = { resource: 'configmaps', name: 'reloader-state' };
const PATCH_OF_STATE: CallMatch = { ...STATE, verb: 'patch' };
const KEYS: CallMatch = { resource: 'secrets', name: 'reloader-state-key' };

const FENCED = { request: 409, answer: 200 } as const;

const WRITES: Readonly<Record<string, Write>> = {
  'the creation of the Secret with the keys': {
    match: { ...KEYS, verb: 'apply' },
    by: byTheFirst,
    statuses: { request: 200, answer: 201 },
  },
  'the first key': { match: { ...KEYS, verb: 'patch' }, by: byTheFirst, statuses: FENCED },
  // An apply carries no version: of a state that is there it changes nothing.
  'the creation of the state': {
    match: { ...STATE, verb: 'apply' },
    by: byTheFirst,
    statuses: { request: 200, answer: 201 },
  },
  'the first entries': { match: PATCH_OF_STATE, by: byTheFirst, statuses: FENCED },
  'the patch of a workload': {
    match: { verb: 'patch', resource: 'deployments', name: 'idle' },
    by: byOneThatRolls,
    // A test of its patch fails.
    statuses: { request: 422, answer: 200 },
    repeats: 'answer',
  },
  'the mark of a rollout': { match: PATCH_OF_STATE, by: byOneThatRolls, statuses: FENCED },
  'the commit of a rollout': {
    match: PATCH_OF_STATE,
    passing: 1,
    by: byOneThatRolls,
    statuses: FENCED,
    repeats: 'request',
  },
  'the mark of a term': { match: PATCH_OF_STATE, by: byOneThatTakesOver, statuses: FENCED },
};

/** What is written of the state, its keys and the workloads; their status is not meant. */
async function written({ stage }: Scene): Promise<readonly unknown[]> {
  const state = await stage.expect('GET', 'configmaps/reloader-state');
  const { data: keys = {} } = await stage.expect('GET', 'secrets/reloader-state-key');
  const live = await Promise.all(WORKLOADS.map((each) => stage.live(each)));
  return [state, keys, ...live.map((each) => [pick(each, 'metadata', 'annotations'), each['spec'] ?? {}])];
}

/** All that changed is rolled by `leader`, each change once, and `idle` so often once more. */
async function hasRolledEach({ scene }: Pair, leader: Member, repeats: number): Promise<void> {
  await scene.isRight(leader.process);
  const expected = WORKLOADS.map((each) => {
    const changes = scene.changesOf(each);
    return `${each.name}: ${each === IDLE ? changes + repeats : changes}`;
  });
  const rollouts = WORKLOADS.map((each) => `${each.name}: ${scene.rollouts(each)}`);
  assert.deepEqual(rollouts, expected);
}

async function doesNoHarm(
  { match, passing, by, statuses, repeats: repeated }: Write,
  part: HeldPart,
): Promise<void> {
  await using pair = await Pair.prepare(cluster, { flags: SHORT_LEASE });
  const { scene } = pair;
  const repeats = part === repeated ? 1 : 0;
  const { late, held } = await by(pair, (proxy) => proxy.hold(match, part, passing));
  await scene.stage.until('the write is on its way', held.hasArrived);
  await scene.stage.until('its sender leads', () => pair.isHeldBy(late));
  const { standby: heir } = pair;
  late.process.pause();
  await scene.stage.until('the other one acts', () => pair.acts(heir));
  await scene.stage.settled(heir.process);
  await hasRolledEach(pair, heir, repeats);
  await scene.change('web');
  await hasRolledEach(pair, heir, repeats);

  const before = await written(scene);
  assert.equal(await held.release(), statuses[part]);
  assert.deepEqual(await written(scene), before);
  late.process.resume();
  await standsBy(late, heir);
  await scene.change('web');
  await hasRolledEach(pair, heir, repeats);
  assert.equal(pair.leader, heir);
  await tellsWhoLeads(pair);
  assert.deepEqual(pair.needless(repeats), []);
  // An apply that changes nothing is answered with the version of the last write, which is the other one's.
  assert.deepEqual(
    pair.intrusions().filter((each) => !each.includes(': apply ')),
    [],
  );
}

describe('a leader is stopped while on its way is', { skip, concurrency: 5 }, () => {
  for (const [what, write] of Object.entries(WRITES))
    for (const part of ['request', 'answer'] as const)
      test(part === 'request' ? what : `the answer to ${what}`, () => doesNoHarm(write, part));
});
