/** The serving certificate from two files, read again after each renewal. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../model/log.ts';
import type { KeyPair } from './admission-server.ts';

/** The parts of the loop. */
export interface CertificateFilesOptions {
  /** The folder with tls.crt and tls.key. */
  readonly directory: string;
  /** Receives each new pair. @throws if its halves do not belong together */
  readonly use: (pair: KeyPair) => void;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The kubelet updates files about once a minute. It replaces a symbolic link to their folder, so polling is simpler than a
 * watch.
 */
const LOOK_MS = 10_000;

/** Polls the files until `signal` is aborted. It logs an unusable pair once, and the previous pair stays in use. */
export async function followCertificateFiles(
  { directory, use, log, wait }: CertificateFilesOptions,
  signal: AbortSignal,
): Promise<void> {
  let tried: string | undefined;
  let problem: string | undefined;
  while (!signal.aborted) {
    try {
      const pair = await readPair(directory);
      const text = JSON.stringify(pair);
      if (text !== tried) {
        tried = text;
        use(pair);
        log.info('the certificate of the admission webhook is in use', { directory });
        problem = undefined;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem)
        log.warn('the certificate of the admission webhook cannot be used', { directory, error: message });
      problem = message;
    }
    await wait(LOOK_MS, signal);
  }
}

/** Reads one file after the other, so that the error is the same each time if both are missing. */
async function readPair(directory: string): Promise<KeyPair> {
  const read = (name: string): Promise<string> => readFile(path.join(directory, name), 'utf8');
  return { certificate: await read('tls.crt'), key: await read('tls.key') };
}
