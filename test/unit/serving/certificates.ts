/** Certificates for tests, issued by openssl (version 3). */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KeyPair } from '../../../lib/serving/web-server.ts';

/** A serving certificate, and the authority that issued it. */
export interface ServingPair extends KeyPair {
  /** The authority's certificate, as PEM. */
  readonly authority: string;
}

/** The properties of a certificate that differ from those of an ordinary client. */
interface LeafOptions {
  readonly usage?: 'clientAuth' | 'serverAuth';
  /** A DNS name. */
  readonly name?: string;
  readonly isExpired?: boolean;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', '-'];
const BLOCK = /-----BEGIN (?<type>[A-Z ]+)-----[^-]+-----END \k<type>-----\n/g;
let count = 0;

/** A certificate authority. */
export class Authority {
  /** As PEM. */
  readonly certificate: string;
  /** Key and certificate. */
  readonly #both: string;

  constructor() {
    count += 1;
    const name = `/CN=authority ${process.pid}-${count}`;
    const usage = ['-addext', 'keyUsage=critical,keyCertSign'];
    this.#both = openssl(['req', '-x509', ...NEW_KEY, '-subj', name, '-days', '1', ...usage]);
    this.certificate = blockOf(this.#both, 'CERTIFICATE');
  }

  /** Issues a certificate that is valid for a day. */
  issue({ usage = 'clientAuth', name, isExpired = false }: LeafOptions = {}): KeyPair {
    const extensions = [
      'basicConstraints=critical,CA:FALSE',
      `extendedKeyUsage=${usage}`,
      ...(name === undefined ? [] : [`subjectAltName=DNS:${name}`]),
    ].flatMap((extension) => ['-addext', extension]);
    const request = openssl(['req', ...NEW_KEY, '-subj', `/CN=${name ?? 'client'}`, ...extensions]);
    const folder = mkdtempSync(path.join(tmpdir(), 'reloader-authority-'));
    try {
      const file = path.join(folder, 'ca.pem');
      writeFileSync(file, this.#both);
      const days = isExpired ? '-1' : '1';
      const sign = ['x509', '-req', '-CA', file, '-days', days, '-copy_extensions', 'copy'];
      return { key: blockOf(request, 'PRIVATE KEY'), certificate: openssl(sign, request) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** A serving certificate for one DNS name, by an authority of its own. */
export function servingPair(name: string): ServingPair {
  const authority = new Authority();
  return { ...authority.issue({ usage: 'serverAuth', name }), authority: authority.certificate };
}

function openssl(args: readonly string[], input = ''): string {
  return execFileSync('openssl', args, { input, encoding: 'utf8', stdio: 'pipe' });
}

function blockOf(text: string, type: string): string {
  const [block] = [...text.matchAll(BLOCK)].filter(({ groups }) => groups?.['type'] === type);
  if (block === undefined) throw new Error(`openssl wrote no ${type}: ${text}`);
  return block[0];
}
