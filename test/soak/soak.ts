/**
 * `npm run soak`: changes without end, and everything that can go wrong between reloaders and their API server, for so many
 * minutes. Prints a table; ends with 1 if something was lost or rolled too often. What is going on is said on the
 * standard error output.
 */

import { parseArgs } from 'node:util';
import { Progress } from '../bench/progress.ts';
import { changedAllTheTime, killedAllTheTime, neverKilled, type Soak } from './players.ts';
import { startSoakCluster } from './soak-cluster.ts';
import { type Column, tableOf } from './tally.ts';
import { Turns } from './turns.ts';

const HELP = `npm run soak -- [options]

  --minutes <n>     for how long things change and go wrong; starting and judging come on top (default: 10)
  --seed <n>        of what happens when; moments also depend on the machine (default: another one each time)
  --target <name>   control-plane or sandbox (default: the control plane where it is built)

Three namespaces. In the first a reloader is never killed; its connections, its API server and its own sleep are what it
suffers. In the second reloaders are killed at random moments, one after the other. Neither has a limit of rollouts; in the
third there is one, and what changes all the time is slowed by it. What takes minutes, such as a silence
of the watches, is only tried where there is time for it: six minutes or more.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      target: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [minutes, seed] = [values.minutes, values.seed].map(Number);
  if (!(Number(minutes) > 0) || !Number.isInteger(seed)) throw new Error(`that is no number\n\n${HELP}`);
  await soaked(Number(minutes), Number(seed), targetNamed(values.target));
}

function targetNamed(name: string | undefined): 'control-plane' | 'sandbox' | undefined {
  if (name === undefined || name === 'control-plane' || name === 'sandbox') return name;
  throw new Error(`there is no target "${name}"\n\n${HELP}`);
}

async function soaked(
  minutes: number,
  seed: number,
  wanted: 'control-plane' | 'sandbox' | undefined,
): Promise<void> {
  using progress = new Progress(false);
  progress.step('starting the cluster');
  const on = await startSoakCluster(wanted);
  await using _cluster = on.cluster;
  progress.step(`on ${on.name}, seed ${seed}`);
  const soak: Soak = { on, seed, progress, turns: new Turns(), until: Date.now() + minutes * 60_000 };
  await using stack = new AsyncDisposableStack();
  const columns: readonly Column[] = await Promise.all([
    neverKilled(soak, stack),
    killedAllTheTime(soak, stack),
    changedAllTheTime(soak, stack),
  ]);
  progress.step('the end');
  process.stdout.write(`\n${minutes} minutes on ${on.name}, seed ${seed}\n\n${tableOf(columns)}\n`);
  for (const { tally } of columns)
    for (const wrong of [...tally.lost, ...tally.tooOften]) process.stdout.write(`\n${wrong}\n`);
  process.exitCode = columns.some(({ tally }) => tally.isWrong) ? 1 : 0;
}

await main();
