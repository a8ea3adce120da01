/** Vocabularies as they are where nobody sets a flag, and workloads that speak them. */

import type { Dialect } from '../../../lib/annotations/dialect.ts';
import { type VocabularyOptions, vocabularyOf } from '../../../lib/annotations/vocabulary.ts';
import { DEFAULT_DIALECTS, STAKATER_KEYS } from '../../../lib/model/dialect-name.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import { UNHURRIED } from '../../../lib/model/rollout-limit.ts';
import { type Workload, workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';

/** What the flags say where nobody sets any. */
export const PLAIN: VocabularyOptions = {
  dialects: DEFAULT_DIALECTS,
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
export function vocabulary(flags: Partial<VocabularyOptions> = {}): Dialect {
  return vocabularyOf({ ...PLAIN, ...flags });
}

/** A Deployment `web` in the namespace `ns`. */
export function deployment(
  dialect: Dialect,
  annotations: Readonly<Record<string, string>>,
  template: RawPodTemplate = {},
): Workload {
  const metadata = { name: 'web', namespace: 'ns', annotations };
  return workloadOf(workloadKindOf('Deployment'), { metadata, spec: { template } }, dialect);
}

/** What a Deployment with these annotations and nothing else follows. */
export function followed(
  dialect: Dialect,
  annotations: Readonly<Record<string, string>>,
): readonly ConfigRef[] {
  return dialect.follows(deployment(dialect, annotations), () => []);
}
