/** The end of the HTTPS transport: nothing is sent any more, and nothing that is under way is left. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../lib/kubernetes/api-error.ts';
import { readText } from '../../../lib/kubernetes/json-call.ts';
import type { ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { GET, PATCH, serve } from './transport-stage.ts';

/** What a request ends with, in its head or in its body. */
async function failureOf(request: Promise<ApiResponse>): Promise<string> {
  try {
    await readText(await request);
    return 'none';
  } catch (error) {
    return ApiError.from(error).code;
  }
}

test('once it is closed every request is refused and none is sent', async (t) => {
  let calls = 0;
  const { transport } = await serve(t, (_, response) => {
    calls += 1;
    response.end('{}');
  });
  const begun = transport.send(GET); // its credentials are not there yet
  transport.close();
  await assert.rejects(begun, { code: 'aborted' });
  for (const method of ['GET', 'PATCH'] as const)
    await assert.rejects(transport.send({ ...GET, method }), { code: 'aborted', message: /ends/ });
  assert.equal(calls, 0);
});

test('closing cuts what is under way, and none of it is sent again', async (t) => {
  const seen: string[] = [];
  const all = Promise.withResolvers<void>();
  const { transport } = await serve(t, ({ method = '', url = '' }, response) => {
    if (url.endsWith('/warm')) response.end('{}');
    else seen.push(method);
    if (url.endsWith('/body')) response.write('{');
    if (seen.length === 3) all.resolve();
  });
  await readText(await transport.send({ ...GET, path: '/warm' }));
  const failures = [
    failureOf(transport.send(GET)), // on the connection that was kept
    failureOf(transport.send(PATCH)),
    failureOf(transport.send({ ...GET, path: '/body' })),
  ];
  await all.promise;
  transport.close();
  assert.deepEqual(await Promise.all(failures.slice(0, 2)), ['aborted', 'aborted']);
  assert.notEqual(await failures[2], 'none');
  assert.equal(seen.length, 3);
});

test('closing refuses what waits for its turn', async (t) => {
  const arrived = Promise.withResolvers<void>();
  let calls = 0;
  const listener = (): void => {
    calls += 1;
    arrived.resolve();
  };
  const { transport } = await serve(t, listener, { maxRequests: 1 });
  const failures = [GET, PATCH, GET].map((request) => failureOf(transport.send(request)));
  await arrived.promise;
  transport.close();
  assert.deepEqual(await Promise.all(failures), ['aborted', 'aborted', 'aborted']);
  assert.equal(calls, 1);
});
