/** A transport against a real server on the loopback. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { HttpsTransport, MAX_REQUESTS } from '../../../lib/kubernetes/https-transport.ts';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';

/** A read. */
export const GET: ApiRequest = { method: 'GET', path: '/api/v1/configmaps?limit=1' };
/** A watch. */
export const WATCH: ApiRequest = { method: 'GET', path: '/api/v1/configmaps?watch=1' };
/** A write. */
export const PATCH: ApiRequest = { method: 'PATCH', path: '/api/v1/configmaps/a', body: '{}' };

/** A server and what calls it. */
export interface Setup {
  readonly transport: HttpsTransport;
  /** Connections so far. */
  readonly sockets: Socket[];
  /** How often the settings were loaded. */
  readonly loads: () => number;
}

/** What the transport is made with. */
export interface Options {
  readonly maxRequests?: number;
  readonly headTimeoutMs?: number;
  /** How many loads of the settings succeed. */
  readonly loads?: number;
}

/** A server with `listener`, and a transport whose nth load of the settings has the token `token-n` and another authority. */
export async function serve(
  t: TestContext,
  listener: RequestListener,
  options: Options = {},
): Promise<Setup> {
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
  const { headTimeoutMs = 30_000, maxRequests = MAX_REQUESTS } = options;
  const transport = new HttpsTransport({ load, version: '1.2.3', headTimeoutMs, maxRequests });
  t.after(() => {
    transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { transport, sockets, loads: () => loads };
}

/** The settings of a server behind this token and authority. */
export function configFor(server: string, token: string, authority: string, more = {}): KubeConfig {
  const config = new KubeConfig();
  const caData = Buffer.from(authority).toString('base64');
  const cluster = { name: 'c', server, skipTLSVerify: true, caData, ...more };
  config.loadFromClusterAndUser(cluster, { name: 'u', token });
  return config;
}
