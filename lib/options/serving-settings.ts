/** The settings of the HTTP servers: ports, address, allowed hosts, and the admission webhook. */

import { BlockList, isIPv6 } from 'node:net';
import type { AdmissionOptions, Environment } from '../model/settings.ts';
import { textOf } from './command-line.ts';
import { FLAGS, type FlagName } from './flags.ts';
import { type Options, UsageError } from './options.ts';
import type { Reader } from './reader.ts';
import { isInPlaceOfStakater } from './stakater.ts';

const PAGES_PORT = 8080;
/** The port on which manifests of Stakater Reloader expect `/live` and `/metrics`; it has no flag for it. */
const STAKATERS_PORT = 9090;
const PROBES_PORT = 8081;

/** The properties of Options that this file computes; undefined ones are dropped later. */
type Serving = Pick<Options, 'port' | 'statusPage'> & {
  readonly [K in 'healthPort' | 'bindAddress' | 'checksHost' | 'metricsTlsDirectory' | 'admission']:
    | Options[K]
    | undefined;
};

/** The settings of pages, probes and admission webhook. Outside a pod all listen at 127.0.0.1 by default. @throws UsageError */
export function servingFrom(reader: Reader, env: Environment): Serving {
  const port = reader.get('port') ?? (isInPlaceOfStakater(env) ? STAKATERS_PORT : PAGES_PORT);
  const healthPort = reader.get('health-port') ?? (isPod(env) ? PROBES_PORT : undefined);
  const bindAddress = reader.get('bind-address') ?? (isPod(env) ? undefined : '127.0.0.1');
  const admission = admissionFrom(reader);
  refuseSamePort(reader, { 'health-port': healthPort, port });
  refuseSamePort(reader, { 'webhook-port': admission?.port, port });
  refuseSamePort(reader, { 'webhook-port': admission?.port, 'health-port': healthPort });
  return {
    port,
    healthPort,
    bindAddress,
    checksHost: isLoopback(bindAddress),
    statusPage: !reader.get('no-status-page'),
    metricsTlsDirectory: metricsTlsDirectoryFrom(reader),
    admission,
  };
}

/** @throws UsageError if two ports are equal; 0 never is, since the system picks a free port each time */
function refuseSamePort(reader: Reader, ports: { readonly [N in FlagName]?: number | undefined }): void {
  const [one, other] = Object.values(ports);
  if (one === undefined || one !== other || one === 0) return;
  const names = Object.keys(ports).map((name) => reader.placeOf(name as FlagName));
  throw new UsageError(`expected ${names.join(' other than ')}, got ${one} for both`);
}

/** Whether this process runs in a pod: the kubelet sets the variable in each container, even if enableServiceLinks is false. */
function isPod(env: Environment): boolean {
  return textOf(env, 'KUBERNETES_SERVICE_HOST') !== '';
}

/** Whether only programs on this machine can connect to the address. */
function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8);
  loopback.addAddress('::1', 'ipv6');
  return loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Undefined without --secure-metrics. @throws UsageError if one of the two flags lacks the other */
function metricsTlsDirectoryFrom(reader: Reader): string | undefined {
  const tlsDirectory = reader.get('metrics-tls-directory');
  const isSecure = reader.get('secure-metrics');
  if (isSecure && tlsDirectory === undefined)
    throw new UsageError(`expected --metrics-tls-directory beside ${reader.placeOf('secure-metrics')}`);
  if (!isSecure && tlsDirectory !== undefined)
    throw new UsageError(`expected --secure-metrics beside ${reader.placeOf('metrics-tls-directory')}`);
  return tlsDirectory;
}

/** The settings of the admission webhook; undefined without --webhook-port. @throws UsageError */
function admissionFrom(reader: Reader): AdmissionOptions | undefined {
  const port = reader.get('webhook-port');
  if (port === undefined) {
    const idle = FLAGS.find(({ name, group }) => group === 'Admission webhook:' && reader.asks(name));
    if (idle === undefined) return undefined;
    throw new UsageError(`expected --webhook-port beside ${reader.placeOf(idle.name)}`);
  }
  const tlsDirectory = reader.get('webhook-tls-directory');
  if (tlsDirectory === undefined)
    throw new UsageError(`expected --webhook-tls-directory beside ${reader.placeOf('webhook-port')}`);
  const clientAuthorities = reader.get('webhook-client-ca');
  return { port, tlsDirectory, ...(clientAuthorities !== undefined && { clientAuthorities }) };
}
