/** Clients that do not read: what a server holds for them is bounded. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Deliveries } from '../../../lib/serving/connections.ts';

/** More than what the kernel takes for a connection; two of them are the most that is held. */
const BYTES = 16 * 1024 * 1024;

let server: Server;
const sockets: Socket[] = [];
let deliveries: Deliveries;

beforeEach(async () => {
  deliveries = new Deliveries();
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function body(): Buffer {
  return Buffer.alloc(BYTES, 'a');
}

/** A client that has asked and does not read, and the response to it. */
async function asked(): Promise<{ readonly socket: Socket; readonly response: ServerResponse }> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => socket.destroy());
  sockets.push(socket);
  const request = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const [, response] = (await request) as [unknown, ServerResponse];
  response.writeHead(200, { 'content-length': BYTES });
  return { socket, response };
}

/** Sends `text` to a new client, which does not read it. */
async function sent(text: Buffer): Promise<Awaited<ReturnType<typeof asked>>> {
  const client = await asked();
  deliveries.send(client.response, text);
  return client;
}

function cutOff(clients: readonly { readonly response: ServerResponse }[]): readonly boolean[] {
  return clients.map(({ response }) => response.destroyed);
}

describe('bodies that are under way', { timeout: 20_000 }, () => {
  test('beyond the bound the clients that are sent one for longest are cut off', async () => {
    const text = body();
    const clients = [await sent(text), await sent(body()), await sent(text), await sent(body())];
    assert.deepEqual(cutOff(clients), [true, true, false, false]);
    clients.push(await sent(body()));
    assert.deepEqual(cutOff(clients), [true, true, true, false, false]);
  });

  test('count no more when they have been read', async () => {
    const clients = [await sent(body()), await sent(body())];
    const [reader] = clients;
    assert.ok(reader);
    const over = once(reader.response, 'close');
    reader.socket.resume();
    await over;
    assert.equal(reader.response.writableFinished, true);
    clients.push(await sent(body()));
    assert.deepEqual(cutOff(clients.slice(1)), [false, false]);
  });

  test('count no more when the client has gone, nor if it goes before', async () => {
    const client = await sent(body());
    const early = await asked();
    assert.equal(deliveries.bytes, BYTES);
    for (const { socket, response } of [client, early]) {
      const over = once(response, 'close');
      socket.destroy();
      await over;
    }
    assert.equal(deliveries.bytes, 0);
    deliveries.send(early.response, body());
    assert.equal(deliveries.bytes, 0);
  });

  test('may be longer than the bound, alone', async () => {
    const { response } = await asked();
    const long = Buffer.concat([body(), body(), body()]);
    const other = await sent(body());
    deliveries.send(response, long);
    assert.deepEqual(cutOff([other, { response }]), [true, false]);
  });
});
