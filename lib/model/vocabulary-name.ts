/** The vocabularies in which workloads ask for a reload. */

/** Their names. */
export const VOCABULARY_NAMES = ['collaborne', 'stakater', 'sap', 'wave'] as const;

/** One of DIALECT_NAMES. */
export type VocabularyName = (typeof VOCABULARY_NAMES)[number];

/** Those in use where nobody chooses. */
export const DEFAULT_VOCABULARY_NAMES: readonly VocabularyName[] = ['collaborne', 'stakater'];

/** The keys of the vocabulary of Stakater Reloader that can be renamed. */
export interface StakaterKeys {
  readonly auto: string;
  readonly configMapAuto: string;
  readonly secretAuto: string;
  readonly search: string;
  readonly match: string;
  readonly ignore: string;
  readonly configMap: string;
  readonly secret: string;
  readonly pausePeriod: string;
  readonly pausedAt: string;
}

/** Their names where nobody renames them. */
export const STAKATER_KEYS: StakaterKeys = {
  auto: 'reloader.stakater.com/auto',
  configMapAuto: 'configmap.reloader.stakater.com/auto',
  secretAuto: 'secret.reloader.stakater.com/auto',
  search: 'reloader.stakater.com/search',
  match: 'reloader.stakater.com/match',
  ignore: 'reloader.stakater.com/ignore',
  configMap: 'configmap.reloader.stakater.com/reload',
  secret: 'secret.reloader.stakater.com/reload',
  pausePeriod: 'deployment.reloader.stakater.com/pause-period',
  pausedAt: 'deployment.reloader.stakater.com/paused-at',
};
