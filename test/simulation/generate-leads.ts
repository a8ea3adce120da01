/** Steps and scenes by chance about who leads: deaths, ends and losses of a leader beside those that wait to take over. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect, FaultRule } from '../sandbox/faults.ts';
import { RESOURCES, resourceOf } from './api.ts';
import type { Cast } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type Content, type LeaseStep, type ProcessStep, type Slot, type Step, wait } from './history.ts';

/** What there is about leads. */
export interface Leads {
  /** A process starts, ends, is killed, stopped for a while, or cut off. */
  readonly process: Arbitrary<Step>;
  /** A person edits the Lease. */
  readonly lease: Arbitrary<LeaseStep>;
  /** Requests about the Lease go wrong. */
  readonly fault: Arbitrary<Step>;
  /** A change, and the leader is gone while it waits, is rolled or committed; perhaps it is taken back. */
  readonly takeOver: Arbitrary<Scene>;
  /** The same, and those who take over hear late of what the leader has seen. */
  readonly lateHeir: Arbitrary<Scene>;
  /** An owner's write or a change back between the end of a leader and the next. */
  readonly between: Arbitrary<Scene>;
}

const SLOT = fc.constantFrom<Slot>(0, 1, 2);
const just = <const T>(value: T): Arbitrary<T> => fc.constant(value);
const START: readonly Step[] = [{ do: 'start', slot: 1 }];
/** The longest lead of one that is gone. */
const LEASE = wait(18_500);

/** Who ends a lead that it has: the slot that leads is not known, so both are met often. */
function endStep(slot: Arbitrary<Slot>): Arbitrary<ProcessStep> {
  const effect = fc.constantFrom('before', 'after');
  const downtimeMs = fc.constantFrom(-1, 0, 1000, 20_000, 60_000);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: just('crash'),
        slot,
        atWrite: fc.constantFrom(0, 1, 1, 2, 2, 3, 4, 5),
        effect,
        downtimeMs,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: just('crash'),
        slot,
        atWrite: fc.constantFrom(1, 2, 3),
        effect,
        downtimeMs,
        of: just('lease'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: just('stop'), slot, downtimeMs }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: just('freeze'), slot, ms: fc.constantFrom(5000, 14_000, 30_000, 60_000) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: just('part'),
        slot,
        ms: fc.constantFrom(3000, 12_000, 30_000, 60_000),
        how: fc.constantFrom('cut', 'silent'),
      }),
    },
  );
}

const LEASE_EFFECT: Arbitrary<CallEffect> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: just('lost') }) },
  { weight: 2, arbitrary: fc.record({ kind: just('hang'), effect: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: just('status'), code: fc.constantFrom(409, 500, 403) }) },
  { weight: 1, arbitrary: fc.record({ kind: just('latency'), ms: fc.constantFrom(1000, 6000, 12_000) }) },
);

const LEASE_RULE: Arbitrary<FaultRule> = fc.record({
  match: fc.constantFrom({ verb: 'write', resource: 'leases' } as const, { resource: 'leases' }),
  nth: fc.constantFrom(1, 2, 3),
  times: fc.constantFrom(1, 2, 5, 12),
  effect: LEASE_EFFECT,
});

/** What there is for a cast. */
export function leadsOf({ configs, workloads, settings }: Cast, owner: Arbitrary<Step>): Leads {
  const { coalescePeriodMs } = settings;
  const contents = fc.shuffledSubarray<Content>(['A', 'B', 'C'], { minLength: 2, maxLength: 2 });
  const changes = fc
    .tuple(fc.constantFrom(...configs), contents)
    .map(([config, [first = 'A', second = 'B']]) => ({
      config,
      there: { do: 'change', config, content: first } as const,
      back: { do: 'revert', config } as const,
      other: { do: 'change', config, content: second } as const,
    }));
  const soon = fc.constantFrom(0, 1, 20, 150, 1000, 4000).map(wait);
  const window = fc.constantFrom(1, 20, 110, 1000).map((ms) => wait(coalescePeriodMs + ms));
  const end = endStep(SLOT);
  const until = fc.constantFrom(wait(2500), LEASE, LEASE, wait(61_000));
  const lease = fc.record({
    do: just('edit-lease'),
    to: fc.constantFrom('nothing', 'empty', 'free', 'foreign', 'long'),
  });
  return {
    process: fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: just('start'), slot: SLOT }) },
      { weight: 3, arbitrary: end },
    ),
    lease,
    fault: LEASE_RULE.map((rule) => ({ do: 'fault', rule })),
    takeOver: fc
      .tuple(changes, fc.oneof(soon, window), end, fc.oneof(soon, window), fc.boolean(), until)
      .map(([{ there, back }, before, death, after, isBack, last]) => [
        ...START,
        there,
        before,
        death,
        after,
        ...(isBack ? [back] : []),
        last,
      ]),
    lateHeir: fc
      .tuple(
        changes,
        fc.constantFrom(...workloads),
        fc.constantFrom<Slot>(1, 0),
        fc.tuple(fc.boolean(), fc.constantFrom(25_000, 60_000)),
        fc.tuple(fc.boolean(), window, window),
        endStep(fc.constant<Slot>(0)),
      )
      .map(
        ([
          { there, back, other, config },
          workload,
          slot,
          [isConfig, ms],
          [isBack, rolled, pause],
          death,
        ]) => [
          ...START,
          wait(3000),
          { do: 'stall', slot, resource: resourceOf(isConfig ? config : workload), ms },
          there,
          rolled,
          isBack ? back : other,
          pause,
          death,
          LEASE,
          wait(ms),
        ],
      ),
    between: fc
      .tuple(
        changes,
        fc.oneof(soon, window),
        end,
        soon,
        fc.oneof(
          owner,
          changes.map(({ back }) => back),
        ),
        soon,
      )
      .map(([{ there, back }, before, death, pause, step, last]) => [
        ...START,
        there,
        before,
        death,
        pause,
        step,
        last,
        back,
        LEASE,
      ]),
  };
}

/** The streams that may be late for one process. */
export const STALL: Arbitrary<Step> = fc.record({
  do: just('stall'),
  slot: SLOT,
  resource: fc.constantFrom(...RESOURCES),
  ms: fc.constantFrom(3000, 25_000),
});
