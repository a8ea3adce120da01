/** What is served over HTTP: ports, the address, the hosts that requests may name. */

import { BlockList, isIPv6 } from 'node:net';
import type { Environment } from './environment.ts';
import type { FlagName } from './flags.ts';
import type { Options } from './options.ts';
import type { Reader } from './reader.ts';
import { isInPlaceOfStakater, STAKATERS_PORT } from './stakater-settings.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';

const PAGES_PORT = 8080;
const PROBES_PORT = 8081;

/** What stands in the options. */
type Serving = Pick<Options, 'port' | 'healthPort' | 'bindAddress' | 'allowedHosts' | 'statusPage'>;

/** How the pages and the probes are served. @throws UsageError */
export function servingFrom(reader: Reader, env: Environment): Serving {
  const port = reader.one('port', types.PORT) ?? (isInPlaceOfStakater(env) ? STAKATERS_PORT : PAGES_PORT);
  const healthPort = reader.one('health-port', types.PORT) ?? (isPod(env) ? PROBES_PORT : undefined);
  const bindAddress = reader.one('bind-address', types.IP_ADDRESS) ?? (isPod(env) ? undefined : '127.0.0.1');
  const allowedHosts = reader.list('allowed-hosts', types.HOST);
  if (healthPort !== undefined) refuseSamePort(reader, ['health-port', healthPort], ['port', port]);
  return {
    port,
    ...(healthPort === undefined ? {} : { healthPort }),
    ...(bindAddress === undefined ? {} : { bindAddress }),
    ...(isLoopback(bindAddress) ? { allowedHosts } : {}),
    statusPage: !(reader.one('no-status-page', types.BOOLEAN) ?? false),
  };
}

/** @throws UsageError if two ports are the same one; 0 is another one each time */
export function refuseSamePort(
  reader: Reader,
  [flag, port]: readonly [FlagName, number],
  [other, taken]: readonly [FlagName, number | undefined],
): void {
  if (port !== taken || port === 0) return;
  const names = [flag, other].map((name) => reader.sourceOf(name) ?? `--${name}`);
  throw new UsageError(`expected ${names.join(' other than ')}, got ${port} for both`);
}

/** A warning for hosts that no request is compared with. */
export function servingNotices(reader: Reader, { allowedHosts }: Options): string[] {
  const source = reader.sourceOf('allowed-hosts');
  if (source === undefined || allowedHosts !== undefined) return [];
  return [`${source} has no effect: it needs a loopback address as --bind-address`];
}

/** The kubelet sets the variable in each container, also where `enableServiceLinks` is false. */
function isPod(env: Environment): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '').trim() !== '';
}

/** Whether programs of other machines cannot reach the address. */
function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
