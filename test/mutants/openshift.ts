/** Sabotages of DeploymentConfigs. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const BY_TABLE = ['test/unit/model/deployment-config.test.ts'];
const BY_RULES = ['test/unit/tracking/deployment-configs.test.ts'];
const BY_REQUESTS = ['test/unit/repair/instantiations.test.ts'];

/** Every one of them must be noticed. */
export const OPENSHIFT_MUTANTS: readonly Mutant[] = [
  {
    name: 'openshift: observed counts as rolled',
    edit: drop('DEPLOYMENT_CONFIG.rolledOut', '!isBeforeStamp(raw)'),
    tests: BY_TABLE,
  },
  {
    name: 'openshift: a patch does not keep the version that it found',
    edit: change('metadataPatch', 'revisionMark === undefined ? {} : { [revisionMark]: revision }', '{}'),
    tests: BY_TABLE,
  },
  {
    name: 'openshift: null for triggers is manual',
    edit: change(
      'isManual',
      "spec?.triggers?.every(({ type }) => type !== 'ConfigChange') ?? false",
      "spec?.triggers?.every(({ type }) => type !== 'ConfigChange') ?? true",
    ),
    tests: BY_TABLE,
  },
  {
    name: 'openshift: a paused one is started',
    edit: drop('DEPLOYMENT_CONFIG.isUnstarted', '!isPaused(raw)'),
    tests: BY_TABLE,
  },
  {
    name: 'openshift: the failure of an earlier version counts',
    edit: drop('isUndone', '!isBeforeStamp(raw)'),
    tests: BY_TABLE,
  },
  {
    name: 'openshift: a request deploys the latest images',
    edit: change('instantiate', 'false', 'true'),
    tests: BY_REQUESTS,
  },
  {
    name: 'openshift: a started deployment is requested again',
    edit: drop('instantiations.dueOf', 'isUnstarted !== true'),
    tests: BY_REQUESTS,
  },
  {
    name: 'openshift: a failed deployment is up to date',
    edit: change('doubtedByFailure', 'hasFailed(workload)', 'false'),
    tests: BY_RULES,
  },
  {
    name: 'openshift: what failed is tried again',
    edit: change(
      'wouldFailAgain',
      "if (record.workload.hold?.type !== 'failed') return false;",
      'return false;',
    ),
    tests: BY_RULES,
  },
  {
    name: 'openshift: a correction waits for a person',
    edit: drop('beginAnew', "record.workload.hold?.type === 'failed'"),
    tests: BY_RULES,
  },
  {
    name: 'openshift: an external rollout is over before its version',
    edit: drop('followExternalRollout', '!hasBegun(rollout, seen)'),
    tests: BY_RULES,
  },
];
