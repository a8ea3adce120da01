/** An authority for certificates of clients, as an API server has one. */

import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from '../../../lib/serving/tls.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

/** What differs from an ordinary client's certificate. */
interface Oddities {
  readonly usage?: x509.ExtendedKeyUsage;
  /** In ms from now. */
  readonly endsInMs?: number;
}

/** An authority that signs for an hour. */
export interface ClientAuthority {
  /** As PEM. */
  readonly certificate: string;
  readonly issue: (oddities?: Oddities) => Promise<KeyPair>;
}

/** A new one. */
export async function newClientAuthority(): Promise<ClientAuthority> {
  const keys = await newKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(HOUR_MS),
    name: `CN=clients ${serial()}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const issue: ClientAuthority['issue'] = async ({ usage, endsInMs = HOUR_MS } = {}) => {
    const own = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(endsInMs),
      subject: 'CN=kube-apiserver',
      issuer: authority.subject,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [new x509.ExtendedKeyUsageExtension([usage ?? x509.ExtendedKeyUsage.clientAuth])],
    });
    const key = await crypto.subtle.exportKey('pkcs8', own.privateKey);
    return {
      certificate: certificate.toString('pem'),
      key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
    };
  };
  return { certificate: `${authority.toString('pem')}\n`, issue };
}

/** The usage of a server's certificate. */
export const OF_A_SERVER: x509.ExtendedKeyUsage = x509.ExtendedKeyUsage.serverAuth;

function validity(endsInMs: number) {
  return {
    serialNumber: serial(),
    notBefore: new Date(Date.now() - 2 * HOUR_MS),
    notAfter: new Date(Date.now() + endsInMs),
  };
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function serial(): string {
  return `01${randomBytes(15).toString('hex')}`;
}
