/** The settings of histories by chance. */

import fc, { type Arbitrary } from 'fast-check';
import { type Pace, VOCABULARY_NAMES } from '../../lib/model/settings.ts';
import type { Flavour } from './flavours.ts';
import type { Settings } from './history.ts';
import { CONFIGS } from './manifests.ts';

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
      scope: scopeArbitrary(flavour),
    })
    .map(({ factor, shardBytes, scope, pace, ...rest }) => ({
      ...rest,
      ...scope,
      ...(pace === undefined ? {} : { pace }),
      maxWaitMs: rest.coalescePeriodMs * factor,
      ...(shardBytes === undefined ? {} : { shardBytes }),
    }));
}

/** What else is set in the flavours that are about it: in the others nothing, and no chance is taken for it. */
function scopeArbitrary(
  flavour: Flavour,
): Arbitrary<
  Pick<
    Settings,
    | 'presence'
    | 'required'
    | 'selected'
    | 'admission'
    | 'keys'
    | 'pageSize'
    | 'batch'
    | 'elsewhere'
    | 'dialects'
    | 'evictions'
    | 'budget'
    | 'argo'
  >
> {
  const presence = fc.constantFrom(
    { onCreate: true, onDelete: true },
    { onCreate: true, onDelete: false },
    { onCreate: false, onDelete: true },
  );
  const required = fc.oneof(fc.constant([]), fc.subarray([...CONFIGS], { minLength: 1, maxLength: 2 }));
  if (flavour === 'faults' || flavour === 'everything')
    return fc.constantFrom({}, {}, { pageSize: 1 }, { pageSize: 2 });
  if (flavour === 'elsewhere')
    return fc.constantFrom({ elsewhere: 'watched' }, { elsewhere: 'watched' }, { elsewhere: 'unwatched' });
  if (flavour === 'consent') return fc.constant({ elsewhere: 'consent' });
  if (flavour === 'jobs')
    return fc.constantFrom({ batch: { jobs: 'recreate' } }, { batch: { jobs: 'recreate-running' } });
  if (flavour === 'evictions')
    return fc.record({
      evictions: fc.record({ max: fc.constantFrom(1, 1, 2), minAvailable: fc.constantFrom(0, 0, 1) }),
    });
  if (flavour === 'budgets')
    return fc.record({
      budget: fc.record({
        slots: fc.constantFrom(1, 1, 2, 0),
        slotsPerNamespace: fc.constantFrom(0, 0, 1),
        rate: fc.constantFrom(0, 0, 0.1),
        burst: fc.constant(1),
      }),
    });
  if (flavour === 'rollouts') return fc.constant({ argo: true as const });
  if (flavour === 'presence') return fc.record({ presence, required });
  if (flavour === 'admission') return fc.constant({ admission: true });
  if (flavour === 'imports') return fc.constant({ dialects: VOCABULARY_NAMES });
  if (flavour === 'keys') {
    // Who is rolled for whole objects is rolled for whatever no pod reads.
    const keys = fc.oneof(
      fc.constant({ scoped: true, noise: true }),
      fc.record({ scoped: fc.boolean(), noise: fc.constant(false) }),
    );
    return fc.record({ keys, required });
  }
  if (flavour !== 'selection') return fc.constant({});
  const selected = fc.boolean();
  return fc.oneof(fc.record({ selected }), fc.record({ selected, presence }));
}
