/** What there is by chance before the first reloader starts. */

import fc, { type Arbitrary } from 'fast-check';
import type { Cast } from './generate-steps.ts';
import type { ConfigName, InitialConfig, InitialWorkload, WorkloadName } from './history.ts';

/** An object as it is in the beginning; undefined: it does not exist. */
export function initialConfig(config: ConfigName): Arbitrary<InitialConfig | undefined> {
  const one = fc.constantFrom('A', 'B').map((content) => ({ config, content }) as const);
  return fc.option(one, { nil: undefined, freq: 8 });
}

/** A workload as it is in the beginning; undefined: it does not exist. */
export function initialWorkload(
  workload: WorkloadName,
  { configs }: Cast,
  isCalm: boolean,
): Arbitrary<InitialWorkload | undefined> {
  const unusual = isCalm ? (['rolling'] as const) : (['manual', 'partition'] as const);
  const there = fc.record({
    workload: fc.constant(workload),
    follows: fc.oneof(
      { weight: 5, arbitrary: fc.subarray([...configs], { minLength: 1 }) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    replicas: fc.constantFrom(2, 1, 3, 2, 1, 0),
    strategy: fc.oneof(
      { weight: 15, arbitrary: fc.constant('rolling' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...unusual) },
    ),
  });
  return fc.option(there, { nil: undefined, freq: 8 });
}
