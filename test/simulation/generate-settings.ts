/** The settings of histories by chance. */

import fc, { type Arbitrary } from 'fast-check';
import { type Pace, parseStages } from '../../lib/model/settings.ts';
import type { Flavour } from './flavours.ts';
import type { Settings } from './history.ts';
import { CLASS, CONFIGS } from './manifests.ts';

/** Bytes of a full ConfigMap: one entry, two, or some with exceptions. */
const TINY = [60, 150];

/** Mostly as fast as objects change: who is slowed is rolled less often. */
const PACES: readonly (Pace | undefined)[] = [
  ...new Array<undefined>(14).fill(undefined),
  { minIntervalMs: 20_000, limit: undefined },
  { minIntervalMs: 0, limit: { rollouts: 2, withinMs: 600_000 } },
];

/** The settings of a history of a flavour. */
export function settingsArbitrary(flavour: Flavour): Arbitrary<Settings> {
  const isCalm = flavour === 'calm';
  return fc
    .record({
      coalescePeriodMs: fc.constantFrom(5000, 1000, ...(isCalm ? [] : [0])),
      factor: fc.constantFrom(6, 2),
      versions: fc.constantFrom(
        'comparable',
        'comparable',
        'comparable',
        'several-etcds',
        'per-kind',
        'several-etcds',
      ),
      pace: fc.constantFrom(...PACES),
      rolloutMs: fc.constantFrom(...(isCalm ? [100] : [100, 0, 1000, 4000, 15_000])),
      shardBytes: fc.constantFrom(
        ...(flavour === 'shards' ? [] : [undefined, undefined, undefined]),
        ...TINY,
      ),
      scope: SCOPES[flavour] ?? fc.constant({}),
    })
    .map(({ factor, shardBytes, scope, pace, ...rest }) => ({
      ...rest,
      ...scope,
      ...(pace === undefined ? {} : { pace }),
      maxWaitMs: rest.coalescePeriodMs * factor,
      ...(shardBytes === undefined ? {} : { shardBytes }),
    }));
}

type ScopeSettings = Pick<
  Settings,
  | 'presence'
  | 'required'
  | 'selected'
  | 'admission'
  | 'keys'
  | 'pageSize'
  | 'batch'
  | 'evictions'
  | 'budget'
  | 'staging'
  | 'argo'
  | 'classes'
>;

const PRESENCE = fc.constantFrom(
  { onCreate: true, onDelete: true },
  { onCreate: true, onDelete: false },
  { onCreate: false, onDelete: true },
);
const REQUIRED = fc.oneof(fc.constant([]), fc.subarray([...CONFIGS], { minLength: 1, maxLength: 2 }));
const PAGES: Arbitrary<ScopeSettings> = fc.constantFrom({}, {}, { pageSize: 1 }, { pageSize: 2 });
const SELECTED = fc.boolean();

const BUDGET = fc.record({
  slots: fc.constantFrom(1, 1, 2, 0),
  rate: fc.constantFrom(0, 0, 0.1),
  burst: fc.constant(1),
});
const STAGING = fc.record({
  stages: fc.constantFrom('1', '1', '1,2', '2', '1,3', '50%', '100%').map((text) => parseStages(text) ?? []),
  soakMs: fc.constantFrom(2000, 10_000, 30_000),
});

/** What else is set in the flavours that are about it: in the others nothing, and no chance is taken for it. */
const SCOPES: Readonly<Partial<Record<Flavour, Arbitrary<ScopeSettings>>>> = {
  faults: PAGES,
  everything: PAGES,
  jobs: fc.constantFrom({ batch: { jobs: 'recreate' } }, { batch: { jobs: 'recreate-running' } }),
  evictions: fc.record({
    evictions: fc.record({ max: fc.constantFrom(1, 1, 2), minAvailable: fc.constantFrom(0, 0, 1) }),
  }),
  budgets: fc.record({ budget: BUDGET }),
  stages: fc.record({ staging: STAGING }),
  together: fc.record({ budget: BUDGET, staging: STAGING, admission: fc.constant(true) }),
  rollouts: fc.constant({ argo: true }),
  classes: fc.record({
    classes: fc.record({ pollMs: fc.constantFrom(1000, 20_000, 100_000) }),
    required: fc.constant([CLASS]),
  }),
  presence: fc.record({ presence: PRESENCE, required: REQUIRED }),
  admission: fc.constant({ admission: true }),
  keys: fc.record({
    // Who is rolled for whole objects is rolled for whatever no pod reads.
    keys: fc.oneof(
      fc.constant({ scoped: true, noise: true }),
      fc.record({ scoped: fc.boolean(), noise: fc.constant(false) }),
    ),
  }),
  selection: fc.oneof(
    fc.record({ selected: SELECTED }),
    fc.record({ selected: SELECTED, presence: PRESENCE }),
  ),
};
