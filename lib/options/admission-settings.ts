/** The settings of the admission webhook. */

import type { AdmissionCertificate, AdmissionOptions } from '../model/settings.ts';
import { ADMISSION_FLAGS } from './admission-flags.ts';
import type { Options } from './options.ts';
import type { Reader } from './reader.ts';
import { refuseSamePort } from './serving-settings.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';

/** The name that the manifests give it. */
const CONFIGURATION = 'kubernetes-reloader';

/** How it is served beside the pages and the probes; undefined: not at all. @throws UsageError */
export function admissionFrom(
  reader: Reader,
  others: Pick<Options, 'port' | 'healthPort'>,
): AdmissionOptions | undefined {
  const port = reader.one('webhook-port', types.PORT);
  const checksHashes = reader.one('sap-hash-check', types.BOOLEAN) ?? false;
  if (port === undefined) {
    const meant = ADMISSION_FLAGS.filter(({ name }) => name !== 'sap-hash-check' || checksHashes);
    const idle = meant.map(({ name }) => reader.sourceOf(name)).find((given) => given !== undefined);
    if (idle === undefined) return undefined;
    throw new UsageError(`expected --webhook-port beside ${idle}`);
  }
  const source = reader.sourceOf('webhook-port') ?? '';
  refuseOthers(reader, source);
  refuseSamePort(reader, ['webhook-port', port], ['port', others.port]);
  refuseSamePort(reader, ['webhook-port', port], ['health-port', others.healthPort]);
  if (checksHashes && !reader.list('dialects', types.DIALECT).includes('sap'))
    throw new UsageError(`expected --dialects with sap beside ${reader.sourceOf('sap-hash-check')}`);
  return { port, certificate: certificateFrom(reader, source), checksHashes };
}

/** What rolls nobody has no stamps to keep. */
function refuseOthers(reader: Reader, source: string): void {
  const others = [
    reader.one('dry-run', types.BOOLEAN) && 'dry-run',
    reader.one('webhook-url', types.WEBHOOK) && 'webhook-url',
  ] as const;
  const other = others.find((flag) => flag);
  if (other)
    throw new UsageError(`expected ${source} or ${reader.sourceOf(other)}, not both: nothing is stamped`);
}

function certificateFrom(reader: Reader, port: string): AdmissionCertificate {
  const directory = reader.one('webhook-tls-directory', types.TEXT);
  const secret = reader.one('webhook-tls-secret', types.OBJECT_NAME);
  const configuration = reader.one('webhook-configuration', types.OBJECT_NAME);
  if (directory === undefined && secret === undefined)
    throw new UsageError(`expected --webhook-tls-directory or --webhook-tls-secret beside ${port}`);
  if (directory !== undefined && secret !== undefined) {
    const both = `${reader.sourceOf('webhook-tls-directory')} or ${reader.sourceOf('webhook-tls-secret')}`;
    throw new UsageError(`expected ${both}, not both`);
  }
  if (secret !== undefined) return { type: 'secret', secret, configuration: configuration ?? CONFIGURATION };
  if (configuration !== undefined)
    throw new UsageError(
      `expected ${reader.sourceOf('webhook-configuration')} only beside --webhook-tls-secret`,
    );
  return { type: 'files', directory: directory ?? '' };
}
