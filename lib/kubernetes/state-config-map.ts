/** Keeps one shard of the reloader's memory in a ConfigMap. */

import type { WriteResult } from '../model/outcome.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { lastWriteOf } from '../model/time.ts';
import { ApiError } from './api-error.ts';
import { FIELD_MANAGER, objectPath, withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import { configResourceOf } from './sources.ts';
import type { ApiRequest, Send } from './transport.ts';
import { type FailedRead, failedRead, failedWrite } from './write-outcome.ts';

/** The ConfigMap in one version. */
export interface StateSnapshot {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** See lastWriteOf. */
  readonly lastWrite?: number | undefined;
}

/** `absent` only where the API server says that there is none; everything else that is no answer is `failed`. */
export type StateReading =
  | { readonly kind: 'found'; readonly state: StateSnapshot }
  | { readonly kind: 'absent' }
  | (FailedRead & {
      /** The service account may not read it. */
      readonly isForbidden?: boolean;
    });

/** A change of the ConfigMap; null removes a key. */
export interface StatePatch {
  /** The version that the change was made from: the fence. */
  readonly resourceVersion: string;
  readonly data: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/** Knows how to read and write that ConfigMap. Never throws. */
export class StateConfigMap {
  readonly #send: Send;
  readonly #namespace: string;
  readonly #name: string;

  constructor(send: Send, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    this.#send = send;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** The ConfigMap as it is now, from no cache; the signal ends the reading. */
  async read(signal?: AbortSignal): Promise<StateReading> {
    const request = { method: 'GET', path: this.#path(), ...(signal && { signal }) } as const;
    try {
      return { kind: 'found', state: await this.#call(request) };
    } catch (thrown) {
      const error = ApiError.from(thrown);
      if (error.code === 'not-found') return { kind: 'absent' };
      return { ...failedRead(error), ...(error.code === 'forbidden' ? { isForbidden: true } : {}) };
    }
  }

  /**
   * Creates it without data by server-side apply: RBAC can limit a create by name only that way. If it is there already, its
   * data stay as they are; `gone` means that the namespace is not there. The label is what makes the API server keep
   * managedFields of it, and with them the time of its last write: of an apply that owns nothing it never does.
   */
  async create(): Promise<WriteResult<StateSnapshot>> {
    const labels = { 'app.kubernetes.io/managed-by': FIELD_MANAGER };
    const metadata = { name: this.#name, namespace: this.#namespace, labels };
    return await this.#write('application/apply-patch+yaml', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
    });
  }

  /** Changes keys by merge patch; `gone` means that it has to be created again. */
  async patch({ resourceVersion, data, annotations }: StatePatch): Promise<WriteResult<StateSnapshot>> {
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) };
    return await this.#write('application/merge-patch+json', { metadata, data });
  }

  async #write(contentType: string, body: object): Promise<WriteResult<StateSnapshot>> {
    const path = withQuery(this.#path(), { fieldManager: FIELD_MANAGER });
    const headers = { 'content-type': contentType };
    try {
      const object = await this.#call({ method: 'PATCH', path, headers, body: JSON.stringify(body) });
      return { kind: 'accepted', object };
    } catch (thrown) {
      return failedWrite(ApiError.from(thrown));
    }
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
    return objectPath(configResourceOf('ConfigMap'), this.#namespace, this.#name);
  }
}
