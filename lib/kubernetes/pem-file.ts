/** Files that TLS is to be spoken with. What is no PEM would fail at each connection, or count for nothing without a word. */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ConnectionError, requireReadable } from './kube-config-base.ts';

/** @throws ConnectionError naming `flag`, from which the file comes, if no certificate begins it. */
export function requireCertificate(file: string, flag: string): void {
  const content = requireReadable(file, flag);
  // A certificate in binary is parsed here too, but not where connections are made.
  const isPem = content.includes('-----BEGIN ');
  if (!isPem || !succeeds(() => new X509Certificate(content)))
    throw new ConnectionError(`${flag}: ${file} holds no PEM certificate`);
}

/** A key with a passphrase is one. @throws ConnectionError naming `flag`, from which the file comes. */
export function requireKey(file: string, flag: string): void {
  const content = requireReadable(file, flag);
  const isEncrypted = /^(-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED)/m.test(content.toString('latin1'));
  if (!isEncrypted && !succeeds(() => createPrivateKey(content)))
    throw new ConnectionError(`${flag}: ${file} holds no PEM private key`);
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false; // why not is said in words that help nobody, such as `no start line`
  }
}
