/** The settings of the admission webhook. */

import type { AdmissionOptions } from '../model/admission.ts';
import { ADMISSION_FLAGS } from './admission-flags.ts';
import type { Reader } from './reader.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';

/** How it is served; undefined: not at all. @throws UsageError */
export function admissionFrom(reader: Reader): AdmissionOptions | undefined {
  const port = reader.one('webhook-port', types.PORT);
  const directory = reader.one('webhook-tls-directory', types.TEXT);
  if (port === undefined) {
    const idle = ADMISSION_FLAGS.map(({ name }) => reader.sourceOf(name)).find(
      (source) => source !== undefined,
    );
    if (idle === undefined) return undefined;
    throw new UsageError(`expected --webhook-port beside ${idle}`);
  }
  const source = reader.sourceOf('webhook-port') ?? '';
  if (directory === undefined) throw new UsageError(`expected --webhook-tls-directory beside ${source}`);
  const others = [
    reader.one('dry-run', types.BOOLEAN) && 'dry-run',
    reader.one('webhook-url', types.WEBHOOK) && 'webhook-url',
  ] as const;
  const other = others.find((flag) => flag);
  if (other)
    throw new UsageError(`expected ${source} or ${reader.sourceOf(other)}, not both: nothing is stamped`);
  return { port, certificate: { type: 'files', directory } };
}
