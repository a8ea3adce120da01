/**
 * `npm run fail-over`: on a control plane the leader of two reloaders is killed, and ended as it is asked to, so many times,
 * while objects change. Prints how long the other one took; ends with 1 if something was lost or rolled twice.
 */

import { parseArgs } from 'node:util';
import { quantile } from '../bench/figures.ts';
import { Progress } from '../bench/progress.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { randomOf } from '../simulation/random.ts';
import { ENDS, Pair, type TakeOver } from './pair.ts';

const HELP = `npm run fail-over -- [options] [flags of the reloaders after --]

  --ends <n>   of each kind (default: 30, which takes twelve minutes with the times that are the default)
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { ends: { type: 'string', default: '30' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const ends = Number(values.ends);
  if (values.help) process.stdout.write(HELP);
  else if (ends > 0) await measured(ends, positionals);
  else throw new Error(`that is no number\n\n${HELP}`);
}

async function measured(ends: number, flags: readonly string[]): Promise<void> {
  using progress = new Progress(false);
  progress.step('starting the control plane');
  await using cluster = await ControlPlane.start();
  await using pair = await Pair.open(cluster, { flags });
  const random = randomOf(1);
  const takeOvers: TakeOver[] = [];
  for (let round = 1; round <= ends; round += 1)
    for (const end of ENDS) {
      const takeOver = await pair.takeOver(end, random);
      takeOvers.push(takeOver);
      progress.step(`${round}, ${end}: ${seconds(takeOver.leaseMs)}, ${seconds(takeOver.stateMs)}`);
    }
  await pair.isRight();
  process.stdout.write(`\n${tableOf(takeOvers)}\n`);
  const { changedAt, allRollouts } = pair.scene;
  process.stdout.write(`${changedAt.length} changes, ${allRollouts} rollouts; nothing is lost\n`);
  const wrong = [...pair.needless(ends), ...pair.intrusions()];
  for (const each of wrong) process.stdout.write(`${each}\n`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function tableOf(takeOvers: readonly TakeOver[]): string {
  const rows = ENDS.map((end) => {
    const these = takeOvers.filter((each) => each.end === end);
    const cells = [these.map(({ leaseMs }) => leaseMs), these.map(({ stateMs }) => stateMs)].flatMap(
      (times) => [quantile(times, 0.5), Math.max(...times)].map(seconds),
    );
    return `| ${these.length} × ${end} | ${cells.join(' | ')} |`;
  });
  return [
    '| from the signal | the Lease names the other one, median | worst | the other one acts, median | worst |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

await main();
