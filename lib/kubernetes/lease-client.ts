/** Reads and writes the Lease of the leader election. Each write is fenced by the resourceVersion of the last read. */

import type { LeaseClient, LeaseRecord, LeaseVersion } from '../leader/lease.ts';
import type { Reading, WriteResult } from '../model/outcome.ts';
import type { RawMetadata } from '../model/raw-objects.ts';
import { ApiError, readingOf, writeResultOf } from './api-error.ts';
import { collectionPath, LEASES, objectPath, writing } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { ApiRequest, Send } from './transport.ts';

interface RawLease {
  readonly metadata?: Partial<RawMetadata>;
  readonly spec?: Partial<LeaseRecord>;
}

/** See LeaseClient. Its methods never reject. */
export class KubernetesLease implements LeaseClient {
  readonly #send: Send;
  readonly #place: { readonly namespace: string; readonly name: string };
  readonly #path: string;
  /** The Lease as last answered: an update keeps the fields that it does not know, such as labels. */
  #last: RawLease = {};

  constructor(send: Send, place: { readonly namespace: string; readonly name: string }) {
    this.#send = send;
    this.#place = place;
    this.#path = objectPath(LEASES, place.namespace, place.name);
  }

  async read(signal: AbortSignal): Promise<Reading<LeaseVersion>> {
    return await readingOf(() => this.#call({ method: 'GET', path: this.#path, signal }));
  }

  async create(spec: LeaseRecord, signal: AbortSignal): Promise<WriteResult<LeaseVersion>> {
    return await this.#write('POST', collectionPath(LEASES, this.#place.namespace), { spec }, signal);
  }

  async update(
    record: LeaseRecord,
    resourceVersion: string,
    signal: AbortSignal,
  ): Promise<WriteResult<LeaseVersion>> {
    const { metadata, spec } = this.#last.metadata?.resourceVersion === resourceVersion ? this.#last : {};
    const lease = { metadata: { ...metadata, resourceVersion }, spec: { ...spec, ...record } };
    return await this.#write('PUT', this.#path, lease, signal);
  }

  async #write(
    method: 'POST' | 'PUT',
    path: string,
    { metadata, spec }: RawLease,
    signal: AbortSignal,
  ): Promise<WriteResult<LeaseVersion>> {
    const lease = {
      apiVersion: `${LEASES.group}/${LEASES.version}`,
      kind: 'Lease',
      metadata: { ...metadata, ...this.#place },
      spec,
    };
    return await writeResultOf(() => this.#call({ ...writing(method, path, lease), signal }));
  }

  async #call(request: ApiRequest): Promise<LeaseVersion> {
    const raw = await callJson<RawLease>(this.#send, request);
    const { resourceVersion } = raw.metadata ?? {};
    if (resourceVersion === undefined) throw new ApiError('malformed', 'the answer is not a Lease');
    this.#last = raw;
    return { resourceVersion, record: recordOf(raw.spec) };
  }
}

const EMPTY = { leaseDurationSeconds: 0, acquireTime: '', renewTime: '', leaseTransitions: 0 };

/** The record in a Lease; undefined without a holder. Other fields that are missing become 0 or an empty text. */
function recordOf(spec: RawLease['spec']): LeaseRecord | undefined {
  const { holderIdentity } = spec ?? {};
  return typeof holderIdentity === 'string' ? { ...EMPTY, ...spec, holderIdentity } : undefined;
}
