/** Makes a failing history small, by leaving out what it does not need to fail. */

import type { History } from './history.ts';

/**
 * The smallest history found that `fails` still, when whatever can be left out is: steps in ever smaller chunks, workloads,
 * objects. Stops after `limitMs` of real time with what it has.
 */
export async function shrink(
  history: History,
  fails: (candidate: History) => Promise<boolean>,
  limitMs = 60_000,
): Promise<History> {
  const end = performance.now() + limitMs;
  let smallest = history;
  let isSmaller = true;
  while (isSmaller && performance.now() < end) {
    isSmaller = false;
    for (const candidate of candidatesOf(smallest)) {
      if (performance.now() > end) break;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

/** Every history that is `history` with something left out, the largest omissions first. */
function* candidatesOf(history: History): Generator<History> {
  const { steps, workloads, configs } = history;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length; from += size) {
      yield { ...history, steps: steps.toSpliced(from, size) };
    }
  }
  for (const [index, workload] of workloads.entries()) {
    yield { ...history, workloads: workloads.toSpliced(index, 1) };
    for (const left of workload.follows) {
      const follows = workload.follows.filter((config) => config !== left);
      yield { ...history, workloads: workloads.with(index, { ...workload, follows }) };
    }
  }
  for (const index of configs.keys()) yield { ...history, configs: configs.toSpliced(index, 1) };
}
