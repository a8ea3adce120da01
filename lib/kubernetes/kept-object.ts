/**
 * Reads one ConfigMap or Secret that workloads follow, and reads and writes one in which the program keeps something: a shard of the state,
 * or the keys of its digests. Each change is fenced by the resourceVersion that it was made from.
 */

import { type ConfigRef, SOURCE_KINDS } from '../model/object-ref.ts';
import type { Reading, WriteResult } from '../model/outcome.ts';
import type { StateChange, StateVersion } from '../model/persisted-state.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { ApiError, readingOf, writeResultOf } from './api-error.ts';
import { FIELD_MANAGER, objectPath, writing } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { ApiRequest, Send } from './transport.ts';

/** An object in which the program keeps something. Its methods never reject. */
export class KeptObject {
  readonly #send: Send;
  readonly #ref: ConfigRef;

  constructor(send: Send, ref: ConfigRef) {
    this.#send = send;
    this.#ref = ref;
  }

  /** The most recent version of the object, not one from a cache; `signal` aborts the read. */
  async read(signal?: AbortSignal): Promise<Reading<StateVersion>> {
    const request = { method: 'GET', path: this.#path(), ...(signal && { signal }) } as const;
    return await readingOf(() => this.#call(request));
  }

  /**
   * Creates the object without data, by server-side apply: only so can RBAC limit a create to a name. If it exists, its data
   * stay as they are; `gone` means that the namespace does not exist. The label is needed: of an apply that owns no field the
   * API server keeps no managedFields, and with them the time of the last write.
   */
  async create(): Promise<WriteResult<StateVersion>> {
    const labels = { 'app.kubernetes.io/managed-by': FIELD_MANAGER };
    const { kind, namespace, name } = this.#ref;
    const body = { apiVersion: 'v1', kind, metadata: { name, namespace, labels } };
    return await this.#write('application/apply-patch+yaml', body);
  }

  /** Changes keys by a merge patch; `gone` means that the object has to be created again. */
  async patch({ resourceVersion, data, annotations }: StateChange): Promise<WriteResult<StateVersion>> {
    const body = { metadata: { resourceVersion, annotations }, data };
    return await this.#write('application/merge-patch+json', body);
  }

  async #write(contentType: string, body: object): Promise<WriteResult<StateVersion>> {
    return await writeResultOf(() => this.#call(writing('PATCH', this.#path(), body, contentType)));
  }

  async #call(request: ApiRequest): Promise<StateVersion> {
    const raw = await callJson<Partial<RawConfigObject>>(this.#send, request);
    const { resourceVersion, annotations = {} } = raw.metadata ?? {};
    if (resourceVersion === undefined)
      throw new ApiError('malformed', `the answer is not a ${this.#ref.kind}`);
    return { resourceVersion, data: raw.data ?? {}, annotations };
  }

  #path(): string {
    const { kind, namespace, name } = this.#ref;
    return objectPath(SOURCE_KINDS[kind], namespace, name);
  }
}

/** For a dry run: reads the object, then keeps changes in memory, where every write succeeds. */
export class DryRunObject extends KeptObject {
  #state: StateVersion = { resourceVersion: '0', data: {}, annotations: {} };
  /** Whether it was created in memory; it may still not exist on the API server. */
  #exists = false;

  /** The object; if it does not exist, the one in memory. */
  override async read(signal?: AbortSignal): Promise<Reading<StateVersion>> {
    const reading = await super.read(signal);
    if (reading.kind === 'found') this.#state = reading.object;
    return reading.kind === 'absent' && this.#exists ? { kind: 'found', object: this.#state } : reading;
  }

  override async create(): Promise<WriteResult<StateVersion>> {
    this.#exists = true;
    return { kind: 'accepted', object: this.#state };
  }

  override async patch({ data, annotations }: StateChange): Promise<WriteResult<StateVersion>> {
    const merged = Object.entries({ ...this.#state.data, ...data });
    this.#state = {
      ...this.#state,
      data: Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null)),
      annotations: { ...this.#state.annotations, ...annotations },
    };
    return { kind: 'accepted', object: this.#state };
  }
}
