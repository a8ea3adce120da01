/** Short sequences by chance around the key of digests: made, lost, restored, given up and used again. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type ProcessStep, type Step, wait } from './history.ts';

/** Arbitraries of scenes. */
export interface RotationScenes {
  /** Nothing but processes that are started with another setting. */
  readonly calm: Arbitrary<Scene>;
  /** The Secret is edited, or out of reach, and processes die. */
  readonly troubled: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function rotationScenesOf(cast: Cast): RotationScenes {
  const steps = stepsOf(cast);
  const soon = fc.constantFrom(0, 20, 150, 1000, 4000).map(wait);
  const loss: Arbitrary<Step> = fc.constantFrom<Step>({ do: 'remove-key' }, { do: 'restore-key' });
  const crash = (downtimeMs: number, atWrite = 0, slot: ProcessStep['slot'] = 0): Step => ({
    do: 'crash',
    slot: slot ?? 0,
    atWrite,
    effect: 'after',
    downtimeMs,
  });
  const switched = fc
    .tuple(fc.constantFrom('keyed' as const, 'sha1' as const), fc.constantFrom(0, 1000), soon)
    .map(
      ([to, downtimeMs, pause]): Scene => [{ do: 'digests', to }, { do: 'stop', slot: 0, downtimeMs }, pause],
    );
  const lostInUse = fc
    .tuple(loss, soon, steps.config)
    .map(([step, pause, change]): Scene => [step, pause, change, wait(8000)]);
  const lostMeanwhile = fc
    .tuple(loss, soon, steps.config, fc.boolean())
    .map(
      ([step, pause, change, isChanged]): Scene => [
        crash(20_000),
        step,
        pause,
        ...(isChanged ? [change] : []),
        wait(20_000),
      ],
    );
  const died = fc
    .tuple(steps.config, fc.constantFrom(1, 2, 3, 4))
    .map(([change, atWrite]): Scene => [change, crash(1000, atWrite), wait(8000)]);
  const refusedMeanwhile = fc
    .tuple(fc.constantFrom(...cast.workloads), steps.config, fc.option(loss))
    .map(
      ([workload, change, step]): Scene => [
        { do: 'refuse', workload, status: 403 },
        change,
        wait(10_000),
        ...(step === null ? [] : [crash(20_000), step, wait(20_000)]),
        { do: 'refuse', workload, status: 0 },
        wait(30_000),
      ],
    );
  const forbidden = fc
    .tuple(soon, steps.config, fc.boolean(), fc.constantFrom(1000, 62_000))
    .map(
      ([pause, change, dies, ms]): Scene => [
        { do: 'key-rights', allowed: false },
        pause,
        ...(dies ? [crash(0)] : []),
        change,
        wait(ms),
        { do: 'key-rights', allowed: true },
        wait(30_000),
      ],
    );
  const takenOver = fc
    .tuple(soon, steps.config, fc.option(loss))
    .map(
      ([pause, change, step]): Scene => [
        { do: 'start', slot: 1 },
        change,
        pause,
        ...(step === null ? [] : [step]),
        crash(60_000),
        wait(20_000),
      ],
    );
  return {
    calm: switched,
    troubled: fc.oneof(switched, lostInUse, lostMeanwhile, died, refusedMeanwhile, forbidden, takenOver),
  };
}
