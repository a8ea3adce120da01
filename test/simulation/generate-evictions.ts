/** Scenes of workloads whose pods are evicted: what may happen between two evictions. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect } from '../sandbox/faults.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type Step, wait } from './history.ts';

/** Arbitraries of scenes. */
export interface EvictionScenes {
  /** Nothing but people. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die at any eviction, answers are lost, and people write in between. */
  readonly troubled: Arbitrary<Scene>;
}

const EFFECT: Arbitrary<CallEffect> = fc.constantFrom<CallEffect>(
  { kind: 'lost' },
  { kind: 'lost' },
  { kind: 'refused' },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 403 },
  { kind: 'status', code: 429, retryAfterSeconds: 5 },
  { kind: 'latency', ms: 2000 },
  { kind: 'hang', effect: true },
);

/** The scenes of a cast. */
export function evictionScenesOf(cast: Cast): EvictionScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs } = cast.settings;
  const change = fc
    .tuple(fc.constantFrom(...cast.configs), fc.constantFrom<Content>('A', 'B', 'C'))
    .map(([config, content]) => ({
      there: { do: 'change', config, content } as const,
      back: { do: 'revert', config } as const,
    }));
  const begun = fc.constantFrom(20, 1500, 3000, 5000).map((ms) => wait(coalescePeriodMs + ms));
  const soon = fc.constantFrom(0, 20, 1000, 4000, 20_000).map(wait);
  const crash = fc.record({
    do: fc.constant('crash' as const),
    slot: fc.constant(0 as const),
    atWrite: fc.constantFrom(0, 1, 2, 3, 4, 5),
    effect: fc.constantFrom('before' as const, 'after' as const),
    downtimeMs: fc.constantFrom(0, 1000, 5000, 20_000),
  });
  const fault = fc
    .record({
      match: fc.constantFrom(
        { verb: 'write', resource: 'pods' } as const,
        { verb: 'list', resource: 'pods' } as const,
        { verb: 'write', resource: 'configmaps' } as const,
      ),
      nth: fc.constantFrom(1, 2, 3),
      times: fc.constantFrom(1, 2, 5),
      effect: EFFECT,
    })
    .map((rule): Step => ({ do: 'fault', rule }));
  const scene = (trouble: Arbitrary<readonly Step[]>): Arbitrary<Scene> =>
    fc
      .tuple(trouble, change, begun, fc.boolean(), soon, fc.oneof(steps.config, steps.workload), soon)
      .map(
        ([before, { there, back }, start, isBack, between, person, end]): Scene => [
          ...before,
          there,
          start,
          ...(isBack ? [back] : [person]),
          between,
          ...(isBack ? [person] : []),
          end,
        ],
      );
  return {
    calm: scene(fc.constant([])),
    troubled: fc.oneof(
      scene(crash.map((step) => [step])),
      scene(fault.map((step) => [step])),
      scene(fc.tuple(fault, crash)),
    ),
  };
}
