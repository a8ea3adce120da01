/** Serves the admission webhook, where it is asked for. */

import { AdmissionServer } from './admission/admission-server.ts';
import { followCertificateFiles } from './admission/certificate-files.ts';
import type { Assembly, Parts } from './assembly.ts';
import { sleep } from './kubernetes/abortable-sleep.ts';

/**
 * Listens at once and serves until `signal` is aborted; what it answers resolves when that is over.
 *
 * @throws ListenError if its port is taken or may not be used.
 */
export async function serveAdmission(
  { options: { admission }, log }: Parts,
  assembly: Pick<Assembly, 'review'>,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  if (admission === undefined) return () => Promise.resolve();
  const server = new AdmissionServer({
    answer: assembly.review,
    onError: (error) => log.error('the admission webhook failed', { error }),
  });
  const port = await server.start(admission.port);
  log.info('the admission webhook keeps stamps through updates of their owners', { port });
  const { directory } = admission.certificate;
  const use: AdmissionServer['use'] = (pair) => server.use(pair);
  const following = followCertificateFiles({ directory, use, log, wait: sleep }, signal);
  const ended = following.then(() => server.stop());
  return () => ended;
}
