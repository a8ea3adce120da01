/** What there is by chance before the first reloader starts. */

import fc, { type Arbitrary } from 'fast-check';
import type { Flavour } from './flavours.ts';
import type { Cast } from './generate-steps.ts';
import type { ConfigName, InitialConfig, InitialWorkload, WorkloadName } from './history.ts';
import { ELSEWHERE } from './manifests.ts';

/** An object as it is in the beginning; undefined: it does not exist. */
export function initialConfig(config: ConfigName, flavour: Flavour): Arbitrary<InitialConfig | undefined> {
  const content = fc.constantFrom('A', 'B');
  const one =
    flavour === 'consent' && config === ELSEWHERE
      ? fc.record(
          { config: fc.constant(config), content, mark: MOSTLY_ALLOWED },
          { requiredKeys: ['config', 'content'] },
        )
      : content.map((only) => ({ config, content: only }) as const);
  return fc.option(one, { nil: undefined, freq: 8 });
}

const MOSTLY_ALLOWED = fc.constant('allow' as const);

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
