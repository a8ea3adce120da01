/**
 * The one seam between the reloader and an API server: `send(request)`. The adapters of this folder are written against
 * it; the HTTPS transport, a fault injector and an embedded API server are its implementations. Bodies are read with a bound.
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
  /** Ends the request, and a body that is still being read, with an AbortError. */
  readonly signal?: AbortSignal;
}

/** One answer of the API server. `body` must be read to its end or the request's signal aborted. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Piece>;
}

/** A piece of a body: text, or bytes of a text in UTF-8. Bodies are cut anywhere, bytes also within a character. */
export type Piece = string | Uint8Array;

/**
 * Sends a request; resolves when the head of the answer is there, whatever its status.
 *
 * @throws when there is no answer: refused, cut, timed out, aborted. Whether the request took effect is then unknown.
 */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;

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

/** What turns the pieces of one body into text, never cut within a character. */
export function decoderOf(): (piece: Piece) => string {
  const decoder = new StringDecoder('utf8');
  return (piece) => (typeof piece === 'string' ? piece : decoder.write(piece));
}
