/** A process that loses its lead and gains it again: what it watches, what it rolls, and what it remembers of rights. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { C } from './cases.ts';
import { stopTime, type VirtualClock } from './clock.ts';
import { newCluster, put, rolloutsIn } from './one-cluster.ts';
import { newReplica, type Replica } from './replica.ts';
import { recordedNow } from './state-fact.ts';
import { SETTINGS } from './trace-by-hand.ts';

const SETTLED_MS = 60_000;
/** Longer than the renew deadline. */
const LOST_MS = 12_000;
const LED_MS = 6_000;
/** For a rollout and its commit; shorter than a right may lag. */
const ROLLED_MS = 20_000;

let clock: VirtualClock;
let sandbox: Sandbox;
const stop: AbortController[] = [];
/** The requests that are refused now. */
let isRefused: (request: ApiRequest) => boolean;

beforeEach(() => {
  clock = stopTime();
  sandbox = newCluster();
  isRefused = () => false;
});

afterEach(async () => {
  for (const each of stop.splice(0)) each.abort();
  await pass(SETTLED_MS);
  sandbox.close();
  clock.restore();
});

const pass = async (ms: number): Promise<void> => await clock.pass(ms, () => undefined);
const isOfLease = ({ path }: ApiRequest): boolean => path.includes('/leases');

function start(): Replica {
  const replica = newReplica({
    id: 0,
    send: async (request) => {
      if (isRefused(request)) throw new Error('away');
      return await sandbox.handle(request);
    },
    settings: SETTINGS,
    podUid: 'pod',
    random: () => 0.5,
    onLine: () => undefined,
  });
  const end = new AbortController();
  stop.push(end);
  void replica.run(end.signal);
  return replica;
}

/** The lead is lost, and gained again. */
async function loseLead(replica: Replica): Promise<void> {
  isRefused = isOfLease;
  await pass(LOST_MS);
  assert.equal(replica.leads(), false);
  isRefused = () => false;
  await pass(LED_MS);
  assert.equal(replica.leads(), true);
}

function watchOf(replica: Replica, kind: string): boolean | undefined {
  const { watches } = JSON.parse(replica.pages()[0] ?? '') as {
    readonly watches: readonly { readonly stream: string; readonly isUp: boolean }[];
  };
  return watches.find(({ stream }) => stream.startsWith(kind))?.isUp;
}

test('a watch that cannot be opened again after the lead was lost is shown as down', async () => {
  const replica = start();
  await pass(SETTLED_MS);
  assert.equal(watchOf(replica, 'ConfigMap'), true);
  isRefused = (request) => isOfLease(request) || request.path.includes('/configmaps?');
  await pass(LOST_MS);
  assert.deepEqual([replica.leads(), watchOf(replica, 'ConfigMap')], [false, false]);
  isRefused = () => false;
  await pass(SETTLED_MS);
  assert.deepEqual([replica.leads(), watchOf(replica, 'ConfigMap')], [true, true]);
});

test('a change is rolled once although the lead is lost again and again', async () => {
  const replica = start();
  await pass(SETTLED_MS);
  put(sandbox, 'B');
  await pass(SETTLED_MS);
  assert.equal(rolloutsIn(sandbox), 1);
  for (let times = 0; times < 3; times += 1) await loseLead(replica);
  await pass(SETTLED_MS);
  assert.deepEqual([rolloutsIn(sandbox), recordedNow(sandbox, C)], [1, 'B']);
  put(sandbox, 'C');
  await loseLead(replica);
  await pass(SETTLED_MS);
  assert.deepEqual([recordedNow(sandbox, C), replica.hasListed()], ['C', true]);
  assert.ok(rolloutsIn(sandbox) <= 3);
});

test('a right that is missing is not waited for again in the next term', async () => {
  sandbox.addFault({
    match: { verb: 'list', resource: 'daemonsets' },
    times: 'always',
    effect: { kind: 'status', code: 403 },
  });
  sandbox.denied.push({ resource: 'daemonsets' });
  const replica = start();
  await pass(2 * SETTLED_MS);
  assert.equal(watchOf(replica, 'DaemonSet'), false);
  await loseLead(replica);
  put(sandbox, 'B');
  await pass(ROLLED_MS);
  assert.equal(recordedNow(sandbox, C), 'B');
  for (let times = 0; times < 3; times += 1) await loseLead(replica);
  await pass(SETTLED_MS);
  assert.equal(rolloutsIn(sandbox), 1);
});
