/** What the proxy notes of a write. */

import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import type { CallFacts } from '../sandbox/faults.ts';
import { isObject, type Json, pick } from '../sandbox/json.ts';

/** A write that was sent on, and the server's answer, whether anybody heard it or not. */
export interface RelayedWrite extends CallFacts {
  /** 0: there was no answer, so nobody knows whether it took effect. */
  readonly status: number;
  /** Whether the object is another one since. */
  readonly tookEffect: boolean;
  /** That of the object since, which all objects of one API server count together; undefined without such an answer. */
  readonly resourceVersion: number | undefined;
}

/** @param text of the answer */
export function writeOf(call: CallFacts, request: ApiRequest, status: number, text: string): RelayedWrite {
  const { verb, resource, namespace, name, userAgent } = call;
  const place = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const isAccepted = status >= 200 && status < 300;
  // A patch that changes nothing is answered with the version that it was made from.
  const version = versionIn(text);
  const tookEffect = isAccepted && versionIn(request.body) !== version;
  const resourceVersion = isAccepted && version !== undefined ? Number(version) : undefined;
  return { verb, resource, ...place, userAgent, status, tookEffect, resourceVersion };
}

function versionIn(text: string | undefined): Json | undefined {
  const object: unknown = text?.startsWith('{') ? JSON.parse(text) : undefined;
  return isObject(object) ? pick(object, 'metadata', 'resourceVersion') : undefined;
}
