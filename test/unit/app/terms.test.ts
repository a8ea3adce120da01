/** The terms of a process: what it reads before it acts, and what becomes of it when it leads no longer. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Reloader } from '../../../lib/app/reloader.ts';
import { type Term, Terms, type TermsOptions } from '../../../lib/app/terms.ts';
import type { LeadEnd, Leadership } from '../../../lib/leader/elector.ts';
import type { ConfigObject } from '../../../lib/model/config-object.ts';
import { Heartbeat } from '../../../lib/model/health.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { Timeline } from '../../../lib/model/timeline.ts';
import { Journal } from '../../../lib/report/journal.ts';
import { type StateClient, stateKeysOf } from '../../../lib/store/state-client.ts';
import { Store } from '../../../lib/store/store.ts';
import { SyncGate } from '../../../lib/store/sync-gate.ts';
import { mockTime } from '../../mock-time.ts';
import { settingsWith } from '../../settings.ts';
import { settle } from '../state/committer-stage.ts';
import { ScriptedKeys } from '../state/scripted-keys.ts';
import { ScriptedStore } from '../state/scripted-store.ts';
import { settled, type World } from '../tracking/world.ts';

const CONFIG_MAPS = { kind: 'ConfigMap', namespace: 'home', isWorkload: false };
const DEPLOYMENTS = { kind: 'Deployment', namespace: 'home', isWorkload: true };

/** A process whose lead is in the hands of the test. */
class Stage {
  readonly store: ScriptedStore;
  readonly calls: string[] = [];
  readonly told: string[] = [];
  readonly terms: Terms;
  readonly ends: LeadEnd[] = [];
  readonly timeline = new Timeline();
  readonly #signals: AbortController[] = [];
  #isValid = true;

  constructor(t: TestContext, store = new ScriptedStore({}), changes: Partial<TermsOptions> = {}) {
    mockTime(t);
    this.store = store;
    const say = (message: string): void => void this.told.push(message);
    const log = { ...NO_LOG, warn: say, error: say };
    this.terms = new Terms({
      election: { identity: 'me', run: (signal, lead) => this.#elect(signal, lead) },
      storeFor: () => Object.assign(this.store, { keys: new ScriptedKeys() }),
      keys: { areKnown: true, isReplaced: false, read: async () => undefined },
      newLeader: (term) => this.#reloader(term),
      newStandby: () => this.#reloader(undefined),
      log,
      random: () => 0,
      ...changes,
    });
  }

  /** Leads until it is ended; then again if it is told so. */
  async #elect(signal: AbortSignal, lead: (leadership: Leadership) => Promise<LeadEnd>): Promise<void> {
    while (!signal.aborted) {
      const own = new AbortController();
      this.#signals.push(own);
      this.#isValid = true;
      this.ends.push(
        await lead({ signal: AbortSignal.any([signal, own.signal]), isValid: () => this.#isValid }),
      );
    }
  }

  /** The lead is lost, and gained again. */
  lose(): void {
    this.#isValid = false;
    this.#signals.at(-1)?.abort();
  }

  #reloader(term: Term | undefined): Reloader {
    return new Reloader({
      store: new Store(settingsWith({ ownState: new Set(stateKeysOf('reloader-state', 'home')) })),
      gate: new SyncGate([CONFIG_MAPS, DEPLOYMENTS]),
      state: { name: 'reloader-state', shardBytes: 262_144 },
      finish: () => Promise.resolve({ kind: 'accepted', object: undefined }),
      client: {
        roll: async ({ workload: { name } }) => {
          this.calls.push(`roll ${name}`);
          return { kind: 'unanswered', message: 'lost' };
        },
        get: async ({ name }) => {
          this.calls.push(`get ${name}`);
          return { kind: 'absent' };
        },
      },
      stateClient: this.store,
      timeline: this.timeline,
      log: NO_LOG,
      heartbeat: new Heartbeat(),
      recordEvent: () => {},
      isDryRun: false,
      journal: new Journal(NO_LOG),
      leads: term !== undefined,
      mark: term?.mark,
      onContested: term?.onContested,
      onUnknownVersion: term?.onUnknownVersion ?? (() => {}),
      quietMs: 0,
      maxWaitMs: 0,
      concurrency: 1,
      isShared: true,
      staging: { soakMs: 0 },
      random: () => 0,
      wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    });
  }

  /** The streams tell all that `world` has seen. */
  tell(world: World): void {
    const { current } = this.terms;
    for (const [key, { ref, digest = '', annotations, writtenAt }] of world.store.configs) {
      const object = { ref, uid: '', resourceVersion: '1', digest, keyDigests: '', annotations };
      const span = { from: Number.NEGATIVE_INFINITY, to: writtenAt };
      const event = { type: 'present', key, object, span, isInInitialList: true, isRelisted: false } as const;
      current.onConfig(CONFIG_MAPS, event);
    }
    current.onConfig(CONFIG_MAPS, { type: 'synced' });
    for (const [key, { workload, knownAt }] of world.store.workloads) {
      const span = { from: Number.NEGATIVE_INFINITY, to: knownAt };
      const listed = { isInInitialList: true, isRelisted: false } as const;
      current.onWorkload(DEPLOYMENTS, { type: 'present', key, object: workload, span, ...listed });
    }
    current.onWorkload(DEPLOYMENTS, { type: 'synced' });
  }
}

function objectOf(world: World): ConfigObject {
  const { ref, digest = '' } = world.store.configs.get(world.configKey('cfg')) ?? assert.fail();
  return { ref, uid: '', resourceVersion: '9', digest, keyDigests: '', annotations: {} };
}

function never(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function pass(t: TestContext, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await settle();
    t.mock.timers.tick(500);
  }
  await settle();
}

test('nothing is listed before the state is read', async (t) => {
  const store = new ScriptedStore({});
  const { promise, resolve } = Promise.withResolvers<void>();
  const read: StateClient['read'] = async (shard) => {
    await promise;
    return new ScriptedStore({}).read(shard);
  };
  const stage = new Stage(t, Object.assign(store, { read }));
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, async () => {
    stage.calls.push('list');
    stop.abort();
  });
  await settle();
  assert.deepEqual(stage.calls, []);
  resolve();
  assert.equal(await end, 'stopped');
  assert.deepEqual(stage.calls, ['list']);
});

test('a state of which any part cannot be read is read again until it can, and never counts as none', async (t) => {
  const store = new ScriptedStore({ 'v1.ConfigMap_cfg': `${'a'.repeat(40)}.1` });
  const everyShard = Array.from({ length: 10 }, () => 'away');
  store.readFaults.push(...everyShard, 'forbidden');
  const stage = new Stage(t, store);
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, async () => stage.calls.push('list') as unknown as undefined);
  await pass(t, 5000);
  stop.abort();
  await end;
  const warning = 'cannot read the state; nothing is rolled until it is read';
  assert.deepEqual([stage.told, stage.calls], [[warning, warning], ['list']]);
  assert.equal(stage.terms.current.store.persisted.state.entries.size, 1);
});

test('beside a state of a later version no key is read or made, and the run ends', async (t) => {
  const store = new ScriptedStore({}, { 'reloader.k8s.collaborne.com/state-version': '2' });
  const read = t.mock.fn(async () => undefined);
  const stage = new Stage(t, store, { keys: { areKnown: true, isReplaced: false, read } });
  assert.equal(await stage.terms.run(new AbortController().signal, never), 'failed');
  assert.deepEqual([read.mock.callCount(), store.patches], [0, []]);
  assert.match(stage.told.join(), /written by a later version of this program \(state version 2\)/);
});

test('a process whose key is not the one in the Secret ends before it decides', async (t) => {
  const keys = { areKnown: true, isReplaced: true, read: async () => undefined };
  const stage = new Stage(t, new ScriptedStore({}), { keys });
  assert.equal(await stage.terms.run(new AbortController().signal, never), 'failed');
  assert.match(stage.told.join(), /the Secret has another key/);
});

test('the end does not wait for a state that is not answered', async (t) => {
  const read: StateClient['read'] = async (_, signal) => {
    await never(signal ?? assert.fail());
    return { kind: 'failed', message: 'aborted' };
  };
  const stage = new Stage(t, Object.assign(new ScriptedStore({}), { read }));
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, async () => stage.calls.push('list') as unknown as undefined);
  await settle();
  stop.abort();
  assert.equal(await end, 'stopped');
  assert.deepEqual([stage.calls, stage.told], [[], []]);
});

test('where versions have gone back the run ends at once, and nothing that is known is written any more', async (t) => {
  const stage = new Stage(t);
  const end = stage.terms.run(new AbortController().signal, never);
  await settle();
  stage.tell(settled('web'));
  const { length } = stage.store.patches;
  stage.terms.turnBack('ConfigMap');
  stage.terms.turnBack('Secret');
  assert.equal(await end, 'failed');
  assert.deepEqual([stage.store.patches.length, stage.calls, stage.ends], [length, [], ['ended']]);
  assert.deepEqual(
    stage.told.map((line) => line.slice(0, 41)),
    ['the versions of ConfigMap have gone back,'],
  );
});

test('a ConfigMap of the state that went between the start and the first list is missed', async (t) => {
  const store = new ScriptedStore({}, { 'reloader.k8s.collaborne.com/state-shards': '2' });
  store.put({}, {}, 1);
  const stage = new Stage(t, store);
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  const leader = stage.terms.current;
  store.shards.delete(1);
  leader.onConfig(CONFIG_MAPS, { type: 'synced' });
  await pass(t, 2000);
  stop.abort();
  await end;
  assert.ok(leader.controllers.reporter.journal.decisions.some(({ reason }) => reason === 'state-damaged'));
  assert.ok(store.shards.has(1));
});

test('after the lead is lost nothing is written, and the next term begins with the state alone', async (t) => {
  const stage = new Stage(t);
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  const { current: leader, replaced } = stage.terms;
  stage.tell(settled('web'));
  await pass(t, 2000);
  const { store } = stage;
  assert.ok(store.live?.data['v1.ConfigMap_cfg'] !== undefined, 'the baseline is written');
  const read = Promise.withResolvers<void>();
  const reading = store.read.bind(store);
  Object.assign(store, { read: (shard: number) => read.promise.then(() => reading(shard)) });
  assert.equal(replaced.aborted, false);
  stage.lose();
  await settle();
  const { current: standby, replaced: standbyReplaced } = stage.terms;
  assert.deepEqual([replaced.aborted, standby.leads, standby.store.configs.size], [true, false, 0]);
  const before = store.patches.length;
  const world = settled('web');
  stage.tell(world);
  world.config('cfg', 'b');
  stage.tell(world);
  const event = {
    type: 'present',
    key: world.configKey('cfg'),
    object: objectOf(world),
    span: { from: 0, to: 99 },
    isInInitialList: false,
    isRelisted: false,
  } as const;
  leader.onConfig(CONFIG_MAPS, event);
  await pass(t, 10_000);
  assert.deepEqual([store.patches.length, stage.calls], [before, []], 'neither of them writes');
  read.resolve();
  await pass(t, 2000);
  const { current: next } = stage.terms;
  assert.deepEqual([standbyReplaced.aborted, next.leads, next.store.configs.size], [true, true, 0]);
  assert.deepEqual(next.gate.awaited(), [CONFIG_MAPS, DEPLOYMENTS]);
  assert.equal(next.store.persisted.state.entries.size, 1);
  assert.equal(store.live?.annotations['reloader.k8s.collaborne.com/term'], '2');
  stop.abort();
  await end;
});

test('a term that cannot begin is abandoned, and the next one begins all the same', async (t) => {
  const errors: string[] = [];
  const run: TermsOptions['election']['run'] = async (signal, lead) => {
    for (let term = 0; term < 2; term += 1)
      await lead({ signal, isValid: () => true }).catch((error: unknown) => void errors.push(String(error)));
  };
  const stage = new Stage(t, undefined, { election: { identity: 'me', run } });
  const abandon = t.mock.method(Reloader.prototype, 'abandon');
  t.mock.method(Reloader.prototype, 'begin').mock.mockImplementationOnce(() => {
    throw new Error('a defect');
  });
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  assert.deepEqual(errors, ['Error: a defect']);
  assert.equal(abandon.mock.callCount(), 1);
  assert.equal(stage.terms.current.leads, true);
  stop.abort();
  await end;
});
