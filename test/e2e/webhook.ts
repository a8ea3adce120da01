/** The admission webhook of a reloader as a real API server asks it: its certificate, and a configuration like ours. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../control-plane/free-port.ts';
import { render } from '../install/kustomization.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectsOf, pick } from '../sandbox/json.ts';
import { type ServingPair, servingPair } from '../unit/serving/certificates.ts';
import type { Stage } from './stage.ts';
import { manifestOf, stampsOf, type WorkloadParts, web } from './workloads.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
/** A workload that is never stored. */
export const PROBE: WorkloadParts = web('probe', { replicas: 0 });
/** What a reloader says when it has taken a certificate. */
const IN_USE = /certificate of the admission webhook is in use/;

/** A webhook for one namespace, at a port of this machine. */
export class Webhook implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #folder: string;
  readonly #port: number;
  #pair: ServingPair;

  private constructor(stage: Stage, folder: string, port: number, pair: ServingPair) {
    this.#stage = stage;
    this.#folder = folder;
    this.#port = port;
    this.#pair = pair;
  }

  /** Makes a certificate, and has the API server ask for the namespace of `stage`; nobody answers yet. */
  static async open(stage: Stage): Promise<Webhook> {
    const folder = await mkdtemp(path.join(tmpdir(), 'reloader-webhook-'));
    const webhook = new Webhook(stage, folder, await freePort(), servingPair('localhost'));
    await webhook.#write();
    await stage.cluster.expect('POST', CONFIGURATIONS, webhook.#configuration());
    await stage.put(PROBE.name, 'A');
    return webhook;
  }

  /** What a reloader is told. */
  get flags(): readonly string[] {
    return [`--webhook-port=${this.#port}`, `--webhook-tls-directory=${this.#folder}`];
  }

  /** Resolves when the API server asks and is answered. */
  isAsked(): Promise<void> {
    return webhookIsAsked(this.#stage);
  }

  /** A new authority and a new certificate; resolves when `reloader` uses it. */
  async rotate(reloader: ReloaderProcess): Promise<void> {
    const before = reloader.lines.filter(({ message }) => IN_USE.test(message)).length;
    const old = this.#pair.authority;
    const pair = servingPair('localhost');
    this.#pair = pair;
    await this.#stage.cluster.expect('PATCH', this.#path(), {
      webhooks: this.#configuration(pair.authority + old)['webhooks'],
    });
    await this.#write();
    await this.#stage.until('the new certificate is in use', () => {
      return reloader.lines.filter(({ message }) => IN_USE.test(message)).length > before;
    });
  }

  /** From now on the API server asks nobody. */
  async withdraw(): Promise<void> {
    await this.#stage.cluster.ask('DELETE', this.#path());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.withdraw();
    await rm(this.#folder, { recursive: true });
  }

  async #write(): Promise<void> {
    await writeFile(path.join(this.#folder, 'tls.crt'), this.#pair.certificate);
    await writeFile(path.join(this.#folder, 'tls.key'), this.#pair.key);
  }

  #path(): string {
    return `${CONFIGURATIONS}/${this.#stage.namespace}`;
  }

  /** That of the manifests, for this namespace alone and without a Service. */
  #configuration(authorities = this.#pair.authority): JsonObject {
    const objects = render('base', { components: ['webhook'] });
    const configuration = objects.find(({ kind }) => kind === 'MutatingWebhookConfiguration') ?? {};
    const { namespace } = this.#stage;
    return { ...askingAt(configuration, this.#port, namespace, authorities), metadata: { name: namespace } };
  }
}

/** As long as it can be: a busy machine is no reason to let a write through. */
const PATIENCE_S = 30;

/** `configuration` for one namespace alone, and without a Service: the API server asks a port of this machine. */
function askingAt(
  configuration: JsonObject,
  port: number,
  namespace: string,
  authorities: string,
): JsonObject {
  const clientConfig = {
    url: `https://localhost:${port}/mutate`,
    caBundle: Buffer.from(authorities).toString('base64'),
  };
  const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [namespace] }];
  const namespaceSelector = { matchExpressions };
  const webhooks = objectsOf(configuration['webhooks']);
  return {
    ...configuration,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      clientConfig,
      namespaceSelector,
      timeoutSeconds: PATIENCE_S,
    })),
  };
}

/** Resolves when the API server asks for the namespace of `stage`, where the object of the probe is, and is answered. */
export async function webhookIsAsked(stage: Stage): Promise<void> {
  await stage.until('the admission webhook is asked', async () => {
    const created = await stage.expect('POST', 'deployments?dryRun=All', manifestOf(PROBE));
    return Object.keys(stampsOf(pick(created, 'spec', 'template'))).length > 0;
  });
}
