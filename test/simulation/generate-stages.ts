/** Scenes of changes in stages: contents with which workloads fail, and what people do about it; whatever else may happen between two stages. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { HOLD } from './held.ts';
import type { ConfigName, Content, Step, WorkloadName } from './history.ts';
import { wait } from './history.ts';
import { CANARY, ORDER } from './stage-facts.ts';

/** Arbitraries of scenes. */
export interface StageScenes {
  /** Nothing but people. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die at any write, other ones take over, workloads are refused, and owners write them. */
  readonly troubled: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function stageScenesOf(cast: Cast): StageScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs, staging } = cast.settings;
  const { soakMs = 0 } = staging ?? {};
  const workload = fc.constantFrom(...cast.workloads);
  const config = fc.constantFrom(...cast.configs);
  const content = fc.constantFrom<Content>('A', 'B', 'C');
  const change = fc.record({ do: fc.constant('change' as const), config, content });
  const until = fc
    .constantFrom(20, coalescePeriodMs + 50, 3000, soakMs + 3000, 31_000, 45_000, 61_000, 190_000)
    .map(wait);
  const people = peopleOf({ workload, config, change, follows: fc.subarray([...cast.configs]) });
  const trouble: Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: people },
    { weight: 3, arbitrary: steps.crash },
    { weight: 1, arbitrary: steps.owner },
    { weight: 1, arbitrary: steps.refuse },
    { weight: 1, arbitrary: steps.crash.map((crash) => ({ ...crash, downtimeMs: 90_000 }) as Step) },
  );
  const scene = (among: Arbitrary<Step>): Arbitrary<Scene> =>
    fc
      .tuple(fc.option(workload), config, content, until, among, until, among, until, among, until)
      .map(
        ([bad, name, next, first, ...others]): Scene => [
          ...(bad === null ? [] : [{ do: 'break', workload: bad, config: name, content: next } as const]),
          { do: 'change', config: name, content: next },
          first,
          ...others,
        ],
      );
  return { calm: scene(people), troubled: scene(trouble) };
}

interface Parts {
  readonly workload: Arbitrary<WorkloadName>;
  readonly config: Arbitrary<ConfigName>;
  readonly change: Arbitrary<Step>;
  readonly follows: Arbitrary<ConfigName[]>;
}

function peopleOf({ workload, config, change, follows }: Parts): Arbitrary<Step> {
  const annotating = (key: string, ...values: (string | null)[]): Arbitrary<Step> =>
    fc
      .tuple(workload, fc.constantFrom(...values))
      .map(([name, value]) => ({ do: 'annotate', workload: name, annotations: { [key]: value } }));
  const just = <T extends Step['do']>(value: T): Arbitrary<T> => fc.constant(value);
  const weighted: readonly (readonly [number, Arbitrary<Step>])[] = [
    [4, change],
    [2, fc.record({ do: just('revert'), config })],
    [2, fc.record({ do: just('undo'), workload })],
    [1, fc.record({ do: just('delete-workload'), workload })],
    [2, fc.record({ do: just('scale'), workload, replicas: fc.constantFrom(0, 0, 2) })],
    [2, fc.record({ do: just('mend'), workload })],
    [1, fc.record({ do: just('break'), workload, config, content: fc.constantFrom('A', 'B') })],
    [1, fc.record({ do: just('follow'), workload, follows })],
    [1, fc.record({ do: just('restart'), workload })],
    [1, fc.record({ do: just('pause'), workload, paused: fc.boolean() })],
    [3, fc.record({ do: just('resume'), config, token: fc.constantFrom('right', 'right', 'wrong') })],
    [1, fc.record({ do: just('stage'), config, stages: fc.constantFrom('1', '2', '1,2', null) })],
    [1, annotating(HOLD, 'true', null)],
    [1, annotating(CANARY, 'true', null)],
    [1, annotating(ORDER, '1', '-1', null)],
  ];
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
