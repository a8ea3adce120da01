/** Clients that hold connections: probes, pages and reviews are answered all the same; and where the ports are open. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { connect as connectSecurely } from 'node:tls';
import { servingPair } from '../unit/serving/certificates.ts';
import { Cluster } from './harness.ts';
import type { ReloaderProcess } from './reloader-process.ts';

const HOGS = 300;
/** How many of them are cut off at least: each server keeps less. */
const MOST_KEPT = 256;
/** As the kubelet sets it. */
const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
/** Where a pod's own port for probes would be may be another test's. */
const FREE_PORT = ['--health-port', '0'];

/** Connections of one client, which may be cut off. */
class Hogs implements Disposable {
  readonly sockets: Socket[] = [];
  closed = 0;

  /** Opens that many; resolves when each is open. */
  async open(make: () => Socket, opened: string): Promise<this> {
    await Promise.all(
      Array.from({ length: HOGS }, async () => {
        const socket = make();
        this.sockets.push(socket);
        socket
          .on('error', () => socket.destroy())
          .on('close', () => {
            this.closed += 1;
          });
        socket.resume();
        await new Promise((resolve) => socket.once(opened, resolve).once('close', resolve));
      }),
    );
    return this;
  }

  [Symbol.dispose](): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** The port in the line of the log that begins so. */
function portIn(reloader: ReloaderProcess, words: RegExp, field: string): number {
  const port = reloader.lines.find(({ message }) => words.test(message))?.[field];
  assert.ok(typeof port === 'number', reloader.log);
  return port;
}

function healthPortOf(reloader: ReloaderProcess): number {
  return portIn(reloader, /^kubernetes-reloader .* watches/, 'healthPort');
}

/** The status of a page that is asked for by a new connection. */
async function statusOf(port: number | undefined, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  await response.arrayBuffer();
  return response.status;
}

/** Whether a port is open at an address of this machine. */
async function isOpen(port: number | undefined, address: string): Promise<boolean> {
  assert.ok(port !== undefined);
  const socket = connect(port, address);
  const result = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  socket.destroy();
  return result;
}

describe('three hundred connections at the port of the pages', { concurrency: 2 }, () => {
  const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const kinds: Record<string, (socket: Socket) => void> = {
    'that say nothing': () => undefined,
    'that were answered and stay open': (socket) => void socket.write(REQUEST),
    'that never end their headers': (socket) => void socket.write('GET /healthz HTTP/1.1\r\n'),
  };
  for (const [name, greet] of Object.entries(kinds)) {
    test(`${name} keep neither probes nor other clients out`, async () => {
      await using cluster = await Cluster.start();
      const reloader = await cluster.reloader({ flags: FREE_PORT });
      const { port } = reloader;
      const healthPort = healthPortOf(reloader);
      assert.ok(port !== undefined);
      const make = (): Socket =>
        connect(port, '127.0.0.1').once('connect', function (this: Socket) {
          greet(this);
        });
      using hogs = await new Hogs().open(make, 'connect');
      for (const path of ['/healthz', '/live', '/readyz']) {
        assert.equal(await statusOf(healthPort, path), 200);
        assert.equal(await statusOf(port, path), 200);
      }
      assert.equal(await statusOf(port, '/metrics'), 200);
      await cluster.until('the oldest have been cut off', () => hogs.closed >= HOGS - MOST_KEPT);
      assert.equal(reloader.exit, undefined);
    });
  }
});

describe('three hundred connections at the port of the admission webhook', { concurrency: 2 }, () => {
  const makers: Record<string, readonly [make: (port: number) => Socket, opened: string]> = {
    'that never begin TLS': [(port) => connect(port, '127.0.0.1'), 'connect'],
    'that ask nothing': [
      (port) => connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }),
      'secureConnect',
    ],
  };
  for (const [name, [make, opened]] of Object.entries(makers)) {
    test(`${name} keep no review out`, async () => {
      await using cluster = await Cluster.start();
      const { certificate, key, authority } = servingPair('localhost');
      await writeFile(cluster.file('tls.crt'), certificate);
      await writeFile(cluster.file('tls.key'), key);
      const flags = ['--webhook-port', '0', '--webhook-tls-directory', cluster.folder];
      const reloader = await cluster.reloader({ flags });
      const port = portIn(reloader, /^the admission webhook preserves stamps/, 'port');
      using hogs = await new Hogs().open(() => make(port), opened);
      const agent = new Agent({ keepAlive: false });
      for (let i = 0; i < 3; i += 1) {
        const asked = request({
          host: '127.0.0.1',
          servername: 'localhost',
          ca: authority,
          agent,
          port,
          method: 'POST',
          path: '/mutate',
          headers: { 'content-type': 'application/json' },
        });
        asked.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            request: {
              uid: 'u',
              operation: 'CREATE',
              kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
              namespace: 'default',
              object: { metadata: { name: 'web' }, spec: { template: { spec: { containers: [] } } } },
            },
          }),
        );
        const [response] = await once(asked, 'response');
        assert.match(await text(response), /"allowed":true/);
      }
      await cluster.until('the oldest have been cut off', () => hogs.closed >= HOGS - MOST_KEPT);
    });
  }
});

describe('the address', { concurrency: 2 }, () => {
  // All of 127.0.0.0/8 is this machine, so that another of its addresses needs no other machine.
  const OTHER = '127.0.0.2';
  /** Its folder has no certificate. */
  const webhookOf = ({ folder }: Cluster): readonly string[] => [
    '--webhook-port=0',
    `--webhook-tls-directory=${folder}`,
  ];
  const cases: Record<string, { flags: readonly string[]; env: Record<string, string>; isOpen: boolean }> = {
    'is 127.0.0.1 alone outside a pod': { flags: [], env: {}, isOpen: false },
    'is any in a pod': { flags: [], env: POD, isOpen: true },
    'is the one that is said, in a pod too': {
      flags: ['--bind-address', '127.0.0.1'],
      env: POD,
      isOpen: false,
    },
    'is any where that is said outside a pod': { flags: ['--bind-address=0.0.0.0'], env: {}, isOpen: true },
  };
  for (const [name, { flags, env, isOpen: want }] of Object.entries(cases)) {
    test(name, async () => {
      await using cluster = await Cluster.start();
      const reloader = await cluster.reloader({
        flags: [...FREE_PORT, ...webhookOf(cluster), ...flags],
        env,
      });
      await reloader.hasSaid(/the admission webhook preserves stamps/);
      const ports = [
        reloader.port,
        healthPortOf(reloader),
        portIn(reloader, /^the admission webhook preserves stamps/, 'port'),
      ];
      for (const port of ports) {
        assert.equal(await isOpen(port, '127.0.0.1'), true);
        assert.equal(await isOpen(port, OTHER), want, `${port}`);
      }
    });
  }
});
