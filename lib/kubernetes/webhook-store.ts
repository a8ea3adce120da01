/**
 * Stores the certificate of the admission webhook in a Secret, which all processes share, and the CA in the webhook
 * configuration, by which the API server trusts it. All writes are fenced by a resourceVersion.
 */

import { SOURCE_KINDS } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import { ApiError, writeResultOf } from './api-error.ts';
import { collectionPath, objectPath, WEBHOOK_CONFIGURATIONS, writing } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { ApiRequest, Send } from './transport.ts';

/** The names of the two objects. */
export interface WebhookPlace {
  /** The namespace of the Secret. */
  readonly namespace: string;
  readonly secret: string;
  /** The name of the MutatingWebhookConfiguration. */
  readonly configuration: string;
}

/** The Secret at one version. It holds a private key: its values must not be logged. */
export interface HeldCertificate {
  readonly resourceVersion: string;
  /** The decoded values by key. */
  readonly data: Readonly<Record<string, string>>;
}

/** The webhook configuration at one version. */
export interface Trust {
  readonly resourceVersion: string;
  /** By webhook: the host that the API server calls, and the CA certificates (PEM) that it trusts there. */
  readonly webhooks: readonly { readonly host: string; readonly authorities: string }[];
}

interface RawSecret {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface RawClientConfig {
  readonly url?: string;
  readonly caBundle?: string;
  readonly service?: { readonly name?: string; readonly namespace?: string };
}

interface RawConfiguration {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly webhooks?: readonly { readonly clientConfig?: RawClientConfig }[];
}

/** See the file's comment. Reads throw an ApiError; writes answer with a result. */
export class WebhookStore {
  readonly #send: Send;
  readonly #place: WebhookPlace;
  readonly #signal: AbortSignal | undefined;

  /** @param signal aborts requests under way. */
  constructor(send: Send, place: WebhookPlace, signal?: AbortSignal) {
    this.#send = send;
    this.#signal = signal;
    this.#place = place;
  }

  /** The Secret as it is now; undefined if there is none. @throws ApiError */
  async read(): Promise<HeldCertificate | undefined> {
    try {
      return held(await this.#call<RawSecret>({ method: 'GET', path: this.#secretPath() }));
    } catch (error) {
      if (ApiError.from(error).code === 'not-found') return undefined;
      throw error;
    }
  }

  /** Creates an empty Secret, by server-side apply as for the state; an existing one keeps its values. */
  async create(): Promise<WriteResult<HeldCertificate>> {
    const { namespace, secret: name } = this.#place;
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } };
    return await this.#write('application/apply-patch+yaml', body);
  }

  /** Changes values of the Secret; a conflict if another client wrote it after `resourceVersion`. */
  async write(
    resourceVersion: string,
    texts: Readonly<Record<string, string>>,
  ): Promise<WriteResult<HeldCertificate>> {
    const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const body = { metadata: { resourceVersion }, data: Object.fromEntries(data) };
    return await this.#write('application/merge-patch+json', body);
  }

  /** The hosts and CA certificates in the webhook configuration. @throws ApiError */
  async trust(): Promise<Trust> {
    const path = this.#configurationPath();
    const { metadata, webhooks = [] } = await this.#call<RawConfiguration>({ method: 'GET', path });
    return {
      resourceVersion: metadata?.resourceVersion ?? '',
      webhooks: webhooks.map(({ clientConfig = {} }) => ({
        host: hostOf(clientConfig),
        authorities: Buffer.from(clientConfig.caBundle ?? '', 'base64').toString(),
      })),
    };
  }

  /** Writes `authorities` (PEM) as the CA of all webhooks; a conflict if another client changed the configuration since. */
  async setTrust({ resourceVersion, webhooks }: Trust, authorities: string): Promise<WriteResult<object>> {
    const value = Buffer.from(authorities).toString('base64');
    const operations = [
      // A stale version in a `replace` is answered with a conflict; in a `test` it would be answered as an invalid patch.
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      ...webhooks.map((_, index) => ({ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value })),
    ];
    const type = 'application/json-patch+json';
    const request = writing('PATCH', this.#configurationPath(), operations, type);
    return await writeResultOf(() => this.#call(request));
  }

  async #write(contentType: string, body: object): Promise<WriteResult<HeldCertificate>> {
    const request = writing('PATCH', this.#secretPath(), body, contentType);
    return await writeResultOf(async () => held(await this.#call<RawSecret>(request)));
  }

  async #call<T extends object>(request: ApiRequest): Promise<T> {
    return await callJson<T>(this.#send, { ...request, ...(this.#signal && { signal: this.#signal }) });
  }

  #secretPath(): string {
    return objectPath(SOURCE_KINDS.Secret, this.#place.namespace, this.#place.secret);
  }

  #configurationPath(): string {
    return `${collectionPath(WEBHOOK_CONFIGURATIONS)}/${this.#place.configuration}`;
  }
}

function held({ metadata, data = {} }: RawSecret): HeldCertificate {
  const texts = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]);
  return { resourceVersion: metadata?.resourceVersion ?? '', data: Object.fromEntries(texts) };
}

function hostOf({ url, service }: RawClientConfig): string {
  if (service !== undefined) return `${service.name}.${service.namespace}.svc`;
  return URL.parse(url ?? '')?.hostname ?? '';
}
