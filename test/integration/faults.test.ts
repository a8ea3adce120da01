/** Every fault of an API server over real sockets: nothing is lost, nothing is rolled twice, and the log says what it was. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallEffect, CallMatch, FaultRule, WatchEffect } from '../sandbox/faults.ts';
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
const READ: CallMatch = { ...OURS, verb: 'get', resource: 'deployments', name: 'web' };
const COMMIT: CallMatch = { ...OURS, verb: 'patch', resource: 'configmaps' };
const STATE: CallMatch = { ...OURS, verb: 'get', resource: 'configmaps' };

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
  assert.ok(!reloader.says(/internal error/), reloader.stderr);
  assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
}

/** The owner of the workload changes something of it. */
function changeSpec({ sandbox }: Cluster): void {
  sandbox.patch('deployments', 'default', 'web', { spec: { minReadySeconds: 1 } });
}

describe('nothing is lost and nothing rolled twice:', { concurrency: 3 }, () => {
  describe('a change is rolled once although', { concurrency: 4 }, () => {
    const cases: Record<string, Case> = {
      'the patch is forbidden once': {
        fault: { match: PATCH, effect: status(403) },
        says: /Deployment\/web is refused: .*forbidden.*; next try in/,
        retryNow: true,
      },
      'the patch meets a conflict three times': {
        fault: { match: PATCH, times: 3, effect: status(409) },
        says: /Deployment\/web was changed by another client: decided again/,
      },
      'the patch is invalid once': { fault: { match: PATCH, effect: status(422) } },
      'the same patch is invalid twice': {
        fault: { match: PATCH, times: 2, effect: status(422) },
        says: /Deployment\/web is refused: .*told to refuse it.*; next try in/,
        retryNow: true,
      },
      'the patch is throttled': {
        fault: { match: PATCH, effect: status(429, 1) },
        says: /Deployment\/web is not rolled yet: .*too many requests.*; next try in 1/,
      },
      'the patch meets a failing server': {
        fault: { match: PATCH, effect: status(500) },
      },
      'the server fails at the patch and at the look after it': {
        fault: { match: { ...OURS, resource: 'deployments', name: 'web' }, times: 2, effect: status(500) },
        says: /Deployment\/web is not rolled yet: .*told to fail/,
      },
      'the patch times out': { fault: { match: PATCH, effect: status(504) } },
      'the patch is unauthorized twice': { fault: { match: PATCH, times: 2, effect: status(401) } },
      'the answer to the patch is lost': { fault: { match: PATCH, effect: { kind: 'lost' } } },
      'the answer to the patch breaks off': { fault: { match: PATCH, effect: { kind: 'cutBody' } } },
      'the connection breaks before the patch': { fault: { match: PATCH, effect: { kind: 'refused' } } },
      'the patch takes its time': { fault: { match: PATCH, effect: { kind: 'latency', ms: 700 } } },
      'everything takes its time': {
        fault: { match: OURS, times: 'always', effect: { kind: 'latency', ms: 40 } },
      },
      'the commit is forbidden once': {
        fault: { match: COMMIT, effect: status(403) },
        says: /the state is not written yet.*rejected.*forbidden/,
      },
      'the commit meets a conflict': { fault: { match: COMMIT, effect: status(409) } },
      'the commit is throttled': {
        fault: { match: COMMIT, effect: status(429, 1) },
        says: /the state is not written yet.*too many requests/,
      },
      'the commit meets a failing server': {
        fault: { match: COMMIT, effect: status(500) },
        says: /the state is not written yet.*told to fail/,
      },
      'the answer to the commit is lost': {
        fault: { match: COMMIT, effect: { kind: 'lost' } },
        says: /the state is not written yet/,
      },
    };
    for (const [name, { fault, says, retryNow }] of Object.entries(cases)) {
      test(name, async () => {
        await using cluster = await Cluster.start();
        await pair(cluster, 'marker');
        await pair(cluster, 'web');
        const reloader = await cluster.reloader();
        cluster.sandbox.addFault(fault);
        if (retryNow) void reloader.hasSaid(/Deployment\/web is refused/).then(() => changeSpec(cluster));
        await changeUnder(cluster, reloader, says);
      });
    }

    test('it takes several tries, and is counted as one', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      cluster.sandbox.addFault({ match: PATCH, times: 2, effect: status(409) });
      await changeUnder(cluster, reloader, /Deployment\/web rolled: 1 source, 1 change"/);
      const told = reloader.lines.filter(({ message }) => message.startsWith('ConfigMap/web changed'));
      assert.equal(told.length, 1);
    });

    test('the answer to the patch is lost and the look after it is stale', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      cluster.sandbox.addFault({ match: PATCH, effect: { kind: 'lost' } });
      cluster.sandbox.addFault({ match: READ, effect: { kind: 'stale', writes: 2 } });
      await changeUnder(cluster, reloader, undefined);
    });
  });

  describe('a reloader that starts decides rightly although', { concurrency: 2 }, () => {
    const lists: Record<string, Case> = {
      'a list is forbidden at first': {
        fault: { match: { ...OURS, verb: 'list', resource: 'configmaps' }, times: 2, effect: status(403) },
      },
      'the list of Secrets is forbidden twice': {
        // The first two ask for its version.
        fault: {
          match: { ...OURS, verb: 'list', resource: 'secrets' },
          nth: 3,
          times: 2,
          effect: status(403),
        },
        says: /list of Secret failed, trying again.*forbidden/,
      },
      'a list is throttled': {
        fault: { match: { ...OURS, verb: 'list', resource: 'deployments' }, nth: 3, effect: status(429, 1) },
        says: /list of Deployment failed, trying again.*throttled/,
      },
      'a list breaks off': {
        fault: { match: { ...OURS, verb: 'list', resource: 'secrets' }, nth: 3, effect: { kind: 'cutBody' } },
        says: /list of Secret failed, trying again/,
      },
      'the first watch of ConfigMaps asks for a version too new': {
        fault: {
          match: { ...OURS, verb: 'watch', resource: 'configmaps' },
          effect: { kind: 'status', code: 504, versionTooLarge: true },
        },
        says: /watch of ConfigMap failed, trying again.*version-too-new/,
      },
      'the state cannot be read at first': {
        fault: { match: STATE, times: 2, effect: status(500) },
        says: /the state cannot be read, nothing is decided before it is/,
      },
      'the state may not be read at first': {
        fault: { match: STATE, times: 2, effect: status(403) },
        says: /the state cannot be read, nothing is decided before it is.*forbidden/,
      },
      'the state cannot be created at first': {
        fault: { match: { ...OURS, verb: 'apply' }, effect: status(500) },
        says: /the state is not written yet/,
      },
      'the answer to the creation of the state is lost': {
        fault: { match: { ...OURS, verb: 'apply' }, effect: { kind: 'lost' } },
        says: /the state is not written yet/,
      },
      'every list is stale at first': {
        fault: { match: { ...OURS, verb: 'list' }, times: 4, effect: { kind: 'stale', writes: 3 } },
      },
    };
    for (const [name, { fault, says }] of Object.entries(lists)) {
      test(name, async () => {
        await using cluster = await Cluster.start();
        await pair(cluster, 'marker');
        await pair(cluster, 'web');
        cluster.sandbox.addFault(fault);
        const reloader = await cluster.reloader();
        await changeUnder(cluster, reloader, says);
      });
    }
  });

  describe('a list of many pages ends although', { concurrency: 3 }, () => {
    const CONFIG_MAPS: CallMatch = { ...OURS, verb: 'list', resource: 'configmaps' };
    /** Of one object each. */
    async function manyPages(): Promise<Cluster> {
      const cluster = await Cluster.start({ mostPerPage: 1 });
      await pair(cluster, 'marker');
      await pair(cluster, 'web');
      for (let each = 0; each < 12; each += 1) put(cluster, configMap(`other-${each}`), 'one');
      return cluster;
    }

    for (const effect of [status(429, 1), status(500)])
      test(`every fifth request is answered ${'code' in effect ? effect.code : ''}`, async () => {
        await using cluster = await manyPages();
        cluster.sandbox.addFault({ match: CONFIG_MAPS, nth: 5, every: 5, times: 'always', effect });
        const reloader = await cluster.reloader();
        await changeUnder(
          cluster,
          reloader,
          /list of ConfigMap is complete after failures.*"failedRequests":[2-9]/,
        );
      });

    test('its continue token expires', async () => {
      await using cluster = await manyPages();
      const slow = cluster.sandbox.addFault({
        match: CONFIG_MAPS,
        times: 'always',
        effect: { kind: 'latency', ms: 200 },
      });
      const reloader = cluster.spawn();
      await cluster.until('a page is continued', () =>
        cluster.arrived.some((line) => /configmaps.*continue=/.test(line)),
      );
      put(cluster, configMap('other-0'), 'two');
      cluster.sandbox.compact();
      slow();
      await cluster.until('the reloader is ready', () => reloader.isReady());
      await cluster.settled(reloader);
      await changeUnder(cluster, reloader, /took longer than its version is kept, listing all in one answer/);
    });
  });

  describe('a change is seen although the watch', { concurrency: 2 }, () => {
    const effects: Record<string, { effect: WatchEffect; says?: RegExp }> = {
      'is cut': { effect: { kind: 'cut', how: 'throw' }, says: /watch of ConfigMap failed, trying again/ },
      'sends what is no JSON': { effect: { kind: 'garbage' }, says: /watch of ConfigMap failed.*malformed/ },
      'breaks off within a line': { effect: { kind: 'truncated' } },
      'tells of an expired version': {
        effect: { kind: 'error', code: 410 },
        says: /watch of ConfigMap failed.*expired/,
      },
      'tells of a failing server': {
        effect: { kind: 'error', code: 500 },
        says: /watch of ConfigMap failed/,
      },
    };
    const CONFIG_MAPS = { resource: 'configmaps' };
    for (const [name, { effect, says }] of Object.entries(effects)) {
      test(name, async () => {
        await using cluster = await Cluster.start();
        await pair(cluster, 'marker');
        await pair(cluster, 'web');
        const reloader = await cluster.reloader();
        assert.equal(cluster.sandbox.disturbWatches(CONFIG_MAPS, effect), 1);
        await changeUnder(cluster, reloader, says);
      });
    }

    test('ends in good order', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      assert.equal(cluster.sandbox.disturbWatches({}, { kind: 'cut', how: 'end' }), 5);
      await changeUnder(cluster, reloader, undefined);
    });

    test('comes late, behind that of the workloads', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      cluster.sandbox.delayWatches('configmaps', 300);
      await changeUnder(cluster, reloader, undefined);
    });

    test('has expired, and the list after it is older than what was seen', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      const web = await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      const { writes } = cluster.sandbox;
      put(cluster, configMap('web'), 'two');
      await cluster.podsAreCurrent(web);
      await cluster.settled(reloader);
      const match = { ...OURS, verb: 'list', resource: 'configmaps' } as const;
      const effect = { kind: 'stale', writes: cluster.sandbox.writes - writes } as const;
      cluster.sandbox.addFault({ match, effect });
      cluster.sandbox.disturbWatches(CONFIG_MAPS, { kind: 'error', code: 410 });
      await reloader.hasSaid(/list of ConfigMap failed.*older than what was seen before/);
      await mark(cluster);
      assert.equal(cluster.rollouts(web), 1);
    });

    test('cannot be resumed, since what it missed is forgotten: it is listed anew', async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      const web = await pair(cluster, 'web');
      const reloader = await cluster.reloader();
      await cluster.disappear();
      put(cluster, configMap('web'), 'two');
      put(cluster, configMap('other'), 'one');
      cluster.sandbox.compact();
      await cluster.appear();
      await cluster.podsAreCurrent(web);
      await mark(cluster);
      assert.equal(cluster.rollouts(web), 1);
      await reloader.hasSaid(/watch of ConfigMap failed.*expired/);
      assert.ok(
        ((await reloader.metric('reloader_watch_restarts_total{kind="ConfigMap",reason="expired"}')) ?? 0) >
          0,
      );
    });
  });
});
