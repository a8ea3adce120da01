/** Sabotages of the rules for Rollouts of Argo. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const TABLE = ['test/unit/model/argo-rollout.test.ts'];
const RESTARTS = ['test/unit/model/restarts.test.ts'];
const WRITES = ['test/unit/kubernetes/rollout-writes.test.ts'];
const REFERENCED = ['test/unit/kubernetes/referenced-templates.test.ts'];
const RULES = ['test/unit/tracking/argo-rollouts.test.ts'];
const ATTEMPTS = ['test/unit/rollout/aborted-rollouts.test.ts'];
const BY_HAND = ['test/simulation/rollouts.test.ts'];
const HISTORIES = ['test/simulation/simulation-rollouts.test.ts'];

/** Every one of them must be noticed. */
export const ARGO_MUTANTS: readonly Mutant[] = [
  {
    name: 'argo: an abort holds nothing while its pod is away',
    edit: drop('holdOnPods', '!isAborted'),
    tests: TABLE,
  },
  {
    name: 'argo: the state does not say that old pods may come back',
    edit: drop('argo-rollout/ROLLOUT', 'keepsOldPods: true,'),
    tests: RULES,
  },
  {
    name: 'argo: the state does not say that a hold keeps old pods',
    edit: drop('recordedFor', 'workload.hold !== undefined'),
    tests: ['test/unit/tracking/held-pods.test.ts'],
  },
  {
    name: 'argo: what is recorded for one stamp is believed of any',
    edit: change('runningDigestAtStart', 'override === whileStamped(stamp)', "override?.startsWith('?')"),
    tests: ['test/unit/model/edge.test.ts'],
  },
  {
    name: 'argo: the state speaks of old pods after the last of them is gone',
    edit: drop('recordedFor', '!rolloutInProgress'),
    tests: RULES,
  },
  {
    name: 'argo: an open restart counts as done',
    edit: drop('ROLLOUT.rolledOut', '!isRestarting(raw)'),
    tests: TABLE,
  },
  {
    name: 'argo: pods that an undo brings back do not count',
    edit: drop('ROLLOUT.rolledOut', 'replicas === updatedReplicas'),
    tests: TABLE,
  },
  {
    name: 'argo: a step that ends by itself awaits a promotion',
    edit: change('awaitsPromotion', "reason !== 'CanaryPauseStep'", 'true'),
    tests: TABLE,
  },
  {
    name: 'argo: nothing awaits a promotion',
    edit: change('argo-rollout/holdOf', 'awaitsPromotion(raw)', 'false'),
    tests: TABLE,
  },
  {
    name: 'argo: the moment of a restart is the second of the answer',
    edit: change('momentAfter', 'Math.floor(at / 1000) + 1', 'Math.floor(at / 1000)'),
    tests: [...RESTARTS, ...WRITES, ...BY_HAND],
  },
  {
    name: 'argo: the record of a restart speaks without the restart',
    edit: drop('restartMarks', 'isRestarted?.(raw, moment) !== true'),
    tests: [...RESTARTS, ...RULES, ...BY_HAND],
  },
  {
    name: 'argo: a restart also stamps the template',
    edit: drop('planOf', 'return restartOf();'),
    tests: RESTARTS,
  },
  {
    name: 'argo: a new template removes stamps of restarts as its own',
    edit: drop('rollout-plan/othersOf', '(mark.container === RESTARTS) === isOfRestart(planned)'),
    tests: RESTARTS,
  },
  {
    name: 'argo: after an abort the pods are believed to run the stamp',
    edit: change('doubtedByFailure', "nextEdge(edge, { type: 'doubted' })", 'edge'),
    tests: RULES,
  },
  {
    name: 'argo: an abort doubts a restart',
    edit: change('doubtedByFailure', 'workload.stamps.some()', 'false'),
    tests: RULES,
  },
  {
    name: 'argo: a start during an abort believes the stamp',
    edit: change(
      'edgeAtStart',
      "doubtedByFailure(record, nextEdge(edge, { type: 'found-at-start', running, ...facts }))",
      "nextEdge(edge, { type: 'found-at-start', running, ...facts })",
    ),
    tests: RULES,
  },
  {
    name: 'argo: what was aborted is patched again and again',
    edit: change('RolloutAttempts.#isAborted', "record?.workload.hold?.type !== 'aborted'", 'true'),
    tests: [...ATTEMPTS, ...HISTORIES],
  },
  {
    name: 'argo: the end of an abort is not noticed',
    edit: change('mayLiftRefusal', 'hasFailed(known)', 'false'),
    tests: [...RULES, ...ATTEMPTS],
  },
  {
    name: 'argo: after an abort any template counts for ours',
    edit: drop('workload-diff/diffWorkload', 'record.patchedAfter = undefined;'),
    tests: RULES,
  },
  {
    name: 'argo: a promotion ends what it is waited for',
    edit: drop('endsAt', "hold.type !== 'awaits-promotion'"),
    tests: [...RULES, ...ATTEMPTS],
  },
  {
    name: 'workload-ref: what may not be read now counts as a template that is missing',
    edit: change('referenced-template/complete', 'reading.isForbidden', 'true'),
    tests: REFERENCED,
  },
  {
    name: 'workload-ref: a patch of a referenced object counts as not sent if the Rollout cannot be read',
    edit: change(
      'WorkloadWriter.#patchReferenced',
      "{ ...reading, kind: 'unanswered' }",
      "{ ...reading, kind: 'throttled' }",
    ),
    tests: REFERENCED,
  },
  {
    name: 'workload-ref: the generation that the Rollout has of its own tells that the pods are new',
    edit: drop('ROLLOUT.isObserved', '(referenced === undefined || Number() === referenced.generation)'),
    tests: ['test/unit/tracking/referenced-templates.test.ts'],
  },
  {
    name: 'workload-ref: a referenced Deployment is a workload of its own too',
    edit: drop('isUnable', 'store.referring.dependentsOf(key).size > 0'),
    tests: ['test/unit/tracking/referenced-templates.test.ts'],
  },
  {
    name: 'workload-ref: a later version of a referenced object is no news',
    edit: drop('isLater', 'isOlder(before, now)'),
    tests: ['test/unit/tracking/referenced-templates.test.ts'],
  },
];
