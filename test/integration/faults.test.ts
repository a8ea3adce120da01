/** Faults of an API server over real sockets: nothing is lost, nothing is rolled twice, and the log says what it was. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallEffect, CallMatch, FaultRule, WatchEffect } from '../sandbox/faults.ts';
import { objectOf } from '../sandbox/json.ts';
import { Cluster } from './harness.ts';
import { configMap, mark, pair, put } from './manifests.ts';
import type { ReloaderProcess } from './reloader-process.ts';

/** A fault, and the words for it. */
interface Case {
  readonly fault: FaultRule;
  /** What a line of the log says; undefined where nobody needs to know. */
  readonly says?: RegExp;
  /** Refused patches are tried again after many seconds, or when the owner changes the workload: here he does. */
  readonly retryNow?: true;
}

const OURS = { userAgent: 'kubernetes-reloader' };
const PATCH: CallMatch = { ...OURS, verb: 'patch', resource: 'deployments', name: 'web' };
const COMMIT: CallMatch = { ...OURS, verb: 'patch', resource: 'configmaps' };
const STATE: CallMatch = { ...OURS, verb: 'get', resource: 'configmaps' };
const KEYS: CallMatch = { ...OURS, resource: 'secrets', name: 'reloader-state-key' };
const KEYS_UNREAD = /cannot read the digest keys; nothing is watched until they are read/;

function status(code: (CallEffect & { kind: 'status' })['code'], retryAfterSeconds?: number): CallEffect {
  return { kind: 'status', code, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** A change is made and rolled once while the fault is in force. */
async function changeUnder(
  cluster: Cluster,
  reloader: ReloaderProcess,
  says: RegExp | undefined,
): Promise<void> {
  const web = { kind: 'Deployment', namespace: 'default', name: 'web' };
  put(cluster, configMap('web'), 'two');
  await cluster.podsAreCurrent(web);
  await mark(cluster);
  await cluster.settled(reloader);
  assert.equal(cluster.rollouts(web), 1);
  assert.equal(reloader.exit, undefined);
  if (says !== undefined) await reloader.hasSaid(says);
  assert.ok(!reloader.says(/internal error/), reloader.log);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
}

/** The owner of the workload changes something of it. */
function changeSpec({ sandbox }: Cluster): void {
  sandbox.patch('deployments', 'default', 'web', { spec: { minReadySeconds: 1 } });
}

/** A cluster with the pairs `web` and `marker`. */
async function begun(): Promise<Cluster> {
  const cluster = await Cluster.start();
  for (const name of ['marker', 'web']) await pair(cluster, name);
  return cluster;
}

/** What goes wrong while a change is rolled and committed. */
const CHANGES: Record<string, Case> = {
  'the patch is forbidden once': {
    fault: { match: PATCH, effect: status(403) },
    says: /Deployment\/web is refused: .*forbidden.*; next try in/,
    retryNow: true,
  },
  'the patch meets a conflict three times': {
    fault: { match: PATCH, times: 3, effect: status(409) },
    says: /Deployment\/web was changed by another client: decided again/,
  },
  'the same patch is invalid each time': {
    fault: { match: PATCH, times: 3, effect: status(422) },
    says: /Deployment\/web is refused: .*told to refuse it.*; next try in/,
    retryNow: true,
  },
  'the patch is throttled': {
    fault: { match: PATCH, effect: status(429, 1) },
    says: /Deployment\/web is not rolled yet: .*too many requests.*; next try in 1/,
  },
  'the answer to the patch is lost': { fault: { match: PATCH, effect: { kind: 'lost' } } },
  'the answer to the patch breaks off': { fault: { match: PATCH, effect: { kind: 'cutBody' } } },
  'the connection breaks before the patch': { fault: { match: PATCH, effect: { kind: 'refused' } } },
  'everything takes its time': {
    fault: { match: OURS, times: 'always', effect: { kind: 'latency', ms: 40 } },
  },
  'the commit is forbidden once': {
    fault: { match: COMMIT, effect: status(403) },
    says: /cannot write the state yet.*rejected.*forbidden/,
  },
  'the answer to the commit is lost': {
    fault: { match: COMMIT, effect: { kind: 'lost' } },
    says: /cannot write the state yet/,
  },
};

/** What goes wrong while a reloader starts. */
const STARTS: Record<string, Case> = {
  'the list of Secrets is forbidden twice': {
    // The first two ask for its version.
    fault: { match: { ...OURS, verb: 'list', resource: 'secrets' }, nth: 3, times: 2, effect: status(403) },
    says: /list of Secret failed, retrying.*forbidden/,
  },
  'a list breaks off': {
    fault: { match: { ...OURS, verb: 'list', resource: 'secrets' }, nth: 3, effect: { kind: 'cutBody' } },
    says: /list of Secret failed, retrying/,
  },
  'the first watch of ConfigMaps asks for a version too new': {
    fault: {
      match: { ...OURS, verb: 'watch', resource: 'configmaps' },
      effect: { kind: 'status', code: 504, versionTooLarge: true },
    },
    says: /watch of ConfigMap failed, retrying.*version-too-new/,
  },
  'the state may not be read at first': {
    fault: { match: STATE, times: 2, effect: status(403) },
    says: /cannot read the state; nothing is rolled until it is read.*forbidden/,
  },
  'the answer to the creation of the state is lost': {
    fault: { match: { ...OURS, verb: 'apply', resource: 'configmaps' }, effect: { kind: 'lost' } },
    says: /cannot write the state yet/,
  },
  'the answer to the creation of the Secret with the keys is lost': {
    fault: { match: { ...KEYS, verb: 'apply' }, effect: { kind: 'lost' } },
    says: KEYS_UNREAD,
  },
  'the answer to the first key is lost': {
    fault: { match: { ...KEYS, verb: 'patch' }, effect: { kind: 'lost' } },
    says: KEYS_UNREAD,
  },
  'the keys cannot be read at first': {
    fault: { match: { ...KEYS, verb: 'get' }, times: 2, effect: status(500) },
    says: KEYS_UNREAD,
  },
};

/** What becomes of the watch of ConfigMaps. */
const WATCHES: Record<string, { effect: WatchEffect; says?: RegExp }> = {
  'is cut': { effect: { kind: 'cut', how: 'throw' }, says: /watch of ConfigMap failed, retrying/ },
  'ends in good order': { effect: { kind: 'cut', how: 'end' } },
  'sends what is no JSON': { effect: { kind: 'garbage' }, says: /watch of ConfigMap failed.*malformed/ },
  'breaks off within a line': { effect: { kind: 'truncated' } },
  'tells of an expired version': {
    effect: { kind: 'error', code: 410 },
    says: /watch of ConfigMap failed.*expired/,
  },
  'tells of a failing server': { effect: { kind: 'error', code: 500 }, says: /watch of ConfigMap failed/ },
};

describe('a change is rolled once although', { concurrency: 4 }, () => {
  for (const [name, { fault, says, retryNow }] of Object.entries(CHANGES)) {
    test(name, async () => {
      await using cluster = await begun();
      const reloader = await cluster.reloader();
      cluster.sandbox.addFault(fault);
      if (retryNow) void reloader.hasSaid(/Deployment\/web is refused/).then(() => changeSpec(cluster));
      await changeUnder(cluster, reloader, says);
    });
  }

  for (const [name, { fault, says }] of Object.entries(STARTS)) {
    test(`at the start ${name}`, async () => {
      await using cluster = await begun();
      cluster.sandbox.addFault(fault);
      await changeUnder(cluster, await cluster.reloader(), says);
    });
  }

  for (const [name, { effect, says }] of Object.entries(WATCHES)) {
    test(`the watch ${name}`, async () => {
      await using cluster = await begun();
      const reloader = await cluster.reloader();
      assert.equal(cluster.sandbox.disturbWatches({ resource: 'configmaps' }, effect), 1);
      await changeUnder(cluster, reloader, says);
    });
  }

  test('another writer of the status precedes each request, and costs none', async () => {
    await using cluster = await begun();
    const reloader = await cluster.reloader();
    let writes = 0;
    cluster.intercept = ({ method, path }) => {
      if (method !== 'PATCH' || !path.includes('/deployments/web?')) return undefined;
      writes += 1;
      const status = cluster.sandbox.get('deployments', 'default', 'web')?.['status'];
      const conditions = [{ type: 'Busy', status: 'True', message: String(writes) }];
      cluster.sandbox.setStatus('deployments', 'default', 'web', { ...objectOf(status), conditions });
      return undefined;
    };
    await changeUnder(cluster, reloader, undefined);
    const requests = cluster.audits.filter(
      ({ resource, name }) => resource === 'deployments' && name === 'web',
    );
    assert.deepEqual(
      requests.map(({ verb }) => verb),
      ['patch'],
    );
    assert.equal(writes, 1);
  });

  test('what the watch missed is forgotten', async () => {
    await using cluster = await begun();
    const reloader = await cluster.reloader();
    await cluster.disappear();
    put(cluster, configMap('other'), 'one');
    cluster.sandbox.compact();
    await cluster.appear();
    await changeUnder(cluster, reloader, /watch of ConfigMap failed.*expired/);
  });
});
