/** The scenes of each flavour, and how often each comes. */

import fc, { type Arbitrary } from 'fast-check';
import type { Flavour } from './flavours.ts';
import { classScenesOf } from './generate-classes.ts';
import { evictionScenesOf } from './generate-evictions.ts';
import { holdScenesOf } from './generate-holds.ts';
import { jobScenesOf } from './generate-jobs.ts';
import { leadsOf, STALL } from './generate-leads.ts';
import { pauseScenesOf } from './generate-pauses.ts';
import { rolloutScenesOf } from './generate-rollouts.ts';
import { rotationScenesOf } from './generate-rotations.ts';
import { scenesOf } from './generate-scenes.ts';
import { scopeScenesOf } from './generate-scope.ts';
import { stageScenesOf } from './generate-stages.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import { type Scene, troublesOf } from './generate-troubles.ts';
import type { Step } from './history.ts';

/** A scene, and how often it comes beside others. */
export type Weighted = readonly [weight: number, scene: Arbitrary<Scene>];

/** Half of their histories have nobody but people in them. */
const HALF_CALM = [
  'presence',
  'selection',
  'keys',
  'pauses',
  'jobs',
  'rotations',
  'evictions',
  'budgets',
  'holds',
  'rollouts',
  'classes',
  'stages',
] as const;
/** A flavour half of whose histories have nobody but people in them. */
export type HalfCalm = (typeof HALF_CALM)[number];

/** Whether half of the histories of the flavour have nobody but people in them. */
export function isHalfCalm(flavour: Flavour): flavour is HalfCalm {
  return HALF_CALM.some((one) => one === flavour);
}

/** What people alone may do in a history. */
export function calmScenesOf(
  flavour: HalfCalm,
  cast: Cast,
  one: (step: Arbitrary<Step>) => Arbitrary<Scene>,
): readonly Weighted[] {
  const steps = stepsOf(cast);
  const { missingObject, deselected } = scopeScenesOf(cast);
  const presence: Weighted[] = [
    [4, one(steps.coming)],
    [6, missingObject],
  ];
  const selection: Weighted[] = [
    [6, one(steps.select)],
    [6, deselected],
  ];
  const keys: Weighted[] = [
    [10, one(steps.touch)],
    [1, one(steps.coming)],
  ];
  const pauses: Weighted[] = [[12, pauseScenesOf(cast).calm]];
  const jobs: Weighted[] = [[12, jobScenesOf(cast).calm]];
  const rotations: Weighted[] = [[8, rotationScenesOf(cast).calm]];
  const evictions: Weighted[] = [[12, evictionScenesOf(cast).calm]];
  const budgets: Weighted[] = [[4, one(steps.jump)]];
  const holds: Weighted[] = [[12, holdScenesOf(cast).calm]];
  const rollouts: Weighted[] = [[12, rolloutScenesOf(cast).calm]];
  const classes: Weighted[] = [
    [12, classScenesOf(cast).calm],
    [1, one(steps.mark)],
  ];
  const stages: Weighted[] = [[12, stageScenesOf(cast).calm]];
  return [
    [1, one(steps.quietRestart)],
    ...{
      presence,
      selection,
      keys,
      pauses,
      jobs,
      rotations,
      evictions,
      rollouts,
      budgets,
      holds,
      classes,
      stages,
    }[flavour],
  ];
}

/** What may happen in a history of a flavour, besides what happens in all. */
export function scenesOfFlavour(
  flavour: Flavour,
  cast: Cast,
  one: (step: Arbitrary<Step>) => Arbitrary<Scene>,
): readonly Weighted[] {
  const steps = stepsOf(cast);
  const scenes = scenesOf(cast);
  const troubles = troublesOf(cast);
  const owners: Weighted[] = [
    [3, one(steps.owner)],
    [2, one(steps.speed)],
    [4, scenes.flicker],
    [4, scenes.ownerInWindow],
    [4, scenes.upgrade],
    [3, scenes.stores],
    [2, scenes.respelled],
    [2, scenes.flapped],
    [3, troubles.ownerWhileOpen],
    [3, troubles.undone],
    [2, troubles.copyInWindow],
    [3, troubles.slowFlicker],
  ];
  const faults: Weighted[] = [
    [6, one(steps.fault)],
    [1, one(steps.speed)],
    [1, one(steps.refuse)],
    [3, scenes.flicker],
    [3, scenes.gap],
    [2, scenes.late],
    [3, scenes.lateFlicker],
    [2, scenes.lateOptIn],
    [3, scenes.lateOwner],
    [3, troubles.lostAnswers],
    [2, troubles.slowFlicker],
    [2, troubles.hardStart],
    [2, scenes.lateList],
  ];
  const crashes: Weighted[] = [
    [4, one(steps.crash)],
    [1, one(steps.refuse)],
    [1, one(steps.speed)],
    [4, scenes.crashInWindow],
    [2, scenes.flicker],
    [2, scenes.refusal],
    [2, scenes.noCommit],
    [4, troubles.deathBetween],
    [3, troubles.overtaken],
    [3, troubles.deathWhileRefused],
    [3, troubles.ownerThenDeath],
    [3, troubles.startUnwatched],
    [3, troubles.backToStamp],
    [2, troubles.newcomer],
  ];
  const leads = leadsOf(cast, steps.owner);
  const election: Weighted[] = [
    [4, one(leads.process)],
    [1, one(leads.lease)],
    [1, one(leads.jump)],
    [3, leads.takeOver],
    [3, leads.lateHeir],
    [2, leads.between],
    [1, leads.stranger],
  ];
  const replicas: Weighted[] = [
    ...election,
    [1, one(leads.fault)],
    [1, one(STALL)],
    [1, one(steps.refuse)],
    [2, scenes.flicker],
    [1, scenes.crashInWindow],
  ];
  const calm: Weighted[] = [
    [1, one(steps.quietRestart)],
    [1, one(steps.jump)],
    [1, scenes.busy],
  ];
  const mix = { calm, owners, faults, crashes, replicas };
  const everything: Weighted[] = [
    ...owners,
    ...faults,
    ...crashes,
    ...replicas,
    [2, one(steps.state)],
    [2, one(steps.jump)],
  ];
  const shards: Weighted[] = [
    ...crashes,
    ...replicas,
    [3, one(steps.fault)],
    [4, one(steps.state)],
    [8, scenes.damage],
  ];
  const policies: Weighted[] = [
    [12, one(steps.mark)],
    [8, one(steps.ask)],
    [1, one(steps.quietRestart)],
    [2, one(steps.crash)],
    [2, scenes.crashInWindow],
    [1, scenes.flicker],
    [3, scenes.lateAsk],
  ];
  const little: Weighted[] = [
    [1, one(steps.owner)],
    [2, one(steps.crash)],
    [1, one(steps.refuse)],
    [2, scenes.flicker],
    [2, scenes.ownerInWindow],
    [2, scenes.crashInWindow],
    [1, troubles.deathBetween],
    [1, troubles.slowFlicker],
    [1, one(steps.fault)],
  ];
  const scope = scopeScenesOf(cast);
  const presence: Weighted[] = [
    ...little,
    ...calmScenesOf('presence', cast, one),
    [6, scope.troubledAbsence],
    [1, one(steps.mark)],
    [1, one(steps.ask)],
    [1, scenes.late],
  ];
  const selection: Weighted[] = [
    ...little,
    ...calmScenesOf('selection', cast, one),
    [6, scope.troubledDeselected],
    [2, scope.lateSelection],
  ];
  const away = fc.boolean().map((isAway): Step => ({ do: 'admission', away: isAway }));
  const admission: Weighted[] = [
    ...owners,
    ...little,
    [8, one(steps.owner)],
    [3, one(away)],
    [2, troubles.ownerThenDeath],
    [2, one(leads.process)],
    [2, scenes.late],
  ];
  const { noise = true } = cast.settings.keys ?? {};
  const keys: Weighted[] = [
    ...little,
    ...calmScenesOf('keys', cast, one),
    [6, one(steps.read)],
    [noise ? 0 : 6, one(steps.keyScope)],
    [3, scope.rescopedInWindow],
    [3, scope.rescopedInDowntime],
    [1, one(steps.mark)],
    [1, one(steps.ask)],
    [1, scenes.late],
  ];
  const rights: Weighted[] = [...little, [12, scope.forbidden], [2, one(steps.crash)], [2, one(steps.owner)]];
  const jobs: Weighted[] = [
    ...calmScenesOf('jobs', cast, one),
    [6, jobScenesOf(cast).suspended],
    [16, jobScenesOf(cast).troubled],
    [1, one(steps.fault)],
  ];
  const rotations: Weighted[] = [
    ...little,
    ...calmScenesOf('rotations', cast, one),
    [12, rotationScenesOf(cast).troubled],
    [2, scenes.crashInWindow],
    [1, troubles.deathBetween],
    [1, one(steps.owner)],
  ];
  const evictions: Weighted[] = [
    ...little,
    ...calmScenesOf('evictions', cast, one),
    [12, evictionScenesOf(cast).troubled],
    [2, one(steps.owner)],
    [2, scenes.crashInWindow],
    [1, troubles.deathBetween],
  ];
  const budgets: Weighted[] = [...crashes, [4, one(steps.speed)], [3, scenes.upgrade], [1, leads.takeOver]];
  const holds: Weighted[] = [
    ...little,
    ...calmScenesOf('holds', cast, one),
    [12, holdScenesOf(cast).troubled],
    [2, scenes.crashInWindow],
  ];
  const rollouts: Weighted[] = [
    ...little,
    ...calmScenesOf('rollouts', cast, one),
    [16, rolloutScenesOf(cast).troubled],
    [2, one(steps.owner)],
  ];
  const classes: Weighted[] = [
    ...little,
    ...calmScenesOf('classes', cast, one),
    [16, classScenesOf(cast).troubled],
    [2, leads.takeOver],
    [1, leads.lateHeir],
    [2, scenes.crashInWindow],
  ];
  const stages: Weighted[] = [
    ...little,
    ...calmScenesOf('stages', cast, one),
    [16, stageScenesOf(cast).troubled],
    [1, leads.takeOver],
    [2, scenes.crashInWindow],
  ];
  const pauses: Weighted[] = [
    ...calmScenesOf('pauses', cast, one),
    [16, pauseScenesOf(cast).troubled],
    [1, one(steps.fault)],
  ];
  const together: Weighted[] = [
    ...little,
    ...election,
    [12, stageScenesOf(cast).troubled],
    [6, holdScenesOf(cast).troubled],
    [6, pauseScenesOf(cast).troubled],
    [3, one(away)],
    [3, one(steps.strategy)],
    [4, one(steps.say)],
    [2, one(steps.speed)],
    [2, scenes.upgrade],
  ];
  return {
    ...mix,
    together,
    everything,
    shards,
    policies,
    presence,
    selection,
    admission,
    keys,
    rights,
    pauses,
    jobs,
    rotations,
    evictions,
    budgets,
    holds,
    rollouts,
    classes,
    stages,
  }[flavour];
}
