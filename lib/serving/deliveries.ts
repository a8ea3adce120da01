/** Bodies on their way to clients, bounded in bytes: slow clients cannot exhaust the memory of the server. */

import type { ServerResponse } from 'node:http';

/** The limit; a body that goes to many clients counts once. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Sends bodies. Beyond the limit it disconnects the clients that still receive the oldest body. */
export class Deliveries {
  /** The clients of each body, the oldest body first. */
  readonly #underWay = new Map<Buffer, Set<ServerResponse>>();
  #bytes = 0;

  /** How many bytes are under way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Ends `response`, whose head is written, with `body`. */
  send(response: ServerResponse, body: Buffer): void {
    if (response.destroyed) return;
    const clients = this.#underWay.get(body) ?? this.#begin(body);
    clients.add(response);
    response.once('close', () => {
      clients.delete(response);
      // After a disconnect the same body may already be on its way to other clients.
      if (clients.size === 0 && this.#underWay.get(body) === clients) this.#end(body);
    });
    response.end(body);
    for (const [oldest, readers] of this.#underWay) {
      if (this.#bytes <= MOST_BYTES || oldest === body) return;
      this.#end(oldest);
      for (const reader of readers) reader.destroy();
    }
  }

  #begin(body: Buffer): Set<ServerResponse> {
    const clients = new Set<ServerResponse>();
    this.#underWay.set(body, clients);
    this.#bytes += body.length;
    return clients;
  }

  #end(body: Buffer): void {
    if (this.#underWay.delete(body)) this.#bytes -= body.length;
  }
}
