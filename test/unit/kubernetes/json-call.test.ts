import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { callJson } from '../../../lib/kubernetes/json-call.ts';
import { answered, ok, openWatchOf, refused, scripted, settle } from './scripted-send.ts';

const GET = { method: 'GET', path: '/x' } as const;

test('the answer is the object of the body', async () => {
  assert.deepEqual(await callJson(scripted(ok({ a: { b: [1] } })).send, GET), { a: { b: [1] } });
});

test('a body that is no JSON object is malformed, and the error does not quote it', async () => {
  for (const body of ['hunter2', '{"a":"hunter2"', '["hunter2"]', '"hunter2"', 'null', '']) {
    await assert.rejects(callJson(scripted(answered(200, body)).send, GET), (error: Error) => {
      assert.equal((error as { code?: string }).code, 'malformed');
      assert.doesNotMatch(JSON.stringify([error.message, error.stack, error.cause]), /hunter2/);
      return true;
    });
  }
});

test('every answer but 2xx is an error', async () => {
  await assert.rejects(callJson(scripted(refused(409)).send, GET), { code: 'conflict' });
  await assert.rejects(callJson(scripted(refused(302)).send, GET), { code: 'unavailable' });
  assert.deepEqual(await callJson(scripted(answered(201, '{}')).send, GET), {});
});

test('no answer at all is an error', async () => {
  await assert.rejects(callJson(scripted(new Error('ECONNRESET')).send, GET), { code: 'unanswered' });
});

test('a minute without a head, or within the body, is too long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const answer of ['silence', openWatchOf('{"a":')] as const) {
    const script = scripted(answer);
    const call = assert.rejects(callJson(script.send, GET), { code: 'silent' });
    await settle();
    t.mock.timers.tick(60_000);
    await call;
    assert.equal(script.requests[0]?.signal?.aborted, true);
  }
});

test("the caller's signal ends the call, and no listener stays behind", async () => {
  const controller = new AbortController();
  const script = scripted('silence');
  const call = assert.rejects(callJson(script.send, { ...GET, signal: controller.signal }), {
    code: 'aborted',
  });
  controller.abort();
  await call;
  assert.equal(script.requests[0]?.signal?.aborted, true);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});
