/** Scenes of workloads that people hold, approve or roll themselves, and of reload windows that are closed: what may happen until the end. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { APPROVAL, HOLD, NOTIFY_ONLY, WINDOW } from './held.ts';
import { type Content, type Step, type WorkloadName, wait } from './history.ts';

/** Arbitraries of scenes. */
export interface HoldScenes {
  /** Nothing but people. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die, workloads are refused, and owners write them. */
  readonly troubled: Arbitrary<Scene>;
}

/** Never open in the time of a history, and open every second minute. */
const WINDOWS = ['30 */3 * * * 1m', '*/2 * * * * 1m'];

/** The scenes of a cast. */
export function holdScenesOf(cast: Cast): HoldScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs, maxWaitMs } = cast.settings;
  const workload = fc.constantFrom(...cast.workloads);
  const change = fc.record({
    do: fc.constant('change' as const),
    config: fc.constantFrom(...cast.configs),
    content: fc.constantFrom<Content>('A', 'B', 'C'),
  });
  const until = fc
    .constantFrom(0, 20, coalescePeriodMs - 20, coalescePeriodMs + 20, maxWaitMs + 100, 61_000, 190_000)
    .map((ms) => wait(Math.max(0, ms)));
  const people = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      change,
      change,
      fc.constantFrom('true', null).map((value) => annotate(name, HOLD, value)),
      fc.constant(annotate(name, WINDOW, null)),
      fc.constant(approve(name)),
      fc.constant(annotate(name, APPROVAL, 'required')),
    );
  const trouble = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      people(name),
      steps.crash,
      steps.crash.map((crash) => ({ ...crash, downtimeMs: 90_000 })),
      steps.owner,
      fc
        .constantFrom(0 as const, 403 as const)
        .map((status): Step => ({ do: 'refuse', workload: name, status })),
    );
  const begun = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      fc.constant(annotate(name, HOLD, 'true')),
      fc.constantFrom(...WINDOWS).map((text) => annotate(name, WINDOW, text)),
      fc.constant(annotate(name, APPROVAL, 'required')),
      fc.constant(annotate(name, NOTIFY_ONLY, 'true')),
    );
  const scene = (among: (name: WorkloadName) => Arbitrary<Step>): Arbitrary<Scene> =>
    workload.chain((name) =>
      fc
        .tuple(begun(name), until, change, until, among(name), until, among(name), until)
        .map(
          (parts): Scene => [
            ...parts,
            { do: 'refuse', workload: name, status: 0 },
            annotate(name, HOLD, null),
            annotate(name, WINDOW, null),
            annotate(name, NOTIFY_ONLY, null),
            wait(30_000),
            approve(name),
            wait(30_000),
            approve(name),
          ],
        ),
    );
  return {
    calm: scene(people).map((parts) => parts.filter((step) => step.do !== 'refuse')),
    troubled: scene(trouble),
  };
}

function approve(workload: WorkloadName): Step {
  return { do: 'approve', workload };
}

function annotate(workload: WorkloadName, key: string, value: string | null): Step {
  return { do: 'annotate', workload, annotations: { [key]: value } };
}
