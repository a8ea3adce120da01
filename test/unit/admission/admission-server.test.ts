import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as send } from 'node:https';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import { ADMISSION_PATH, admissionServer } from '../../../lib/admission/admission-server.ts';
import { MalformedReviewError } from '../../../lib/admission/review.ts';
import { type HttpServer, ListenError } from '../../../lib/serving/web-server.ts';
import { servingPair } from '../serving/certificates.ts';

const NAME = 'reloader.test';
const MAX_BYTES = 8 * 1024 * 1024;
const [first, second] = [servingPair(NAME), servingPair(NAME)];
const servers: HttpServer[] = [];
const errors: unknown[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  assert.deepEqual(errors.splice(0), []);
});

async function started(answer: (text: string) => string = (text) => text): Promise<[HttpServer, number]> {
  const server = admissionServer({ answer, onError: (error) => errors.push(error) });
  servers.push(server);
  const port = await server.start(0);
  server.use(first);
  return [server, port];
}

interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** Status and body of the answer; trusts `authority` alone. */
async function call(
  port: number,
  { method = 'POST', path = `${ADMISSION_PATH}?timeout=2s`, headers = {}, body = '{}', agent }: Call = {},
  authority = first.authority,
): Promise<readonly [number | undefined, string]> {
  const request = send({
    host: '127.0.0.1',
    servername: NAME,
    port,
    method,
    path,
    ca: authority,
    headers: { 'content-type': 'application/json', ...headers },
    ...(agent === undefined ? {} : { agent }),
  });
  request.end(method === 'GET' ? undefined : body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const piece of response) text += piece;
  return [response.statusCode, text];
}

describe('it answers', () => {
  const cases: Record<string, { call: Call; status: number; body: RegExp }> = {
    'a review, whatever the query': { call: { body: 'abc' }, status: 200, body: /^abc$/ },
    'another path with where to look': { call: { path: '/' }, status: 404, body: /see \/mutate/ },
    'a path that only begins alike': { call: { path: '/mutate/x' }, status: 404, body: /not found/ },
    'a GET with what is allowed': { call: { method: 'GET' }, status: 405, body: /only POST/ },
    'another type of content': {
      call: { headers: { 'content-type': 'text/plain' } },
      status: 415,
      body: /only application\/json/,
    },
    'what is no review with what was expected': { call: { body: 'no' }, status: 400, body: /^no review\n$/ },
    'a review of the greatest length': {
      call: { body: Buffer.alloc(MAX_BYTES, 'a') },
      status: 200,
      body: /^a/,
    },
  };
  for (const [name, { call: asked, status, body }] of Object.entries(cases)) {
    test(name, async () => {
      const [, port] = await started((text) => {
        if (text === 'no') throw new MalformedReviewError('no review');
        return text.slice(0, 10);
      });
      const [code, text] = await call(port, asked);
      assert.equal(code, status);
      assert.match(text, body);
    });
  }

  test('a longer review, told beforehand or not, with how long it may be', async () => {
    const [, port] = await started();
    const told = await call(port, { headers: { 'content-length': String(MAX_BYTES + 1) }, body: '' }).catch(
      String,
    );
    assert.match(String(told), /413|reset/);
    const body = Buffer.alloc(MAX_BYTES + 1, 'a');
    const untold = await call(port, { headers: { 'transfer-encoding': 'chunked' }, body }).catch(String);
    assert.match(String(untold), /413|reset|EPIPE/);
  });

  test('an error of its own with a bare 500', async () => {
    const [, port] = await started(() => {
      throw new TypeError('boom');
    });
    assert.deepEqual(await call(port), [500, 'internal error\n']);
    assert.match(String(errors.pop()), /boom/);
  });
});

test('no client can connect before there is a certificate', async () => {
  const server = admissionServer({ answer: (text) => text, onError: (error) => errors.push(error) });
  servers.push(server);
  const port = await server.start(0);
  await assert.rejects(call(port));
});

test('less than TLS 1.2 is refused', async () => {
  const [, port] = await started();
  const socket = connectSecurely({
    port,
    host: '127.0.0.1',
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    rejectUnauthorized: false,
    ciphers: 'DEFAULT:@SECLEVEL=0',
  });
  const [error] = await once(socket, 'error');
  assert.match(String(error), /version/i);
});

test('a new certificate is for new connections, and no open one is dropped', async () => {
  const [server, port] = await started();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket | undefined>();
  agent.on('free', (socket: TLSSocket) => sockets.add(socket));
  assert.deepEqual(await call(port, { agent, body: '1' }), [200, '1']);
  server.use(second);
  assert.deepEqual(await call(port, { agent, body: '2' }), [200, '2']);
  assert.equal(sockets.size, 1);
  assert.deepEqual(await call(port, { body: '3', agent: new Agent() }, second.authority), [200, '3']);
  await assert.rejects(call(port, { agent: new Agent() }), /certificate|signature|issuer/);
  agent.destroy();
});

test('a key that belongs to another certificate is refused, and the one of before stays in use', async () => {
  const [server, port] = await started();
  const mixed = { certificate: first.certificate, key: second.key };
  assert.throws(() => server.use(mixed), /mismatch/);
  assert.deepEqual(await call(port, { agent: new Agent(), body: '1' }), [200, '1']);
});

test('who does not shake hands is cut off', async () => {
  const [, port] = await started();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'close');
});

test('who does not send all of a request is cut off', async () => {
  const [, port] = await started();
  const socket = connectSecurely({ port, host: '127.0.0.1', servername: NAME, ca: first.authority });
  socket.on('error', () => socket.destroy());
  await once(socket, 'secureConnect');
  socket.write(
    `POST ${ADMISSION_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
  );
  socket.resume();
  await once(socket, 'close');
});

test('a connection may be idle for half a minute', async () => {
  const [, port] = await started();
  const request = send({
    host: '127.0.0.1',
    servername: NAME,
    port,
    method: 'POST',
    path: ADMISSION_PATH,
    ca: first.authority,
    agent: new Agent({ keepAlive: true }),
    headers: { 'content-type': 'application/json' },
  });
  request.end('{}');
  const [response] = await once(request, 'response');
  assert.equal(response.headers['keep-alive'], 'timeout=30');
  response.resume();
});

test('a port that is taken is told with the flag to change', async () => {
  const [, port] = await started();
  const server = admissionServer({ answer: (text) => text, onError: () => undefined });
  await assert.rejects(server.start(port), (error) => {
    assert.ok(error instanceof ListenError);
    assert.match(error.message, new RegExp(`${port} is taken: choose another with --webhook-port`));
    return true;
  });
});
