import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { type EventNews, EventRecorder } from '../../../lib/kubernetes/events.ts';
import type { Log } from '../../../lib/model/log.ts';
import { type Answer, ok, refused, type Script, scripted, settle } from './scripted-send.ts';

interface Running {
  readonly script: Script;
  readonly recorder: EventRecorder;
  readonly warned: string[];
  readonly stop: () => Promise<void>;
}

const NEWS: EventNews = {
  regarding: { kind: 'Deployment', namespace: 'ns', name: 'web' },
  uid: 'u',
  type: 'Warning',
  reason: 'RolloutRefused',
  message: 'no',
};

function start(t: TestContext, answers: Answer[], capacity = 500): Running {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.UTC(2030, 0, 1) });
  const script = scripted(...answers);
  const warned: string[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (m) => warned.push(m),
    error: () => undefined,
  };
  const recorder = new EventRecorder({ send: script.send, log, capacity, random: () => 0 });
  const controller = new AbortController();
  const running = recorder.run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  };
  return { script, recorder, warned, stop };
}

async function after(t: TestContext, ms: number): Promise<void> {
  await settle();
  t.mock.timers.tick(ms);
  await settle();
}

test('an Event names its object, so that kubectl describe shows it', async (t) => {
  const { script, recorder, stop } = start(t, [ok({})]);
  recorder.record({ ...NEWS, name: 'web.1', message: 'x'.repeat(2_000) });
  await settle();
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, 'POST /api/v1/namespaces/ns/events');
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'web.1', namespace: 'ns' },
    involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web', uid: 'u' },
    type: 'Warning',
    reason: 'RolloutRefused',
    message: 'x'.repeat(1_024),
    source: { component: 'kubernetes-reloader' },
    reportingComponent: 'kubernetes-reloader',
    reportingInstance: 'kubernetes-reloader',
    firstTimestamp: '2030-01-01T00:00:00.000Z',
    lastTimestamp: '2030-01-01T00:00:00.000Z',
    count: 1,
  });
  await stop();
});

test('an Event on a ConfigMap of the longest name has a name that fits', async (t) => {
  const { script, recorder, stop } = start(t, [ok({})]);
  recorder.record({ ...NEWS, regarding: { kind: 'ConfigMap', namespace: 'ns', name: 'n'.repeat(253) } });
  await settle();
  const event = JSON.parse(script.requests[0]?.body ?? '');
  assert.equal(event.metadata.name, `${'n'.repeat(236)}.0000000000000000`);
  assert.equal(event.involvedObject.apiVersion, 'v1');
  await stop();
});

test('Events leave one after the other, a tenth of a second apart', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({}), ok({})]);
  for (let count = 0; count < 3; count += 1) recorder.record(NEWS);
  await after(t, 99);
  assert.equal(script.requests.length, 1);
  await after(t, 1);
  assert.equal(script.requests.length, 2);
  await stop();
});

test('news under a name that still waits is recorded once', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({}), ok({})]);
  for (const name of ['first', 'twice', 'twice']) recorder.record({ ...NEWS, name });
  await after(t, 100);
  await after(t, 100);
  assert.equal(script.requests.length, 2);
  await stop();
});

test('what does not fit in the queue is dropped', async (t) => {
  const { script, recorder, stop } = start(t, [], 2);
  for (let count = 0; count < 9; count += 1) recorder.record({ ...NEWS, name: `news-${count}` });
  await settle();
  assert.equal(script.requests.length, 1);
  await stop();
});

test('an Event that is there already is fine', async (t) => {
  const { script, recorder, warned, stop } = start(t, [refused(409, { reason: 'AlreadyExists' }), ok({})]);
  recorder.record(NEWS);
  await after(t, 60_000);
  assert.equal(script.requests.length, 1);
  assert.deepEqual(warned, []);
  await stop();
});

test('that Events may not be recorded is said once', async (t) => {
  const { script, recorder, warned, stop } = start(t, [refused(403), refused(403)]);
  recorder.record(NEWS);
  recorder.record(NEWS);
  await after(t, 100);
  assert.equal(script.requests.length, 2);
  assert.deepEqual(warned, ['Events cannot be recorded; said once']);
  await stop();
});

test('a failure is tried again, three times, as the server wishes', async (t) => {
  const throttled = refused(429, {}, { 'retry-after': '60' });
  const { script, recorder, stop } = start(t, [
    throttled,
    new Error('cut'),
    refused(500),
    refused(503),
    ok({}),
  ]);
  recorder.record(NEWS);
  await after(t, 59_999);
  assert.equal(script.requests.length, 1);
  await after(t, 1);
  assert.equal(script.requests.length, 2);
  for (let turn = 0; turn < 9; turn += 1) await after(t, 60_000);
  assert.equal(script.requests.length, 4);
  await stop();
});

test('an Event that is wrong in itself is not tried again', async (t) => {
  const { script, recorder, stop } = start(t, [refused(422), ok({})]);
  recorder.record(NEWS);
  await after(t, 60_000);
  assert.equal(script.requests.length, 1);
  await stop();
});

test('it ends when told to, idle or busy', async (t) => {
  const { stop } = start(t, []);
  await settle();
  await stop();
});

test('it ends when told to while an Event is on its way', async (t) => {
  const { recorder, stop } = start(t, ['silence']);
  recorder.record(NEWS);
  await settle();
  await stop();
});
