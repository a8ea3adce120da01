/** Scenes of Deployments that ask for a pause: what may happen between the patch that begins it and its end. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type Step, type WorkloadName, wait } from './history.ts';
import { PERIOD } from './pausing.ts';

/** Who can be paused. */
export const PAUSABLE: readonly WorkloadName[] = ['Deployment/web', 'Deployment/api'];

/** Arbitraries of scenes. */
export interface PauseScenes {
  /** Nothing but people: they change content, take the period away, resume and pause by hand. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die at any write, are away at its end, and are refused it. */
  readonly troubled: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function pauseScenesOf(cast: Cast): PauseScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs, maxWaitMs } = cast.settings;
  const workload = fc.constantFrom(...cast.workloads);
  const content = fc.constantFrom<Content>('A', 'B', 'C');
  const change = fc.record({
    do: fc.constant('change' as const),
    config: fc.constantFrom(...cast.configs),
    content,
  });
  const soon = fc.constantFrom(0, 20, 1000, 20_000).map(wait);
  const until = fc
    .constantFrom(
      20,
      coalescePeriodMs - 20,
      coalescePeriodMs + 20,
      maxWaitMs + 100,
      31_000,
      61_000,
      61_000,
      190_000,
    )
    .map((ms) => wait(Math.max(0, ms)));
  const people = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      change,
      change,
      fc.constant(asking(name, null)),
      fc.constantFrom('30s', '2m', '0').map((period) => asking(name, period)),
      fc.boolean().map((paused): Step => ({ do: 'pause', workload: name, paused })),
      fc.record({ do: fc.constant('stop'), slot: fc.constant(0), downtimeMs: fc.constantFrom(0, 45_000) }),
      fc.record({
        do: fc.constant('follow'),
        workload: fc.constant(name),
        follows: fc.subarray([...cast.configs]),
      }),
    ) as Arbitrary<Step>;
  const trouble = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      people(name),
      steps.crash,
      steps.crash,
      steps.crash.map((crash) => ({ ...crash, downtimeMs: 90_000 })),
      fc.constantFrom(403, 422).map((status): Step => ({ do: 'refuse', workload: name, status })),
      fc.constantFrom('apply', 'restart').map((act): Step => ({ do: act, workload: name })),
    );
  const scene = (among: (name: WorkloadName) => Arbitrary<Step>): Arbitrary<Scene> =>
    workload.chain((name) =>
      fc
        .tuple(
          fc.constantFrom('30s', '1m', '3m'),
          change,
          until,
          among(name),
          until,
          among(name),
          until,
          soon,
        )
        .map(
          ([period, begin, followedSince, first, between, second, end, last]): Scene => [
            asking(name, period),
            begin,
            followedSince,
            first,
            between,
            second,
            end,
            { do: 'refuse', workload: name, status: 0 },
            last,
          ],
        ),
    );
  const refusedEnd = fc
    .tuple(workload, change, fc.constantFrom(403, 422))
    .map(
      ([name, begin, status]): Scene => [
        asking(name, '30s'),
        begin,
        wait(maxWaitMs + 1000),
        { do: 'refuse', workload: name, status },
        wait(61_000),
        { do: 'refuse', workload: name, status: 0 },
      ],
    );
  const withoutRefusals = (steps: Scene): Scene => steps.filter((step) => step.do !== 'refuse');
  return {
    calm: scene(people).map(withoutRefusals),
    troubled: fc.oneof(scene(trouble), scene(trouble), refusedEnd),
  };
}

function asking(workload: WorkloadName, period: string | null): Step {
  return { do: 'annotate', workload, annotations: { [PERIOD]: period } };
}
