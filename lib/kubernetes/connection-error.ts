/**
 * The settings name no usable API server, credentials or proxy. The message names the flag, file or variable, and quotes nothing of
 * its content.
 */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}
