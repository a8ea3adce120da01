/** Starts the admission webhook if the options ask for one, and keeps its serving certificate valid. */

import { AdmissionServer } from '../admission/admission-server.ts';
import { followCertificateFiles, followClientAuthorities } from '../admission/certificate-files.ts';
import { keepOwnCertificate } from '../admission/own-certificate.ts';
import { WebhookStore } from '../kubernetes/webhook-store.ts';
import type { AdmissionCertificate } from '../model/settings.ts';
import { atMostEvery } from '../model/time.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { KeyPair } from '../serving/tls.ts';
import type { Assembly, Parts } from './assembly.ts';

/** The least time between two log lines about clients without a certificate; the metric counts them all. */
const STRANGERS_MS = 60_000;

/**
 * Listens at once and serves until `signal` is aborted. The promise of the returned function resolves when the server has
 * ended.
 *
 * @throws ListenError if the port is taken or not permitted, or the address does not belong to this machine.
 */
export async function serveAdmission(
  parts: Parts,
  assembly: Pick<Assembly, 'review'>,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const { options, log } = parts;
  const { admission } = options;
  if (admission === undefined) return () => Promise.resolve();
  const server = new AdmissionServer({
    answer: assembly.review,
    onError: (error) => log.error('the admission webhook failed', { error }),
    verifiesClients: admission.clientAuthorities !== undefined,
    onStranger: strangerReporter(parts),
  });
  const port = await server.start(admission.port, options.bindAddress);
  log.info('the admission webhook keeps stamps through updates by external writers', { port });
  const { certificate, clientAuthorities: file } = admission;
  const use = (authorities: readonly string[]): void => server.trustClients(authorities);
  const ended = Promise.all([
    followCertificate(parts, certificate, server, signal),
    file === undefined ? undefined : followClientAuthorities({ file, use, log, wait: sleep }, signal),
  ]).then(() => server.stop());
  return () => ended;
}

/** Counts the refused clients, and logs one of them a minute. */
function strangerReporter({ log, metrics }: Parts): (reason: string) => void {
  const logOne = atMostEvery(STRANGERS_MS, (reason: string) =>
    log.debug('the admission webhook refused a client; said once a minute', { reason }),
  );
  return (reason) => {
    metrics?.reviewed('unauthenticated');
    logOne(reason);
  };
}

async function followCertificate(
  { send, place, log }: Parts,
  certificate: AdmissionCertificate,
  server: AdmissionServer,
  signal: AbortSignal,
): Promise<void> {
  const shared = { use: (pair: KeyPair) => server.use(pair), log, wait: sleep };
  if (certificate.type === 'files') {
    await followCertificateFiles({ ...shared, directory: certificate.directory }, signal);
    return;
  }
  // Loaded on demand: a process with certificate files does not need the memory of the code that issues certificates.
  const { issuePair } = await import('../admission/certificate-authority.ts');
  const store = new WebhookStore(send, { ...certificate, namespace: place.stateNamespace }, signal);
  await keepOwnCertificate({ ...shared, store, issue: issuePair, now: () => Date.now() }, signal);
}
