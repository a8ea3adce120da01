/** Tries histories, and makes a failing one small. */

import fc from 'fast-check';
import { FLAVOURS, type Flavour } from './flavours.ts';
import { historyArbitrary } from './generate.ts';
import type { History } from './history.ts';
import { judge } from './oracle.ts';
import { shrink } from './shrink.ts';
import type { Trace, Violation } from './trace.ts';
import { run } from './world.ts';

/** A history that breaks a law. */
export interface Failure {
  readonly flavour: Flavour;
  readonly seed: number;
  readonly history: History;
  readonly violations: readonly Violation[];
}

/** Runs and judges one history; what throws breaks a law as well. */
export async function check(history: History): Promise<readonly Violation[]> {
  let trace: Trace;
  try {
    trace = await run(history);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ law: 'never', message: `the run threw: ${message}` }];
  }
  return judge(trace);
}

/** The history of one seed. The flavour and the seed are all that it takes to have it again. */
export function historyOf(flavour: Flavour, seed: number): History {
  const [history] = fc.sample(historyArbitrary(flavour), { seed, numRuns: 1, unbiased: true });
  if (history === undefined) throw new Error('no history');
  return history;
}

/** The flavour that a seed stands for where all are tried in turn. */
export function flavourOf(seed: number): Flavour {
  return FLAVOURS[Math.abs(seed) % FLAVOURS.length] ?? 'everything';
}

/** Tries the history of `seed`; undefined: it breaks no law. */
export async function trySeed(flavour: Flavour, seed: number): Promise<Failure | undefined> {
  const history = historyOf(flavour, seed);
  const violations = await check(history);
  return violations.length === 0 ? undefined : { flavour, seed, history, violations };
}

/** The smallest history found that breaks the same law as `failure`, in `limitMs` or the time that shrink takes by default. */
export async function shrunk(failure: Failure, limitMs?: number): Promise<Failure> {
  const law = failure.violations[0]?.law;
  let { violations } = failure;
  const history = await shrink(
    failure.history,
    async (candidate) => {
      const found = await check(candidate);
      const isSame = found.some((violation) => violation.law === law);
      if (isSame) violations = found;
      return isSame;
    },
    limitMs,
  );
  return { ...failure, history, violations };
}

/** What a person needs to know of a failure, and how to see it again. */
export function describeFailure({ flavour, seed, history, violations }: Failure): string {
  return [
    ...violations.map(({ law, message }) => `${law}: ${message}`),
    `flavour ${flavour}, seed ${seed}; shrunk to ${history.steps.length} steps. Keep this line as a file to replay it`,
    '(npm run simulate -- --replay <file>), or in regressions/ to try it in every test run:',
    JSON.stringify(history),
  ].join('\n');
}
