/** Against a real server on the loopback: sockets, credentials and aborts are what this adapter is about. */

import assert from 'node:assert/strict';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { HttpsTransport } from '../../../lib/kubernetes/https-transport.ts';
import { readText } from '../../../lib/kubernetes/json-call.ts';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';

const GET: ApiRequest = { method: 'GET', path: '/api/v1/configmaps?limit=1' };

interface Setup {
  readonly transport: HttpsTransport;
  /** Connections so far. */
  readonly sockets: Socket[];
  /** How often the settings were loaded. */
  readonly loads: () => number;
}

interface Options {
  readonly headTimeoutMs?: number;
  /** How many loads of the settings succeed. */
  readonly loads?: number;
}

/** A server with `listener`, and a transport whose nth load of the settings has the token `token-n` and another authority. */
async function serve(t: TestContext, listener: RequestListener, options: Options = {}): Promise<Setup> {
  const sockets: Socket[] = [];
  const server = createServer(listener).on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`;
  let loads = 0;
  const load = (): KubeConfig => {
    loads += 1;
    if (loads > (options.loads ?? Number.POSITIVE_INFINITY)) throw new Error('the kubeconfig is gone');
    return configFor(url, `token-${loads}\n`, `authority ${loads}`);
  };
  const { headTimeoutMs = 30_000 } = options;
  const transport = new HttpsTransport({ load, version: '1.2.3', headTimeoutMs });
  t.after(() => {
    transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { transport, sockets, loads: () => loads };
}

function configFor(server: string, token: string, authority: string): KubeConfig {
  const config = new KubeConfig();
  const caData = Buffer.from(authority).toString('base64');
  config.loadFromClusterAndUser({ name: 'c', server, skipTLSVerify: true, caData }, { name: 'u', token });
  return config;
}

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

test('seventy watches do not keep a patch waiting', async (t) => {
  const { transport } = await serve(t, ({ method }, response) => {
    response.flushHeaders();
    if (method === 'PATCH') response.end('{}');
  });
  await Promise.all(Array.from({ length: 70 }, () => transport.send(GET)));
  assert.equal(await readText(await transport.send({ ...GET, method: 'PATCH', body: '{}' })), '{}');
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
  const { transport, sockets } = await serve(t, (request) => void request.socket.destroy());
  await assert.rejects(transport.send(GET), { code: 'ECONNRESET' });
  assert.equal(sockets.length, 1, 'what failed on a new connection is not sent twice');
});

test('a read on a kept connection that the server has closed is sent again, a write is not', async (t) => {
  const seen: string[] = [];
  const { transport } = await serve(t, (request, response) => {
    seen.push(request.method ?? '');
    if (seen.length % 2 === 0) request.socket.destroy();
    else response.end('{}');
  });
  await readText(await transport.send(GET));
  await readText(await transport.send(GET));
  assert.deepEqual(seen, ['GET', 'GET', 'GET']);
  await assert.rejects(transport.send({ ...GET, method: 'PATCH', body: '{}' }));
  assert.deepEqual(seen, ['GET', 'GET', 'GET', 'PATCH']);
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
