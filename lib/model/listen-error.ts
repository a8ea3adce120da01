/** A port on which the program cannot listen. */

/** A server cannot listen; the message says what to change. */
export class ListenError extends Error {}

/** The error of a server that should listen on `port`, which `flag` says. */
export function listenErrorOf(error: Error & { readonly code?: string }, port: number, flag: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenError(`port ${port} is taken: choose another with ${flag}`, { cause: error });
    case 'EACCES':
      return new ListenError(`port ${port} may not be used: choose one above 1023 with ${flag}`, {
        cause: error,
      });
    default:
      return error;
  }
}
