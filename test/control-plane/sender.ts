/** Sends requests as the tests need them: to http or https, as whom they say, on connections that are kept. */

import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ApiRequest, ApiResponse, Send } from '../../lib/kubernetes/transport.ts';

/** Whom to ask, and as whom. */
export interface Target {
  readonly url: string;
  /** PEM. @default the system's */
  readonly ca?: string;
  readonly token?: string;
  /** @default 'reloader-test' */
  readonly userAgent?: string;
}

/** A send, and the end of its connections. */
export interface Sender {
  readonly send: Send;
  readonly close: () => void;
}

/** A sender without retries, timeouts or opinions: what the server answers is what the caller gets. */
export function senderTo({ url, ca, token, userAgent = 'reloader-test' }: Target): Sender {
  const isTls = url.startsWith('https:');
  const tls = ca === undefined ? {} : { ca };
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const start = isTls ? httpsRequest : httpRequest;
  const own = {
    'user-agent': userAgent,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const send: Send = ({ method, path, headers, body, signal }: ApiRequest) =>
    new Promise<ApiResponse>((resolve, reject) => {
      const about =
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
      const sent = start(
        url + path,
        { method, agent, headers: { ...own, ...about, ...headers } },
        (response) => {
          response.setEncoding('utf8');
          response.on('error', () => undefined); // told by the iteration of the body, if anybody reads it
          const names = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(names), body: response });
        },
      );
      const abort = (): void => void sent.destroy();
      signal?.addEventListener('abort', abort, { once: true });
      sent.once('close', () => signal?.removeEventListener('abort', abort));
      sent.on('error', reject);
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}
