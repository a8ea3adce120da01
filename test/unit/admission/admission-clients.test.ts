import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as send } from 'node:https';
import { after, afterEach, describe, test } from 'node:test';
import { connect, type SecureVersion, type TLSSocket } from 'node:tls';
import { ADMISSION_PATH, admissionServer } from '../../../lib/admission/admission-server.ts';
import type { HttpServer, KeyPair } from '../../../lib/serving/web-server.ts';
import { Authority, servingPair } from '../serving/certificates.ts';

const NAME = 'reloader.test';
const pair = servingPair(NAME);
const [trusted, other] = [new Authority(), new Authority()];
const servers: HttpServer[] = [];
const agents: Agent[] = [];

afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));
after(() => agents.map((agent) => agent.destroy()));

interface Scene {
  readonly server: HttpServer;
  readonly port: number;
  /** The bodies that were reviewed. */
  readonly reviewed: string[];
  /** Why clients were refused. */
  readonly refused: string[];
}

async function started(authorities?: readonly string[]): Promise<Scene> {
  const [reviewed, refused]: [string[], string[]] = [[], []];
  const server = admissionServer({
    answer: (text) => {
      reviewed.push(text);
      return text;
    },
    onError: (error) => assert.fail(String(error)),
    verifiesClients: true,
    onStranger: (reason) => refused.push(reason),
  });
  servers.push(server);
  const port = await server.start(0);
  server.use(pair);
  if (authorities !== undefined) server.trustClients(authorities);
  return { server, port, reviewed, refused };
}

function agentOf(client: KeyPair | undefined): Agent {
  const credentials = client === undefined ? {} : { cert: client.certificate, key: client.key };
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ...credentials });
  agents.push(agent);
  return agent;
}

async function call(port: number, agent: Agent, body = '{}'): Promise<readonly [number | undefined, string]> {
  const headers = { 'content-type': 'application/json' };
  const to = { host: '127.0.0.1', servername: NAME, port, method: 'POST', path: ADMISSION_PATH };
  const request = send({ ...to, ca: pair.authority, headers, agent });
  request.end(body);
  const [response] = await once(request, 'response');
  let text = '';
  for await (const piece of response) text += piece;
  return [response.statusCode, text];
}

test('a client with a certificate of the authority is answered', async () => {
  const { port, refused } = await started([trusted.certificate]);
  assert.deepEqual(await call(port, agentOf(trusted.issue()), 'abc'), [200, 'abc']);
  assert.deepEqual(refused, []);
});

describe('is refused with the reason, and reviews nothing', () => {
  const strangers: Record<string, { client: () => KeyPair | undefined; reason: RegExp }> = {
    'a client without a certificate': { client: () => undefined, reason: /no client certificate/ },
    'one of another authority': { client: () => other.issue(), reason: /VERIFY|ISSUER/ },
    'one whose certificate has expired': {
      client: () => trusted.issue({ isExpired: true }),
      reason: /CERT_HAS_EXPIRED/,
    },
    'one with the certificate of a server': {
      client: () => trusted.issue({ usage: 'serverAuth' }),
      reason: /INVALID_PURPOSE/,
    },
  };
  for (const [name, { client, reason }] of Object.entries(strangers)) {
    test(name, async () => {
      const { port, reviewed, refused } = await started([trusted.certificate]);
      const [status, text] = await call(port, agentOf(client()));
      assert.equal(status, 403);
      assert.match(text, reason);
      assert.match(String(refused), reason);
      assert.deepEqual(reviewed, []);
    });
  }
});

/** Asks on a connection of its own, with the session of an earlier one; the status, and the sessions that the server gave. */
async function ask(
  port: number,
  version: SecureVersion,
  session?: Buffer,
): Promise<{ readonly status: string; readonly sessions: readonly Buffer[]; readonly isReused: boolean }> {
  const resumed = session === undefined ? {} : { session };
  const versions = { minVersion: version, maxVersion: version };
  const socket: TLSSocket = connect({
    port,
    host: '127.0.0.1',
    servername: NAME,
    ca: pair.authority,
    ...versions,
    ...resumed,
  });
  const sessions: Buffer[] = [];
  socket.on('session', (each: Buffer) => sessions.push(each));
  await once(socket, 'secureConnect');
  const isReused = socket.isSessionReused();
  const head = `POST ${ADMISSION_PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: 2\r\nconnection: close\r\n\r\n{}`);
  let text = '';
  for await (const piece of socket) text += piece;
  return { status: text.slice(0, 12), sessions, isReused };
}

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`a session that is resumed (${version}) does not stand for a certificate`, async () => {
    const { port, reviewed } = await started([trusted.certificate]);
    const first = await ask(port, version);
    assert.equal(first.status, 'HTTP/1.1 403');
    for (const session of first.sessions) {
      const second = await ask(port, version, session);
      assert.deepEqual([second.status, second.isReused], ['HTTP/1.1 403', false]);
    }
    assert.deepEqual(reviewed, []);
  });
}

test('no client can connect before the authorities are known', async () => {
  const { port, server } = await started();
  const agent = agentOf(trusted.issue());
  await assert.rejects(call(port, agent));
  server.trustClients([trusted.certificate]);
  assert.deepEqual(await call(port, agent, '1'), [200, '1']);
});

test('other authorities hold for open connections too', async () => {
  const { port, server } = await started([trusted.certificate]);
  const [former, present] = [agentOf(trusted.issue()), agentOf(other.issue())];
  assert.deepEqual(await call(port, former, '1'), [200, '1']);
  server.trustClients([other.certificate]);
  assert.deepEqual((await call(port, former).catch(() => call(port, former)))[0], 403);
  assert.deepEqual(await call(port, present, '2'), [200, '2']);
  server.trustClients([trusted.certificate, other.certificate]);
  assert.deepEqual(await call(port, agentOf(trusted.issue()), '3'), [200, '3']);
});

test('a renewed serving certificate does not open the door', async () => {
  const { port, server } = await started([trusted.certificate]);
  server.use({ certificate: pair.certificate, key: pair.key });
  assert.equal((await call(port, agentOf(undefined)))[0], 403);
  assert.deepEqual(await call(port, agentOf(trusted.issue()), '1'), [200, '1']);
});
