/** Workloads and reviews for the admission webhook, and what it knows of them. */

import { type CacheReader, type Decision, mutate } from '../../../lib/admission/mutate.ts';
import type { AdmissionRequest } from '../../../lib/admission/review.ts';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { Digest } from '../../../lib/model/digest.ts';
import type { RawEnvVar, RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { JsonObject } from '../../sandbox/json.ts';
import { jsonPatch } from '../../sandbox/json-patch.ts';
import { vocabulary } from '../annotations/defaults.ts';

/** Digests. */
export const A: string = 'a'.repeat(40);
export const B: string = 'b'.repeat(40);
export const C: string = 'c'.repeat(40);

/** The variable of ConfigMap/web, and the one that the other vocabulary has for it. */
export const WEB = '_RELOADER_CONFIGMAP_WEB';
export const STAKATER_WEB = 'STAKATER_WEB_CONFIGMAP';
/** The annotation with the stamps of all objects. */
export const STAMPS = 'reloader.k8s.collaborne.com/stamps';
export const LAST = 'reloader.k8s.collaborne.com/last-reloaded-from';

/** What a Deployment is made of. */
export interface Parts {
  /** The ConfigMaps that it follows. @default web */
  readonly follows?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of its only container; undefined: there is no such field. */
  readonly env?: readonly RawEnvVar[] | undefined;
  readonly templateAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly image?: string;
}

/** A Deployment `web` as it is sent. */
export function deployment({
  follows = 'web',
  annotations = {},
  env,
  templateAnnotations,
  image = 'app:1',
}: Parts = {}): RawWorkload {
  const asks = follows === '' ? {} : { 'reloader.k8s.collaborne.com/configmap': follows };
  const container = { name: 'main', image, ...(env === undefined ? {} : { env }) };
  const metadata = {
    labels: { app: 'web' },
    ...(templateAnnotations === undefined ? {} : { annotations: templateAnnotations }),
  };
  return {
    metadata: { name: 'web', namespace: 'ns', annotations: { ...asks, ...annotations } },
    spec: { replicas: 2, template: { metadata, spec: { containers: [container] } } },
  };
}

/** A variable. */
export function variable(name: string, value: string): RawEnvVar {
  return { name, value };
}

/** What is known: nothing but the current digests, by name of ConfigMap. */
export function knowing(
  current: Readonly<Record<string, Digest>>,
  { flags = {}, ...facts }: Partial<CacheReader> & { readonly flags?: Partial<VocabularyOptions> } = {},
): CacheReader {
  const vocabularies = vocabulary(flags);
  return {
    vocabularies,
    ownManager: 'kubernetes-reloader',
    isServed: (kind) => kind === 'Deployment',
    isListed: () => true,
    follows: (workload) => vocabularies.follows(workload, () => []),
    seconds: () => 7,
    contentOf: (ref) => ({ ref, annotations: {}, digest: current[ref.name] }),
    ...facts,
  };
}

/** An update of `live` to `update`, or the creation of it. */
export function request(
  update: RawWorkload,
  live?: RawWorkload,
  facts: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  return {
    uid: 'u',
    kind: 'Deployment',
    namespace: 'ns',
    fieldManager: 'kubectl-replace',
    isDryRun: false,
    object: update,
    oldObject: live,
    ...facts,
  };
}

/** What is decided, and what the server stores. */
export function stored(known: CacheReader, asked: AdmissionRequest): Decision & { object: RawWorkload } {
  const decision = mutate(known, asked);
  const object = jsonPatch(asked.object as unknown as JsonObject, JSON.parse(JSON.stringify(decision.patch)));
  return { ...decision, object: object as unknown as RawWorkload };
}

/** The variables of the first container. */
export function envOf({ spec }: RawWorkload): readonly RawEnvVar[] | undefined {
  return spec?.template?.spec?.containers?.[0]?.env;
}
