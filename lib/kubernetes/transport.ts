/**
 * The one seam between the reloader and an API server: `send(request)`. All adapters of this folder use it; its implementations
 * are the HTTPS transport and, in tests, a fault injector and an embedded API server.
 */

import { StringDecoder } from 'node:string_decoder';

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path with its query, e.g. `/api/v1/namespaces/default/configmaps?limit=100`. */
  readonly path: string;
  /** Lower-case names; authorization and user-agent are the transport's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Aborts the request, also while its body is read, with an AbortError. */
  readonly signal?: AbortSignal;
}

/** One answer of the API server. The caller has to read `body` to its end or abort the request, or its connection leaks. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Piece>;
}

/** A piece of a body: text, or bytes in UTF-8. A body may be cut anywhere, even within a character. */
export type Piece = string | Uint8Array;

/**
 * Sends a request; resolves with the head of the answer, whatever its status.
 *
 * @throws if there is no answer: connection refused or cut, time-out, abort. The request may have taken effect all the same.
 */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;

/** A body of these pieces. */
export async function* bodyOf(pieces: readonly Piece[]): AsyncGenerator<Piece> {
  yield* pieces;
}

/** The first `limit` characters of a body; the rest is not read. */
export async function readStart(body: AsyncIterable<Piece>, limit: number): Promise<string> {
  const decode = decoderOf();
  let text = '';
  for await (const piece of body) {
    text += decode(piece);
    if (text.length >= limit) return text.slice(0, limit);
  }
  return text;
}

/** A function that turns the pieces of one body into text; characters that are cut between two pieces stay whole. */
export function decoderOf(): (piece: Piece) => string {
  const decoder = new StringDecoder('utf8');
  return (piece) => (typeof piece === 'string' ? piece : decoder.write(piece));
}
