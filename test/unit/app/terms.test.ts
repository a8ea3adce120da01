/** The terms of a process: what it reads before it acts, and what becomes of it when it leads no longer. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Reloader } from '../../../lib/app/reloader.ts';
import { type Term, Terms, type TermsOptions } from '../../../lib/app/terms.ts';
import type { LeadEnd, Leadership } from '../../../lib/leader/elector.ts';
import { Heartbeat } from '../../../lib/model/health.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
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
  readonly gate = new SyncGate([CONFIG_MAPS, DEPLOYMENTS]);
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
      onTerm: () => {},
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
      gate: this.gate,
      isDynamic: () => false,
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
      readConfig: async ({ name }) => {
        this.calls.push(`look at ${name}`);
        return { kind: 'absent' };
      },
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
      const object = { ref, uid: '', resourceVersion: '1', digest, annotations };
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

test('who loses the lead writes nothing, knows all it has seen, and acts on it once it leads again', async (t) => {
  const stage = new Stage(t);
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  stage.tell(settled('web'));
  await pass(t, 2000);
  const written = stage.store.live?.data['v1.ConfigMap_cfg'];
  assert.ok(written !== undefined, 'the baseline is written');
  const read = Promise.withResolvers<void>();
  const { store } = stage;
  const reading = store.read.bind(store);
  Object.assign(store, { read: (shard: number) => read.promise.then(() => reading(shard)) });
  stage.lose();
  await settle();
  const standby = stage.terms.current;
  assert.equal(standby.leads, false);
  const { patches } = store;
  const before = patches.length;
  const world = settled('web');
  world.config('cfg', 'b');
  const record = world.store.configs.get(world.configKey('cfg')) ?? assert.fail();
  const object = {
    ref: record.ref,
    uid: '',
    resourceVersion: '9',
    digest: record.digest ?? '',
    annotations: {},
  };
  standby.onConfig(CONFIG_MAPS, {
    type: 'present',
    key: world.configKey('cfg'),
    object,
    span: { from: 0, to: 99 },
    isInInitialList: false,
    isRelisted: false,
  });
  await pass(t, 10_000);
  assert.deepEqual([patches.length, stage.calls], [before, []], 'a standby writes nothing');
  read.resolve();
  await pass(t, 2000);
  assert.equal(stage.terms.current.leads, true);
  assert.deepEqual(
    stage.calls.slice(0, 2),
    ['look at cfg', 'get web'],
    'its caches may be older than the state',
  );
  assert.equal(store.live?.annotations['reloader.k8s.collaborne.com/term'], '2');
  stop.abort();
  await end;
});

test('what is wrong with a workload that follows nothing is known to the next leader too', async (t) => {
  const stage = new Stage(t);
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  const world = settled('web');
  stage.tell(world);
  const view = world.record('web').workload;
  const unknownAnnotations = [
    { key: 'reloader.k8s.collaborne.com/confgmap', value: 'cfg', on: 'workload' as const },
  ];
  const odd = {
    ...view,
    ref: { ...view.ref, name: 'odd' },
    uid: 'odd',
    annotations: {},
    stamps: [],
    unknownAnnotations,
  };
  const key = keyOf(odd.ref);
  const span = { from: 0, to: 1 };
  const listed = { isInInitialList: true, isRelisted: false } as const;
  const former = stage.terms.current;
  former.onWorkload(DEPLOYMENTS, { type: 'present', key, object: odd, span, ...listed });
  const findings = former.controllers.findings.of(key);
  assert.equal(findings.length, 1);
  stage.lose();
  await pass(t, 2000);
  assert.notEqual(stage.terms.current, former);
  assert.deepEqual(
    [stage.terms.current.leads, stage.terms.current.controllers.findings.of(key)],
    [true, findings],
  );
  stop.abort();
  await end;
});

test('a term that cannot begin is abandoned, and the next one takes over what the standby observed', async (t) => {
  const errors: string[] = [];
  const run: TermsOptions['election']['run'] = async (signal, lead) => {
    for (let term = 0; term < 2; term += 1)
      await lead({ signal, isValid: () => true }).catch((error: unknown) => void errors.push(String(error)));
  };
  const stage = new Stage(t, undefined, { election: { identity: 'me', run } });
  const standby = stage.terms.current;
  const abandon = t.mock.method(Reloader.prototype, 'abandon');
  const takeOver = t.mock.method(Reloader.prototype, 'takeOver');
  takeOver.mock.mockImplementationOnce(() => {
    throw new Error('a defect');
  });
  const stop = new AbortController();
  const end = stage.terms.run(stop.signal, never);
  await settle();
  assert.deepEqual(errors, ['Error: a defect']);
  assert.equal(abandon.mock.callCount(), 1);
  assert.deepEqual(
    takeOver.mock.calls.map(({ arguments: [former] }) => former),
    [standby, standby],
  );
  assert.equal(stage.terms.current.leads, true);
  stop.abort();
  await end;
});
