/** A `send` that follows a script: each request takes the next answer, and a request too many is an error. */

import type { ApiRequest, ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';

/** What a request gets: an answer, a failure, or nothing until it is aborted. */
export type Answer = ApiResponse | Error | 'silence';

/** The script and what became of it. */
export interface Script {
  readonly send: Send;
  /** All requests so far. */
  readonly requests: ApiRequest[];
  /** How many answers are left. */
  readonly left: () => number;
}

/** After the last answer every further request meets silence. */
export function scripted(...answers: Answer[]): Script {
  const requests: ApiRequest[] = [];
  const send: Send = async (request) => {
    requests.push(request);
    const answer = answers.shift() ?? 'silence';
    if (answer instanceof Error) throw answer;
    return answer === 'silence' ? await never(request.signal) : answer;
  };
  return { send, requests, left: () => answers.length };
}

/** A 200 with a JSON body. */
export function ok(body: object): ApiResponse {
  return answered(200, JSON.stringify(body));
}

/** Any answer; the body comes in pieces of 7 characters, to cut what can be cut. */
export function answered(status: number, body: string, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers, body: pieces(body.match(/[\s\S]{1,7}/g) ?? []) };
}

/** A refusal with a Status. */
export function refused(
  code: number,
  status: object = {},
  headers: Record<string, string> = {},
): ApiResponse {
  return answered(
    code,
    JSON.stringify({ kind: 'Status', code, message: `message of ${code}`, ...status }),
    headers,
  );
}

/** A list of `objects`. */
export function listOf(resourceVersion: string, objects: object[], next?: string): ApiResponse {
  return ok({ kind: 'List', metadata: { resourceVersion, continue: next }, items: objects });
}

/** A ConfigMap of namespace `ns`. */
export function configMap(name: string, resourceVersion: string, data: Record<string, string> = {}): object {
  return { metadata: { namespace: 'ns', name, resourceVersion, uid: `uid-of-${name}` }, data };
}

/** A line of a watch. */
export function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** A bookmark's line. */
export function bookmark(resourceVersion: string): string {
  return line('BOOKMARK', { metadata: { resourceVersion } });
}

/** A watch that tells `lines` and ends in good order. */
export function watchOf(...lines: string[]): ApiResponse {
  return { status: 200, headers: {}, body: pieces(lines) };
}

/** A watch that tells `lines` and then nothing more. */
export function openWatchOf(...lines: string[]): ApiResponse {
  return { status: 200, headers: {}, body: thenSilence(lines) };
}

/** A watch that tells `lines` and is cut. */
export function cutWatchOf(...lines: string[]): ApiResponse {
  return { status: 200, headers: {}, body: thenFailure(lines) };
}

/** Lets everything run that can run without time passing. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** May be read again and again: an answer may stand in a table. */
function pieces(texts: readonly string[]): AsyncIterable<string> {
  async function* told(): AsyncGenerator<string> {
    yield* texts;
  }
  return { [Symbol.asyncIterator]: told };
}

async function* thenSilence(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
  await new Promise(() => undefined);
}

async function* thenFailure(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
  throw new Error('socket hang up');
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
  });
}
