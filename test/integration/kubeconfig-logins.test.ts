/** Logins and proxies of a kubeconfig that no pod has: the bundle has them. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BUNDLE, ReloaderProcess } from './reloader-process.ts';

/** Prints what gcp and azure ask a command for. */
const COMMAND = {
  'cmd-path': '/bin/echo',
  // A shell reads it.
  'cmd-args': `'{"token":"of-the-command","expiry":"2099-01-01T00:00:00Z"}'`,
  'token-key': '{.token}',
  'expiry-key': '{.expiry}',
};
/** Good until 2099. */
const ID_TOKEN = ['{}', '{"exp":4070908800}', ''].map((part) => btoa(part)).join('.');
/** Provider → its configuration, and the token that comes of it. */
const LOGINS = {
  gcp: [COMMAND, 'of-the-command'],
  azure: [COMMAND, 'of-the-command'],
  oidc: [{ 'id-token': ID_TOKEN }, ID_TOKEN],
} as const;

let folder = '';
let apiServer: Server;
let proxy: TcpServer;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-logins-'));
  apiServer = createServer((_, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
  proxy = createTcpServer().listen(0, '127.0.0.1');
  await Promise.all([once(apiServer, 'listening'), once(proxy, 'listening')]);
});
after(() => {
  apiServer.close();
  apiServer.closeAllConnections();
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the bundle with a kubeconfig of this user and cluster. */
function start(user: object, cluster: object = {}): ReloaderProcess {
  const { port } = apiServer.address() as AddressInfo;
  const server = `http://127.0.0.1:${port}`;
  const kubeconfig = path.join(folder, 'kubeconfig');
  // JSON is YAML.
  const text = JSON.stringify({
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  writeFileSync(kubeconfig, text);
  const flags = ['--kubeconfig', kubeconfig, '--namespace', 'default', '--port', '0', '--log-format', 'json'];
  return new ReloaderProcess(flags, {}, undefined, [process.execPath, BUNDLE]);
}

function login(name: keyof typeof LOGINS): object {
  return { 'auth-provider': { name, config: LOGINS[name][0] } };
}

describe('a kubeconfig', { concurrency: 1, timeout: 60_000 }, () => {
  for (const name of Object.keys(LOGINS) as (keyof typeof LOGINS)[]) {
    test(`with a login by ${name} gives its token to the API server`, async () => {
      // A request of the process before may still arrive.
      const { promise: isAsked, resolve } = Promise.withResolvers<void>();
      apiServer.on('request', ({ headers }) => {
        if (headers.authorization === `Bearer ${LOGINS[name][1]}`) resolve();
      });
      const reloader = start(login(name));
      await isAsked;
      await reloader.kill();
    });
  }

  const proxied = (): object => ({
    'proxy-url': `socks5://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  });

  test('with a SOCKS proxy leads to it', async () => {
    const connected = once(proxy, 'connection');
    const reloader = start({}, proxied());
    const [socket] = (await connected) as [NodeJS.ReadableStream];
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    await reloader.kill();
    assert.equal(greeting[0], 5);
  });
});
