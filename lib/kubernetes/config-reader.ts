/** Reads one ConfigMap or Secret from the API server. It lists by name, so it needs no other rights than the watches. */

import { type ConfigRef, SOURCE_KINDS } from '../model/object-ref.ts';
import type { RawConfigObject } from '../model/raw-objects.ts';
import { ApiError, type FailedRead, failedRead } from './api-error.ts';
import { withQuery } from './api-path.ts';
import { callJson, METADATA_ALONE } from './json-call.ts';
import { configSource, type StreamFilter } from './sources.ts';
import type { Send } from './transport.ts';

/** The result of a read. The object holds its content: the caller digests it and keeps no reference. */
export type ConfigReading =
  | { readonly kind: 'found'; readonly object: RawConfigObject }
  | { readonly kind: 'absent' }
  | FailedRead;

/** Why the streams do not show an object; `type` undefined and `isUnselected` false: it does not exist. */
export type LeftOutReading =
  | {
      readonly kind: 'known';
      /** The type of a Secret whose type is not watched. */
      readonly type: string | undefined;
      /** Whether the object exists without the labels that the streams select. */
      readonly isUnselected: boolean;
    }
  | FailedRead;

/**
 * Looks for an object that no stream shows among those that the streams leave out; it asks for metadata only, never for
 * content.
 * `labelSelector`: the selector of the streams. Never rejects.
 */
export async function readLeftOut(
  send: Send,
  { kind, namespace, name }: ConfigRef,
  signal: AbortSignal,
  labelSelector?: string,
): Promise<LeftOutReading> {
  const { path } = configSource(kind, namespace);
  const isThere = async (...fields: readonly string[]): Promise<boolean> => {
    const fieldSelector = [`metadata.name=${name}`, ...fields].join(',');
    const list = await callJson<{ items?: readonly object[] | null }>(send, {
      method: 'GET',
      path: withQuery(path, { fieldSelector, limit: 1 }),
      headers: { accept: METADATA_ALONE },
      signal,
    });
    return (list.items ?? []).length > 0;
  };
  try {
    for (const type of SOURCE_KINDS[kind].ignoredTypes) {
      if (await isThere(`type=${type}`)) return { kind: 'known', type, isUnselected: false };
    }
    const isUnselected = labelSelector !== undefined && (await isThere());
    return { kind: 'known', type: undefined, isUnselected };
  } catch (thrown) {
    return failedRead(thrown);
  }
}

/** The most recent version of the object, not one from a cache; `absent` also if the streams leave it out. Never rejects. */
export async function readConfigObject(
  send: Send,
  ref: ConfigRef,
  filter: StreamFilter = {},
): Promise<ConfigReading> {
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
