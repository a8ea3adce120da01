/** Sabotages that histories by chance must notice, of what few workloads ask for. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const OF_PAUSES = ['test/simulation/simulation-pauses.test.ts'];
const OF_OTHER_NAMESPACES = ['test/simulation/simulation-elsewhere.test.ts'];
const OF_JOBS = ['test/simulation/simulation-jobs.test.ts'];

/** Every one of them must be noticed. */
export const SCENE_MUTANTS: readonly Mutant[] = [
  {
    name: 'scenes: a change in a pause begins it anew',
    edit: change('Pausing.pauseMsOf', 'workload.isPaused === false', 'workload.isPaused !== undefined'),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: a pause is over as soon as it is begun',
    edit: change('remainingMs', 'Math.max(0, left)', '0'),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: who asks for a pause is rolled at once',
    edit: change('Pausing.pauseMsOf', 'workload.isPaused === false', 'false'),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: the end of a pause that is refused is not tried again',
    edit: change('LivePatches.#patch', "this.#putOff(key, task, 'refused', result)", "'done'"),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: a pause that another process began is not ended',
    edit: change(
      'LivePatches.observe',
      "event.type !== 'present'",
      "event.type !== 'present' || event.isInInitialList",
    ),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: the pause of a person is ended',
    edit: change(
      'Pausing.pauseOf',
      'if (workload.isPaused !== true || since === undefined) return undefined;',
      "if (workload.isPaused !== true) return undefined; if (since === undefined) return pauseSince('', 0);",
    ),
    tests: OF_PAUSES,
  },
  {
    name: 'scenes: a Job that is gone is not made of its copy',
    edit: change(
      'nextStep',
      "if (job === undefined) return 'create-job';",
      "if (job === undefined) return 'delete-copy';",
    ),
    tests: OF_JOBS,
  },
  {
    name: 'scenes: what is left of a Job that another process deleted stays so',
    edit: change('UnfinishedJobRecreations.#reconcile', 'copy === undefined', 'true'),
    tests: OF_JOBS,
  },
  {
    name: 'scenes: Jobs that have finished run again where they are not to',
    edit: change('rulesFor', "options.jobReload === 'recreate'", 'true'),
    tests: ['test/simulation/kept.test.ts'],
  },
  {
    name: 'scenes: a Job that is suspended after it has finished is created anew',
    edit: drop('JOB.declines', 'raw.spec?.suspend === true'),
    tests: ['test/unit/model/workload-kind.test.ts', 'test/simulation/kept.test.ts'],
  },
  {
    name: 'scenes: Jobs of CronJobs are created anew',
    edit: drop('JOB', "ownerReferences.some(({ kind }) => kind === 'CronJob')"),
    tests: OF_JOBS,
  },
  {
    name: 'scenes: a suspended CronJob is run',
    edit: change('CRON_JOB', "spec?.suspend === true ? 'suspended' : undefined", 'undefined'),
    tests: OF_JOBS,
  },
  {
    name: 'scenes: the run of a content has one name for ever',
    edit: change('jobs/digestOf', '[uid, generation, digests]', '[uid, digests]'),
    tests: OF_JOBS,
  },
  {
    name: 'scenes: names of other namespaces are none',
    edit: change('Policy.named', '!this.#words.namesMayBeElsewhere', 'true'),
    tests: OF_OTHER_NAMESPACES,
  },
  {
    name: 'scenes: objects of one name in two namespaces have one entry',
    edit: change('entryKeyOf', 'prefix(ref.namespace, homeNamespace)', "''"),
    tests: OF_OTHER_NAMESPACES,
  },
  {
    name: 'scenes: what changed before its late first list was not read by who opts in beside it',
    edit: change('observeVersion', 'isAnother && event.isInInitialList', 'false'),
    tests: ['test/simulation/kept.test.ts'],
  },
];
