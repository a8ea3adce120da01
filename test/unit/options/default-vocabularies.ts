/** What the options say of vocabularies, and of what is rolled and how, where nobody sets a flag. */

import { STAKATER_KEYS } from '../../../lib/model/dialect-name.ts';
import type { Options } from '../../../lib/options/options.ts';

/** As the README tells them. */
export const DEFAULT_VOCABULARIES: Pick<
  Options,
  | 'dialects'
  | 'stakaterKeys'
  | 'autoReloadAll'
  | 'reloadStrategy'
  | 'pace'
  | 'keyScoped'
  | 'absorbOwnerRollouts'
  | 'reloadOnCreate'
  | 'reloadOnDelete'
  | 'pausePeriodMs'
  | 'ignoredWorkloadKinds'
  | 'cronJobReload'
  | 'jobReload'
> = {
  dialects: ['collaborne', 'stakater'],
  stakaterKeys: STAKATER_KEYS,
  autoReloadAll: false,
  reloadStrategy: 'env-vars',
  pace: { minIntervalMs: 0, limit: { rollouts: 20, withinMs: 3_600_000 } },
  keyScoped: false,
  absorbOwnerRollouts: true,
  reloadOnCreate: false,
  reloadOnDelete: false,
  pausePeriodMs: 0,
  ignoredWorkloadKinds: [],
  cronJobReload: 'none',
  jobReload: 'none',
};
