/** Rules that are easily lost in a rewrite, since all goes well without them almost always. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ControllersOptions } from '../../../lib/app/controllers.ts';
import { Reloader } from '../../../lib/app/reloader.ts';
import { Heartbeat } from '../../../lib/model/health.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { Timeline } from '../../../lib/model/timeline.ts';
import { Findings } from '../../../lib/report/findings.ts';
import { Journal } from '../../../lib/report/journal.ts';
import { RolloutController } from '../../../lib/rollout/rollout-controller.ts';
import { type Stream, SyncGate } from '../../../lib/store/sync-gate.ts';
import { mockTime } from '../../mock-time.ts';
import { CommitterStage, settle } from '../state/committer-stage.ts';
import { ScriptedStore } from '../state/scripted-store.ts';
import { settled, settledWith, World } from '../tracking/world.ts';

/** How long the end may take. */
const END_MS = 20_000;

/** Resolves when `signal` is aborted. */
function never(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A gate whose streams have all listed. */
function openGate(): SyncGate {
  const streams = ['ConfigMap', 'Deployment'].map((kind) => {
    return { kind, namespace: 'home', isWorkload: kind === 'Deployment' };
  });
  const gate = new SyncGate(streams);
  for (const stream of streams) gate.markSynced(stream);
  return gate;
}

/** An attempt is made, and the state is written that its patch waits for. */
async function attempted({ mock }: TestContext): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await settle();
    mock.timers.tick(0);
  }
  await settle();
}

/** A reloader over `world`, without a quiet period; its looks at objects fail. `calls`: what it asked for, in order. */
function reloaderOver(world: World, changes: Partial<ControllersOptions> = {}) {
  const calls: string[] = [];
  const ignore = (): void => {};
  const reloader = new Reloader({
    store: world.store,
    gate: openGate(),
    state: { name: 'reloader-state', shardBytes: 262_144 },
    finish: () => Promise.resolve({ kind: 'accepted', object: undefined }),
    client: {
      roll: async ({ workload: { name } }) => {
        calls.push(`roll ${name}`);
        return { kind: 'unanswered', message: 'lost' };
      },
      get: async () => ({ kind: 'failed', message: 'away' }),
    },
    stateClient: new ScriptedStore(),
    timeline: new Timeline(),
    log: NO_LOG,
    heartbeat: new Heartbeat(),
    recordEvent: ignore,
    isDryRun: false,
    journal: new Journal(NO_LOG),
    leads: true,
    onUnknownVersion: ignore,
    quietMs: 0,
    maxWaitMs: 0,
    concurrency: 1,
    isShared: true,
    staging: { soakMs: 0 },
    random: () => 0,
    wait: (ms, signal) => {
      if (ms === END_MS) return never(signal);
      calls.push('wait');
      return Promise.resolve();
    },
    ...changes,
  });
  return { reloader, calls };
}

test('the end waits for the patch under way', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const world = settled('web');
  world.config('cfg', 'b');
  const { promise, resolve } = Promise.withResolvers<void>();
  const roll = async () => {
    await promise;
    return { kind: 'gone' } as const;
  };
  const get = async () => ({ kind: 'absent' }) as const;
  const { reloader, calls } = reloaderOver(world, { client: { roll, get } });
  reloader.controllers.rollouts.touch(world.workloadKey('web'), 1);
  await attempted(t);
  const end = reloader.finish().then(() => calls.push('end'));
  await settle();
  assert.deepEqual(calls, []);
  resolve();
  await end;
  assert.deepEqual(calls, ['end']);
});

test('when the time for the end is over nothing is written any more', async (t) => {
  mockTime(t);
  const world = settled('web');
  world.config('cfg', 'b');
  const stateClient = new ScriptedStore({});
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  const roll = async () => {
    await cut;
    return { kind: 'gone' } as const;
  };
  const get = async () => ({ kind: 'absent' }) as const;
  const over = Promise.withResolvers<void>();
  const changes = { stateClient, client: { roll, get }, wait: () => over.promise };
  const { reloader } = reloaderOver(world, changes);
  reloader.controllers.rollouts.touch(world.workloadKey('web'), 1);
  await attempted(t);
  const end = reloader.finish();
  await settle();
  over.resolve();
  await end;
  stateClient.calls.length = 0;
  reloader.controllers.committer.request([world.configKey('cfg')]);
  for (const step of ['while the patch hangs', 'once it is cut']) {
    t.mock.timers.tick(5000);
    await settle();
    assert.deepEqual(stateClient.calls, [], step);
    resolve();
  }
});

test('pods that started before a change that was told first may have read what was reverted since', () => {
  const world = settled('web');
  world.edit('web', { image: 'v2', isRolledOut: false });
  world.config('cfg', 'b');
  world.config('cfg', 'a');
  assert.equal(world.needsRollout('web'), false);
  world.tellWorkload('web', { since: 2 });
  assert.ok(world.needsRollout('web'));
});

test('a rollout that is undone before it was seen through leaves pods of before, though it is committed', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  world.roll('web', false);
  world.write();
  world.workload('web', { stamps: {}, isRolledOut: true });
  assert.ok(world.needsRollout('web'));
  assert.ok(world.restart().needsRollout('web'));
});

test('the end waits for no longer than a pod is given to end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const world = settled('web');
  world.config('cfg', 'b');
  const roll = () => new Promise<never>(() => {});
  const get = async () => ({ kind: 'absent' }) as const;
  const waits: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = (ms: number) => {
    waits.push(ms);
    return promise;
  };
  const { reloader } = reloaderOver(world, { client: { roll, get }, wait });
  reloader.controllers.rollouts.touch(world.workloadKey('web'), 1);
  await attempted(t);
  const end = reloader.finish();
  await settle();
  assert.deepEqual(waits, [END_MS]);
  resolve();
  await end;
});

test('the end tries a commit that fails again, until its time is over', async (t) => {
  mockTime(t, { apis: [] });
  const store = new ScriptedStore({});
  const away = { kind: 'throttled', message: 'away', retryAfterMs: 3000 } as const;
  store.faults.push(...Array.from({ length: 9 }, () => away));
  const waits: number[] = [];
  const late = Promise.withResolvers<void>();
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms);
    if (ms === END_MS) await late.promise;
    else if (waits.length === 4) late.resolve();
  };
  const world = new World();
  const { reloader } = reloaderOver(world, { stateClient: store, wait });
  const end = reloader.finish();
  reloader.controllers.committer.known.begin([store.live]);
  world.config('cfg', 'a', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  reloader.controllers.committer.request([world.configKey('cfg')]);
  await end;
  assert.deepEqual(waits, [END_MS, 3000, 3000, 3000]);
  await settle();
  const tries = store.patches.length;
  await settle();
  assert.equal(store.patches.length, tries, 'nothing is tried any more');
});

test('a state that could not be read when it was noticed is read again', async (t) => {
  const stage = new CommitterStage(t, { cfg: 'a.1' }).listed('cfg', 'a', 'web');
  await stage.pass(5000);
  const read = stage.store.read.bind(stage.store);
  let reads = 0;
  Object.assign(stage.store, {
    read: (shard: number) => {
      reads += 1;
      return reads === 1 ? Promise.resolve({ kind: 'failed', message: 'away' }) : read(shard);
    },
  });
  stage.committer.notice(0, 'somebody-elses');
  await stage.pass(5000);
  assert.equal(reads, 2);
});

test('a look at a workload that ends while it is looked at does not bring it back', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const world = settled('web');
  const annotations = { 'reloader.k8s.collaborne.com/configmap': 'cfg' };
  const raw = {
    metadata: { ...world.workloadRef('web'), uid: 'uid-web', resourceVersion: '900', annotations },
  };
  world.config('cfg', 'b');
  const get = async () => {
    world.store.workloads.delete(world.workloadKey('web')); // as its stream would have it meanwhile
    return { kind: 'found', object: raw } as const;
  };
  const roll = async () => ({ kind: 'conflict' }) as const;
  const { reloader } = reloaderOver(world, { client: { roll, get } });
  reloader.controllers.rollouts.touch(world.workloadKey('web'), 1);
  await attempted(t);
  assert.equal(world.store.workloads.has(world.workloadKey('web')), false);
});

test('a defect about one workload stops neither a start nor the others, and is shown until it is over', async (t) => {
  mockTime(t);
  const former = settledWith({}, ['bad', 'web']);
  const bad = former.workloadKey('bad');
  let isBroken = true;
  const events: string[] = [];
  const { reloader, calls } = reloaderOver(new World(), {
    random: () => 0.5,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    recordEvent: ({ regarding, reason }) => void events.push(`${regarding.name} ${reason}`),
  });
  const { review } = Findings.prototype;
  t.mock.method(Findings.prototype, 'review', function (this: Findings, key: string) {
    if (isBroken && key === bad) throw new Error('a defect');
    review.call(this, key);
  });
  const { wake } = RolloutController.prototype;
  t.mock.method(RolloutController.prototype, 'wake', function (this: RolloutController, key: string) {
    if (isBroken && key === bad) throw new Error('a defect');
    wake.call(this, key);
  });
  const [configs, workloads] = ['ConfigMap', 'Deployment'].map((kind) => ({
    kind,
    namespace: undefined,
    isWorkload: kind === 'Deployment',
  })) as [Stream, Stream];
  const key = former.configKey('cfg');
  const see = (resourceVersion: string, isInInitialList: boolean): void => {
    const { ref, digest = '' } = former.store.configs.get(key) ?? assert.fail();
    const object = { ref, uid: '', resourceVersion, digest, keyDigests: '', annotations: {} };
    const span = { from: Number(resourceVersion) - 1, to: Number(resourceVersion) };
    reloader.onConfig(configs, { type: 'present', key, object, span, isInInitialList, isRelisted: false });
  };
  see('1', true);
  for (const [workload, { workload: object }] of former.store.workloads)
    reloader.onWorkload(workloads, {
      ...{ type: 'present', key: workload, object, isInInitialList: true, isRelisted: false },
      span: { from: 1, to: 2 },
    });
  former.config('cfg', 'b');
  see('99', false);
  await settle();
  t.mock.timers.tick(1000);
  await attempted(t);
  assert.deepEqual(calls.filter((call) => call.startsWith('roll')).toSorted(), ['roll bad', 'roll web']);
  assert.ok(events.includes('bad InternalError'));
  assert.deepEqual(
    reloader.controllers.findings.of(bad).map(({ reason }) => reason),
    ['internal-error'],
  );
  isBroken = false;
  for (let second = 0; second < 60; second += 1) t.mock.timers.tick(1000);
  assert.deepEqual(reloader.controllers.findings.of(bad), []);
  assert.equal(events.filter((event) => event.includes('InternalError')).length, 1);
  reloader.abandon();
});
