/** What a command sends: it never writes, and opens no watch. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOnly } from '../../../lib/commands/reads.ts';
import type { ApiRequest, ApiResponse } from '../../../lib/kubernetes/transport.ts';

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

function answered(): ApiResponse {
  return { status: 200, headers: {}, body: empty() };
}

async function* empty(): AsyncGenerator<string> {
  yield '{}';
}

/** The requests that are sent of those that are asked for. */
async function sentOf(request: ApiRequest): Promise<readonly ApiRequest[]> {
  const sent: ApiRequest[] = [];
  const send = readOnly(
    async (each) => {
      sent.push(each);
      return answered();
    },
    () => undefined,
  );
  await Promise.race([send(request), new Promise((resolve) => setImmediate(resolve))]).catch(() => undefined);
  return sent;
}

describe('a command sends', () => {
  const cases: readonly (readonly [what: string, request: ApiRequest, isSent: boolean])[] = [
    ['a read', { method: 'GET', path: '/api/v1/namespaces/web/configmaps?limit=500' }, true],
    ['a question about its own rights', { method: 'POST', path: REVIEW }, true],
    ['no watch', { method: 'GET', path: '/api/v1/configmaps?watch=true' }, false],
    ['no patch', { method: 'PATCH', path: '/apis/apps/v1/namespaces/web/deployments/web' }, false],
    ['nothing that creates', { method: 'POST', path: '/api/v1/namespaces/web/events' }, false],
    ['nothing that deletes', { method: 'DELETE', path: '/api/v1/namespaces/web/configmaps/a' }, false],
    ['no update', { method: 'PUT', path: '/api/v1/namespaces/web/configmaps/a' }, false],
  ];
  for (const [what, request, isSent] of cases)
    test(what, async () => assert.equal((await sentOf(request)).length, isSent ? 1 : 0));
});

test('an answer of its own takes the place of the API server', async () => {
  const own = answered();
  const send = readOnly(
    () => Promise.reject(new Error('nothing is sent')),
    () => own,
  );
  assert.equal(await send({ method: 'GET', path: '/api' }), own);
});

test('a watch ends when it is aborted', async () => {
  const ending = new AbortController();
  const send = readOnly(
    async () => answered(),
    () => undefined,
  );
  const watch = send({ method: 'GET', path: '/api/v1/configmaps?watch=1', signal: ending.signal });
  ending.abort();
  await assert.rejects(watch, { name: 'AbortError' });
});
