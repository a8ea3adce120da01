/** Whether a workload is rolled for the keys alone that its pods read, where its own annotation says so. */

import type { Finding } from '../model/finding.ts';
import { malformedNotice, quoted } from './malformed.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

/** The annotation of a workload that says so, whatever the vocabularies in use. */
export const KEY_SCOPED_ANNOTATION: string = `${NATIVE_PREFIX}/key-scoped`;

type Annotations = Readonly<Record<string, string>>;

/** Whether it is, if `usual` holds for a workload that says nothing of it, or nothing that can be read. */
export function isKeyScoped(annotations: Annotations, usual: boolean): boolean {
  const own = annotations[KEY_SCOPED_ANNOTATION];
  return own === 'true' || (own !== 'false' && usual);
}

/** What of it cannot be read. */
export function keyScopeMistakes({ annotations }: { readonly annotations: Annotations }): readonly Finding[] {
  const value = annotations[KEY_SCOPED_ANNOTATION];
  if (value === undefined || value === 'true' || value === 'false') return [];
  const remedy = `is neither true nor false and does not count; write ${KEY_SCOPED_ANNOTATION}: "true"`;
  return [malformedNotice(KEY_SCOPED_ANNOTATION, quoted(value), remedy)];
}
