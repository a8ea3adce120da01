/** The serving certificate from two files, read again when somebody renews them. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../model/log.ts';
import type { KeyPair } from './admission-server.ts';

/** What it is made of. */
export interface CertificateFilesOptions {
  /** Where tls.crt and tls.key are. */
  readonly directory: string;
  /** Takes a pair that was not there before. @throws if its halves do not belong together */
  readonly use: (pair: KeyPair) => void;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The kubelet changes files about once a minute. They are looked at, not watched: what changes is a link to their folder. */
const LOOK_MS = 10_000;

/** Looks at the files until `signal` is aborted. What cannot be used is said once, and the pair of before stays in use. */
export async function followCertificateFiles(
  { directory, use, log, wait }: CertificateFilesOptions,
  signal: AbortSignal,
): Promise<void> {
  let tried: string | undefined;
  let complaint: string | undefined;
  while (!signal.aborted) {
    try {
      const pair = await readPair(directory);
      const text = JSON.stringify(pair);
      if (text !== tried) {
        tried = text;
        use(pair);
        log.info('the certificate of the admission webhook is in use', { directory });
        complaint = undefined;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complaint)
        log.warn('the certificate of the admission webhook cannot be used', { directory, error: message });
      complaint = message;
    }
    await wait(LOOK_MS, signal);
  }
}

/** One after the other: where both are missing, it is always the same one that is told. */
async function readPair(directory: string): Promise<KeyPair> {
  const read = (name: string): Promise<string> => readFile(path.join(directory, name), 'utf8');
  return { certificate: await read('tls.crt'), key: await read('tls.key') };
}
