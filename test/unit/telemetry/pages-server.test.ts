import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type HttpServer, ListenError } from '../../../lib/serving/web-server.ts';
import {
  type Pages,
  type Probes,
  pagesServer,
  type ServerPlace,
  type Shown,
} from '../../../lib/telemetry/pages-server.ts';

const PLACE: ServerPlace = { flag: '--port' };
const AS_OF = new Date('2026-11-21T09:30:05.250Z');
const PAGES: Pages = {
  metrics: async () => shown('reloader_edges 1\n'),
  stuck: () => [],
  waitingFor: () => [],
  status: () => shown('{}\n'),
};

function shown(text: string): Shown {
  return { body: Buffer.from(text), asOf: AS_OF };
}

let errors: unknown[] = [];
let servers: HttpServer[] = [];

beforeEach(() => {
  errors = [];
  servers = [];
});
afterEach(() => Promise.all(servers.map((server) => server.stop())));

interface Started {
  readonly server: HttpServer;
  readonly port: number;
  readonly url: string;
}

async function started(pages: Partial<Pages> = {}, place: Partial<ServerPlace> = {}): Promise<Started> {
  return await startedWith({ ...PAGES, ...pages }, place);
}

async function startedWith(pages: Pages | Probes, place: Partial<ServerPlace> = {}): Promise<Started> {
  const server = pagesServer(pages, (error) => errors.push(error), { ...PLACE, ...place });
  servers.push(server);
  const port = await server.start(0);
  return { server, port, url: `http://127.0.0.1:${port}` };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

describe('an answer', () => {
  interface Case {
    readonly method?: string;
    readonly path: string;
    readonly pages?: Partial<Pages>;
    readonly status: number;
    readonly body: string | RegExp;
    readonly type?: RegExp;
  }
  const cases: Record<string, Case> = {
    'of /metrics is what the metrics say': {
      path: '/metrics',
      status: 200,
      body: 'reloader_edges 1\n',
      type: /^text\/plain; version=0\.0\.4/,
    },
    'may be asked for with a query': { path: '/metrics?name[]=x', status: 200, body: 'reloader_edges 1\n' },
    'of /healthz is ok while nothing is stuck': { path: '/healthz', status: 200, body: 'ok\n' },
    'of /healthz names what is stuck': {
      path: '/healthz',
      pages: { stuck: () => ['watch of Secrets', 'queue'] },
      status: 503,
      body: 'stuck: no progress: watch of Secrets\nstuck: no progress: queue\n',
    },
    'of /live is that of /healthz': { path: '/live', status: 200, body: 'ok\n' },
    'of /live names what is stuck': {
      path: '/live',
      pages: { stuck: () => ['queue'] },
      status: 503,
      body: 'stuck: no progress: queue\n',
    },
    'of /readyz is ok when nothing is awaited': { path: '/readyz', status: 200, body: 'ok\n' },
    'of /readyz names what is awaited': {
      path: '/readyz',
      pages: { waitingFor: () => ['the state'] },
      status: 503,
      body: 'waiting for: the state\n',
    },
    'of /status.json is JSON': {
      path: '/status.json',
      status: 200,
      body: '{}\n',
      type: /^application\/json/,
    },
    'of / is the status page, for the query that was asked': {
      path: '/?find=a?b',
      pages: { statusPage: (query) => shown(`<p>${query}`) },
      status: 200,
      body: '<p>find=a?b',
      type: /^text\/html; charset=utf-8$/,
    },
    'of another path is 404 and names the pages': {
      path: '/index.html',
      pages: { statusPage: () => shown('') },
      status: 404,
      body: /see \/ \/metrics .*\/status\.json/,
    },
    'of / is 503 where too many searches are asked for': {
      path: '/?find=a',
      pages: { statusPage: () => undefined },
      status: 503,
      body: 'too many different searches within a second: try again\n',
    },
    'of / is 404 without a status page': { path: '/', status: 404, body: /see \/metrics .*\/status\.json/ },
    'of another method is 405 for the status page too': {
      method: 'POST',
      path: '/',
      pages: { statusPage: () => shown('') },
      status: 405,
      body: 'only GET and HEAD\n',
    },
    'of another method is 405': {
      method: 'POST',
      path: '/metrics',
      status: 405,
      body: 'only GET and HEAD\n',
    },
    'of HEAD has no body': { method: 'HEAD', path: '/healthz', status: 200, body: '' },
    'of a page that throws is a bare 500': {
      path: '/status.json',
      pages: { status: () => assert.fail('hunter2') },
      status: 500,
      body: 'internal error\n',
    },
    'of a page that rejects is a bare 500': {
      path: '/metrics',
      pages: { metrics: () => Promise.reject(new Error('hunter2')) },
      status: 500,
      body: 'internal error\n',
    },
  };
  for (const [name, { method = 'GET', path, pages = {}, status, body, type }] of Object.entries(cases)) {
    test(name, async () => {
      const { url } = await started(pages);
      const response = await fetch(url + path, { method });
      const text = await response.text();
      assert.equal(response.status, status);
      if (typeof body === 'string') assert.equal(text, body);
      else assert.match(text, body);
      if (type !== undefined) assert.match(response.headers.get('content-type') ?? '', type);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('allow'), status === 405 ? 'GET, HEAD' : null);
      assert.equal(errors.length, status === 500 ? 1 : 0);
    });
  }
});

test('what may be shared says of which moment it is', async () => {
  const { url } = await started({ statusPage: () => shown('') });
  const times = await Promise.all(
    ['/', '/status.json', '/metrics', '/healthz'].map(async (path) =>
      (await fetch(url + path)).headers.get('snapshot-time'),
    ),
  );
  const time = '2026-11-21T09:30:05.250Z';
  assert.deepEqual(times, [time, time, time, null]);
});

test('only what browsers show has a policy of its own, and may stand in no frame', async () => {
  const { url } = await started({ statusPage: () => shown('') });
  const headersOf = async (path: string): Promise<Headers> => (await fetch(url + path)).headers;
  const page = await headersOf('/');
  assert.match(page.get('content-security-policy') ?? '', /^default-src 'none';.* frame-ancestors 'none'/);
  assert.equal(page.get('x-frame-options'), 'DENY');
  assert.equal(page.get('referrer-policy'), 'no-referrer');
  assert.equal((await headersOf('/status.json')).get('content-security-policy'), null);
});

test('a port that is taken is an error that names the flag', async () => {
  const { port } = await started();
  const second = pagesServer(PAGES, (error) => errors.push(error), PLACE);
  await assert.rejects(second.start(port), (error) => {
    assert.ok(error instanceof ListenError);
    assert.equal(error.message, `port ${port} is taken: choose another with --port`);
    return true;
  });
  await second.stop();
});

test('a stopped server frees its port, also while a client keeps its connection', async () => {
  const { server, port, url } = await started();
  await (await fetch(`${url}/healthz`)).text();
  await server.stop();
  const next = pagesServer(PAGES, (error) => errors.push(error), PLACE);
  servers.push(next);
  assert.equal(await next.start(port), port);
});

test('stopping cuts a request that does not end', { timeout: 120_000 }, async () => {
  const { server, port } = await started();
  const socket = await opened(port);
  socket.write('GET /healthz HTTP/1.1\r\n');
  const closed = once(socket, 'close');
  await server.stop();
  await closed;
});

test('stopping twice, or before the start, does nothing', async () => {
  const { server } = await started();
  await server.stop();
  await server.stop();
  await pagesServer(PAGES, (error) => errors.push(error), PLACE).stop();
});

test('a client that never ends its headers is cut off', { timeout: 120_000 }, async () => {
  const { port } = await started();
  const socket = await opened(port);
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 408 /);
  socket.destroy();
});

/** The status of the answer to a request with these headers, line by line. */
async function statusFor(port: number, request: readonly string[]): Promise<string> {
  const socket = await opened(port);
  socket.write(`${request.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().split(' ')[1] ?? '';
}

describe('where only programs of this machine shall ask', () => {
  const hosts: Record<string, readonly [host: string, status: string]> = {
    'localhost is answered': ['localhost', '200'],
    'localhost with a port is answered': ['LocalHost:8080', '200'],
    'a name with the dot of the root is answered': ['localhost.', '200'],
    'an address is answered': ['127.0.0.1:8080', '200'],
    'an address of another machine is answered: no name points there': ['10.1.2.3', '200'],
    'an IPv6 address is answered': ['[::1]:8080', '200'],
    'another host is refused': ['evil.example.com', '421'],
    'a host that begins as an address is refused': ['127.0.0.1.evil.example.com:8080', '421'],
    'a host below localhost is refused': ['localhost.evil.example.com', '421'],
    'brackets around a name are refused': ['[localhost]', '421'],
    'brackets around IPv4 are refused': ['[127.0.0.1]', '421'],
    'an empty host is refused': ['', '421'],
  };
  for (const [name, [host, status]] of Object.entries(hosts)) {
    for (const path of ['/healthz', '/status.json', '/nowhere']) {
      test(`${name}: ${path}`, async () => {
        const { port } = await started({}, { checksHost: true });
        const wanted = status === '200' && path === '/nowhere' ? '404' : status;
        assert.equal(await statusFor(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`]), wanted);
      });
    }
  }

  test('a client that is no browser and names no host is answered', async () => {
    const { port } = await started({}, { checksHost: true });
    assert.equal(await statusFor(port, ['GET /healthz HTTP/1.0']), '200');
  });

  test('the port of probes refuses other hosts too', async () => {
    const { stuck, waitingFor } = PAGES;
    const { port } = await startedWith({ stuck, waitingFor }, { checksHost: true });
    assert.equal(await statusFor(port, ['GET /healthz HTTP/1.1', 'Host: evil.example.com']), '421');
    assert.equal(await statusFor(port, ['GET /healthz HTTP/1.1', 'Host: localhost']), '200');
  });

  test('elsewhere any host is answered, as an Ingress names it', async () => {
    const { port } = await started();
    assert.equal(await statusFor(port, ['GET /healthz HTTP/1.1', 'Host: reloader.corp']), '200');
  });
});

test('the port of probes has what they ask, and nothing else', async () => {
  const { stuck, waitingFor } = PAGES;
  const { url } = await startedWith({ stuck, waitingFor });
  const statuses = await Promise.all(
    ['/healthz', '/live', '/readyz', '/', '/metrics', '/status.json'].map(
      async (path) => (await fetch(url + path)).status,
    ),
  );
  assert.deepEqual(statuses, [200, 200, 200, 404, 404, 404]);
});

test('the port of probes closes each connection after its answer', async () => {
  const { stuck, waitingFor } = PAGES;
  const { port } = await startedWith({ stuck, waitingFor });
  const socket = await opened(port);
  const closed = once(socket, 'close');
  socket.resume().write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed;
});

test('a server listens at its address alone', async () => {
  const { port } = await started({}, { address: '127.0.0.2' });
  const other = connect(port, '127.0.0.1');
  const outcome = await new Promise((resolve) => {
    other.once('connect', () => resolve('open')).once('error', (error) => resolve(String(error)));
  });
  other.destroy();
  assert.match(String(outcome), /ECONNREFUSED/);
  assert.equal((await fetch(`http://127.0.0.2:${port}/healthz`)).status, 200);
});

test('an address of another machine is an error that names the flag', async () => {
  const server = pagesServer(PAGES, (error) => errors.push(error), { ...PLACE, address: '192.0.2.1' });
  await assert.rejects(server.start(0), (error) => {
    assert.ok(error instanceof ListenError);
    assert.equal(
      error.message,
      '192.0.2.1 is no address of this machine: choose another with --bind-address',
    );
    return true;
  });
});
