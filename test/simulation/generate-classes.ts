/** Scenes of classes: what may happen while a rotation is on its way through the pods. */

import fc, { type Arbitrary } from 'fast-check';
import { leadsOf } from './generate-leads.ts';
import { type Cast, stepsOf, WATCH_EFFECT } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type Resource, type Step, wait } from './history.ts';
import { CLASS } from './manifests.ts';

/** Arbitraries of scenes. */
export interface ClassScenes {
  /** People change content and workloads; nodes are stuck for a while, or the provider reports no versions. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die too, another one takes over, streams are late, workloads are refused, and owners start pods. */
  readonly troubled: Arbitrary<Scene>;
}

const STREAM: Arbitrary<Resource> = fc.constantFrom(
  'secretproviderclasspodstatuses',
  'secretproviderclasspodstatuses',
  'secretproviderclasses',
);

/** The scenes of a cast. */
export function classScenesOf(cast: Cast): ClassScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs, maxWaitMs, classes = { pollMs: 0 } } = cast.settings;
  const until = fc
    .constantFrom(
      0,
      20,
      coalescePeriodMs + 20,
      classes.pollMs / 4,
      classes.pollMs / 2,
      classes.pollMs,
      classes.pollMs + maxWaitMs + 2000,
    )
    .map((ms) => wait(ms));
  const rotation: Arbitrary<Step> = fc.record({
    do: fc.constant('change'),
    config: fc.constant(CLASS),
    content: fc.constantFrom<Content>('A', 'B', 'C'),
  });
  const back: Arbitrary<Step> = fc.constant({ do: 'revert', config: CLASS });
  const driver: Arbitrary<Step> = fc
    .constantFrom('stuck' as const, 'stuck' as const, 'well' as const, 'mute' as const)
    .map((is) => ({ do: 'driver', is }));
  const scale: Arbitrary<Step> = fc.record({
    do: fc.constant('scale'),
    workload: fc.constantFrom(...cast.workloads),
    replicas: fc.constantFrom(0, 1, 2, 3),
  });
  const people = fc.oneof(rotation, back, driver, scale, steps.config, steps.workload);
  const leads = leadsOf(cast, steps.owner);
  const trouble = fc.oneof(
    people,
    steps.crash,
    steps.crash,
    steps.owner,
    steps.refuse,
    steps.speed,
    leads.process,
    fc.record({ do: fc.constant('delay'), resource: STREAM, ms: fc.constantFrom(0, 3000, 20_000) }),
    fc.record({ do: fc.constant('disturb'), resource: STREAM, effect: WATCH_EFFECT }),
  );
  const scene = (among: Arbitrary<Step>): Arbitrary<Scene> =>
    fc
      .tuple(
        rotation,
        until,
        among,
        until,
        among,
        until,
        fc.constantFrom<Scene>([{ do: 'driver', is: 'well' }], []),
        until,
      )
      .map(([first, ...rest]) => [first, ...rest].flat());
  return { calm: scene(people), troubled: scene(trouble) };
}
