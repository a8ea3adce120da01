/** Scenes of Rollouts of Argo: what people may do between a change and the end of its rollout. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect } from '../sandbox/faults.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type RolloutAct, type Step, wait } from './history.ts';
import { ROLLOUT_STRATEGY } from './manifests.ts';

/** Arbitraries of scenes. */
export interface RolloutScenes {
  /** People change content, promote, and choose between rollouts and restarts. */
  readonly calm: Arbitrary<Scene>;
  /** They also abort, retry, undo, pause and restart; processes die at any write, and answers are lost. */
  readonly troubled: Arbitrary<Scene>;
}

const EFFECT: Arbitrary<CallEffect> = fc.constantFrom<CallEffect>(
  { kind: 'lost' },
  { kind: 'lost' },
  { kind: 'status', code: 409 },
  { kind: 'status', code: 500 },
  { kind: 'latency', ms: 2000 },
  { kind: 'hang', effect: true },
);

/** The scenes of a cast. */
export function rolloutScenesOf(cast: Cast): RolloutScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs } = cast.settings;
  const workload = fc.constantFrom(...cast.workloads);
  const act = (...acts: readonly RolloutAct[]): Arbitrary<Step> =>
    fc.record({ do: fc.constant('argo'), workload, act: fc.constantFrom(...acts) });
  const change: Arbitrary<Step> = fc.record({
    do: fc.constant('change'),
    config: fc.constantFrom(...cast.configs),
    content: fc.constantFrom<Content>('A', 'B', 'C'),
  });
  const back: Arbitrary<Step> = fc.record({
    do: fc.constant('revert'),
    config: fc.constantFrom(...cast.configs),
  });
  const strategy: Arbitrary<Step> = fc.record({
    do: fc.constant('annotate'),
    workload,
    annotations: fc
      .constantFrom('restart', 'restart', 'rollout', null)
      .map((value) => ({ [ROLLOUT_STRATEGY]: value })),
  });
  const owner: Arbitrary<Step> = fc.record({
    do: fc.constantFrom('undo', 'undo', 'apply', 'replace', 'restart'),
    workload,
  });
  const pause: Arbitrary<Step> = fc.record({ do: fc.constant('pause'), workload, paused: fc.boolean() });
  const crash: Arbitrary<Step> = fc.record({
    do: fc.constant('crash'),
    slot: fc.constant(0),
    atWrite: fc.constantFrom(0, 0, 1, 2, 3, 4),
    effect: fc.constantFrom('before', 'after'),
    downtimeMs: fc.constantFrom(0, 1000, 5000, 40_000),
  });
  const fault: Arbitrary<Step> = fc
    .record({
      match: fc.constantFrom(
        { verb: 'write', resource: 'rollouts' } as const,
        { verb: 'write', resource: 'configmaps' } as const,
        { verb: 'get' } as const,
        { verb: 'watch', resource: 'rollouts' } as const,
      ),
      nth: fc.constantFrom(1, 2),
      times: fc.constantFrom(1, 2),
      effect: EFFECT,
    })
    .map((rule) => ({ do: 'fault', rule }));
  const until = fc.constantFrom(20, 1500, 3000, 9000).map((ms) => wait(coalescePeriodMs + ms));
  const soon = fc.constantFrom(0, 20, 1000, 4000, 20_000, 31_000).map(wait);
  const calm = fc.oneof(change, back, act('promote'), act('promote'), strategy);
  const hard = fc.oneof(
    { weight: 4, arbitrary: calm },
    { weight: 6, arbitrary: act('abort', 'abort', 'retry') },
    { weight: 3, arbitrary: owner },
    { weight: 2, arbitrary: crash },
    { weight: 1, arbitrary: act('restart', 'unrestart') },
    { weight: 1, arbitrary: pause },
    { weight: 1, arbitrary: steps.workload },
  );
  const scene = (first: Arbitrary<readonly Step[]>, among: Arbitrary<Step>): Arbitrary<Scene> =>
    fc
      .tuple(first, change, until, among, soon, among, soon, among, soon)
      .map(([before, ...all]) => [...before, ...all]);
  const one = (step: Arbitrary<Step>): Arbitrary<Scene> => step.map((only) => [only]);
  return {
    calm: scene(fc.oneof(one(strategy), fc.constant([])), calm),
    troubled: fc.oneof(
      scene(fc.constant([]), hard),
      scene(one(strategy), hard),
      scene(one(crash), hard),
      scene(one(fault), hard),
    ),
  };
}
