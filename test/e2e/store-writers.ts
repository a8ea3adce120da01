/** The writes of programs that fill ConfigMaps and Secrets, in the form and with the annotations that each of them uses. */

import { readText } from '../../lib/kubernetes/json-call.ts';
import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import { type Json, type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

/** The name of the Secret that the workload `web` follows. */
export const SECRET = 'web';

/** The name of the container of a workload of the stage. */
const CONTAINER = 'app';

/** How a program writes a Secret. */
export interface SecretWrite {
  readonly key: string;
  /** @default none */
  readonly annotations?: JsonObject;
}

/** Creates the Secret. */
export async function create(stage: Stage, { key, annotations = {} }: SecretWrite): Promise<void> {
  await stage.expect('POST', 'secrets', { metadata: { name: SECRET, annotations }, stringData: { key } });
}

/** Reads the Secret and sends the whole object with another content and further annotations, as `Update` of client-go does. */
export async function update(stage: Stage, { key, annotations = {} }: SecretWrite): Promise<void> {
  const live = await stage.expect('GET', `secrets/${SECRET}`);
  const metadata = objectOf(live['metadata']);
  const all = { ...objectOf(metadata['annotations']), ...annotations };
  const data = { key: Buffer.from(key).toString('base64') };
  await stage.expect('PUT', `secrets/${SECRET}`, {
    ...live,
    metadata: { ...metadata, annotations: all },
    data,
  });
}

/** Deletes the Secret. */
export async function remove(stage: Stage): Promise<void> {
  await stage.expect('DELETE', `secrets/${SECRET}`);
}

/** A certificate of cert-manager: by server-side apply, and with the issuer unless it is a temporary one. */
export async function applyCertificate(
  stage: Stage,
  key: string,
  issuer?: string,
  name: string = SECRET,
): Promise<void> {
  const ofIssuer = issuer === undefined ? {} : { 'cert-manager.io/issuer-name': issuer };
  await apply(stage, 'cert-manager-certificates-issuing', 'secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: SECRET,
      annotations: { 'cert-manager.io/certificate-name': name, ...ofIssuer },
      labels: { 'controller.cert-manager.io/fao': 'true' },
    },
    type: 'kubernetes.io/tls',
    data: base64({ 'tls.crt': `certificate ${key}`, 'tls.key': key }),
  });
}

/** The private key of the next certificate, in a Secret of its own, which is deleted once that is issued. */
export async function createNextKey(stage: Stage): Promise<string> {
  const labels = { 'cert-manager.io/next-private-key': 'true', 'controller.cert-manager.io/fao': 'true' };
  const { metadata } = await stage.expect('POST', 'secrets', {
    metadata: { generateName: `${SECRET}-`, labels },
    stringData: { 'tls.key': 'next' },
  });
  return String(pick(metadata, 'name'));
}

/** Applies an object on the server, with force. */
export async function apply(
  stage: Pick<Stage, 'cluster' | 'path'>,
  manager: string,
  resource: string,
  object: JsonObject,
): Promise<void> {
  const name = String(pick(object, 'metadata', 'name'));
  const below = `${resource}/${name}?fieldManager=${manager}&force=true`;
  await patchAs(stage, 'apply-patch+yaml', below, object);
}

/** A JSON patch of an object. */
export async function jsonPatch(
  stage: Stage,
  below: string,
  operations: readonly JsonObject[],
): Promise<void> {
  await patchAs(stage, 'json-patch+json', below, [...operations]);
}

/** A new annotation in the pod template of `web`, as a restart or a chart with checksums sets it. */
export async function annotateTemplate(stage: Stage, annotation: string, value: string): Promise<void> {
  const metadata = { annotations: { [annotation]: value } };
  await patchAs(stage, 'strategic-merge-patch+json', 'deployments/web', { spec: { template: { metadata } } });
}

/** Lets the pod template of `web` read another Secret in place of the one it reads. */
export async function readInstead(stage: Stage, name: string): Promise<void> {
  const containers = [{ name: CONTAINER, envFrom: [{ secretRef: { name } }] }];
  await patchAs(stage, 'strategic-merge-patch+json', 'deployments/web', {
    spec: { template: { spec: { containers } } },
  });
}

/** Values of a Secret's data. */
export function base64(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

async function patchAs(
  stage: Pick<Stage, 'cluster' | 'path'>,
  media: string,
  below: string,
  body: Json,
): Promise<void> {
  const request: ApiRequest = {
    method: 'PATCH',
    path: stage.path(below),
    headers: { 'content-type': `application/${media}` },
    body: JSON.stringify(body),
  };
  const response = await stage.cluster.send(request);
  const text = await readText(response);
  if (response.status >= 300) throw new Error(`PATCH ${below}: ${response.status} ${text}`);
}
