/**
 * The serving certificate that the program makes by itself: kept in a Secret that all replicas share, renewed in good time,
 * and made known to the API server before it is used.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Log } from '../model/log.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { KeyPair } from './admission-server.ts';
import type { IssuedPair, IssueOptions } from './certificate-authority.ts';

/** What is held by a Secret. */
interface Held {
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
}

/** What the API server trusts. */
interface Trusted {
  readonly resourceVersion: string;
  readonly webhooks: readonly { readonly host: string; readonly authorities: string }[];
}

/** Where certificates are kept and made known. Readers reject where they fail. */
export interface CertificateStore {
  read(): Promise<Held | undefined>;
  /** What is there already stays as it is. */
  create(): Promise<WriteResult<Held>>;
  /** Fenced by the version. */
  write(version: string, texts: Readonly<Record<string, string>>): Promise<WriteResult<Held>>;
  trust(): Promise<Trusted>;
  /** Fenced by the version. */
  setTrust(trusted: Trusted, authorities: string): Promise<WriteResult<unknown>>;
}

/** What it is made of. */
export interface OwnCertificateOptions {
  readonly store: CertificateStore;
  readonly issue: (options: IssueOptions) => Promise<IssuedPair>;
  /** Takes a pair that was not there before. */
  readonly use: (pair: KeyPair) => void;
  readonly log: Log;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds of the epoch. */
  readonly now: () => number;
}

/** How long a certificate is good. */
export const LIFETIME_MS: number = 90 * 24 * 3_600_000;
/** It is renewed when a third of that is left: a replica that looks once a minute has it long before. */
const RENEWAL_MS = LIFETIME_MS / 3;
const LOOK_MS = 60_000;
const AGAIN_MS = 1000;
/** Of those before, so many stay trusted: replicas may miss a renewal or two between two looks. */
const FORMER = 2;
const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Looks after the certificate until `signal` is aborted. What cannot be done is said once, and tried again. */
export async function keepOwnCertificate(options: OwnCertificateOptions, signal: AbortSignal): Promise<void> {
  const keeper = new Keeper(options, signal);
  while (!signal.aborted) await options.wait(await keeper.look(), signal);
}

class Keeper {
  readonly #options: OwnCertificateOptions;
  readonly #signal: AbortSignal;
  #used: string | undefined;
  /** The certificate that the last look found trusted. */
  #seen: string | undefined;
  #complaint: string | undefined;

  constructor(options: OwnCertificateOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** After how many ms it is to be looked at again. */
  async look(): Promise<number> {
    try {
      const isSettled = await this.#settle();
      this.#complaint = undefined;
      return isSettled ? LOOK_MS : AGAIN_MS;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const { log } = this.#options;
      if (message !== this.#complaint && !this.#signal.aborted)
        log.warn('the certificate of the admission webhook cannot be looked after', { error: message });
      this.#complaint = message;
      return LOOK_MS;
    }
  }

  /** False where it is to be looked at again soon: somebody else was faster, or trust is too new. */
  async #settle(): Promise<boolean> {
    const { store } = this.#options;
    // Before the Secret, so that no look that saw the Secret of before overwrites the trust in a renewed one.
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
    // The API server has to hear of it: who serves already goes on with what is trusted in any case.
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

  async #renew(
    { resourceVersion, data }: Held,
    { webhooks }: Trusted,
    names: readonly string[],
  ): Promise<Held['data'] | undefined> {
    const { store, issue, now } = this.#options;
    const pair = await issue({ names, now: now(), lifetimeMs: LIFETIME_MS });
    // Whoever still serves with them stays trusted, also where the Secret has lost them.
    const texts = [data['ca.crt'] ?? '', ...webhooks.map(({ authorities }) => authorities)];
    const former = [...new Set(texts.flatMap(certificatesIn))].filter((each) => isInForce(each, now()));
    const authorities = [pair.authority, ...former.slice(0, FORMER)].join('');
    const renewed = { 'tls.crt': pair.certificate, 'tls.key': pair.key, 'ca.crt': authorities };
    return accepted(await store.write(resourceVersion, renewed))?.data;
  }

  /** Whether it is for these names, whole, and good for long enough. */
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
      return false; // nothing, or nothing that can be used
    }
  }
}

/** Each as the PEM that it is made known by. */
function certificatesIn(text: string): string[] {
  return (text.match(PEM) ?? []).map((each) => `${each}\n`);
}

/** What does not parse would keep the API server from taking the others. */
function isInForce(authority: string, now: number): boolean {
  try {
    return now < Date.parse(new X509Certificate(authority).validTo);
  } catch {
    return false;
  }
}

/** What was written; undefined where somebody else was faster. @throws for any other refusal */
function accepted<T>(result: WriteResult<T>): T | undefined {
  if (result.kind === 'accepted') return result.object;
  if (result.kind === 'conflict') return undefined;
  throw new Error('message' in result ? result.message : 'there is no place for it any more');
}
