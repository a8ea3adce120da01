/** Starts a server on a port, and stops it without disconnecting clients that still receive an answer. */

import { constants } from 'node:crypto';
import type { Server as WebServer } from 'node:http';
import type { Server } from 'node:net';
import type { Connections } from './connections.ts';

/** A server cannot listen; the message says what to change. */
export class ListenError extends Error {}

/** The port and address of a server. */
export interface ListenOptions {
  /** 0 lets the system pick one. */
  readonly port: number;
  /** The only address to listen at; undefined: all. */
  readonly address: string | undefined;
  /** The flag for the port, for error messages. */
  readonly flag: string;
  /** Receives errors after the start. */
  readonly onError: (error: unknown) => void;
}

/** A server of either protocol. */
export type Listener = Server & Pick<WebServer, 'closeIdleConnections'>;

/** How long an open request may take to end when the server stops. */
const STOP_GRACE_MS = 1000;

/**
 * Listens and returns the port.
 *
 * @throws ListenError if the port is taken, it may not be used, or the address is none of this machine.
 */
export async function listen(server: Listener, options: ListenOptions): Promise<number> {
  const { port, address, onError } = options;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenErrorOf(error, options)));
    server.listen(port, address, resolve);
  });
  server.on('error', onError);
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

/** Accepts no more requests; resolves when the open ones have ended, after a second at the latest. */
export async function endListening(server: Listener, connections: Connections): Promise<void> {
  if (!server.listening) return;
  const cutOff = setTimeout(() => connections.closeAll(), STOP_GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cutOff);
}

function listenErrorOf(
  error: Error & { readonly code?: string },
  { port, address, flag }: ListenOptions,
): Error {
  const elsewhere = `${address} is no address of this machine: choose another with --bind-address`;
  const messages: Readonly<Record<string, string>> = {
    EADDRNOTAVAIL: elsewhere,
    EAFNOSUPPORT: elsewhere,
    EADDRINUSE: `port ${port} is taken: choose another with ${flag}`,
    EACCES: `port ${port} may not be used: choose one above 1023 with ${flag}`,
  };
  const message = messages[error.code ?? ''];
  return message === undefined ? error : new ListenError(message, { cause: error });
}

/** A certificate chain and its key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** For all certificates. A resumed session would be one without a check of the client: there are none. */
export const SECURE: { readonly minVersion: 'TLSv1.2'; readonly secureOptions: number } = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_TICKET,
};
