/** The connections of a server: their limit, which one is closed beyond it, and the bodies on their way to clients. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

interface Connection {
  /** The accepted socket: with TLS, the one below it. */
  readonly socket: Socket;
  readonly key: string;
  /** Requests without a complete answer; 0 if the connection is idle. */
  requests: number;
}

/**
 * Keeps a bounded number of connections. It accepts every new one: at the limit it closes the one that has been idle for longest,
 * so that idle clients keep no other client out. A connection is idle until TLS and the headers of a request are complete.
 */
export class Connections {
  /** By their addresses and ports, ordered by the last begin or end of a request, the oldest first. */
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

  /** Closes all connections at once. */
  closeAll(): void {
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #take(socket: Socket): void {
    if (this.#open.size >= this.#most) this.#drop();
    const connection = { socket, key: keyOf(socket), requests: 0 };
    this.#open.set(connection.key, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** Closes the connection that has been idle for longest; if none is idle, the one with the oldest request. */
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

  /** Returns whether the connection was still open; a new one may have the same addresses and ports by now. */
  #forget(connection: Connection): boolean {
    return this.#open.get(connection.key) === connection && this.#open.delete(connection.key);
  }
}

/** Equal for the socket of a request and, with TLS, for the one below it, which is another object. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

/** Of all bodies together; one that goes to many clients counts as often. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Sends bodies. Beyond the limit it disconnects the clients that have received theirs for longest. */
export class Deliveries {
  /** The responses that are not complete, the oldest first. */
  readonly #underWay = new Map<ServerResponse, Buffer>();

  /** Ends `response`, whose head is written, with `body`. */
  send(response: ServerResponse, body: Buffer): void {
    if (response.destroyed) return;
    this.#underWay.set(response, body);
    response.once('close', () => this.#underWay.delete(response));
    response.end(body);
    let bytes = this.bytes;
    for (const [oldest, { length }] of this.#underWay) {
      if (bytes <= MOST_BYTES || oldest === response) return;
      bytes -= length;
      oldest.destroy();
    }
  }

  /** How many bytes are under way. */
  get bytes(): number {
    return [...this.#underWay.values()].reduce((sum, { length }) => sum + length, 0);
  }
}
