/** Lists: pages of one consistent snapshot. */

import type { ResourceRow } from './resource-table.ts';
import type { ApiCall } from './routes.ts';
import { selectorOf } from './selectors.ts';
import { expired } from './status-error.ts';
import type { Store } from './store.ts';
import { itemText, keyOfObject, type StoredObject } from './stored-object.ts';

/** Where a page begins. */
interface Position {
  /** PRESENT: not that of the pages before. */
  readonly sequence: number;
  /** The key of the first object of the page. */
  readonly from: string;
}

/** What a token says that goes on with whatever is there when it is used. */
const PRESENT = -1;

/** What a list shows. */
export interface ListView {
  /** The store as it was so many writes ago. */
  readonly writesAgo: number;
  /** The objects of a page at most, where a limit is asked for. */
  readonly mostPerPage: number;
}

/**
 * The JSON of a list.
 *
 * @throws StatusError 410 when a continued list has been compacted away
 */
export function listText(store: Store, call: ApiCall, { writesAgo, mostPerPage }: ListView): string {
  const { row, query } = call;
  const position = positionOf(store, call, writesAgo);
  const selector = selectorOf(row, query);
  const wanted = (object: StoredObject): boolean =>
    (call.namespace === undefined || object.metadata.namespace === call.namespace) &&
    (selector?.(object) ?? true);
  const found = store.allAt(row, position.sequence).filter(wanted);
  const start = position.from === '' ? 0 : found.findIndex((object) => keyOfObject(object) >= position.from);
  const rest = start < 0 ? [] : start === 0 ? found : found.slice(start);
  const asked = Number(query.get('limit') ?? 0);
  const limit = asked > 0 ? Math.min(asked, mostPerPage) : rest.length;
  return pageText(store, row, position, rest, limit, selector === undefined);
}

function pageText(
  store: Store,
  row: ResourceRow,
  position: Position,
  rest: readonly StoredObject[],
  limit: number,
  countsRemaining: boolean,
): string {
  const next = rest[limit];
  const metadata = {
    resourceVersion: store.versionOf(row, position.sequence),
    ...(next === undefined ? {} : { continue: tokenOf({ ...position, from: keyOfObject(next) }) }),
    ...(next === undefined || !countsRemaining ? {} : { remainingItemCount: rest.length - limit }),
  };
  const items = (next === undefined ? rest : rest.slice(0, limit)).map(itemText).join();
  const head = `{"kind":"${row.kind}List","apiVersion":"${row.apiVersion}"`;
  return `${head},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`;
}

function positionOf(store: Store, { row, query }: ApiCall, writesAgo: number): Position {
  const token = query.get('continue');
  if (token) {
    const position = parsedToken(token);
    if (position.sequence === PRESENT) return { ...position, sequence: store.sequence };
    if (!store.isExpired(row, position.sequence)) return position;
    const message = 'The provided continue parameter is too old to display a consistent list result.';
    throw expired(message, tokenOf({ ...position, sequence: PRESENT }));
  }
  return { sequence: Math.max(0, store.sequence - writesAgo), from: '' };
}

function tokenOf(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function parsedToken(token: string): Position {
  return JSON.parse(Buffer.from(token, 'base64url').toString()) as Position;
}
