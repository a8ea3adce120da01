import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { EventRecorder } from '../../../lib/kubernetes/events.ts';
import { type Log, NO_LOG } from '../../../lib/model/log.ts';
import { type EventRecord, eventNameOf } from '../../../lib/model/reasons.ts';
import { mockTime } from '../../mock-time.ts';
import { type Answer, ok, refused, type Script, scripted, settle } from './scripted-send.ts';

interface Running {
  readonly script: Script;
  readonly recorder: EventRecorder;
  readonly warned: string[];
  readonly stop: () => Promise<void>;
}

const NEWS: EventRecord = {
  regarding: { kind: 'Deployment', namespace: 'ns', name: 'web' },
  uid: 'u',
  reason: 'ReloadRefused',
  about: 'x',
  message: 'no',
};
const ROLLED: EventRecord = { ...NEWS, reason: 'Reloaded' };
const about = (news: EventRecord, ...abouts: string[]): EventRecord[] =>
  abouts.map((each) => ({ ...news, about: each }));

function start(t: TestContext, answers: Answer[], capacity = 500): Running {
  mockTime(t, { now: Date.UTC(2030, 0, 1) });
  const script = scripted(...answers);
  const warned: string[] = [];
  const log: Log = { ...NO_LOG, warn: (message) => void warned.push(message) };
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
  recorder.record({ ...NEWS, message: 'x'.repeat(2_000) });
  await settle();
  const [request] = script.requests;
  assert.equal(`${request?.method} ${request?.path}`, 'POST /api/v1/namespaces/ns/events');
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventNameOf(NEWS), namespace: 'ns' },
    involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web', uid: 'u' },
    type: 'Warning',
    reason: 'ReloadRefused',
    message: `${'x'.repeat(1_021)}…`,
    source: { component: 'kubernetes-reloader' },
    reportingComponent: 'kubernetes-reloader',
    reportingInstance: 'kubernetes-reloader',
    firstTimestamp: '2030-01-01T00:00:00.000Z',
    lastTimestamp: '2030-01-01T00:00:00.000Z',
    count: 1,
  });
  await stop();
});

test('an Event on an object with content names it too', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({})]);
  for (const kind of ['ConfigMap', 'SecretProviderClass'] as const)
    recorder.record({ ...NEWS, regarding: { kind, namespace: 'ns', name: kind }, uid: '' });
  await after(t, 100);
  assert.deepEqual(
    script.requests.map(({ body = '' }) => JSON.parse(body).involvedObject),
    [
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'ns', name: 'ConfigMap' },
      {
        apiVersion: 'secrets-store.csi.x-k8s.io/v1',
        kind: 'SecretProviderClass',
        namespace: 'ns',
        name: 'SecretProviderClass',
      },
    ],
  );
  await stop();
});

test('an Event has no more bytes than the API server takes, and nothing in it steers a terminal', async (t) => {
  const { script, recorder, stop } = start(t, [ok({})]);
  recorder.record({ ...NEWS, message: `\u009b31m${'ä'.repeat(1_000_000)}` });
  await settle();
  const { message } = JSON.parse(script.requests[0]?.body ?? '');
  assert.match(message, /^\\u009b31mä+…$/);
  assert.ok(Buffer.byteLength(message) <= 1_024);
  await stop();
});

test('an Event on a workload that is gone has no uid, rather than a wrong one', async (t) => {
  const { script, recorder, stop } = start(t, [ok({})]);
  recorder.record({ ...NEWS, uid: '' });
  await settle();
  assert.ok(!('uid' in JSON.parse(script.requests[0]?.body ?? '').involvedObject));
  await stop();
});

test('Events leave one after the other, a tenth of a second apart', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({}), ok({})]);
  for (const news of about(NEWS, 'a', 'b', 'c')) recorder.record(news);
  await after(t, 99);
  assert.equal(script.requests.length, 1);
  await after(t, 1);
  assert.equal(script.requests.length, 2);
  await stop();
});

test('news that still waits is recorded once, whatever its message', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({}), ok({})]);
  for (const news of about(NEWS, 'first', 'twice')) recorder.record(news);
  recorder.record({ ...NEWS, about: 'twice', message: 'in other words' });
  await after(t, 100);
  await after(t, 100);
  assert.equal(script.requests.length, 2);
  await stop();
});

test('what does not fit in the queue is dropped', async (t) => {
  const { script, recorder, stop } = start(t, [], 2);
  for (const news of about(NEWS, '1', '2', '3', '4', '5', '6', '7', '8', '9')) recorder.record(news);
  await settle();
  assert.equal(script.requests.length, 1);
  await stop();
});

test('a Warning leaves before what is none, and takes its place where the queue is full', async (t) => {
  const { script, recorder, stop } = start(t, [ok({}), ok({}), ok({}), ok({})], 3);
  for (const news of about(ROLLED, 'dropped', 'kept')) recorder.record(news);
  for (const news of about(NEWS, 'first', 'second')) recorder.record(news);
  recorder.record({ ...ROLLED, about: 'too late' });
  for (let turn = 0; turn < 4; turn += 1) await after(t, 100);
  assert.deepEqual(
    script.requests.map(({ body = '' }) => JSON.parse(body).metadata.name),
    [...about(NEWS, 'first', 'second'), ...about(ROLLED, 'kept')].map(eventNameOf),
  );
  await stop();
});

for (const [what, answer] of Object.entries({
  'is there already': refused(409, { reason: 'AlreadyExists' }),
  'is wrong in itself': refused(422),
}))
  test(`an Event that ${what} is not tried again, and nothing is said of it`, async (t) => {
    const { script, recorder, warned, stop } = start(t, [answer, ok({})]);
    recorder.record(NEWS);
    await after(t, 60_000);
    assert.equal(script.requests.length, 1);
    assert.deepEqual(warned, []);
    await stop();
  });

test('that Events may not be recorded is said once a minute', async (t) => {
  const { script, recorder, warned, stop } = start(t, new Array(3).fill(refused(403)));
  for (const ms of [100, 60_000, 100]) {
    recorder.record({ ...NEWS, about: String(script.requests.length) });
    await after(t, ms);
  }
  assert.equal(script.requests.length, 3);
  assert.deepEqual(warned, new Array(2).fill('cannot record Events; logged once a minute'));
  await stop();
});

test('a failure is tried again, three times, as the server wishes', async (t) => {
  const throttled = refused(429, {}, { 'retry-after': '60' });
  const failures = [throttled, new Error('cut'), refused(500), refused(503)];
  const { script, recorder, stop } = start(t, [...failures, ok({})]);
  recorder.record(NEWS);
  await after(t, 59_999);
  assert.equal(script.requests.length, 1);
  await after(t, 1);
  assert.equal(script.requests.length, 2);
  for (let turn = 0; turn < 9; turn += 1) await after(t, 60_000);
  assert.equal(script.requests.length, 4);
  await stop();
});

for (const [what, news] of Object.entries({ idle: [], 'while an Event is on its way': [NEWS] }))
  test(`it ends when told to, ${what}`, async (t) => {
    const { recorder, stop } = start(t, ['silence']);
    for (const each of news) recorder.record(each);
    await settle();
    await stop();
  });

/** The names of the namespaces of the requests, in their order. */
const namespacesOf = ({ requests }: Running['script']): readonly string[] =>
  requests.map(({ path }) => path.split('/')[4] ?? '');
const of = (namespace: string, ...abouts: string[]): EventRecord[] =>
  about({ ...NEWS, regarding: { ...NEWS.regarding, namespace } }, ...abouts);

test('namespaces take turns, however much one of them has to tell', async (t) => {
  const { script, recorder, stop } = start(t, new Array(5).fill(ok({})));
  for (const news of [...of('a', '1', '2', '3'), ...of('b', '1', '2')]) recorder.record(news);
  for (let sent = 1; sent < 5; sent += 1) await after(t, 100);
  assert.deepEqual(namespacesOf(script), ['a', 'b', 'a', 'b', 'a']);
  await stop();
});

test('seven namespaces whose Events are never answered, and one where they fail, do not delay another one', async (t) => {
  const failures: Answer[] = [...new Array(7).fill('silence'), refused(503)];
  const { script, recorder, stop } = start(t, [...failures, ...new Array(5).fill(ok({}))]);
  for (const namespace of 'abcdefgh') recorder.record(of(namespace, '1')[0] ?? NEWS);
  for (let sent = 1; sent < 8; sent += 1) await after(t, 100);
  for (const news of of('z', '1', '2', '3', '4', '5')) recorder.record(news);
  for (let sent = 1; sent <= 5; sent += 1) await after(t, 100);
  assert.deepEqual(namespacesOf(script).slice(8), ['z', 'z', 'z', 'z', 'z']);
  await stop();
});

test('where too many wait in a namespace, another one still has room', async (t) => {
  const { script, recorder, stop } = start(t, new Array(4).fill(ok({})), 2);
  for (const news of [...of('a', '1', '2', '3', '4'), ...of('b', '1', '2', '3')]) recorder.record(news);
  for (let sent = 1; sent < 8; sent += 1) await after(t, 100);
  assert.deepEqual(namespacesOf(script), ['a', 'b', 'a', 'b']);
  await stop();
});
