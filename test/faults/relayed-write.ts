/** What the proxy notes of a write. */

import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import type { CallFacts } from '../sandbox/faults.ts';
import { isObject, type Json, pick } from '../sandbox/json.ts';

/** A write that was sent on, and the server's answer, whether anybody heard it or not. */
export interface RelayedWrite extends CallFacts {
  /** When the answer came, in ms of the clock. */
  readonly at: number;
  /** 0: there was no answer, so nobody knows whether it took effect. */
  readonly status: number;
  /** Whether the object is another one since. */
  readonly tookEffect: boolean;
  /** That of the object since, which all objects of one API server count together; undefined without such an answer. */
  readonly resourceVersion: number | undefined;
  /** Whether the proxy held it back: it was sent long before the server saw it. */
  readonly wasHeld: boolean;
}

/** What came of a request. */
export interface Outcome {
  readonly status: number;
  /** The object of the answer, or its status; undefined if it is neither. */
  readonly body: Json | undefined;
  readonly wasHeld: boolean;
}

/** The write that a request was. */
export function writeOf(
  { verb, resource, namespace, name, userAgent }: CallFacts,
  request: ApiRequest,
  { status, body, wasHeld }: Outcome,
): RelayedWrite {
  const place = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  const isAccepted = status >= 200 && status < 300;
  // A patch that changes nothing is answered with the version that it was made from.
  const version = versionIn(body);
  const tookEffect = isAccepted && versionIn(objectIn(request.body)) !== version;
  const resourceVersion = isAccepted && version !== undefined ? Number(version) : undefined;
  return {
    at: Date.now(),
    verb,
    resource,
    ...place,
    userAgent,
    status,
    tookEffect,
    resourceVersion,
    wasHeld,
  };
}

/** The object that a text is; undefined if it is none. */
export function objectIn(text: string | undefined): Json | undefined {
  return text?.startsWith('{') ? (JSON.parse(text) as Json) : undefined;
}

function versionIn(object: Json | undefined): Json | undefined {
  return isObject(object) ? pick(object, 'metadata', 'resourceVersion') : undefined;
}
