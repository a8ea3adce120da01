import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { fc } from '../../laws.ts';
import { randomOf } from '../../simulation/random.ts';
import { type Candidate, stage } from './electors.ts';
import type { Passage } from './lease-store.ts';

const NAMES = ['one', 'two', 'three'];
const STEP_MS = 250;

/** The way of one process to the API server, for some seconds. */
interface Weather {
  readonly who: number;
  readonly forSteps: number;
  readonly passage: Passage;
}

const delays = fc.constantFrom(0, 0, 250, 1_000, 4_000, 7_000, 14_000, 25_000);
const passages: fc.Arbitrary<Passage> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ thereMs: delays, backMs: delays }) },
  {
    weight: 1,
    arbitrary: fc.record({
      thereMs: delays,
      isLost: fc.constantFrom<'request' | 'answer'>('request', 'answer'),
    }),
  },
);
const weathers = fc.array(
  fc.record({ who: fc.nat(NAMES.length - 1), forSteps: fc.integer({ min: 1, max: 80 }), passage: passages }),
  { maxLength: 24 },
);
/** The lease and the renew deadline of the first one; those of the others are the usual ones. */
const durations = fc.constantFrom<[number, number]>([15_000, 10_000], [15_000, 14_000], [40_000, 30_000]);

/** How far the clock of each one goes too fast, as a share of what the durations bear. */
type Skews = readonly [number, number, number];
const skew = fc.constantFrom(0, 0.5, 0.95);
const skews: fc.Arbitrary<Skews> = fc.tuple(skew, skew, skew);
const EVEN: Skews = [0, 0, 0];

/** Who leads stops in time for one whose clock is faster, if by less than the lease is longer than the renew deadline. */
function ratesOf(skewed: Skews, [leaseMs, renewMs]: readonly [number, number]): readonly number[] {
  const borne = Math.min(leaseMs / renewMs, 15_000 / 10_000);
  return skewed.map((share) => 1 + share * (borne - 1));
}

/** Who leads validly in each step of these weathers, and whether one does at their end, once all is well. */
async function leadsIn(
  weather: readonly Weather[],
  [leaseDurationMs, renewDeadlineMs]: readonly [number, number],
  rates: readonly number[],
  random: () => number,
): Promise<{ most: number; isLed: boolean }> {
  const ends: (() => void)[] = [];
  const after = (end: () => void): void => void ends.push(end);
  const { store, pass, join } = stage({ mock, after } as Pick<TestContext, 'mock' | 'after'>, STEP_MS);
  const ways = new Map<string, Passage>();
  store.passage = ({ by }) => ways.get(by) ?? {};
  const candidates: Candidate[] = NAMES.map((name, at) =>
    join(name, { random, rate: rates[at] ?? 1, ...(at === 0 && { leaseDurationMs, renewDeadlineMs }) }),
  );
  let most = 0;
  const step = async (): Promise<void> => {
    await pass(STEP_MS);
    most = Math.max(most, candidates.filter((candidate) => candidate.isValid()).length);
  };
  for (const { who, forSteps, passage } of weather) {
    ways.set(NAMES[who] ?? '', passage);
    for (let at = 0; at < forSteps; at += 1) await step();
  }
  ways.clear();
  for (let at = 0; at < 100_000 / STEP_MS; at += 1) await step();
  const isLed = candidates.some((candidate) => candidate.isValid());
  for (const candidate of candidates) candidate.end();
  await pass(60_000);
  for (const end of ends) end();
  return { most, isLed };
}

const SLOW: Passage = { thereMs: 0, backMs: 7_000 };
const CUT: Passage = { thereMs: 0, isLost: 'request' };

test('there are never two valid leaders, and there is one once all is well', async () => {
  await fc.assert(
    fc.asyncProperty(weathers, durations, skews, fc.nat(), async (weather, duration, skewed, seed) => {
      const rates = ratesOf(skewed, duration);
      const { most, isLed } = await leadsIn(weather, duration, rates, randomOf(seed));
      assert.deepEqual({ isAtMostOne: most <= 1, isLed }, { isAtMostOne: true, isLed: true });
    }),
    {
      numRuns: 60,
      examples: [
        // Answers that are slow, and then none: the lead ends as long after the last renewal as if they were quick.
        [
          [
            { who: 0, forSteps: 8, passage: {} },
            { who: 0, forSteps: 36, passage: SLOW },
            { who: 0, forSteps: 80, passage: CUT },
          ],
          [15_000, 10_000],
          EVEN,
          1,
        ],
        [
          [
            { who: 0, forSteps: 8, passage: {} },
            { who: 0, forSteps: 80, passage: CUT },
          ],
          [40_000, 30_000],
          EVEN,
          1,
        ],
        // The clock of a standby is as fast as may be, and nothing else is in the way of its haste.
        [
          [
            { who: 0, forSteps: 8, passage: {} },
            { who: 0, forSteps: 80, passage: CUT },
          ],
          [15_000, 10_000],
          [0, 0.95, 0],
          1,
        ],
      ],
    },
  );
});
