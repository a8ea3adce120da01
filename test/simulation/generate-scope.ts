/** Scenes of objects that are away for a while, of a namespace that is not selected for a while, and of keys that are read. */

import fc, { type Arbitrary } from 'fast-check';
import { resourceOf } from './api.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Step, wait } from './history.ts';

/** Arbitraries of scenes. */
export interface ScopeScenes {
  /** An object is deleted and comes back; people do something in between. */
  readonly missingObject: Arbitrary<Scene>;
  /** The same, with an owner or a death in between. */
  readonly troubledAbsence: Arbitrary<Scene>;
  /** The namespace is deselected for a while, in which people do something. */
  readonly deselected: Arbitrary<Scene>;
  /** The same, with an owner or a death in between. */
  readonly troubledDeselected: Arbitrary<Scene>;
  /** The namespace is selected or deselected, of which one hears after a change. */
  readonly lateSelection: Arbitrary<Scene>;
  /** What a workload reads, or is rolled for, changes while something is owed. */
  readonly rescopedInWindow: Arbitrary<Scene>;
  /** The same while no process runs, perhaps between two changes. */
  readonly rescopedInDowntime: Arbitrary<Scene>;
  /** The kind of a workload may not be listed for a while, perhaps from a start on, and objects change meanwhile. */
  readonly forbidden: Arbitrary<Scene>;
}

const DEATH: Step = { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 0 };

/** The scenes of a cast. */
export function scopeScenesOf(cast: Cast): ScopeScenes {
  const { coalescePeriodMs } = cast.settings;
  const steps = stepsOf(cast);
  const change = fc
    .tuple(fc.constantFrom(...cast.configs), fc.constantFrom('A', 'B', 'C'))
    .map(([config, content]) => ({ do: 'change', config, content }) as const);
  const pause = fc.constantFrom(0, 20, 1000, 4000, coalescePeriodMs + 20, coalescePeriodMs + 1000).map(wait);
  const calm = fc.oneof(steps.workload, steps.config, steps.quietRestart);
  const trouble = fc.oneof(steps.owner, steps.crash);
  const missingObject = (between: Arbitrary<Step>) =>
    fc
      .tuple(change, pause, between, pause, pause)
      .map(
        ([back, gone, step, before, end]): Scene => [
          { do: 'delete', config: back.config },
          gone,
          step,
          before,
          back,
          end,
        ],
      );
  const deselected = (between: Arbitrary<Step>) =>
    fc
      .tuple(pause, change, between, pause, pause)
      .map(
        ([before, there, step, after, end]): Scene => [
          { do: 'select', selected: false },
          before,
          there,
          step,
          after,
          { do: 'select', selected: true },
          end,
        ],
      );
  const { noise = true } = cast.settings.keys ?? {};
  const rescope = noise ? steps.read : fc.oneof(steps.read, steps.keyScope);
  const resource = fc.constantFrom(...cast.workloads).map(resourceOf);
  const long = fc.constantFrom(0, coalescePeriodMs + 1000, coalescePeriodMs + 100_000).map(wait);
  const between = fc.oneof(steps.owner, steps.workload, steps.config, steps.crash);
  return {
    forbidden: fc
      .tuple(resource, fc.boolean(), change, long, between, change, long, fc.oneof(steps.crash, pause), long)
      .map(([kind, fromStart, there, after, step, back, end, last, rest]) => [
        { do: 'forbid', resource: kind },
        ...(fromStart ? [DEATH] : []),
        wait(2000),
        there,
        after,
        step,
        back,
        end,
        last,
        { do: 'allow', resource: kind },
        rest,
      ]),
    rescopedInWindow: fc
      .tuple(change, pause, rescope, pause, fc.oneof(steps.config, steps.touch, steps.crash), pause)
      .map(([there, before, other, after, step, end]) => [there, before, other, after, step, end]),
    rescopedInDowntime: fc
      .tuple(steps.config, pause, rescope, steps.config, pause)
      .map(([first, before, other, second, end]) => [
        first,
        before,
        { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 20_000 },
        other,
        wait(100),
        second,
        end,
      ]),
    missingObject: missingObject(calm),
    troubledAbsence: missingObject(trouble),
    deselected: deselected(calm),
    troubledDeselected: deselected(trouble),
    lateSelection: fc
      .tuple(fc.constantFrom(50, 3000, 20_000), fc.boolean(), pause, change)
      .map(([ms, selected, soon, there]) => [
        { do: 'delay', resource: 'namespaces', ms },
        { do: 'select', selected },
        soon,
        there,
        wait(ms + coalescePeriodMs),
        { do: 'delay', resource: 'namespaces', ms: 0 },
      ]),
  };
}
