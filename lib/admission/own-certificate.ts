/**
 * The serving certificate that the program makes by itself. All replicas share it in a Secret. The program renews it before it
 * expires, and uses a new one only after the API server trusts its authority.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Log } from '../model/log.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { KeyPair } from '../serving/tls.ts';
import type { IssuedPair, IssueOptions } from './certificate-authority.ts';
import { certificatesIn } from './certificate-files.ts';

/** The Secret with the certificate. */
interface Held {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The webhooks of the MutatingWebhookConfiguration, with the authorities that the API server trusts. */
interface Trusted {
  readonly resourceVersion: string;
  readonly webhooks: readonly { readonly host: string; readonly authorities: string }[];
}

/** Access to the Secret and to the MutatingWebhookConfiguration. Reads reject if they fail. */
export interface CertificateStore {
  read(): Promise<Held | undefined>;
  /** Creates an empty Secret; an existing one stays as it is. */
  create(): Promise<WriteResult<Held>>;
  /** Fenced by the version. */
  write(version: string, texts: Readonly<Record<string, string>>): Promise<WriteResult<Held>>;
  trust(): Promise<Trusted>;
  /** Fenced by the version. */
  setTrust(trusted: Trusted, authorities: string): Promise<WriteResult<unknown>>;
}

/** The parts of the loop. */
export interface OwnCertificateOptions {
  readonly store: CertificateStore;
  readonly issue: (options: IssueOptions) => Promise<IssuedPair>;
  /** Receives each new pair. */
  readonly use: (pair: KeyPair) => void;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
}

/** The validity of a certificate. */
export const LIFETIME_MS: number = 90 * 24 * 3_600_000;
/**
 * A certificate is renewed when a third of its validity is left; replicas, which poll once a minute, have the new one in time.
 */
const RENEWAL_MS = LIFETIME_MS / 3;
const LOOK_MS = 60_000;
const AGAIN_MS = 1000;
/** How many former authorities stay trusted: a replica may miss a renewal or two between two polls. */
const FORMER = 2;

/** Maintains the certificate until `signal` is aborted. It logs each failure once, and retries. */
export async function keepOwnCertificate(options: OwnCertificateOptions, signal: AbortSignal): Promise<void> {
  const keeper = new Keeper(options, signal);
  while (!signal.aborted) await options.wait(await keeper.look(), signal);
}

/** The loop's state. Each poll compares Secret, trust and used certificate anew, so a crash between two writes is repaired. */
class Keeper {
  readonly #options: OwnCertificateOptions;
  readonly #signal: AbortSignal;
  /** The certificate that the server presents. */
  #used: string | undefined;
  /** The certificate that the last poll found trusted. */
  #seen: string | undefined;
  /** The problem that was logged last, until it is over. */
  #problem: string | undefined;

  constructor(options: OwnCertificateOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** One poll; returns the delay before the next one, in ms. */
  async look(): Promise<number> {
    try {
      const isSettled = await this.#settle();
      this.#problem = undefined;
      return isSettled ? LOOK_MS : AGAIN_MS;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const { log } = this.#options;
      if (message !== this.#problem && !this.#signal.aborted)
        log.warn('the certificate of the admission webhook cannot be looked after', { error: message });
      this.#problem = message;
      return LOOK_MS;
    }
  }

  /** Returns false if the next poll must come soon: another replica wrote first, or the trust is too new. */
  async #settle(): Promise<boolean> {
    const { store } = this.#options;
    // Read before the Secret, so that a poll with the former Secret cannot overwrite the trust in a renewed one.
    const trusted = await store.trust();
    const names = [...new Set(trusted.webhooks.map(({ host }) => host).filter((host) => host !== ''))];
    if (names.length === 0) throw new Error('its configuration says nowhere where it is asked');
    const held = (await store.read()) ?? accepted(await store.create());
    if (held === undefined) return false;
    const data = this.#isGood(held.data, names) ? held.data : await this.#renew(held, trusted, names);
    if (data === undefined) return false;
    const { 'tls.crt': certificate, 'ca.crt': authorities = '' } = data;
    const isTrusted = trusted.webhooks.every((webhook) => webhook.authorities === authorities);
    if (!isTrusted && accepted(await store.setTrust(trusted, authorities)) === undefined) return false;
    // The API server needs time to learn the new authority: until the next poll, keep serving with the trusted certificate.
    const isNews = !isTrusted || certificate !== this.#seen;
    this.#seen = certificate;
    if (isNews && this.#used !== undefined && this.#used !== certificate) return false;
    this.#use(data);
    return true;
  }

  #use({ 'tls.crt': certificate = '', 'tls.key': key = '' }: Held['data']): void {
    if (certificate === this.#used) return;
    const { use, log } = this.#options;
    use({ certificate, key });
    this.#used = certificate;
    log.info('the certificate of the admission webhook is in use', {
      until: new X509Certificate(certificate).validTo,
    });
  }

  /**
   * Issues a new pair and stores it, with the authorities that have to stay trusted; undefined if another replica wrote first.
   */
  async #renew(
    { resourceVersion, data }: Held,
    { webhooks }: Trusted,
    names: readonly string[],
  ): Promise<Held['data'] | undefined> {
    const { store, issue, now } = this.#options;
    const pair = await issue({ names, now: now(), lifetimeMs: LIFETIME_MS });
    // Replicas may still serve with former authorities, also with one that the Secret has lost: keep these trusted.
    const texts = [data['ca.crt'] ?? '', ...webhooks.map(({ authorities }) => authorities)];
    const former = [...new Set(texts.flatMap(certificatesIn))].filter((each) => isInForce(each, now()));
    const authorities = [pair.authority, ...former.slice(0, FORMER)].join('');
    const renewed = { 'tls.crt': pair.certificate, 'tls.key': pair.key, 'ca.crt': authorities };
    return accepted(await store.write(resourceVersion, renewed))?.data;
  }

  /** Whether the certificate is for these names, consistent with its key and authority, and valid for long enough. */
  #isGood(
    { 'tls.crt': text = '', 'tls.key': key = '', 'ca.crt': authorities = '' }: Held['data'],
    names: readonly string[],
  ): boolean {
    try {
      const certificate = new X509Certificate(text);
      return (
        names.every((name) => certificate.checkHost(name) !== undefined) &&
        certificate.checkPrivateKey(createPrivateKey(key)) &&
        certificate.verify(new X509Certificate(authorities).publicKey) &&
        this.#options.now() + RENEWAL_MS < Date.parse(certificate.validTo)
      );
    } catch {
      return false; // the Secret is empty or does not parse
    }
  }
}

/** Whether an authority is valid; one that does not parse would make the API server refuse all others. */
function isInForce(authority: string, now: number): boolean {
  try {
    return now < Date.parse(new X509Certificate(authority).validTo);
  } catch {
    return false;
  }
}

/** The written object; undefined after a conflict with another replica. @throws for any other refusal */
function accepted<T>(result: WriteResult<T>): T | undefined {
  if (result.kind === 'accepted') return result.object;
  if (result.kind === 'conflict') return undefined;
  throw new Error('message' in result ? result.message : 'there is no place for it any more');
}
