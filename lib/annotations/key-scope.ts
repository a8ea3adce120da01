/** The annotation by which a workload is rolled only for the keys that its pods read. */

import type { Finding } from '../model/finding.ts';
import { malformedFinding, quoted } from './malformed.ts';
import { NATIVE_PREFIX } from './vocabulary.ts';

/** The annotation of a workload; it counts with any vocabularies in use. */
export const KEY_SCOPED_ANNOTATION: string = `${NATIVE_PREFIX}/key-scoped`;

type Annotations = Readonly<Record<string, string>>;

/** Whether the workload follows keys; `usual` applies without the annotation, and if its value cannot be parsed. */
export function isKeyScoped(annotations: Annotations, usual: boolean): boolean {
  const own = annotations[KEY_SCOPED_ANNOTATION];
  return own === 'true' || (own !== 'false' && usual);
}

/** The finding about a value that cannot be parsed. */
export function keyScopeMistakes({ annotations }: { readonly annotations: Annotations }): readonly Finding[] {
  const value = annotations[KEY_SCOPED_ANNOTATION];
  if (value === undefined || value === 'true' || value === 'false') return [];
  const remedy = `is neither true nor false and does not count; write ${KEY_SCOPED_ANNOTATION}: "true"`;
  return [malformedFinding(KEY_SCOPED_ANNOTATION, quoted(value), remedy)];
}
