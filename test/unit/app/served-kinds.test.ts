/** Kinds that a cluster may lack: what waits for them, what is recorded for them, and when they are looked for again. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Listing } from '../../../lib/app/listing.ts';
import { ServedKinds } from '../../../lib/app/served-kinds.ts';
import { permissionsFor } from '../../../lib/kubernetes/permissions.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { Heartbeat } from '../../../lib/model/health.ts';
import type { Log } from '../../../lib/model/log.ts';
import { monotonicMs } from '../../../lib/model/time.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { type Stream, SyncGate } from '../../../lib/store/sync-gate.ts';
import { type MockTime, stopTimers } from '../../mock-time.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';
import { settle } from '../kubernetes/scripted-send.ts';

const TEN_MINUTES = 600_000;
const STEP_MS = 5_000;
const DEPLOYMENTS: Stream = { kind: 'Deployment', namespace: undefined, isWorkload: true };
const ROLLOUTS: Stream = { kind: 'Rollout', namespace: undefined, isWorkload: true };
const CONFIG_MAPS: Stream = { kind: 'ConfigMap', namespace: undefined, isWorkload: false };

let time: MockTime;
beforeEach(() => {
  time = stopTimers(mock.timers);
});
afterEach(() => time.restore());

async function pass(ms: number): Promise<void> {
  await settle();
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    mock.timers.tick(STEP_MS);
    await settle();
  }
}

interface Stage {
  readonly sandbox: Sandbox;
  readonly gate: SyncGate;
  readonly served: ServedKinds;
  readonly lines: string[];
  readonly requests: string[];
  readonly heartbeat: Heartbeat;
  readonly end: () => Promise<void>;
  /** Replaces the API server. */
  answerWith: Send;
}

async function stageOf(options: SandboxOptions = {}, isAutomatic = true, answer?: Send): Promise<Stage> {
  const sandbox = createSandbox(options);
  const streams = [DEPLOYMENTS, ROLLOUTS, CONFIG_MAPS];
  const gate = new SyncGate(streams);
  gate.markSynced(DEPLOYMENTS);
  gate.markSynced(CONFIG_MAPS);
  const lines: string[] = [];
  const say = (level: string) => (message: string) => lines.push(`${level} ${message}`);
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') } as Log;
  const listing = new Listing({ gate, log, onListed: () => {}, onNews: () => {} });
  const requests: string[] = [];
  const heartbeat = new Heartbeat();
  const abort = new AbortController();
  const stage = { sandbox, gate, lines, requests, heartbeat, answerWith: answer ?? sandbox.handle };
  const permissions = permissionsFor({
    namespaces: undefined,
    stateNamespace: 'default',
    stateName: 'state',
    configKinds: [],
    workloadKinds: ['Rollout'],
    isDryRun: false,
  }).filter(({ purpose }) => purpose === 'workload');
  const served = new ServedKinds({
    kinds: [{ row: workloadKindOf('Rollout'), permissions: isAutomatic ? permissions : undefined }],
    streams,
    send: (request) => {
      requests.push(`${request.method} ${request.path}`);
      return stage.answerWith(request);
    },
    listing,
    since: monotonicMs(),
    heartbeat,
    metrics: undefined,
    log,
    random: () => 0.5,
  });
  const running = served.run(abort.signal);
  await pass(0);
  const end = async (): Promise<void> => {
    abort.abort();
    await running;
    sandbox.close();
  };
  return Object.assign(stage, { served, end });
}

const stateOf = ({ served }: Stage): string | undefined => served.statuses()[0]?.state;

test('a kind that is served is waited for until it has listed', async () => {
  const stage = await stageOf({ extensions: ['rollouts'] });
  assert.equal(stateOf(stage), 'served');
  assert.deepEqual(await stage.served.served(), [DEPLOYMENTS, ROLLOUTS, CONFIG_MAPS]);
  assert.equal(stage.gate.isSynced('ns', 'ConfigMap', 'failing'), false);
  await stage.served.untilServed('Rollout');
  await stage.end();
});

test('an absent kind holds up nothing', async () => {
  const stage = await stageOf();
  const { gate } = stage;
  assert.equal(stateOf(stage), 'not served');
  assert.deepEqual(
    [gate.isSynced('ns', 'ConfigMap'), gate.awaited(), gate.isRefused(ROLLOUTS)],
    [true, [], false],
  );
  assert.deepEqual([gate.isWatched('ns', 'Rollout'), gate.lists('Rollout', undefined)], [false, false]);
  assert.deepEqual(stage.requests, ['GET /apis']);
  assert.equal(stage.lines.length, 1);
  assert.match(stage.lines[0] ?? '', /^info Rollout .* is not served/);
  await stage.end();
});

test('a kind that is asked for by its flag is missed with a warning', async () => {
  const stage = await stageOf({}, false);
  assert.match(stage.lines[0] ?? '', /^warn Rollout .* is not served/);
  await stage.end();
});

test('an absent kind is looked for every 10 minutes, and is left out from its appearance to its first list', async () => {
  const stage = await stageOf();
  await pass(TEN_MINUTES / 2);
  assert.equal(stage.requests.length, 1);
  assert.deepEqual(stage.heartbeat.stuck(monotonicMs()), []);
  stage.sandbox.setServed('rollouts', true);
  await pass(TEN_MINUTES);
  assert.equal(stateOf(stage), 'served');
  assert.ok(stage.gate.isRefused(ROLLOUTS));
  assert.equal(stage.gate.isSynced('ns', 'ConfigMap', 'refused'), true);
  assert.equal(stage.gate.isSynced('ns', 'ConfigMap', 'forbidden'), false);
  assert.equal(stage.gate.lists('Rollout', undefined), false);
  assert.equal(stage.lines.length, 1);
  await stage.end();
});

test('a kind whose group is unavailable is left out, and is looked for soon', async () => {
  const sandbox: SandboxOptions = { extensions: ['rollouts'] };
  const stage = await stageOf(sandbox, true, () => Promise.reject(new Error('cut')));
  assert.equal(stateOf(stage), 'unavailable');
  assert.ok(stage.gate.isRefused(ROLLOUTS));
  assert.deepEqual(stage.gate.awaited(), []);
  stage.answerWith = stage.sandbox.handle;
  stage.sandbox.setAvailable('argoproj.io', false);
  await pass(60_000);
  assert.equal(stateOf(stage), 'unavailable');
  assert.equal(stage.lines.length, 1);
  stage.sandbox.setAvailable('argoproj.io', true);
  await pass(60_000);
  assert.equal(stateOf(stage), 'served');
  await stage.end();
});

test('a 404 of a proxy does not make a kind absent', async () => {
  const page: Send = () =>
    Promise.resolve({ status: 404, headers: {}, body: (async function* () {})() } as never);
  const stage = await stageOf({ extensions: ['rollouts'] }, true, page);
  assert.equal(stateOf(stage), 'unavailable');
  assert.ok(stage.gate.isRefused(ROLLOUTS));
  await stage.end();
});

test('an API server that does not answer holds up nothing for longer than 10 s', async () => {
  const silent: Send = ({ signal }) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  const stage = await stageOf({ extensions: ['rollouts'] }, true, silent);
  assert.equal(stage.gate.isSynced('ns', 'ConfigMap', 'failing'), false);
  await pass(10_000);
  assert.equal(stateOf(stage), 'unavailable');
  assert.deepEqual(await stage.served.served(), [DEPLOYMENTS, CONFIG_MAPS]);
  await stage.end();
});

test('with auto a kind without its rights is left alone, with one line that has the rule', async () => {
  const stage = await stageOf({ extensions: ['rollouts'] });
  await stage.end();
  const denied = createSandbox({ extensions: ['rollouts'] });
  denied.denied.push({ resource: 'rollouts', verb: 'patch' });
  const other = await stageOf({}, true, denied.handle);
  assert.deepEqual([stateOf(other), other.gate.isRefused(ROLLOUTS)], ['unavailable', true]);
  await pass(60_000);
  assert.deepEqual([stateOf(other), other.gate.isRefused(ROLLOUTS)], ['rights missing', false]);
  assert.match(other.lines.at(-1) ?? '', /^info Rollout .* may not patch rollouts .*argoproj\.io/s);
  assert.equal(other.lines.length, 1);
  denied.denied.length = 0;
  await pass(TEN_MINUTES * 1.2);
  assert.equal(stateOf(other), 'served');
  await other.end();
  denied.close();
});

test('the waits for a kind and for the next look end with the term', async () => {
  const stage = await stageOf();
  const waiting = stage.served.untilServed('Rollout');
  await stage.end();
  await waiting;
  await stage.served.untilServed('Rollout');
  assert.deepEqual(stage.heartbeat.stuck(monotonicMs() + TEN_MINUTES), []);
});
