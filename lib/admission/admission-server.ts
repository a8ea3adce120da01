/** The HTTPS server that the API server calls before it stores a workload. */

import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Answer, HttpServer } from '../serving/web-server.ts';
import { MalformedReviewError } from './review.ts';

/** What the server answers, and where. */
export interface AdmissionServerOptions {
  /** Answers the text of a review. @throws MalformedReviewError if the text is not a review */
  readonly answer: (text: string) => string;
  /** Receives unexpected errors; the API server gets a bare 500, and stores the write. */
  readonly onError: (error: unknown) => void;
  /** The only address at which it listens. @default all */
  readonly address?: string | undefined;
  /** Whether only clients with a certificate of a trusted authority are answered, see `HttpServer.trustClients`. @default false */
  readonly verifiesClients?: boolean;
  /** Called for each request of a client without such a certificate, with the reason. @default nothing */
  readonly onStranger?: (reason: string) => void;
}

/** The only path. */
export const ADMISSION_PATH = '/mutate';
/** A review holds two objects of at most 3 MiB each, and an envelope. */
const LONGEST_BYTES = 8 * 1024 * 1024;
/** The API server goes on using a connection. */
const IDLE_MS = 30_000;

/** The server; clients cannot connect before it has a certificate and, if it verifies clients, before it knows whose to trust. */
export function admissionServer(options: AdmissionServerOptions): HttpServer {
  const { address, onError, verifiesClients = false } = options;
  const tls = verifiesClients ? 'of clients too' : 'of the server';
  const answer = async (request: IncomingMessage): Promise<Answer> =>
    strangerAnswer(request, options) ?? refusalOf(request) ?? (await reviewed(request, options));
  return new HttpServer({ answer, onError, flag: '--webhook-port', address, idleMs: IDLE_MS, tls });
}

/** The refusal of a client without a certificate of a trusted authority. */
function strangerAnswer(
  { socket }: IncomingMessage,
  { verifiesClients, onStranger }: AdmissionServerOptions,
): Answer | undefined {
  if (!verifiesClients || !(socket instanceof TLSSocket)) return undefined;
  const hasCertificate = socket.getPeerX509Certificate() !== undefined;
  if (hasCertificate && socket.authorized) return undefined;
  const reason = hasCertificate ? String(socket.authorizationError) : 'it has no client certificate';
  onStranger?.(reason);
  return refusal(403, `a client certificate of a trusted authority is needed: ${reason}`);
}

async function reviewed(request: IncomingMessage, { answer }: AdmissionServerOptions): Promise<Answer> {
  const text = await textOf(request);
  if (text === undefined) return TOO_LONG;
  try {
    return { status: 200, body: answer(text), headers: { 'content-type': 'application/json' } };
  } catch (error) {
    if (!(error instanceof MalformedReviewError)) throw error;
    return refusal(400, error.message);
  }
}

const TOO_LONG: Answer = refusal(413, `a review has at most ${LONGEST_BYTES} bytes`);

/** Refuses a request by its head. The path is compared without its query, in which the API server sends a timeout. */
function refusalOf({ method, url = '', headers }: IncomingMessage): Answer | undefined {
  if (url.split('?')[0] !== ADMISSION_PATH) return refusal(404, `not found; see ${ADMISSION_PATH}`);
  if (method !== 'POST') return refusal(405, 'only POST', { allow: 'POST' });
  if (!headers['content-type']?.startsWith('application/json')) return refusal(415, 'only application/json');
  return Number(headers['content-length'] ?? 0) > LONGEST_BYTES ? TOO_LONG : undefined;
}

/** The body of a refused request is not read to its end. */
function refusal(status: number, text: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: `${text}\n`, headers: { connection: 'close', ...headers } };
}

/** The body; undefined if it is too long. */
async function textOf(request: AsyncIterable<Buffer>): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > LONGEST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
