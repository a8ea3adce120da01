/** The connections of a server: how many it keeps, and which one goes when there are too many. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

interface Connection {
  /** What was accepted: where there is TLS, the socket below it. */
  readonly socket: Socket;
  readonly key: string;
  /** Requests whose answer is not over; 0: the connection is idle. */
  requests: number;
}

/**
 * Keeps a bounded number of connections. A new one is always let in: at the limit the one goes that has been idle for longest,
 * so that idle clients keep no other client out. Before TLS and the headers of a request are complete a connection is idle.
 */
export class Connections {
  /** By their ends. The first one is the one whose last request began or was answered longest ago. */
  readonly #open = new Map<string, Connection>();
  readonly #most: number;

  /** @param server a server of either protocol, HTTP or HTTPS */
  constructor(server: Server, most: number) {
    this.#most = most;
    server.on('connection', (socket) => this.#take(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const connection = this.#open.get(keyOf(request.socket));
      if (connection === undefined) return;
      this.#count(connection, 1);
      response.once('close', () => this.#count(connection, -1));
    });
  }

  /** Cuts all of them off. */
  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #take(socket: Socket): void {
    if (this.#open.size >= this.#most) this.#drop();
    const connection = { socket, key: keyOf(socket), requests: 0 };
    this.#open.set(connection.key, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** The one that has been idle for longest; if none is idle, the one whose request is the oldest. */
  #drop(): void {
    const all = [...this.#open.values()];
    const dropped = all.find(({ requests }) => requests === 0) ?? all[0];
    if (dropped === undefined) return;
    this.#forget(dropped);
    dropped.socket.destroy();
  }

  #count(connection: Connection, more: number): void {
    connection.requests += more;
    if (this.#forget(connection)) this.#open.set(connection.key, connection);
  }

  /** Answers whether it was one of ours; the same ends may have a new connection by now. */
  #forget(connection: Connection): boolean {
    return this.#open.get(connection.key) === connection && this.#open.delete(connection.key);
  }
}

/** The same for the socket of a request and, where there is TLS, for the one below it. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
