/** Which kinds a sandbox serves at present: those of each cluster, and extensions that come and go. */

import { documentsOf } from './discovery.ts';
import type { JsonObject } from './json.ts';
import { ACCESS_REVIEWS, RESOURCES, type ResourceRow } from './resource-table.ts';
import { noSuchGroupVersion, StatusError } from './status-error.ts';

/** See the file's comment. */
export class ServedKinds {
  readonly #rows: Set<ResourceRow>;
  /** The groups whose own API server does not answer. */
  readonly #unavailable = new Set<string>();
  #documents: ReadonlyMap<string, JsonObject> | undefined;

  constructor(extensions: readonly ResourceRow[]) {
    this.#rows = new Set([...RESOURCES, ...ACCESS_REVIEWS, ...extensions]);
  }

  /** Serves `row` from now on, or no more. */
  set(row: ResourceRow, isServed: boolean): void {
    if (isServed) this.#rows.add(row);
    else this.#rows.delete(row);
    this.#documents = undefined;
  }

  /** From now on the API server of `group` answers, or does not. */
  setAvailable(group: string, isAvailable: boolean): void {
    if (isAvailable) this.#unavailable.delete(group);
    else this.#unavailable.add(group);
  }

  /**
   * The row served under an API version; undefined if there is none.
   *
   * @throws StatusError 404 for a group or version of which no kind is served, 503 while the group is not available
   */
  rowAt(apiVersion: string, resource: string): ResourceRow | undefined {
    this.#checkAvailable(apiVersion.split('/')[0] ?? '');
    const rows = [...this.#rows].filter((row) => row.apiVersion === apiVersion);
    if (rows.length === 0) throw noSuchGroupVersion();
    return rows.find((row) => row.resource === resource);
  }

  /**
   * The answer to a discovery path; undefined if `path` is none.
   *
   * @throws StatusError 503 while its group is not available
   */
  discovery(path: string): JsonObject | undefined {
    const [root, group = '', , ...rest] = path.split('/').filter((part) => part !== '');
    if (root === 'apis' && rest.length === 0) this.#checkAvailable(group);
    this.#documents ??= documentsOf([...this.#rows]);
    return this.#documents.get(path.replace(/\/$/, ''));
  }

  #checkAvailable(group: string): void {
    if (this.#unavailable.has(group))
      throw new StatusError(
        503,
        'ServiceUnavailable',
        'the server is currently unable to handle the request',
      );
  }
}
