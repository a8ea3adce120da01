/** What the servers with TLS have in common. */

import { constants } from 'node:crypto';

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
