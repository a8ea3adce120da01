/** Scenes of Jobs and CronJobs: what may happen while one is created anew or run. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect, CallMatch } from '../sandbox/faults.ts';
import { leadsOf } from './generate-leads.ts';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type Step, type WorkloadName, wait } from './history.ts';
import { BATCH } from './manifests.ts';

/** Arbitraries of scenes. */
export interface JobScenes {
  /** Nothing but people. */
  readonly calm: Arbitrary<Scene>;
  /** People suspend and resume, and Jobs finish. */
  readonly suspended: Arbitrary<Scene>;
  /** Processes die at any of the writes, answers are lost or late, and people write in between. */
  readonly troubled: Arbitrary<Scene>;
}

const MATCH: Arbitrary<CallMatch> = fc.constantFrom<CallMatch>(
  { verb: 'create', resource: 'jobs' },
  { verb: 'delete', resource: 'jobs' },
  { verb: 'write', resource: 'jobs' },
  { verb: 'patch', resource: 'cronjobs' },
  { verb: 'get', resource: 'jobs' },
);

const EFFECT: Arbitrary<CallEffect> = fc.constantFrom<CallEffect>(
  { kind: 'lost' },
  { kind: 'lost' },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 403 },
  { kind: 'latency', ms: 20 },
  { kind: 'latency', ms: 2000 },
  { kind: 'hang', effect: true },
);

/** The scenes of a cast. */
export function jobScenesOf(cast: Cast): JobScenes {
  const steps = stepsOf(cast);
  const leads = leadsOf(cast, steps.owner);
  const { coalescePeriodMs } = cast.settings;
  const workload = fc.constantFrom(...cast.workloads);
  const follows = fc.subarray([...cast.configs], { minLength: 1 });
  const window = fc.constantFrom(1, 20, 110, 1000, 5000).map((ms) => wait(coalescePeriodMs + ms));
  const soon = fc.constantFrom(0, 1, 20, 150, 2500).map(wait);
  const change = fc
    .tuple(fc.constantFrom(...cast.configs), fc.constantFrom<Content>('A', 'B', 'C'))
    .map(([config, content]) => ({
      there: { do: 'change', config, content } as const,
      back: { do: 'revert', config } as const,
    }));
  const person = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      fc.constant({ do: 'delete-workload', workload: name } as const),
      follows.map(
        (names) => ({ do: 'create-workload', workload: name, follows: names, replicas: 1 }) as const,
      ),
      follows.map((names) => ({ do: 'follow', workload: name, follows: names }) as const),
    );
  const pauses = (name: WorkloadName): Arbitrary<Step> =>
    fc.oneof(
      fc.boolean().map((suspended): Step => ({ do: 'suspend', workload: name, suspended })),
      fc.constant<Step>({ do: 'finish', workload: name }),
      fc.constant<Step>({ do: 'annotate', workload: name, annotations: { note: 'x' } }),
      person(name),
    );
  const crash = fc.record({
    do: fc.constant('crash' as const),
    slot: fc.constant(0 as const),
    atWrite: fc.constantFrom(1, 2, 3, 4, 5, 6),
    effect: fc.constantFrom('before' as const, 'after' as const),
    downtimeMs: fc.constantFrom(0, 1000, 5000),
  });
  const fault = fc
    .record({ match: MATCH, nth: fc.constantFrom(1, 2, 3), times: fc.constantFrom(1, 2, 5), effect: EFFECT })
    .map((rule): Step => ({ do: 'fault', rule }));
  const refused = (name: WorkloadName, status: 0 | 403): Step => ({ do: 'refuse', workload: name, status });
  const around = (trouble: (name: WorkloadName) => Arbitrary<readonly Step[]>): Arbitrary<Scene> =>
    workload.chain((name) =>
      fc
        .tuple(trouble(name), change, window, soon, pauses(name), fc.boolean(), fc.boolean(), window)
        .map(
          ([before, { there, back }, rolled, pause, between, isBetween, isBack, end]): Scene => [
            ...before,
            there,
            rolled,
            ...(isBetween ? [between] : []),
            pause,
            ...(isBack ? [back] : []),
            end,
            refused(name, 0),
          ],
        ),
    );
  const resumed = fc
    .tuple(workload, change, soon, window, fc.boolean())
    .map(
      ([name, { there }, pause, end, isLate]): Scene => [
        { do: 'suspend', workload: name, suspended: true },
        pause,
        there,
        ...(isLate ? [end] : []),
        { do: 'suspend', workload: name, suspended: false },
        end,
      ],
    );
  const calm = workload.chain((name) =>
    fc
      .tuple(change, soon, person(name), window, fc.boolean())
      .map(
        ([{ there, back }, pause, step, end, isBack]): Scene => [
          there,
          pause,
          step,
          end,
          ...(isBack ? [back, end] : []),
        ],
      ),
  );
  return {
    calm,
    suspended: fc.oneof(
      resumed,
      workload.chain((name) =>
        fc
          .tuple(pauses(name), soon, change, window, pauses(name), soon)
          .map(
            ([first, pause, { there }, end, second, last]): Scene => [first, pause, there, end, second, last],
          ),
      ),
    ),
    troubled: fc.oneof(
      around(() => crash.map((step) => [step])),
      around(() => fault.map((step) => [step])),
      around(() => fc.tuple(fault, crash)),
      around((name) => fc.constant([refused(name, 403)])),
      around(() => leads.process.map((step) => [{ do: 'start', slot: 1 }, step])),
    ),
  };
}

/** Who plays: at least one of these. */
export const BATCH_CAST: readonly WorkloadName[] = [...BATCH, 'Deployment/web'];
