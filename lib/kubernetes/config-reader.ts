/** A fresh look at one ConfigMap or Secret, with the right to list alone. */

import type { ConfigRef } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { ApiError } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson } from './json-call.ts';
import { configSource, IGNORED_SECRET_TYPES } from './sources.ts';
import type { Send } from './transport.ts';
import { type FailedRead, failedRead } from './write-outcome.ts';

/** What was seen. The object holds its values: digest it and let go of it. */
export type ConfigReading =
  | { readonly kind: 'found'; readonly object: RawConfigObject }
  | { readonly kind: 'absent' }
  | FailedRead;

/** Which type, of those that are not watched, a Secret has; undefined: none of them, or there is no such Secret. */
export type LeftOutReading = { readonly kind: 'known'; readonly type: string | undefined } | FailedRead;

/** Names without data, from a server that knows how; from any other the data is dropped with the answer. */
const NAMES_ALONE = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.9';

/** Looks for a Secret among those that the streams leave out, without asking for its data. Never throws. */
export async function readLeftOutType(
  send: Send,
  { kind, namespace, name }: ConfigRef,
  signal: AbortSignal,
): Promise<LeftOutReading> {
  const { path } = configSource(kind, namespace);
  try {
    for (const type of IGNORED_SECRET_TYPES) {
      const list = await callJson<{ items?: readonly object[] | null }>(send, {
        method: 'GET',
        path: withQuery(path, { fieldSelector: `metadata.name=${name},type=${type}`, limit: 1 }),
        headers: { accept: NAMES_ALONE },
        signal,
      });
      if ((list.items ?? []).length > 0) return { kind: 'known', type };
    }
    return { kind: 'known', type: undefined };
  } catch (thrown) {
    return failedRead(ApiError.from(thrown));
  }
}

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
