/** The key of the digests of this process. */

import { randomBytes } from 'node:crypto';
import { DigestKeys } from '../state/digest-keys.ts';
import { type HeldKey, Keyring } from '../state/keyring.ts';
import type { Parts } from './assembly.ts';

/** The keyring, empty until the Secret is read, and what reads it. */
export function digestKeysOf({ options, log, newKey = randomKey }: Parts): {
  readonly keyring: Keyring;
  readonly keys: DigestKeys;
} {
  const keyring = new Keyring();
  const keys = new DigestKeys({ keyring, isKeyed: options.digests === 'keyed', newKey, log });
  return { keyring, keys };
}

function randomKey(): HeldKey {
  return { id: `k${randomBytes(4).toString('hex')}`, value: randomBytes(32).toString('base64') };
}
