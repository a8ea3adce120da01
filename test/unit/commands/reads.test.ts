/** What a command sends: it never writes, and opens no watch; and what it does not wait for. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { observe } from '../../../lib/commands/observation.ts';
import { readOnly } from '../../../lib/commands/reads.ts';
import { ApiError } from '../../../lib/kubernetes/api-error.ts';
import type { ApiRequest, ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';
import { World } from './world.ts';

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

describe('what fails for too long is not waited for:', () => {
  const patienceMs = 2_000;

  /** Observes a cluster that does not answer these requests. */
  async function observeWithout(isLost: (path: string) => boolean): Promise<string> {
    const world = new World().install().configMap();
    const { options, place } = await findReloader(world.send, { namespace: 'default', settings: [] });
    const send: Send = async (request) => {
      if (isLost(request.path)) throw new ApiError('unanswered', 'lost');
      return await world.send(request);
    };
    try {
      const observation = await observe({ send, options, place, patienceMs });
      const { unread } = observation;
      await observation.end();
      return unread.map(({ says }) => says).join();
    } finally {
      world.sandbox.close();
    }
  }

  test('a list, which is named', async () => {
    const isLost = (path: string): boolean => /\/secrets([?]|$)/.test(path);
    assert.match(await observeWithout(isLost), /Secret: (.*lost|it is not listed after 2 s)/);
  });

  test('the state, which is an error', async () => {
    let reads = 0;
    // The first one finds out whether it may be read.
    const isLost = (path: string): boolean => path.endsWith('/configmaps/reloader-state') && ++reads > 1;
    const error = { code: 'timed-out', message: /the state of the reloader cannot be read within 2 s/ };
    await assert.rejects(observeWithout(isLost), error);
  });
});
