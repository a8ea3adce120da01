/** Ports of 127.0.0.1 that nobody listens on. */

import { createServer } from 'node:net';

// Below the ephemeral range: no outgoing connection of anybody takes the port while its server is down.
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** One of them. Nobody else is kept from taking it before the caller does. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
