/** What the options say of vocabularies, of what is rolled and how, and of what is served, where no flag is set. */

import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import type { LeaderElection, Options } from '../../../lib/options/options.ts';

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

/** What is served outside a pod. */
export const DEFAULT_SERVING: Pick<Options, 'port' | 'bindAddress' | 'allowedHosts' | 'statusPage'> = {
  port: 8080,
  bindAddress: '127.0.0.1',
  allowedHosts: [],
  statusPage: true,
};

/** How a leader is elected. */
export const DEFAULT_ELECTION: LeaderElection = {
  id: 'reloader-state',
  namespace: undefined,
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
  releaseOnCancel: true,
};
