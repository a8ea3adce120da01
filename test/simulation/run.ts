/**
 * `npm run simulate -- --histories N --seed S [--flavour F]` tries as many histories on all cores; `--replay <file>` runs
 * one and tells what happened. Ends with 1 if a law is broken, and with 64 if the arguments are not understood.
 */

import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeFailure, type Failure, flavourOf, shrunk, trySeed } from './check.ts';
import { FLAVOURS, type Flavour } from './flavours.ts';
import type { History } from './history.ts';
import { judge } from './oracle.ts';
import { tell } from './tell.ts';
import { run } from './world.ts';

/** What a worker is told, and what it answers: progress, and each failure when it is shrunk. */
interface Work {
  readonly first: number;
  readonly count: number;
  readonly stride: number;
  readonly flavour: Flavour | undefined;
}

interface Report {
  readonly tried: number;
  readonly failure?: Failure;
}

const PROGRESS_MS = 2000;
/** Hardly anything outlives its history: with room for all of it little is ever copied. */
const ROOM_FOR_THE_YOUNG = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
// Refusals are what histories are about: their stacks would take a tenth of the time.
Error.stackTraceLimit = 0;

const USAGE = 64;

if (process.send !== undefined) process.once('message', (work: Work) => void labour(work));
else process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return USAGE;
  const { file, histories, seed, flavour } = options;
  return file === undefined ? await tryAll(histories, seed, flavour) : await replay(file);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        histories: { type: 'string', default: '2000' },
        seed: { type: 'string', default: '1' },
        flavour: { type: 'string' },
        replay: { type: 'string' },
      },
    });
    return {
      file: values.replay,
      histories: numberOf('--histories', values.histories, 1),
      seed: numberOf('--seed', values.seed, 0),
      flavour: flavourNamed(values.flavour),
    };
  } catch (error) {
    console.error(`simulate: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function numberOf(option: string, text: string, least: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new TypeError(`${option}: expected a whole number from ${least}, got "${text}"`);
}

function flavourNamed(name: string | undefined): Flavour | undefined {
  const flavour = FLAVOURS.find((one) => one === name);
  if (flavour !== undefined || name === undefined) return flavour;
  throw new TypeError(`--flavour: expected one of ${FLAVOURS.join(', ')}, got "${name}"`);
}

async function replay(file: string): Promise<number> {
  const trace = await run(JSON.parse(readFileSync(file, 'utf8')) as History);
  for (const line of tell(trace)) console.log(line);
  const violations = judge(trace);
  for (const { law, message } of violations) console.log(`${law}: ${message}`);
  console.log(violations.length === 0 ? 'no law is broken' : `${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

async function tryAll(histories: number, seed: number, flavour: Flavour | undefined): Promise<number> {
  const workers = Math.min(availableParallelism(), histories);
  const startedAt = performance.now();
  const tried = new Array<number>(workers).fill(0);
  const total = () => tried.reduce((sum, count) => sum + count, 0);
  const rate = () => `${Math.round(total() / ((performance.now() - startedAt) / 1000))} per second`;
  const progress = setInterval(() => console.log(`${total()} of ${histories}, ${rate()}`), PROGRESS_MS);
  const ends = tried.map((_, index) => {
    const work = {
      first: seed + index,
      count: Math.ceil((histories - index) / workers),
      stride: workers,
      flavour,
    };
    return employ(work, (count) => {
      tried[index] = count;
    });
  });
  const failures = (await Promise.all(ends)).reduce((sum, count) => sum + count, 0);
  clearInterval(progress);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${total()} histories from seed ${seed} in ${seconds} s, ${rate()}`);
  console.log(failures === 0 ? 'no law was broken' : `laws were broken in ${failures}`);
  return failures === 0 ? 0 : 1;
}

/** Runs one worker to its end, and tells what it finds as it does; answers how many failures there were. */
async function employ(work: Work, onTried: (count: number) => void): Promise<number> {
  const worker = fork(new URL(import.meta.url), { execArgv: ROOM_FOR_THE_YOUNG });
  let failures = 0;
  worker.on('message', ({ tried, failure }: Report) => {
    onTried(tried);
    if (failure === undefined) return;
    failures += 1;
    console.log(describeFailure(failure));
  });
  worker.send(work);
  const code = await new Promise<number | null>((resolve) => worker.once('exit', resolve));
  if (code !== 0) throw new Error(`a worker ended with ${code}`);
  return failures;
}

async function labour({ first, count, stride, flavour }: Work): Promise<void> {
  for (let tried = 0; tried < count; tried += 1) {
    const seed = first + tried * stride;
    const failure = await trySeed(flavour ?? flavourOf(seed), seed);
    if (failure !== undefined) tellParent({ tried: tried + 1, failure: await shrunk(failure) });
    if (tried % 20 === 19 || tried === count - 1) tellParent({ tried: tried + 1 });
  }
  process.disconnect();
}

function tellParent(report: Report): void {
  process.send?.(report);
}
