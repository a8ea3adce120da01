/** From a request to what it asks for. */

import type { ApiRequest } from '../../lib/kubernetes/transport.ts';
import { type CallFacts, managerOf, type Verb } from './faults.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { ResourceRow, ServedVerb } from './resource-table.ts';
import type { ServedKinds } from './served-kinds.ts';
import { badRequest, noSuchPath, notAllowed } from './status-error.ts';

/** A request to a kind, understood. */
export interface ApiCall extends CallFacts {
  readonly row: ResourceRow;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** The parsed body; undefined if there was none. */
  readonly body: Json | undefined;
  /** Whom a write is done as. */
  readonly manager: string;
  readonly signal: AbortSignal | undefined;
}

/** A path under a kind. */
interface Place {
  readonly row: ResourceRow;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/**
 * Understands a request to a kind.
 *
 * @throws StatusError 404, 405, 400, or 503 for a group that is not available
 */
export function apiCallOf(request: ApiRequest, served: ServedKinds): ApiCall {
  const [path = '', search = ''] = request.path.split('?', 2);
  const query = new URLSearchParams(search);
  const place = placeOf(path, served);
  const userAgent = request.headers?.['user-agent'] ?? '';
  const contentType = (request.headers?.['content-type'] ?? 'application/json').split(';', 1)[0] ?? '';
  const verb = verbOf(request.method, place, query, contentType);
  const isServed = place.row.verbs.some((each) => each === servedVerbOf(verb));
  if (!isEviction(place, verb) && (!isServed || place.subresource !== undefined)) throw notAllowed();
  const body = bodyOf(request.body);
  const name = place.name ?? nameSelected(verb, query);
  return {
    ...place,
    ...(name === undefined ? {} : { name }),
    verb,
    resource: place.row.resource,
    query,
    contentType,
    body,
    userAgent,
    manager: managerOf(query.get('fieldManager'), userAgent),
    signal: request.signal,
  };
}

/** The body as an object. */
export function objectBody(call: ApiCall): JsonObject {
  if (isObject(call.body)) return call.body;
  throw badRequest('the body must be an object');
}

/** The namespace and name in the path of one object; lists know a single name only by their selector. */
function nameSelected(verb: Verb, query: URLSearchParams): string | undefined {
  if (verb !== 'list' && verb !== 'watch') return undefined;
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1];
}

function placeOf(path: string, served: ServedKinds): Place {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const { apiVersion, rest } = versionAndRest(parts);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = isInNamespace ? rest[1] : undefined;
  const [resource = '', name, subresource, more] = isInNamespace ? rest.slice(2) : rest;
  const row = served.rowAt(apiVersion, resource);
  if (row === undefined || more !== undefined) throw noSuchPath();
  const isOutOfPlace = row.namespaced ? namespace === undefined && name !== undefined : isInNamespace;
  if (isOutOfPlace) throw noSuchPath();
  return {
    row,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function versionAndRest([root, ...parts]: readonly string[]): {
  readonly apiVersion: string;
  readonly rest: readonly string[];
} {
  if (root === 'api') return { apiVersion: parts[0] ?? '', rest: parts.slice(1) };
  if (root === 'apis') return { apiVersion: parts.slice(0, 2).join('/'), rest: parts.slice(2) };
  throw noSuchPath();
}

function verbOf(method: string, place: Place, query: URLSearchParams, contentType: string): Verb {
  const isPost = method === 'POST' && place.subresource !== undefined;
  const ofOne = isPost ? 'create' : VERBS_OF_ONE[method];
  const verb = place.name === undefined ? collectionVerbOf(method, place, query) : ofOne;
  if (verb === undefined) throw notAllowed();
  return verb === 'patch' && contentType.startsWith('application/apply-patch') ? 'apply' : verb;
}

/** The only subresource that is served. */
function isEviction({ row, subresource }: Place, verb: Verb): boolean {
  return row.resource === 'pods' && subresource === 'eviction' && verb === 'create';
}

function collectionVerbOf(
  method: string,
  { namespace, row }: Place,
  query: URLSearchParams,
): Verb | undefined {
  if (method === 'GET') return /^(1|true)$/.test(query.get('watch') ?? '') ? 'watch' : 'list';
  return method === 'POST' && row.namespaced === (namespace !== undefined) ? 'create' : undefined;
}

const VERBS_OF_ONE: Readonly<Record<string, Verb>> = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

function servedVerbOf(verb: Verb): ServedVerb {
  return verb === 'apply' ? 'patch' : verb;
}

function bodyOf(text: string | undefined): Json | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`the body is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
}
