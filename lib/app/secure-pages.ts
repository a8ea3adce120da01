/** What --secure-metrics adds to the pages: who may read them, and a certificate for their server. */

import { followCertificateFiles } from '../admission/certificate-files.ts';
import { reviewReader } from '../kubernetes/access-reviews.ts';
import type { Send } from '../kubernetes/transport.ts';
import type { Log } from '../model/log.ts';
import type { SecureMetrics } from '../model/settings.ts';
import { atMostEvery } from '../model/time.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { KeyPair } from '../serving/tls.ts';
import { PageAccess } from '../telemetry/page-access.ts';

/** A client of the pages, as Prometheus, waits for ten seconds. */
const REVIEW_MS = 5000;
/** The least time between two log lines about reviews that fail. */
const FAILURES_MS = 60_000;

/** Decides who reads a page, see `ServerPlace.admit`. */
export function admitterOf(send: Send, log: Log): PageAccess['admit'] {
  const access = new PageAccess({
    review: (token, path) => reviewReader(send, token, path, AbortSignal.timeout(REVIEW_MS)),
    onFailure: atMostEvery(FAILURES_MS, (error) =>
      log.warn('the token of a request for a page cannot be reviewed; said once a minute', { error }),
    ),
  });
  return (authorization, path) => access.admit(authorization, path);
}

/** Reads the certificate of the pages from its files until `signal` is aborted. */
export async function followPagesCertificate(
  { tlsDirectory: directory }: SecureMetrics,
  { use, log }: { readonly use: (pair: KeyPair) => void; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const what = 'the certificate of the pages';
  await followCertificateFiles({ directory, what, use, log, wait: sleep }, signal);
}
