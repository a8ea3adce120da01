/** What may have happened, by chance, before the first start beside workloads that another reloader served until then. */

import fc, { type Arbitrary } from 'fast-check';
import type { Cast } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Before, type FormerName, wait } from './history.ts';

const FORMERS: readonly FormerName[] = ['stakater', 'stakater', 'stakater-annotations', 'sap', 'wave'];

/** What came before, in words that `by` alone serves. */
export function beforeArbitrary({ configs, workloads }: Cast): Arbitrary<Before> {
  const config = fc.constantFrom(...configs);
  const workload = fc.constantFrom(...workloads);
  const change = fc
    .tuple(config, fc.constantFrom('A' as const, 'B' as const, 'C' as const))
    .map(([name, content]) => ({ do: 'change', config: name, content }) as const);
  const pause = fc.constantFrom(0, 300, 1000, 2500, 30_000).map(wait);
  const other = fc.oneof(
    config.map((name) => ({ do: 'touch', config: name }) as const),
    config.map((name) => ({ do: 'revert', config: name }) as const),
    workload.map((name) => ({ do: 'apply', workload: name }) as const),
    workload.map((name) => ({ do: 'restart', workload: name }) as const),
  );
  const one = fc.oneof(
    { weight: 4, arbitrary: change },
    { weight: 5, arbitrary: pause },
    { weight: 2, arbitrary: other },
  );
  const explained = fc
    .tuple(change, workload)
    .map(([edit, name]) => [wait(5000), edit, wait(5000), { do: 'apply', workload: name } as const]);
  return fc.record({
    by: fc.constantFrom(...FORMERS),
    steps: fc.array(one, { minLength: 2, maxLength: 6, size: 'max' }),
    gap: fc.oneof(fc.array(one, { minLength: 0, maxLength: 5, size: 'max' }), explained),
  });
}

/** The first process is killed at one of its first writes, or ReplicaSets cannot be listed for a while; or neither. */
export const HARD_IMPORT: Arbitrary<Scene> = fc.oneof(
  fc.constant([]),
  fc
    .record({
      atWrite: fc.constantFrom(1, 2, 3, 4),
      effect: fc.constantFrom('before', 'after'),
      downtimeMs: fc.constantFrom(0, 1000, 20_000),
    })
    .map((crash): Scene => [{ do: 'crash', slot: 0, ...crash }, wait(10_000)]),
  fc
    .tuple(fc.constantFrom('replicasets', 'controllerrevisions', 'configmaps'), fc.boolean())
    .map(([resource, isKilled]): Scene => {
      const effect = { kind: 'status', code: 503 } as const;
      const fault = { do: 'fault', rule: { match: { verb: 'list', resource }, times: 3, effect } } as const;
      const crash = { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 10_000 } as const;
      return [fault, ...(isKilled ? [wait(1500), crash] : []), wait(15_000)];
    }),
);
