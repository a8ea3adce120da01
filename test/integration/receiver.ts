/** An HTTP server on 127.0.0.1 that keeps what it is sent and answers as it is told. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** One request as it arrived. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What becomes of a request whose body has arrived. */
export type Answer = (response: ServerResponse) => void;

/** Answers with this status. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(code, headers).end('ok');
}

/** Never answers. */
export const SILENCE: Answer = () => undefined;

/** Cuts the connection without an answer. */
export const CUT: Answer = (response) => void response.destroy();

/** See the file's comment. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** `host:port` of each tunnel that was asked for; each is refused. */
  readonly tunnels: string[] = [];
  /** What the next requests are answered, one each; then `usual`. */
  readonly next: Answer[] = [];
  usual: Answer = status(200);
  readonly #server: Server;
  /** Those of tunnels, which the server does not count among its own. */
  readonly #sockets: Socket[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connect', (request: IncomingMessage, socket: Socket) => {
      this.tunnels.push(request.url ?? '');
      this.#sockets.push(socket);
      if (this.usual !== SILENCE) socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
  }

  /** A server that listens. */
  static async start(usual?: Answer): Promise<Receiver> {
    const receiver = new Receiver();
    if (usual !== undefined) receiver.usual = usual;
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  /** `127.0.0.1:<port>`. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The bodies, as they came. */
  get bodies(): readonly string[] {
    return this.received.map(({ body }) => body);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.received.push({ method, url, headers, body: await text(request) });
    (this.next.shift() ?? this.usual)(response);
  }
}
