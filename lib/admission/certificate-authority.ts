/** Makes a serving certificate, signed by a new authority whose key is discarded. */

import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { KeyPair } from '../serving/tls.ts';

/** A serving certificate, and the authority that signed it. */
export interface IssuedPair extends KeyPair {
  /** The authority's certificate, as PEM. */
  readonly authority: string;
}

/** The names and the validity of a certificate. */
export interface IssueOptions {
  /** The DNS names of the server. */
  readonly names: readonly string[];
  /** Milliseconds of the epoch. */
  readonly now: number;
  readonly lifetimeMs: number;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** The validity begins an hour in the past, since clocks differ. */
const BACKDATED_MS = 3_600_000;

/** A new authority and a certificate that it signs. It can sign no other one, since its key is discarded. */
export async function issuePair({ names, now, lifetimeMs }: IssueOptions): Promise<IssuedPair> {
  const validity = { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + lifetimeMs) };
  const [authorityKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: newSerial(),
    name: `CN=kubernetes-reloader ${newSerial()}`,
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: newSerial(),
    subject: 'CN=kubernetes-reloader',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  return {
    authority: pemOf(authority),
    certificate: pemOf(certificate),
    key: x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
  };
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function newSerial(): string {
  // A serial number is positive: its first bit is 0.
  return `01${randomBytes(15).toString('hex')}`;
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
