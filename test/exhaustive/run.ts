/** `npm run exhaustive`: the searches of the tests, and larger ones, to a depth; see USAGE. */

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Found, search } from './search.ts';
import { SEARCHES, told } from './searches.ts';

const USAGE = `npm run exhaustive -- [--depth 12] [--states N] [--only <words>]

Runs the real rules through every history of a world of two workloads and one ConfigMap, in all orders: late news, slow
rollouts, refusals, deaths, owners. Each search lets other things happen. Ends with 1 if a history breaks a rule.

  --depth N      every history of at most N steps (default 12)
  --states N     a search ends after so many states, and is then said not to be exhausted (default 3000000)
  --only <words> the searches whose names contain this; --list names them
  --list         names the searches and ends
  --help         says this`;

/** What a worker is told: which search, and where it ends. */
interface Work {
  readonly name: string;
  readonly depth: number;
  readonly states: number;
}

/** What it answers: how far it is, and at last what it found. */
interface Report {
  readonly states: number;
  readonly depth: number;
  readonly found?: Found;
}

/** A search that has ended. */
interface Outcome {
  readonly name: string;
  readonly found: Found;
  readonly seconds: number;
}

const PROGRESS_MS = 2000;
const STATES_BETWEEN_REPORTS = 500;

if (process.send !== undefined) process.once('message', (work: Work) => void labour(work));
else process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.help) console.log(USAGE);
  const chosen = SEARCHES.filter(({ name, leftOut }) => leftOut === undefined && name.includes(options.only));
  if (options.list) for (const { name } of chosen) console.log(name);
  if (options.help || options.list) return 0;
  if (chosen.length === 0) {
    console.error(`no search is called '${options.only}'; --list names them`);
    return 2;
  }
  const outcomes = await runAll(chosen.map(({ name }) => ({ ...options, name })));
  return conclude(outcomes, options.depth);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        depth: { type: 'string', default: '12' },
        states: { type: 'string', default: '3000000' },
        only: { type: 'string', default: '' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const [depth, states] = [Number(values.depth), Number(values.states)];
    if (!Number.isInteger(depth) || depth < 1) throw new Error('--depth takes a whole number from 1');
    if (!Number.isInteger(states) || states < 1) throw new Error('--states takes a whole number from 1');
    return { ...values, depth, states };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return undefined;
  }
}

/** Runs as many searches at once as there are processors. */
async function runAll(works: readonly Work[]): Promise<Outcome[]> {
  const startedAt = performance.now();
  const running = new Map<string, Report>();
  const outcomes: Outcome[] = [];
  const progress = setInterval(() => {
    const lines = [...running].map(
      ([name, { states, depth }]) => `${name}: ${states.toLocaleString('en')} states, at depth ${depth + 1}`,
    );
    console.log(`${secondsSince(startedAt)} s, ${outcomes.length} of ${works.length}; ${lines.join('; ')}`);
  }, PROGRESS_MS);
  const left = works.values();
  const worker = async (): Promise<void> => {
    for (const work of left) {
      const begun = performance.now();
      const found = await employ(work, (report) => running.set(work.name, report));
      running.delete(work.name);
      outcomes.push({ name: work.name, found, seconds: secondsSince(begun) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), works.length) }, worker));
  clearInterval(progress);
  return outcomes;
}

/** Runs one search in a process of its own. */
async function employ(work: Work, onReport: (report: Report) => void): Promise<Found> {
  const worker = fork(new URL(import.meta.url));
  let found: Found | undefined;
  worker.on('message', (report: Report) => {
    onReport(report);
    found ??= report.found;
  });
  worker.send(work);
  const code = await new Promise<number | null>((resolve) => worker.once('exit', resolve));
  if (found === undefined) throw new Error(`the search '${work.name}' ended with ${code}`);
  return found;
}

/** In a worker: one search. */
async function labour({ name, depth, states }: Work): Promise<void> {
  const chosen = SEARCHES.find((one) => one.name === name);
  if (chosen === undefined) throw new Error(`no search is called '${name}'`);
  let told = 0;
  const onState = (seen: number, at: number): void => {
    if (seen < told + STATES_BETWEEN_REPORTS) return;
    told = seen;
    process.send?.({ states: seen, depth: at } satisfies Report);
  };
  const found = await search(await chosen.begin(), chosen.scope, { depth, states, onState });
  process.send?.({ states: found.states, depth: found.depth, found } satisfies Report);
  process.disconnect();
}

function conclude(outcomes: readonly Outcome[], depth: number): number {
  const longest = Math.max(...outcomes.map(({ name }) => name.length));
  console.log(`\n${'search'.padEnd(longest)}      states  depth  seconds  exhausted`);
  for (const { name, found, seconds } of outcomes) {
    const numbers = [
      found.states.toLocaleString('en').padStart(12),
      String(found.depth).padStart(7),
      String(seconds).padStart(9),
    ];
    console.log(`${name.padEnd(longest)}${numbers.join('')}  ${verdictOf(found, depth)}`);
  }
  const broken = outcomes.filter(({ found }) => found.violations.length > 0);
  for (const { name, found } of broken) console.log(`\n${name}\n${found.violations.map(told).join('\n')}`);
  console.log(broken.length === 0 ? '\nno rule was broken' : '\nrules were broken');
  return broken.length === 0 ? 0 : 1;
}

function verdictOf({ violations, isWhole, depth }: Found, wanted: number): string {
  if (violations.length > 0) return 'no: a rule was broken';
  if (isWhole) return 'yes, and there is nothing beyond';
  return depth >= wanted ? 'yes' : 'no: so many states were looked at';
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
