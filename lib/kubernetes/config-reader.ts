/** Reads one ConfigMap or Secret from the API server. It lists by name, so it needs no other rights than the watches. */

import type { ConfigRef } from '../model/object-ref.ts';
import type { Reading } from '../model/outcome.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { ApiError, failedRead } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import { configSource, type StreamFilter } from './sources.ts';
import type { Send } from './transport.ts';

/**
 * The most recent version of the object, not one from a cache; `absent` also if the streams leave it out. It holds its content:
 * the caller digests it and keeps no reference. Never rejects.
 */
export async function readConfigObject(
  send: Send,
  ref: ConfigRef,
  filter: StreamFilter = {},
): Promise<Reading<RawConfigObject>> {
  const { path, fieldSelector, labelSelector } = configSource(ref.kind, ref.namespace, filter);
  const selectors = [`metadata.name=${ref.name}`, ...(fieldSelector === undefined ? [] : [fieldSelector])];
  try {
    const list = await callJson<{ items?: readonly RawConfigObject[] | null; metadata?: object }>(send, {
      method: 'GET',
      path: withQuery(path, { fieldSelector: selectors.join(','), labelSelector }),
    });
    if (list.metadata === undefined) throw new ApiError('malformed', 'the answer is not a list');
    const object = list.items?.find(({ metadata }) => metadata.name === ref.name);
    return object === undefined ? { kind: 'absent' } : { kind: 'found', object };
  } catch (thrown) {
    return failedRead(thrown);
  }
}
