/** Against a real server on the loopback: sockets, credentials and aborts are what this adapter is about. */

import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { KubeConfig } from '@kubernetes/client-node';
import { HttpsTransport, MAX_REQUESTS } from '../../../lib/kubernetes/https-transport.ts';
import { readText } from '../../../lib/kubernetes/json-call.ts';
import { settle } from './scripted-send.ts';
import { configFor, GET, type Options, PATCH, type Setup, serve, WATCH } from './transport-stage.ts';

test('a request carries its path, headers and body, our name, and who we are', async (t) => {
  const seen: unknown[] = [];
  const { transport } = await serve(t, (request, response) => {
    const { authorization, 'content-type': type, 'user-agent': agent } = request.headers;
    seen.push(`${request.method} ${request.url}`, authorization, type, agent);
    request.on('data', (body) => seen.push(String(body)));
    request.on('end', () => response.writeHead(201, { 'X-Thing': 'y' }).end('{"é":"€"}'));
  });
  const headers = { 'content-type': 'application/merge-patch+json' };
  const response = await transport.send({ method: 'PATCH', path: '/api/v1/x?y=z', headers, body: '{"ü":1}' });
  assert.deepEqual(seen, [
    'PATCH /base/api/v1/x?y=z',
    'Bearer token-1',
    'application/merge-patch+json',
    'kubernetes-reloader/1.2.3',
    '{"ü":1}',
  ]);
  assert.equal(response.status, 201);
  assert.equal(response.headers['x-thing'], 'y');
  assert.equal(await readText(response), '{"é":"€"}');
});

test('requests one after the other share a connection', async (t) => {
  const { transport, sockets, loads } = await serve(t, (_, response) => void response.end('{}'));
  for (let count = 0; count < 5; count += 1) await readText(await transport.send(GET));
  assert.equal(sockets.length, 1);
  assert.equal(loads(), 1);
});

test('watches are as many as they like, and keep no patch waiting', async (t) => {
  const { transport, sockets } = await serve(t, ({ method }, response) => {
    response.flushHeaders();
    if (method === 'PATCH') response.end('{}');
  });
  await Promise.all(Array.from({ length: 2 * MAX_REQUESTS }, () => transport.send(WATCH)));
  assert.equal(sockets.length, 2 * MAX_REQUESTS);
  assert.equal(await readText(await transport.send(PATCH)), '{}');
});

test('what is no watch waits for its turn when as many requests as may be are under way', async (t) => {
  const { transport, seen, held } = await serveSlowly(t, { maxRequests: 2 });
  const get = (path: string) => transport.send({ ...GET, path });
  const [first, second, third, fourth] = [get('/1'), get('/2'), get('/3'), get('/4')];
  await Promise.all([first, second]);
  assert.deepEqual(seen, ['/base/1', '/base/2']);
  held[1]?.end('{}');
  await readText(await second);
  await third;
  held[0]?.destroy();
  await assert.rejects(readText(await first));
  await fourth;
  assert.deepEqual(seen, ['/base/1', '/base/2', '/base/3', '/base/4']);
});

async function serveSlowly(
  t: TestContext,
  options: Options,
): Promise<Setup & { readonly seen: unknown[]; readonly held: ServerResponse[] }> {
  const seen: unknown[] = [];
  const held: ServerResponse[] = [];
  const setup = await serve(
    t,
    ({ url }, response) => {
      seen.push(url);
      held.push(response);
      response.flushHeaders();
    },
    options,
  );
  return { ...setup, seen, held };
}

test("a request that waits for its turn ends by its deadline, and its turn is another one's", async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { transport, seen, held } = await serveSlowly(t, { maxRequests: 1 });
  const first = await transport.send(GET);
  const refused = assert.rejects(
    transport.send(PATCH),
    /as many requests as may be are under way: not sent within 30 s/,
  );
  await settle();
  t.mock.timers.tick(30_000);
  await refused;
  held[0]?.end('{}');
  await readText(first);
  await transport.send(GET);
  assert.equal(seen.length, 2);
});

test("a request that waits for its turn ends by its signal, and its turn is another one's", async (t) => {
  const { transport, seen, held } = await serveSlowly(t, { maxRequests: 1 });
  const first = await transport.send(GET);
  const controller = new AbortController();
  const second = transport.send({ ...PATCH, signal: controller.signal });
  const third = transport.send(GET);
  controller.abort();
  await assert.rejects(second, { name: 'AbortError' });
  held[0]?.end('{}');
  await readText(first);
  await third;
  assert.equal(seen.length, 2);
});

test('a request that fails gives its turn to the next', async (t) => {
  const { transport } = await serve(t, (request) => void request.socket.destroy(), { maxRequests: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const ends = [GET, { ...GET, path: '/a b' }, { ...GET, signal }, GET].map((call) => transport.send(call));
  controller.abort();
  const settled = await Promise.allSettled(ends);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ends.map(() => 'rejected'),
  );
});

/** A proxy that takes the connection and says nothing more. */
async function silentProxy(t: TestContext): Promise<string> {
  const proxy = createServer().on('connect', () => undefined);
  const sockets: Socket[] = [];
  proxy.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('a request that waits for its proxy ends by its deadline and by its signal', async (t) => {
  const proxyUrl = await silentProxy(t);
  const load = (): KubeConfig => configFor('https://192.0.2.1', 'token', 'authority', { proxyUrl });
  const transport = new HttpsTransport({ load, version: '1.2.3', headTimeoutMs: 100, maxRequests: 1 });
  t.after(() => transport.close());
  await assert.rejects(transport.send(WATCH), /the proxy does not answer, .*: not sent within 0.1 s/);
  const signal = AbortSignal.timeout(20);
  await assert.rejects(transport.send({ ...PATCH, signal }), { name: 'TimeoutError' });
  await assert.rejects(transport.send(PATCH), /not sent within 0.1 s/);
});

test('a 401 is asked once more with new credentials', async (t) => {
  const tokens: unknown[] = [];
  const { transport, loads } = await serve(t, ({ headers }, response) => {
    tokens.push(headers.authorization);
    response.writeHead(headers.authorization === 'Bearer token-1' ? 401 : 200).end('{}');
  });
  assert.equal((await transport.send(GET)).status, 200);
  assert.equal((await transport.send(GET)).status, 200);
  assert.deepEqual(tokens, ['Bearer token-1', 'Bearer token-2', 'Bearer token-2']);
  assert.equal(loads(), 2);
});

test('connections made under another certificate authority are closed once they are idle', async (t) => {
  const held: ServerResponse[] = [];
  const { transport, sockets } = await serve(t, ({ url, headers }, response) => {
    if (url?.endsWith('/held')) held.push(response.writeHead(200));
    else response.writeHead(headers.authorization === 'Bearer token-1' ? 401 : 200).end('{}');
    response.flushHeaders();
  });
  const watch = await transport.send({ ...GET, path: '/held' });
  await readText(await transport.send(GET));
  const [busy, idle, used] = sockets;
  assert.ok(busy && idle && used, 'the new authority has a connection of its own');
  await closeOf(idle);
  assert.equal(busy.destroyed, false, 'what is under way goes on');
  held[0]?.end('done');
  assert.equal(await readText(watch), 'done');
  await closeOf(busy);
  assert.equal(used.destroyed, false);
});

async function closeOf(socket: Socket): Promise<void> {
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

test('many requests that meet a 401 together load new credentials once', async (t) => {
  const { transport, loads } = await serve(t, ({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer token-1' ? 401 : 200).end('{}');
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => transport.send(GET)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(loads(), 2);
});

test('a second 401 is the answer', async (t) => {
  let calls = 0;
  const { transport } = await serve(t, (_, response) => {
    calls += 1;
    response.writeHead(401).end('{"message":"who?"}');
  });
  const response = await transport.send(GET);
  assert.equal(response.status, 401);
  assert.equal(await readText(response), '{"message":"who?"}');
  assert.equal(calls, 2);
});

test('if no new credentials can be had, the first 401 is the answer, with its body', async (t) => {
  const { transport } = await serve(t, (_, response) => void response.writeHead(401).end('who?'), {
    loads: 1,
  });
  const response = await transport.send(GET);
  assert.equal(response.status, 401);
  assert.equal(await readText(response), 'who?');
});

test('a server that does not answer in time is given up', async (t) => {
  const { transport } = await serve(t, () => undefined, { headTimeoutMs: 20 });
  await assert.rejects(transport.send(GET), /no answer within 0.02 s/);
});

test('a slow body is not a slow head', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const held: ServerResponse[] = [];
  const { transport } = await serve(t, (_, response) => {
    response.write('{');
    held.push(response);
  });
  const response = await transport.send(GET);
  t.mock.timers.tick(3_600_000);
  held[0]?.end('}');
  assert.equal(await readText(response), '{}');
});

test('a server that is not there is a failure', async (t) => {
  const { transport, sockets, loads } = await serve(t, (request) => void request.socket.destroy());
  await assert.rejects(transport.send(GET), { code: 'ECONNRESET' });
  assert.equal(sockets.length, 1, 'what failed on a new connection is not sent twice');
  await assert.rejects(transport.send(GET));
  assert.equal(loads(), 2, 'the files are read again: they may name another server');
});

test('the signal ends a request that waits for its head', async (t) => {
  const controller = new AbortController();
  const { transport } = await serve(t, () => controller.abort());
  await assert.rejects(transport.send({ ...GET, signal: controller.signal }), { name: 'AbortError' });
});

test('the signal ends a body that is being read, and closes the connection', async (t) => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  const { transport } = await serve(t, (_, response) => {
    response.on('close', closed.resolve).write('piece');
  });
  const response = await transport.send({ ...GET, signal: controller.signal });
  const pieces: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const piece of response.body) {
      pieces.push(String(piece));
      controller.abort();
    }
  };
  await assert.rejects(reading(), { name: 'AbortError' });
  assert.deepEqual(pieces, ['piece']);
  await closed.promise;
});

test('the signal harms nobody when the whole answer is here and was not read to its end', async (t) => {
  const controller = new AbortController();
  const { transport } = await serve(t, (_, response) => {
    response.flushHeaders();
    setImmediate(() => response.end('piece'));
  });
  const response = await transport.send({ ...GET, signal: controller.signal });
  await response.body[Symbol.asyncIterator]().next();
  controller.abort();
  // An error that nobody listens for would be an uncaught exception of this test.
  assert.equal((await transport.send(GET)).status, 200);
});

test('a signal that was aborted before sends nothing', async (t) => {
  const { transport, sockets } = await serve(t, (_, response) => void response.end('{}'));
  await assert.rejects(transport.send({ ...GET, signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(sockets.length, 0);
});

test('a body that nobody finishes reading closes the connection', async (t) => {
  const closed = Promise.withResolvers<void>();
  const { transport } = await serve(t, (_, response) => {
    response.on('close', closed.resolve).write('piece');
  });
  for await (const piece of (await transport.send(GET)).body) {
    assert.equal(String(piece), 'piece');
    break;
  }
  await closed.promise;
});

test('a body that is cut is a failure', async (t) => {
  const { transport } = await serve(t, (request, response) => {
    response.write('piece', () => request.socket.destroy());
  });
  const response = await transport.send(GET);
  await assert.rejects(readText(response), { code: 'ECONNRESET' });
});
