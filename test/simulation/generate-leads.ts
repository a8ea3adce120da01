/** Steps and scenes by chance about who leads: deaths, ends and losses of a leader beside those that wait to take over. */

import fc, { type Arbitrary } from 'fast-check';
import type { CallEffect, FaultRule } from '../sandbox/faults.ts';
import { RESOURCES, resourceOf } from './api.ts';
import type { Cast } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import {
  type Content,
  JUMPS_MS,
  type LeaseStep,
  type ProcessStep,
  type Slot,
  type Step,
  wait,
} from './history.ts';

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
  /** The same, and the standby hears late of what the leader has rolled, and of another change after that. */
  readonly lateHeir: Arbitrary<Scene>;
  /** A Lease of one that is not there, in the midst of a change or at the start of all. */
  readonly stranger: Arbitrary<Scene>;
  /** The time of day of one process jumps, which must change nothing. */
  readonly jump: Arbitrary<Step>;
  /** An owner's write or a change back between the end of a leader and the next. */
  readonly between: Arbitrary<Scene>;
}

const SLOT = fc.constantFrom<Slot>(0, 1, 2);
const just = <const T>(value: T): Arbitrary<T> => fc.constant(value);
const START: readonly Step[] = [{ do: 'start', slot: 1 }];
/** The longest lead of one that is gone. */
const LEASE = wait(18_500);
/** The longest that a Lease is waited for. */
const LONGEST_LEASE = wait(620_000);
const ALL_END: readonly Step[] = ([0, 1, 2] as const).map((slot) => ({ do: 'stop', slot, downtimeMs: -1 }));
const TWO_START: readonly Step[] = [{ do: 'start', slot: 0 }, ...START];

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

/** The Lease of one that never renews it, perhaps with the marks of another cluster. */
const STRANGE: Arbitrary<LeaseStep> = fc.oneof(
  fc.record({ do: just('edit-lease'), to: fc.constantFrom('foreign', 'long') }),
  fc.record({ do: just('edit-lease'), to: just('copied'), term: fc.constantFrom(1, 3, 1000) }),
);

/** A change of an object, and the streams by which those that take over may hear late of it. */
interface Change {
  readonly there: Step;
  readonly back: Step;
  readonly other: Step;
  /** Those of the object, of a workload, or of both tell them nothing for so long, once they are warm. */
  readonly lag: readonly Step[];
  readonly lagMs: number;
}

function changesOf({ configs, workloads }: Cast): Arbitrary<Change> {
  const contents = fc.shuffledSubarray<Content>(['A', 'B', 'C'], { minLength: 2, maxLength: 2 });
  const late = fc.record({
    ms: fc.constantFrom(25_000, 60_000),
    about: fc.constantFrom('object', 'workload', 'both'),
  });
  return fc
    .tuple(fc.constantFrom(...configs), contents, fc.constantFrom(...workloads), late)
    .map(([config, [first = 'A', second = 'B'], workload, { ms, about }]) => {
      const names = { object: [config], workload: [workload], both: [config, workload] }[about];
      const stalls = names.map((name) => ({ do: 'stall', resource: resourceOf(name), ms }) as const);
      return {
        there: { do: 'change', config, content: first },
        back: { do: 'revert', config },
        other: { do: 'change', config, content: second },
        lag: [wait(3000), ...stalls],
        lagMs: ms,
      };
    });
}

/** What there is for a cast. */
export function leadsOf(cast: Cast, owner: Arbitrary<Step>): Leads {
  const { coalescePeriodMs } = cast.settings;
  const changes = changesOf(cast);
  const isLate = fc.constantFrom(false, false, true);
  const soon = fc.constantFrom(0, 1, 20, 150, 1000, 4000).map(wait);
  const window = fc.constantFrom(1, 20, 110, 1000).map((ms) => wait(coalescePeriodMs + ms));
  const end = endStep(SLOT);
  const until = fc.constantFrom(wait(2500), LEASE, LEASE, wait(61_000));
  const free = fc.record({ do: just('edit-lease'), to: fc.constantFrom('nothing', 'empty', 'free') });
  return {
    process: fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: just('start'), slot: SLOT }) },
      { weight: 3, arbitrary: end },
    ),
    lease: fc.oneof(free, STRANGE),
    fault: LEASE_RULE.map((rule) => ({ do: 'fault', rule })),
    jump: fc.record({ do: just('jump'), ms: fc.constantFrom(...JUMPS_MS), slot: SLOT }),
    takeOver: fc
      .tuple(changes, isLate, fc.oneof(soon, window), end, fc.oneof(soon, window), fc.boolean(), until)
      .map(([{ there, back, lag }, isLagging, before, death, after, isBack, last]) => [
        ...START,
        ...(isLagging ? lag : []),
        there,
        before,
        death,
        after,
        ...(isBack ? [back] : []),
        last,
      ]),
    lateHeir: fc
      .tuple(changes, fc.boolean(), window, window, endStep(fc.constant<Slot>(0)))
      .map(([{ there, back, other, lag, lagMs }, isBack, rolled, pause, death]) => [
        ...START,
        ...lag,
        there,
        rolled,
        isBack ? back : other,
        pause,
        death,
        LEASE,
        wait(lagMs),
      ]),
    stranger: fc
      .tuple(changes, fc.oneof(soon, window), STRANGE, fc.boolean(), fc.oneof(soon, window), fc.boolean())
      .map(([{ there, back }, before, lease, isAtStart, after, isBack]) => [
        ...START,
        there,
        before,
        ...(isAtStart ? [...ALL_END, lease, ...TWO_START] : [lease]),
        after,
        ...(isBack ? [back] : []),
        lease.to === 'long' ? LONGEST_LEASE : LEASE,
      ]),
    between: fc
      .tuple(
        changes,
        isLate,
        fc.oneof(soon, window),
        end,
        soon,
        fc.oneof(
          owner,
          changes.map(({ back }) => back),
        ),
        soon,
      )
      .map(([{ there, back, lag }, isLagging, before, death, pause, step, last]) => [
        ...START,
        ...(isLagging ? lag : []),
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
