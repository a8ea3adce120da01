/** Certificates from files, read again after each renewal: those of servers, and those of the authorities of their clients. */

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../model/log.ts';
import type { KeyPair } from '../serving/web-server.ts';

/** The parts of a loop; `what`: for the log. */
interface LoopOptions<T> {
  readonly path: string;
  readonly read: (path: string) => Promise<T>;
  /** Receives each new content. @throws if it cannot be used */
  readonly use: (content: T) => void;
  readonly what: string;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The kubelet updates files about once a minute. It replaces a symbolic link to their folder, so polling is simpler than a
 * watch.
 */
const LOOK_MS = 10_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Reads until `signal` is aborted. It logs a content that cannot be used once, and the previous one stays in use. */
export async function follow<T>(
  { path, read, what, use, log, wait }: LoopOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  let tried: string | undefined;
  let problem: string | undefined;
  while (!signal.aborted) {
    try {
      const content = await read(path);
      const text = JSON.stringify(content);
      if (text !== tried) {
        tried = text;
        use(content);
        log.info(`${what} is in use`, { path });
        problem = undefined;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem) log.warn(`${what} cannot be used`, { path, error: message });
      problem = message;
    }
    await wait(LOOK_MS, signal);
  }
}

/** tls.crt and tls.key in a folder, one after the other, so that the error is the same each time if both are missing. */
export async function readPair(directory: string): Promise<KeyPair> {
  const read = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
  return { certificate: await read('tls.crt'), key: await read('tls.key') };
}

/** At least one authority. @throws if the file has no certificate: Node would trust all public authorities in their place */
export async function readAuthorities(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8');
  const authorities = (text.match(PEM) ?? []).map((each) => `${each}\n`);
  if (authorities.length === 0) throw new Error('it has no certificate in PEM');
  for (const authority of authorities) new X509Certificate(authority);
  return authorities;
}
