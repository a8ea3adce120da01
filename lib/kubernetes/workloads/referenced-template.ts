/**
 * Rollouts whose `spec.workloadRef` names another object, which has the pod template: both are read as one workload, and the patch of
 * the template goes to that object.
 */

import type { ApiResource } from '../../model/object-ref.ts';
import type {
  RawMetadata,
  RawObject,
  RawPodTemplate,
  RawWorkload,
  Referenced,
} from '../../model/raw-objects.ts';
import { ApiError, readingOf } from '../api-error.ts';
import { apiVersionOf, objectPath, v1 } from '../api-path.ts';
import { callJson } from '../json-call.ts';
import type { Send } from '../transport.ts';

/** An object with a pod template that a Rollout may refer to. */
export interface TemplateOwner extends RawObject {
  /** Of a PodTemplate. */
  readonly template?: RawPodTemplate;
  readonly spec?: { readonly template?: RawPodTemplate };
}

/** The kinds that Argo accepts. */
export const TEMPLATE_OWNERS: ReadonlyMap<string, ApiResource> = new Map([
  ['Deployment', v1('apps', 'deployments')],
  ['ReplicaSet', v1('apps', 'replicasets')],
  ['PodTemplate', v1('', 'podtemplates')],
]);

const NO_OWNER =
  'its spec.workloadRef names no Deployment or ReplicaSet of apps/v1, and no PodTemplate of v1';
/** The field of a Rollout is any text: no other one becomes a part of a path. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * `raw` with the template of the object that it refers to, or without one if that does not exist or may not be read; itself if it
 * refers to none.
 *
 * @throws ApiError if it is not known whether the object exists
 */
export async function complete(send: Send, raw: RawWorkload, signal?: AbortSignal): Promise<RawWorkload> {
  const { apiVersion = '', kind = '', name = '' } = raw.spec?.workloadRef ?? {};
  const { namespace = '' } = raw.metadata;
  if (raw.spec?.workloadRef == null) return raw;
  const resource = TEMPLATE_OWNERS.get(kind);
  if (resource === undefined || apiVersion !== apiVersionOf(resource) || !NAME.test(name))
    return without(raw, NO_OWNER);
  const path = objectPath(resource, namespace, name);
  const request = { method: 'GET', path, ...(signal && { signal }) } as const;
  const reading = await readingOf(async () => callJson<TemplateOwner>(send, request));
  if (reading.kind === 'found') return composed(raw, reading.object);
  if (reading.kind === 'absent')
    return without(raw, `there is no ${kind} ${name}, which its spec.workloadRef names`);
  const isMissing = `where its spec.workloadRef has the template, is missing`;
  if (reading.isForbidden) return without(raw, `the right to get ${resource.resource}, ${isMissing}`);
  const { message, retryAfterMs } = reading;
  throw new ApiError('unavailable', `${kind} ${name} of a workloadRef: ${message}`, { retryAfterMs });
}

/** `raw` and the object that it refers to as one workload. */
export function composed(raw: RawWorkload, owner: TemplateOwner): RawWorkload {
  const { kind = '', name = '' } = raw.spec?.workloadRef ?? {};
  const { generation = 0, resourceVersion = '' } = owner.metadata;
  const template = owner.spec?.template ?? owner.template;
  return joined(raw, owner.metadata, template, { kind, name, generation, resourceVersion });
}

function without(raw: RawWorkload, problem: string): RawWorkload {
  const { kind = '', name = '' } = raw.spec?.workloadRef ?? {};
  return joined(raw, {}, undefined, { kind, name, generation: 0, resourceVersion: '', problem });
}

/** A change of either object is a new generation. The managers are those of the template. */
function joined(
  raw: RawWorkload,
  { annotations, managedFields = [] }: Partial<RawMetadata>,
  template: RawPodTemplate | undefined,
  referenced: Referenced,
): RawWorkload {
  const { template: _, ...spec } = raw.spec ?? {};
  const metadata = {
    ...raw.metadata,
    generation: (raw.metadata.generation ?? 0) + referenced.generation,
    annotations: { ...annotations, ...raw.metadata.annotations },
    managedFields,
  };
  const both = { annotations, ownAnnotations: raw.metadata.annotations };
  return {
    ...raw,
    metadata,
    spec: { ...spec, ...(template && { template }) },
    referenced: { ...referenced, ...both },
  };
}

/** The path of the object that a completed workload of `namespace` refers to. */
export function referencedPath(namespace: string, { kind, name }: Referenced): string {
  const resource = TEMPLATE_OWNERS.get(kind);
  if (resource === undefined) throw new Error(`no template is in a ${kind}`);
  return objectPath(resource, namespace, name);
}
