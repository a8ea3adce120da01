/** Histories by chance: one arbitrary per flavour, so that simple laws are tried strictly and hard ones broadly. */

import fc, { type Arbitrary } from 'fast-check';
import type { Flavour } from './flavours.ts';
import { playersOf } from './generate-cast.ts';
import { calmScenesOf, isHalfCalm, scenesOfFlavour, type Weighted } from './generate-flavours.ts';
import { initialConfig, initialWorkload } from './generate-initial.ts';
import { settingsArbitrary } from './generate-settings.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { ConfigName, History, Step } from './history.ts';
import { CLASS } from './manifests.ts';

/** More than the steps of a scene. */
const MOST_LEFT_OUT = 12;

/** What people do to objects and to what workloads ask for, and quiet restarts. */
const CALM: readonly Step['do'][] = [
  ...([
    'wait',
    'jump',
    'change',
    'revert',
    'touch',
    'mark',
    'delete',
    'recreate',
    'driver',
    'select',
  ] as const),
  ...([
    'create-workload',
    'delete-workload',
    'follow',
    'ask',
    'scale',
    'annotate',
    'approve',
    'pause',
  ] as const),
  ...([
    'suspend',
    'finish',
    'annotate-namespace',
    'stage',
    'say',
    'resume',
    'break',
    'mend',
    'stop',
  ] as const),
];

/** Any history of a flavour. Few objects and few workloads play in each, so that what happens meets. */
export function historyArbitrary(flavour: Flavour): Arbitrary<History> {
  return fc
    .record({
      ...playersOf(flavour),
      settings: settingsArbitrary(flavour),
    })
    .map((cast) => ({
      ...cast,
      configs: [...new Set([...aboutWhat(flavour), ...cast.configs])],
    }))
    .chain((cast) =>
      fc.record({
        settings: fc.constant(cast.settings),
        configs: fc.tuple(...cast.configs.map((config) => initialConfig(config))).map(present),
        workloads: fc
          .tuple(...cast.workloads.map((name) => initialWorkload(name, cast, flavour === 'calm')))
          .map(present),
        steps: stepsArbitrary(flavour, cast),
        seed: fc.nat({ max: 1_000_000 }),
      }),
    )
    .map(withDigests)
    .map(endedAnywhere)
    .map(calmed);
}

/** No chance is taken for the setting, so that a seed stands for the same steps with it and without. */
function withDigests(history: History): History {
  return history.seed % 2 === 0
    ? { ...history, settings: { ...history.settings, digests: 'keyed' } }
    : history;
}

/** It ends at any moment: a last change would hide what was lost. */
function endedAnywhere(history: History): History {
  const left = history.steps.length - (Math.floor(history.seed / 8) % MOST_LEFT_OUT);
  return { ...history, steps: history.steps.slice(0, Math.max(1, left)) };
}

/** In one history of four nothing happens that excuses a rollout. */
function calmed(history: History): History {
  if (Math.floor(history.seed / 2) % 4 !== 0) return history;
  const steps = history.steps.filter((step) => CALM.includes(step.do)).map(withoutCopy);
  return { ...history, steps };
}

/** Who copies the stamps of another workload is another writer. */
function withoutCopy(step: Step): Step {
  if (step.do !== 'create-workload') return step;
  const { copyOf: _, ...rest } = step;
  return rest;
}

/** The object that the flavour is about. */
function aboutWhat(flavour: Flavour): readonly ConfigName[] {
  return flavour === 'classes' ? [CLASS] : [];
}

function stepsArbitrary(flavour: Flavour, cast: Cast): Arbitrary<readonly Step[]> {
  const steps = stepsOf(cast);
  const one = (step: Arbitrary<Step>) => step.map((only) => [only]);
  const among = (own: readonly Weighted[]): Arbitrary<readonly Step[]> => {
    const scenes: Weighted[] = [
      [10, one(steps.config)],
      [flavour === 'calm' ? 2 : 3, one(steps.workload)],
      [10, one(steps.wait)],
      ...own,
    ];
    const scene = fc.oneof(...scenes.map(([weight, arbitrary]) => ({ weight, arbitrary })));
    return fc.array(scene, { minLength: 5, maxLength: 20, size: 'max' }).map((all) => all.flat());
  };
  const any = among(scenesOfFlavour(flavour, cast, one));
  if (!isHalfCalm(flavour)) return any;
  // Where nothing but people acts rollouts are accounted for strictly.
  return fc.oneof(any, among(calmScenesOf(flavour, cast, one)));
}

function present<T>(items: readonly (T | undefined)[]): readonly T[] {
  return items.filter((item) => item !== undefined);
}
