/** A cluster into which the state and the Lease of another one were restored: its first process waits, and goes on from both. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { markIn } from '../../lib/model/shards.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, STATE_NAME } from './api.ts';
import { stopTime, type VirtualClock } from './clock.ts';
import { inNamespace, newCluster, put, raise, rolloutsIn } from './one-cluster.ts';
import { newReplica, type Replica } from './replica.ts';
import { SETTINGS } from './trace-by-hand.ts';

const ROLLED_MS = 30_000;
/** The longest time until another's Lease is taken, and some. */
const TAKEN_MS = 18_000;

/** One life of the cluster, whose versions go up to 100. */
function lifeOf(state?: object): Sandbox {
  const sandbox = newCluster();
  if (state !== undefined) sandbox.create('configmaps', inNamespace(state));
  raise(sandbox, 100);
  return sandbox;
}

/** The state as somebody who takes a backup finds it. */
function stateOf(sandbox: Sandbox): object {
  const { metadata, data } = sandbox.get('configmaps', NAMESPACE, STATE_NAME) as unknown as {
    readonly metadata: { readonly annotations: object };
    readonly data: object;
  };
  return { metadata: { name: STATE_NAME, annotations: metadata.annotations }, data };
}

/** The Lease that goes with it. */
function leaseOf(sandbox: Sandbox): object {
  const { spec } = sandbox.get('leases', NAMESPACE, STATE_NAME) as unknown as LooseObject;
  return { metadata: { name: STATE_NAME }, spec };
}

/** The term that the state is marked with. */
function termIn(sandbox: Sandbox): number {
  const { metadata } = sandbox.get('configmaps', NAMESPACE, STATE_NAME) as unknown as LooseObject;
  return markIn(metadata.annotations ?? {}).term;
}

/** A process of a pod of its own, or without one for which no leader is elected. */
function replicaOf(send: Send, id: number, podUid?: string): Replica {
  return newReplica({ id, send, settings: SETTINGS, podUid, random: () => 0.5, onLine: () => undefined });
}

let clock: VirtualClock;

beforeEach(() => {
  clock = stopTime();
});

afterEach(() => clock.restore());

const pass = async (ms: number): Promise<void> => await clock.pass(ms, () => undefined);

test('who first starts where a state and a Lease were restored waits for the Lease, and goes on from both', async () => {
  const first = lifeOf();
  const stop = new AbortController();
  const before = replicaOf((request) => first.handle(request), 0, 'pod-of-before').run(stop.signal);
  await pass(ROLLED_MS);
  const term = termIn(first);
  const second = lifeOf(stateOf(first));
  second.create('leases', inNamespace(leaseOf(first)));
  stop.abort();
  await pass(ROLLED_MS);
  await before;
  first.close();

  const end = new AbortController();
  const replica = replicaOf((request) => second.handle(request), 1, 'pod-of-now');
  const running = replica.run(end.signal);
  await pass(14_000);
  assert.deepEqual([replica.leads(), termIn(second)], [false, term]);
  await pass(TAKEN_MS - 14_000);
  assert.deepEqual([replica.leads(), termIn(second)], [true, term + 1]);
  await pass(ROLLED_MS);
  assert.equal(rolloutsIn(second), 0, 'nothing has changed');
  put(second, 'B');
  await pass(ROLLED_MS);
  assert.equal(rolloutsIn(second), 1);
  end.abort();
  await pass(ROLLED_MS);
  await running;
  second.close();
});
