/** The proxy that the environment names for an address, as kubectl reads it, but for the lower-case variable, which has precedence. */

import { BlockList, isIP } from 'node:net';
import { ConnectionError, type Environment } from '../model/settings.ts';

const PROTOCOLS = ['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:'];
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The URL of the proxy for `url`, an http or https URL; undefined without one, for an address of NO_PROXY, and for this machine.
 *
 * @throws ConnectionError that names the variable, and does not quote its value
 */
export function proxyFor(url: string, variables: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const name = protocol === 'http:' ? 'http_proxy' : 'https_proxy';
  const variable = variables[name] ? name : name.toUpperCase();
  const value = variables[variable];
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!value || isDirect(host, port || (DEFAULT_PORTS[protocol] ?? ''), variables)) return undefined;
  const proxy = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(proxy) || !PROTOCOLS.includes(new URL(proxy).protocol))
    throw new ConnectionError(`${variable}: expected the URL of a proxy`);
  return proxy;
}

/** An entry is `*`, an address, a subnet, a domain with its subdomains, or `.domain` for its subdomains only; maybe with a port. */
function isDirect(host: string, port: string, variables: Environment): boolean {
  if (host === 'localhost' || isIn(host, '127.0.0.0/8') || isIn(host, '::1/128')) return true;
  const entries = (variables['no_proxy'] || variables['NO_PROXY'] || '').toLowerCase().split(/[\s,]+/);
  return entries.filter(Boolean).some((entry) => {
    if (entry === '*' || entry === host || isIn(host, entry)) return true;
    const [, name = '', only] = /^\[?(.+?)\]?(?::(\d+))?$/.exec(entry) ?? [];
    if (only !== undefined && only !== port) return false;
    const domain = name.replace(/^\*/, '');
    return host === domain || host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
  });
}

/** Whether `subnet`, such as `10.0.0.0/8`, has the address `host`. */
function isIn(host: string, subnet: string): boolean {
  const [network = '', length = ''] = subnet.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(length)) return false;
  if (Number(length) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(length), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
