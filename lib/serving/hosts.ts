/** Which hosts a request may name, where only programs of this machine shall ask: a page of a browser there is one too. */

import { isIP } from 'node:net';

/**
 * Whether `host`, the header of a request, is localhost, an IP address or one of `allowed`. A web page that lets its own name
 * point to this machine (DNS rebinding) names that one. Without the header it is no browser.
 */
export function isAllowedHost(host: string | undefined, allowed: readonly string[]): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || isAddress(name) || allowed.includes(name);
}

/** IPv6 stands in brackets. */
function isAddress(name: string): boolean {
  const bracketed = /^\[(.*)\]$/.exec(name)?.[1];
  return bracketed === undefined ? isIP(name) === 4 : isIP(bracketed) === 6;
}
