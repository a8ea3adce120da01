/** Answers on their way to clients: slow clients cannot make a server hold any number of bytes. */

import type { ServerResponse } from 'node:http';

/** Each body counts once, however many clients are sent it. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Sends bodies. If too much is under way, the clients that are being sent the oldest body are cut off. */
export class Deliveries {
  /** The oldest body is first. */
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
      // After a cut the same body may be on its way again.
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
