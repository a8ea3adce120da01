/** A fresh look at one ConfigMap or Secret, with the right to list alone. */

import type { ConfigRef } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import { configSource } from './sources.ts';
import type { Send } from './transport.ts';
import { type FailedRead, failedRead } from './write-outcome.ts';

/** What was seen. The object holds its values: digest it and let go of it. */
export type ConfigReading =
  | { readonly kind: 'found'; readonly object: RawConfigObject }
  | { readonly kind: 'absent' }
  | FailedRead;

/** The object as it is now, from no cache; what the streams leave out is `absent` here too. Never throws. */
export async function readConfigObject(send: Send, ref: ConfigRef): Promise<ConfigReading> {
  const { path, fieldSelector } = configSource(ref.kind, ref.namespace);
  const selectors = [`metadata.name=${ref.name}`, ...(fieldSelector === undefined ? [] : [fieldSelector])];
  try {
    const list = await callJson<{ items?: readonly RawConfigObject[] | null; metadata?: object }>(send, {
      method: 'GET',
      path: withQuery(path, { fieldSelector: selectors.join(',') }),
    });
    if (list.metadata === undefined) throw new ApiError('malformed', 'the answer is not a list');
    const object = list.items?.find(({ metadata }) => metadata.name === ref.name);
    return object === undefined ? { kind: 'absent' } : { kind: 'found', object };
  } catch (thrown) {
    return failedRead(ApiError.from(thrown));
  }
}
