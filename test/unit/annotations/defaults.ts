/** Vocabularies with the default flags, and workloads that use them. */

import { Vocabularies, type VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { STAKATER_KEYS, UNHURRIED } from '../../../lib/model/settings.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';

/** The default flags. */
export const PLAIN: VocabularyOptions = {
  dialects: ['collaborne', 'stakater'],
  alternativeAnnotations: { ConfigMap: [], Secret: [] },
  stakaterKeys: STAKATER_KEYS,
  ignoredKinds: [],
  autoReloadAll: false,
  strategy: 'env-vars',
  rollsFinished: false,
  pausePeriodMs: 0,
  pace: UNHURRIED,
  keyScoped: false,
};

/** The vocabularies with these flags. */
export function vocabulary(flags: Partial<VocabularyOptions> = {}): Vocabularies {
  return new Vocabularies({ ...PLAIN, ...flags });
}

/** A Deployment `web` in the namespace `ns`. */
export function deployment(
  vocabularies: Vocabularies,
  annotations: Readonly<Record<string, string>>,
  template: RawPodTemplate = {},
): Workload {
  const metadata = { name: 'web', namespace: 'ns', annotations };
  return workloadOf(workloadKindOf('Deployment'), { metadata, spec: { template } }, vocabularies);
}

/** What a Deployment with these annotations and nothing else follows. */
export function followed(
  vocabularies: Vocabularies,
  annotations: Readonly<Record<string, string>>,
): readonly ConfigRef[] {
  return vocabularies.follows(deployment(vocabularies, annotations), () => []);
}
