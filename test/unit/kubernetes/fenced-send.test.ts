import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fenced } from '../../../lib/kubernetes/fenced-send.ts';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';

const GET: ApiRequest = { method: 'GET', path: '/api' };

/** A server that answers nothing while `isSilent`, and a lead. */
function stage(isSilent = true) {
  const sent: ApiRequest[] = [];
  const end = new AbortController();
  const lead = { valid: true };
  const send = fenced(
    async (request) => {
      sent.push(request);
      if (!isSilent || request.signal?.aborted) throw new Error('answered');
      return await new Promise((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(new Error('cut')), { once: true });
      });
    },
    { signal: end.signal, isValid: () => lead.valid },
  );
  return { sent, end, lead, send };
}

test('a request under way is cut when the lead is lost, and none is sent after', async () => {
  const { sent, end, lead, send } = stage();
  const underWay = assert.rejects(send(GET), /cut/);
  lead.valid = false;
  end.abort();
  await underWay;
  await assert.rejects(send(GET), /the lead is lost/);
  assert.equal(sent.length, 1);
});

test('none is sent once the lead is not valid any more, though it was not yet told', async () => {
  const { sent, lead, send } = stage(false);
  lead.valid = false;
  await assert.rejects(send(GET), /the lead is lost/);
  assert.equal(sent.length, 0);
});

test('the end of the process lets requests come to their end while the lead is valid', async () => {
  const { sent, end, send } = stage();
  void send(GET);
  end.abort();
  void send(GET);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    sent.map(({ signal }) => signal?.aborted),
    [false, false],
  );
});

test('the signal of a request ends it too', async () => {
  const { send } = stage();
  const own = new AbortController();
  const underWay = assert.rejects(send({ ...GET, signal: own.signal }), /cut/);
  own.abort();
  await underWay;
});
