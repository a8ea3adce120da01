/** Which connection goes when there are too many: real sockets, step by step. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { Connections } from '../../../lib/serving/connections.ts';
import { endListening } from '../../../lib/serving/web-server.ts';
import { servingPair } from './certificates.ts';

const MOST = 3;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** One end of a connection. */
class Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  text = '';

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    this.closed = once(socket, 'close');
  }

  /** How many answers it has got. */
  get answers(): number {
    return this.text.split('HTTP/1.1 200').length - 1;
  }
}

/** A server that answers when it is told to. */
class Stage implements AsyncDisposable {
  readonly server: Server | ReturnType<typeof createServer>;
  readonly connections: Connections;
  /** The server's ends, in the order of arrival. */
  readonly accepted: Socket[] = [];
  readonly #waiting: ServerResponse[] = [];

  constructor(pair?: { readonly certificate: string; readonly key: string }) {
    const take = (_: unknown, response: ServerResponse): void => void this.#waiting.push(response);
    this.server =
      pair === undefined
        ? createServer(take)
        : createSecureServer({ cert: pair.certificate, key: pair.key }, take);
    this.connections = new Connections(this.server, MOST);
    this.server.on('connection', (socket) => this.accepted.push(socket));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async open(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** A connection that the server has taken. */
  async client(): Promise<Client> {
    const before = this.accepted.length;
    const client = new Client(connect(this.port, '127.0.0.1'));
    while (this.accepted.length === before) await once(this.server, 'connection');
    return client;
  }

  /** The same with TLS, which is complete. */
  async secureClient(): Promise<Client> {
    const socket = connectSecurely({ port: this.port, host: '127.0.0.1', rejectUnauthorized: false });
    const client = new Client(socket);
    await once(socket, 'secureConnect');
    return client;
  }

  /** Sends a request; resolves when the server has it. */
  async ask({ socket }: Client): Promise<void> {
    const asked = once(this.server, 'request');
    socket.write(REQUEST);
    await asked;
  }

  /** Answers the request that has waited for longest. */
  async answer(client: Client): Promise<void> {
    const before = client.answers;
    const response = this.#waiting.shift();
    assert.ok(response);
    const over = once(response, 'close');
    response.end('ok');
    await over;
    while (client.answers === before) await once(client.socket, 'data');
  }

  /** Its connection still serves. */
  async serves(client: Client): Promise<void> {
    await this.ask(client);
    await this.answer(client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connections.closeAll();
    await endListening(this.server, this.connections);
  }
}

const pair = servingPair('x');
const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage[Symbol.asyncDispose]();
});

async function opened(certificate?: typeof pair): Promise<Stage> {
  const stage = new Stage(certificate);
  stages.push(stage);
  return await stage.open();
}

describe('at the limit of connections', { timeout: 20_000 }, () => {
  test('the oldest unused one goes, and the new one is served', async () => {
    const stage = await opened();
    const [first, second, third] = [await stage.client(), await stage.client(), await stage.client()];
    const last = await stage.client();
    await first.closed;
    for (const client of [last, second, third]) await stage.serves(client);
  });

  test('one more goes for each that comes', async () => {
    const stage = await opened();
    const old = [await stage.client(), await stage.client(), await stage.client()];
    const fresh = [await stage.client(), await stage.client(), await stage.client()];
    for (const { closed } of old) await closed;
    for (const client of fresh) await stage.serves(client);
  });

  test('one that was answered lately has not been idle for longest', async () => {
    const stage = await opened();
    const [first, second, third] = [await stage.client(), await stage.client(), await stage.client()];
    await stage.serves(first);
    await stage.client();
    await second.closed;
    await stage.serves(third);
    await stage.serves(first);
  });

  test('one in the middle of a request stays, however old', async () => {
    const stage = await opened();
    const [first, second, third] = [await stage.client(), await stage.client(), await stage.client()];
    await stage.ask(first);
    const more = [await stage.client(), await stage.client(), await stage.client()];
    for (const { closed } of [second, third, ...more.slice(0, 1)]) await closed;
    await stage.answer(first);
    await stage.serves(first);
  });

  test('one of whose two requests one is answered is in the middle of the other', async () => {
    const stage = await opened();
    const [first, second] = [await stage.client(), await stage.client(), await stage.client()];
    await stage.ask(first);
    await stage.ask(first);
    await stage.answer(first);
    const more = [await stage.client(), await stage.client()];
    await second.closed;
    await stage.answer(first);
    for (const client of [first, ...more]) await stage.serves(client);
  });

  test('if all are in the middle of requests the oldest request goes, not the oldest connection', async () => {
    const stage = await opened();
    const [first, second, third] = [await stage.client(), await stage.client(), await stage.client()];
    for (const client of [second, third, first]) await stage.ask(client);
    const last = await stage.client();
    await second.closed;
    const asked = once(stage.server, 'request');
    last.socket.write(REQUEST);
    await asked;
    assert.deepEqual([first.socket.destroyed, third.socket.destroyed], [false, false]);
  });

  test('what has closed counts no more', async () => {
    const stage = await opened();
    const [first, second, third] = [await stage.client(), await stage.client(), await stage.client()];
    const accepted = stage.accepted.at(-1);
    assert.ok(accepted);
    third.socket.destroy();
    await once(accepted, 'close');
    const last = await stage.client();
    for (const client of [first, second, last]) await stage.serves(client);
  });

  test('a part of the headers is no request', async () => {
    const stage = await opened();
    const slow = await stage.client();
    slow.socket.write('GET / HTTP/1.1\r\n');
    const [second, third] = [await stage.client(), await stage.client()];
    await stage.serves(second);
    await stage.serves(third);
    await stage.client();
    await slow.closed;
    await stage.serves(second);
  });

  test('where there is TLS, one without a handshake is idle', async () => {
    const stage = await opened(pair);
    const busy = await stage.secureClient();
    await stage.ask(busy);
    const silent = [await stage.client(), await stage.client()];
    const last = await stage.secureClient();
    await silent[0]?.closed;
    await stage.answer(busy);
    for (const client of [busy, last]) await stage.serves(client);
    await stage.client();
    await silent[1]?.closed;
    await stage.serves(busy);
  });

  test('where there is TLS, one that was used goes as any other', async () => {
    const stage = await opened(pair);
    const used = await stage.secureClient();
    await stage.serves(used);
    for (let i = 0; i < MOST; i += 1) await stage.client();
    await used.closed;
  });
});

test('a server that ends cuts off a connection without a handshake', { timeout: 20_000 }, async (t) => {
  const stage = await opened(pair);
  const silent = await stage.client();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ended = endListening(stage.server, stage.connections);
  t.mock.timers.tick(1000);
  await silent.closed;
  await ended;
});
