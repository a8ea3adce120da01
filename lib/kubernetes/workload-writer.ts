/** Reads and patches one workload. */

import type { WorkloadRef } from '../model/object-ref.ts';
import type { RawWorkload } from '../model/raw-objects.ts';
import { workloadKindOf } from '../model/workload-kind.ts';
import type { WriteResult } from '../model/write-result.ts';
import { ApiError } from './api-error.ts';
import { FIELD_MANAGER, objectPath, withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import type { Send } from './transport.ts';
import { type FailedRead, failedRead, failedWrite } from './write-outcome.ts';

/** A fresh look at a workload. */
export type WorkloadReading =
  | { readonly kind: 'found'; readonly object: RawWorkload }
  | { readonly kind: 'gone' }
  | FailedRead;

const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** Knows how to read and patch a workload of any kind of the table. Never throws. */
export class WorkloadWriter {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** One strategic merge patch; `body` carries its own fence, metadata.resourceVersion. */
  async patch(ref: WorkloadRef, body: object): Promise<WriteResult<RawWorkload>> {
    try {
      const object = await callJson<RawWorkload>(this.#send, {
        method: 'PATCH',
        path: withQuery(pathOf(ref), { fieldManager: FIELD_MANAGER }),
        headers: { 'content-type': STRATEGIC_MERGE_PATCH },
        body: JSON.stringify(body),
      });
      return { kind: 'accepted', object };
    } catch (thrown) {
      return failedWrite(ApiError.from(thrown));
    }
  }

  /** The workload as it is now, from no cache. */
  async get(ref: WorkloadRef): Promise<WorkloadReading> {
    try {
      const object = await callJson<RawWorkload>(this.#send, { method: 'GET', path: pathOf(ref) });
      return { kind: 'found', object };
    } catch (thrown) {
      const error = ApiError.from(thrown);
      return error.code === 'not-found' ? { kind: 'gone' } : failedRead(error);
    }
  }
}

function pathOf({ kind, namespace, name }: WorkloadRef): string {
  return objectPath(workloadKindOf(kind), namespace, name);
}
