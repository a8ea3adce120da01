/**
 * The hosts that a request may name, if only programs of this machine may connect. A page in a browser there is one of them.
 */

import { isIP } from 'node:net';

/**
 * Whether `host`, the header of a request, is localhost or an IP address. A web page whose DNS name points to
 * this machine (DNS rebinding) sends that name. A request without the header does not come from a browser.
 */
export function isLocalHost(host: string | undefined): boolean {
  if (host === undefined) return true;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === 'localhost' || isAddress(name);
}

/** An IPv6 address in a Host header is in brackets. */
function isAddress(name: string): boolean {
  const bracketed = /^\[(.*)\]$/.exec(name)?.[1];
  return bracketed === undefined ? isIP(name) === 4 : isIP(bracketed) === 6;
}
