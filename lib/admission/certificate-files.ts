/** Certificates from files, read again after each renewal: those of servers, and those of the authorities of their clients. */

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log, LogFields } from '../model/log.ts';
import type { KeyPair } from '../serving/listener.ts';

/** The parts of a loop, whatever its files hold. */
interface LoopOptions<T> {
  /** Receives each new content. @throws if it cannot be used */
  readonly use: (content: T) => void;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The kubelet updates files about once a minute. It replaces a symbolic link to their folder, so polling is simpler than a
 * watch.
 */
const LOOK_MS = 10_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Polls the folder with tls.crt and tls.key until `signal` is aborted; `what`: for the log. It logs an unusable pair once, and the
 * previous pair stays in use. `use` throws if the halves of a pair do not belong together.
 */
export async function followCertificateFiles(
  {
    directory,
    what = 'the certificate of the admission webhook',
    ...loop
  }: LoopOptions<KeyPair> & { readonly directory: string; readonly what?: string },
  signal: AbortSignal,
): Promise<void> {
  await follow({ ...loop, read: () => readPair(directory), what, place: { directory } }, signal);
}

/** Polls the file until `signal` is aborted. It logs an unusable file once, and the previous authorities stay in use; at least one. */
export async function followClientAuthorities(
  { file, ...loop }: LoopOptions<readonly string[]> & { readonly file: string },
  signal: AbortSignal,
): Promise<void> {
  const what = "the CA file for the admission webhook's clients";
  await follow({ ...loop, read: () => readAuthorities(file), what, place: { file } }, signal);
}

async function follow<T>(
  loop: LoopOptions<T> & { read: () => Promise<T>; what: string; place: LogFields },
  signal: AbortSignal,
): Promise<void> {
  const { read, what, place, use, log, wait } = loop;
  let tried: string | undefined;
  let problem: string | undefined;
  while (!signal.aborted) {
    try {
      const content = await read();
      const text = JSON.stringify(content);
      if (text !== tried) {
        tried = text;
        use(content);
        log.info(`${what} is in use`, place);
        problem = undefined;
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== problem) log.warn(`${what} cannot be used`, { ...place, error: message });
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

/** @throws if the file has no certificate: without one, Node would trust all public authorities in their place */
async function readAuthorities(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8');
  const authorities = (text.match(PEM) ?? []).map((each) => `${each}\n`);
  if (authorities.length === 0) throw new Error('it has no certificate in PEM');
  for (const authority of authorities) new X509Certificate(authority);
  return authorities;
}
