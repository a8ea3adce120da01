/** Reads and writes one shard of the state, a ConfigMap. Each change is fenced by the resourceVersion that it was made from. */

import { SOURCE_KINDS } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { lastWriteOf } from '../model/time.ts';
import { ApiError, type FailedRead, readingOf, writeResultOf } from './api-error.ts';
import { FIELD_MANAGER, objectPath, writing } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { ApiRequest, Send } from './transport.ts';

/** The ConfigMap at one version. */
export interface StateSnapshot {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
}

/** The result of a read, see `Reading`. */
export type StateReading =
  | { readonly kind: 'found'; readonly state: StateSnapshot }
  | { readonly kind: 'absent' }
  | FailedRead;

/** A change of the ConfigMap as a merge patch; null removes a key. */
export interface StatePatch {
  /** The fence: the version that the change was made from. */
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** See the file's comment. Its methods never reject. */
export class StateConfigMap {
  readonly #send: Send;
  readonly #namespace: string;
  readonly #name: string;

  constructor(send: Send, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    this.#send = send;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** The most recent version of the ConfigMap, not one from a cache; `signal` aborts the read. */
  async read(signal?: AbortSignal): Promise<StateReading> {
    const request = { method: 'GET', path: this.#path(), ...(signal && { signal }) } as const;
    const reading = await readingOf(() => this.#call(request));
    return reading.kind === 'found' ? { kind: 'found', state: reading.object } : reading;
  }

  /**
   * Creates the ConfigMap without data, by server-side apply: only so can RBAC limit a create to a name. If it exists, its data
   * stay as they are; `gone` means that the namespace does not exist. The label is needed: of an apply that owns no field the
   * API server keeps no managedFields, and with them the time of the last write.
   */
  async create(): Promise<WriteResult<StateSnapshot>> {
    const labels = { 'app.kubernetes.io/managed-by': FIELD_MANAGER };
    const metadata = { name: this.#name, namespace: this.#namespace, labels };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    return await this.#write('application/apply-patch+yaml', body);
  }

  /** Changes keys by a merge patch; `gone` means that the ConfigMap has to be created again. */
  async patch({ resourceVersion, data, annotations }: StatePatch): Promise<WriteResult<StateSnapshot>> {
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    return await this.#write('application/merge-patch+json', { metadata, data });
  }

  async #write(contentType: string, body: object): Promise<WriteResult<StateSnapshot>> {
    return await writeResultOf(() => this.#call(writing('PATCH', this.#path(), body, contentType)));
  }

  async #call(request: ApiRequest): Promise<StateSnapshot> {
    const raw = await callJson<Partial<RawConfigObject>>(this.#send, request);
    const { uid, resourceVersion, annotations = {} } = raw.metadata ?? {};
    if (resourceVersion === undefined) throw new ApiError('malformed', 'the answer is not a ConfigMap');
    const lastWrite = lastWriteOf(raw.metadata ?? {});
    const state = { uid: uid ?? '', resourceVersion, data: raw.data ?? {}, annotations };
    return lastWrite === undefined ? state : { ...state, lastWrite };
  }

  #path(): string {
    return objectPath(SOURCE_KINDS.ConfigMap, this.#namespace, this.#name);
  }
}

/** A shard of the state for a dry run: reads the ConfigMap, then keeps changes in memory, where every write succeeds. */
export class DryRunState extends StateConfigMap {
  #state: StateSnapshot = { uid: '', resourceVersion: '0', data: {}, annotations: {} };
  /** Whether it was created in memory; the ConfigMap itself may still not exist. */
  #exists = false;

  /** The ConfigMap; if it does not exist, the shard in memory. */
  override async read(signal?: AbortSignal): Promise<StateReading> {
    const reading = await super.read(signal);
    if (reading.kind === 'found') this.#state = reading.state;
    return reading.kind === 'absent' && this.#exists ? { kind: 'found', state: this.#state } : reading;
  }

  override async create(): Promise<WriteResult<StateSnapshot>> {
    this.#exists = true;
    return { kind: 'accepted', object: this.#state };
  }

  override async patch({ data, annotations }: StatePatch): Promise<WriteResult<StateSnapshot>> {
    const merged = Object.entries({ ...this.#state.data, ...data });
    this.#state = {
      ...this.#state,
      data: Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null)),
      annotations: { ...this.#state.annotations, ...(annotations as Record<string, string> | undefined) },
    };
    return { kind: 'accepted', object: this.#state };
  }
}
