/** Sabotages of stages and halts. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const UNIT = 'test/unit/rollout/stages.test.ts';
const PLAN = 'test/unit/rollout/stage-plan.test.ts';
const BESIDE = 'test/unit/rollout/stages-beside.test.ts';
const VITALS = 'test/unit/rollout/vitals.test.ts';
const SCENES = 'test/simulation/stages.test.ts';
const HISTORIES = 'test/simulation/simulation-stages.test.ts';

/** Every one of them must be noticed. */
export const STAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'stages: nobody waits for its stage',
    edit: change('Stages.gateOf', '!plan.next.includes(workload)', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'stages: no soak',
    edit: change(
      'Stages.#memberOf',
      '(readyMs ?? -1) >= this.#options.staging.soakMs',
      'readyMs !== undefined',
    ),
    tests: [HISTORIES],
  },
  {
    name: 'stages: one begins while the one before is not ready',
    edit: change('planStages', 'rolling.length > 0 ? end >= begun : end > begun', 'end > begun'),
    tests: [HISTORIES],
  },
  {
    name: 'stages: who shows nothing does not come last',
    edit: change('planStages', 'rolling.length > 0 ? [] : rest', 'rest'),
    tests: [PLAN, HISTORIES],
  },
  {
    name: 'stages: the place of a workload does not count',
    edit: change('planStages', 'member.order === order', 'true'),
    tests: [PLAN, HISTORIES],
  },
  {
    name: 'stages: who runs the content has not begun',
    edit: change('addFollowers', 'isOfContent(edge.stamp?.digest, config)', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'stages: who is being patched has not begun',
    edit: change('stage-followers/isInFlight', 'inFlight.versions.get(part)?.digest === digest', 'false'),
    tests: [UNIT],
  },
  {
    name: 'stages: nobody is passed over',
    edit: change('Stages.#membersOf', '!isPassedOver', 'true'),
    tests: [SCENES],
  },
  {
    name: 'stages: who fails before its turn shows something',
    edit: change('Stages.#givesEvidence', 'this.#isHealthy(record)', 'true'),
    tests: [SCENES],
  },
  {
    name: 'stages: who failed before its turn halts',
    edit: change('stages/isMarkedUnhealthy', 'isUnhealthyBefore(workload)', 'false'),
    tests: [UNIT],
  },
  {
    name: 'stages: nobody looks again by itself',
    edit: drop('Stages.#look', 'this.#arm()'),
    tests: [SCENES],
  },
  {
    name: 'stages: what an object is released for does not count',
    edit: drop('Stages.#end', 'this.#ended.add(object)'),
    tests: [UNIT],
  },
  {
    name: 'stages: a halt keeps nobody',
    edit: change('Stages.gateOf', 'halted?.halt !== undefined', 'false'),
    tests: [HISTORIES],
  },
  {
    name: 'stages: a halt is not written',
    edit: drop('Stages.#convict', 'persist(keyOf(config.ref))'),
    tests: [UNIT],
  },
  {
    name: 'stages: an entry is written without its halts',
    edit: change('desiredEntry', 'halts.length === 0', 'true'),
    tests: [SCENES],
  },
  {
    name: 'stages: a halt is no reason to write an entry',
    edit: change('sameEntry', 'tokensOf(a) === tokensOf(b)', 'true'),
    tests: [SCENES],
  },
  {
    name: 'stages: a halt of another content counts',
    edit: change('haltsOf', 'isOfContent(digest, config) ? halts : NOTHING', 'halts'),
    tests: [UNIT, SCENES],
  },
  {
    name: 'stages: nobody lets a content go on',
    edit: change('resumedIn', 'isResumedBy(config.annotations, token)', 'false'),
    tests: [SCENES],
  },
  {
    name: 'stages: any text lets a content go on',
    edit: change(
      'resumedIn',
      'isResumedBy(config.annotations, token)',
      "config.annotations['reloader.k8s.collaborne.com/resume'] !== undefined",
    ),
    tests: [SCENES],
  },
  {
    name: 'stages: who is let go on halts again',
    edit: change('Stages.#givesEvidence', '!begun.some((config) => isForgiven(store, config, key))', 'true'),
    tests: [UNIT],
  },
  {
    name: 'stages: who gets ready after all stays halted',
    edit: change('Stages.#acquit', '!endHalt(store, config, workload)', 'true'),
    tests: [SCENES],
  },
  {
    name: 'stages: a halt ends although people have not let it go on',
    edit: change('endHalt', 'halt.workload !== workload', 'false'),
    tests: [UNIT],
  },
  {
    name: 'stages: a halt ends with the workload',
    edit: change(
      'haltAmong',
      '[...followers.values()]',
      '(followers.size < 2 ? [] : [...followers.values()])',
    ),
    tests: [UNIT, SCENES],
  },
  {
    name: 'stages: a rollout may stand still for ever',
    edit: change('Vitals.of', 'now - seen.movedAt >= seen.deadlineMs', 'false'),
    tests: [UNIT],
  },
  {
    name: 'stages: the mark of the patch before counts during a patch',
    edit: drop('stages/isMarkedUnhealthy', 'inFlight === undefined'),
    tests: [BESIDE],
  },
  {
    name: 'stages: what was seen before a patch counts during it',
    edit: drop('Vitals.of', 'inFlight !== undefined'),
    tests: [VITALS],
  },
  {
    name: 'stages: the soak of the rollout before counts',
    edit: change('Vitals.#look', 'known?.template === template', 'known !== undefined'),
    tests: [VITALS],
  },
  {
    name: 'stages: pods that failed in the rollout before count',
    edit: change('PodFailures.of', 'found?.generation === record.workload.generation', 'true'),
    tests: [UNIT, SCENES],
  },
  {
    name: 'stages: nobody looks at pods',
    edit: drop('PodFailures.suspect', 'this.#arm(LOOK_MS)'),
    tests: [UNIT],
  },
  {
    name: 'stages: pods that leave fail',
    edit: drop('PodFailures.#lookAt', '!isLeaving'),
    tests: [UNIT],
  },
  {
    name: 'stages: pods are looked at once',
    edit: change('PodFailures.#lookAt', 'this.#suspects.set(key, record)', 'undefined'),
    tests: [UNIT],
  },
];
