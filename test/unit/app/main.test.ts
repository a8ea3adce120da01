/** How the running program ends when it has to. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { mock, type TestContext, test } from 'node:test';
import { main } from '../../../lib/app/main.ts';
import { Terms } from '../../../lib/app/terms.ts';
import { HttpsTransport } from '../../../lib/kubernetes/https-transport.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return isOpen;
}

/** What is logged by `act`. */
async function logOf(t: TestContext, act: () => Promise<void>): Promise<string> {
  const write = t.mock.method(process.stderr, 'write', () => true);
  await act();
  await new Promise((resolve) => setImmediate(resolve));
  write.mock.restore();
  return write.mock.calls.map(({ arguments: [text] }) => String(text)).join('');
}

test('an error of the reloader ends the program: nobody is told any more that it is alive', async (t) => {
  const port = await freePort();
  let wasListening = false;
  t.mock.method(Terms.prototype, 'run', async () => {
    wasListening = await isListening(port);
    throw new Error('what nobody thought of');
  });
  const close = t.mock.method(HttpsTransport.prototype, 'close', mock.fn());
  const command = parseOptions(['--server', 'http://127.0.0.1:1', '--port', String(port)], {});
  assert.equal(command.type, 'run');
  const log = await logOf(t, async () => {
    assert.equal(await main(command.options, [], {}, new AbortController().signal), 1);
  });
  assert.match(log, /exiting: unexpected error.*what nobody thought of/s);
  assert.equal(wasListening, true);
  assert.equal(await isListening(port), false);
  assert.equal(close.mock.callCount(), 1);
});
