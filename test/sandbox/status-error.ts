/** The refusals of an API server: each carries the Status object that a client gets. */

import type { JsonObject } from './json.ts';
import type { ResourceRow } from './resource-table.ts';

/** What a refusal says besides its code, reason and message. */
export interface StatusDetails {
  readonly row?: ResourceRow;
  readonly name?: string;
  readonly causes?: readonly JsonObject[];
  /** Also sent as the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** The whole body, in place of a Status object. */
  readonly page?: string;
  /** The token with which a list goes on all the same. */
  readonly continue?: string;
}

/** Thrown for every request that is answered with a Status of failure. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;

  constructor(code: number, reason: string, message: string, details: StatusDetails = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The Status object as a client sees it. */
  toStatus(): JsonObject {
    const { row, name, causes, retryAfterSeconds, continue: token } = this.details;
    const details: JsonObject = {
      name,
      group: row === undefined || row.group === '' ? undefined : row.group,
      kind: row?.resource,
      causes,
      retryAfterSeconds,
    };
    const hasDetails = Object.values(details).some((value) => value !== undefined);
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: { continue: token },
      status: 'Failure',
      message: this.message,
      reason: this.reason === '' ? undefined : this.reason,
      details: hasDetails || this.code === 422 ? details : undefined,
      code: this.code,
    };
  }
}

/** 404: the object, or a namespace, is not there. */
export function notFound(row: ResourceRow, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${qualified(row)} "${name}" not found`, { row, name });
}

/** 404: there is no such path. */
export function noSuchPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource');
}

/** 404: there is no such group or version; whatever stands in front of the API server could answer the same. */
export function noSuchGroupVersion(): StatusError {
  const page = '404 page not found\n';
  return new StatusError(404, 'NotFound', page, { page });
}

/** 409: a create of what is there. */
export function alreadyExists(row: ResourceRow, name: string): StatusError {
  return new StatusError(409, 'AlreadyExists', `${qualified(row)} "${name}" already exists`, { row, name });
}

/** 409: the write was planned on another version, or another object of this name. */
export function conflict(
  row: ResourceRow,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(row)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, { row, name });
}

/** 422: the object is not acceptable; `field` is a path such as `spec.template`. */
export function invalid(row: ResourceRow, name: string, field: string, why: string): StatusError {
  const kind = row.group === '' ? row.kind : `${row.kind}.${row.group}`;
  const reason = why.startsWith('Required') ? 'FieldValueRequired' : 'FieldValueInvalid';
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${field}: ${why}`, {
    row,
    name,
    causes: [{ reason, message: why, field }],
  });
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

/** 500: what the API server answers to some requests that it cannot understand. It gives no reason. */
export function internal(message: string): StatusError {
  return new StatusError(500, '', message);
}

/** 410: the history of that version is gone; `token`: a list may go on with it, at another version. */
export function expired(message: string, token?: string): StatusError {
  return new StatusError(410, 'Expired', message, token === undefined ? {} : { continue: token });
}

/** 405: nobody may do this with this kind. */
export function notAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
  );
}

/** 429: a budget does not allow the eviction now. */
export function overBudget(row: ResourceRow, name: string): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new StatusError(429, 'TooManyRequests', message, { row, name });
}

/** 504: a version from the future was asked for; not an expiry, the client should ask again. */
export function versionTooLarge(asked: string, current: string): StatusError {
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return new StatusError(504, 'Timeout', message, {
    retryAfterSeconds: 1,
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  });
}

/** `deployments.apps`, `configmaps`: a resource as messages name it. */
export function qualified(row: ResourceRow): string {
  return row.group === '' ? row.resource : `${row.resource}.${row.group}`;
}
