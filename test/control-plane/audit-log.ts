/** The audit log of a control plane: who asked what, and how it was answered. */

import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject, objectsOf, pick, stringOf } from '../sandbox/json.ts';

/** One request. */
export interface AuditedRequest {
  /** E.g. `system:serviceaccount:default:reloader`. */
  readonly user: string;
  readonly userAgent: string;
  /** As RBAC names it: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly apiGroup: string;
  /** With its subresource, e.g. `deployments/status`; empty for paths such as /readyz. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** The path with its query. */
  readonly uri: string;
  /** The status; of a watch that goes on, that of its head. */
  readonly code: number;
  /** Whether it was refused because its namespace is being deleted. */
  readonly namespaceEnds: boolean;
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
}

/** The requests that were answered, in the order of their answers. */
export async function readAuditLog(file: string): Promise<AuditedRequest[]> {
  const text = await readFile(file, 'utf8');
  const requests = new Map<string, AuditedRequest>();
  // The last line may still be being written.
  for (const line of text.split('\n').slice(0, -1)) {
    const event: unknown = JSON.parse(line);
    // A watch has two: when it began, and when it ended.
    if (isObject(event)) requests.set(String(event['auditID']), requestOf(event));
  }
  return [...requests.values()];
}

function requestOf(event: JsonObject): AuditedRequest {
  const target = (field: string): string | undefined => stringOf(pick(event, 'objectRef', field));
  const parts = [target('resource') ?? '', target('subresource')].filter((part) => part !== undefined);
  const causes = objectsOf(pick(event, 'responseStatus', 'details', 'causes'));
  return {
    user: stringOf(pick(event, 'user', 'username')) ?? '',
    userAgent: stringOf(event['userAgent']) ?? '',
    verb: stringOf(event['verb']) ?? '',
    apiGroup: target('apiGroup') ?? '',
    resource: parts.join('/'),
    namespace: target('namespace'),
    name: target('name'),
    uri: stringOf(event['requestURI']) ?? '',
    code: Number(pick(event, 'responseStatus', 'code') ?? 0),
    namespaceEnds: causes.some(({ reason }) => reason === 'NamespaceTerminating'),
    receivedAt: Date.parse(stringOf(event['requestReceivedTimestamp']) ?? ''),
  };
}
