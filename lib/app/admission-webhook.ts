/** Starts the admission webhook if the options ask for one, with the certificate in files. */

import { AdmissionServer } from '../admission/admission-server.ts';
import { followCertificateFiles, followClientAuthorities } from '../admission/certificate-files.ts';
import { atMostEvery } from '../model/time.ts';
import { sleep } from '../queue/abortable-sleep.ts';
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
  const { tlsDirectory: directory, clientAuthorities: file } = admission;
  const loop = { log, wait: sleep };
  const ended = Promise.all([
    followCertificateFiles({ ...loop, directory, use: (pair) => server.use(pair) }, signal),
    file === undefined
      ? undefined
      : followClientAuthorities({ ...loop, file, use: (all) => server.trustClients(all) }, signal),
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
