/**
 * `npm run soak`: changes without end, and everything that can go wrong between a leader, its standby and their API server,
 * for so many minutes. Prints a table; ends with 1 if something was lost, rolled too often, or written without the lead. What
 * is going on is said on the standard error output.
 */

import { parseArgs } from 'node:util';
import { Progress } from '../bench/progress.ts';
import { Pair, SHORT_LEASE } from '../faults/pair.ts';
import { evidenceOf } from './evidence.ts';
import { PLAYERS, played, type Soak } from './players.ts';
import { startSoakCluster } from './soak-cluster.ts';
import { tableOf } from './tally.ts';
import { Turns } from './turns.ts';

const HELP = `npm run soak -- [options] [flags of the reloaders after --]

  --minutes <n>     for how long things change and go wrong; starting and judging come on top (default: 10)
  --seed <n>        of what happens when; moments also depend on the machine (default: another one each time)
  --target <name>   control-plane or sandbox (default: the control plane where it is built)

Three namespaces with a leader and a standby each. In the first neither is killed: the connections of one of them, its API
server and its own sleep are what it suffers, often until the other one leads. In the second one of both is killed at random
moments and started again in its pod; then the leader's whole pod is killed, or asked to end, and the standby takes over. Neither
has a limit of rollouts; in the third there is one, and what changes all the time is slowed by it. What takes minutes, such as a
silence of the watches, is only tried where there is time for it: six minutes or more.

The lease is ${SHORT_LEASE.join(' ')},
so that many take-overs fit in, and most troubles last about as long as a lead does. Flags after -- win:
  npm run soak -- --minutes 10 -- --leader-election-lease-duration=15s --leader-election-renew-deadline=10s
`;

const PERIOD_MS = 200;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      target: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const [minutes, seed] = [values.minutes, values.seed].map(Number);
  if (!(Number(minutes) > 0) || !Number.isInteger(seed)) throw new Error(`that is no number\n\n${HELP}`);
  const target = targetNamed(values.target);
  await soaked({ minutes: Number(minutes), seed: Number(seed), target, flags: positionals });
}

interface Wanted {
  readonly minutes: number;
  readonly seed: number;
  readonly target: 'control-plane' | 'sandbox' | undefined;
  /** Of the reloaders. */
  readonly flags: readonly string[];
}

function targetNamed(name: string | undefined): Wanted['target'] {
  if (name === undefined || name === 'control-plane' || name === 'sandbox') return name;
  throw new Error(`there is no target "${name}"\n\n${HELP}`);
}

async function soaked({ minutes, seed, target, flags }: Wanted): Promise<void> {
  using progress = new Progress(false);
  progress.step('starting the cluster');
  const on = await startSoakCluster(target);
  await using _cluster = on.cluster;
  progress.step(`on ${on.name}, seed ${seed}`);
  await using stack = new AsyncDisposableStack();
  const opened = PLAYERS.map(async (player) => {
    const options = { periodMs: PERIOD_MS, flags: [...SHORT_LEASE, ...player.flags, ...flags] };
    return { player, pair: stack.use(await Pair.open(on.cluster, options)) };
  });
  const pairs = await Promise.all(opened);
  const soak: Soak = { on, seed, progress, turns: new Turns(), until: Date.now() + minutes * 60_000 };
  const columns = await Promise.all(
    pairs.map(async ({ player, pair }) => {
      const pending = await played(soak, player, pair);
      return { heading: player.heading, pair, pending, periodMs: PERIOD_MS };
    }),
  );
  progress.step('the end');
  process.stdout.write(`\n${minutes} minutes on ${on.name}, seed ${seed}\n\n${tableOf(columns)}\n`);
  const wrong = columns.filter(({ pending }) => pending.wrong.length > 0);
  if (wrong.length === 0) return;
  process.exitCode = 1;
  for (const each of wrong.flatMap(({ pending }) => pending.wrong)) process.stdout.write(`\n${each}\n`);
  process.stdout.write(`\nlogs and writes: ${await evidenceOf(wrong)}\n`);
}

await main();
