import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';
import { fenced, observed, type RequestReport } from '../../../lib/kubernetes/wrapped-send.ts';
import { ok, refused, scripted } from './scripted-send.ts';

const NAMES: Record<string, { method: ApiRequest['method']; path: string; told: string }> = {
  'a list of a namespace': {
    method: 'GET',
    path: '/api/v1/namespaces/ns/secrets?limit=100',
    told: 'list secrets',
  },
  'a list of everything': { method: 'GET', path: '/apis/apps/v1/deployments', told: 'list deployments' },
  'a watch': { method: 'GET', path: '/api/v1/configmaps?watch=1&timeoutSeconds=3', told: 'watch configmaps' },
  'a get': { method: 'GET', path: '/api/v1/namespaces/ns/configmaps/a', told: 'get configmaps' },
  'a patch': {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/ns/daemonsets/a?x=1',
    told: 'patch daemonsets',
  },
  'a create': { method: 'POST', path: '/api/v1/namespaces/ns/events', told: 'create events' },
  'a path of no resource': { method: 'GET', path: '/version', told: 'list other' },
};

for (const [what, { method, path, told }] of Object.entries(NAMES)) {
  test(`${what} is told as "${told}"`, async () => {
    const reports: RequestReport[] = [];
    await observed(scripted(ok({})).send, (report) => reports.push(report))({ method, path });
    assert.deepEqual(
      reports.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`),
      [`${told} 200`],
    );
  });
}

test('refusals and failures are told, and passed on as they are', async () => {
  const codes: string[] = [];
  const send = observed(scripted(refused(429), new Error('cut')).send, ({ code }) => codes.push(code));
  assert.equal((await send({ method: 'GET', path: '/api/v1/configmaps' })).status, 429);
  await assert.rejects(send({ method: 'GET', path: '/api/v1/configmaps' }), /cut/);
  assert.deepEqual(codes, ['429', 'none']);
});

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
