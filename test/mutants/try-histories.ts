/**
 * `node test/mutants/try-histories.ts <N>`: tries histories by chance, each flavour in turn, until one breaks a law. The
 * last line says so: how many were tried, and what the last one broke, if it did. Run in a sabotaged copy of the tree.
 */

import { flavourOf, trySeed } from '../simulation/check.ts';

// Refusals are what histories are about: their stacks would take a tenth of the time.
Error.stackTraceLimit = 0;
process.exitCode = await main(Number(process.argv[2]));

async function main(most: number): Promise<number> {
  for (let seed = 1; seed <= most; seed += 1) {
    const failure = await trySeed(flavourOf(seed), seed);
    const [violation] = failure?.violations ?? [];
    if (failure === undefined || violation === undefined) continue;
    const what = `${violation.law}: ${violation.message.split('\n')[0]}`;
    console.log(`after ${seed} histories (${failure.flavour}), ${what}`);
    return 1;
  }
  console.log(`not in ${most} histories`);
  return 0;
}
