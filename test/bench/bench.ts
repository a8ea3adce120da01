/**
 * `npm run bench`: what the reloader costs, beside what a bare client costs in the same run. Prints a table; what is going
 * on is said on the standard error output. docs/explanation/benchmark.md shows a run.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { admission } from './admission.ts';
import { burst } from './burst.ts';
import { type LineChart, svgOf } from './chart.ts';
import { commands } from './commands.ts';
import { fanOut } from './fan-out.ts';
import type { Figure } from './figures.ts';
import { Floor } from './floor.ts';
import { latency } from './latency.ts';
import { Progress } from './progress.ts';
import { markdownOf, tableOf } from './report.ts';
import { scale } from './scale.ts';
import type { Bench, Findings } from './scenario.ts';
import { startTarget, type TargetName } from './target.ts';

const HELP = `npm run bench -- [options]

  --only <names>          of latency, burst, fan-out, scale, admission, commands; a comma list (default: all)
  --target <name>         control-plane or sandbox (default: the control plane where it is built)
  --quick                 a tenth of everything: to see that it works, not to judge by
  --node-options <text>   for the reloader, e.g. '--cpu-prof --cpu-prof-dir=/tmp/profiles'
  --json <file>           writes the figures and what they come from
  --charts <folder>       writes the charts as SVG
  --docs                  writes figures and charts into docs/explanation/benchmark.md and docs/explanation/benchmark/
`;
const SCENARIOS: Readonly<Record<string, (bench: Bench) => Promise<Findings>>> = {
  latency,
  burst,
  'fan-out': fanOut,
  scale,
  admission,
  commands,
};
/** Between these two the page is this program's. */
const BEGIN = '<!-- run -->';
const END = '<!-- end of the run -->';
const DOCS = path.resolve(import.meta.dirname, '../../docs/explanation');

/** One run, as it is written down. */
interface Run {
  readonly date: string;
  readonly command: string;
  readonly target: string;
  readonly machine: string;
  readonly figures: readonly Figure[];
  readonly charts: readonly LineChart[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(SCENARIOS).join() },
      target: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'node-options': { type: 'string', default: '' },
      json: { type: 'string' },
      charts: { type: 'string' },
      docs: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const { quick, 'node-options': nodeOptions } = values;
  const run = await measured(values.only.split(','), targetNamed(values.target), { quick, nodeOptions });
  process.stdout.write(`${run.target}\n${run.machine}\n\n${tableOf(run.figures)}\n`);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(run, undefined, 2)}\n`);
  if (values.charts !== undefined) await writeCharts(values.charts, run.charts);
  if (values.docs) await writeDocs(run);
}

function targetNamed(name: string | undefined): TargetName {
  if (name === undefined || name === 'control-plane' || name === 'sandbox') return name;
  throw new Error(`there is no target "${name}"\n\n${HELP}`);
}

async function measured(
  names: readonly string[],
  wanted: TargetName,
  settings: Pick<Bench, 'quick' | 'nodeOptions'>,
): Promise<Run> {
  const scenarios = names.map((name) => {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`there is no scenario "${name}"\n\n${HELP}`);
    return scenario;
  });
  using progress = new Progress();
  progress.step('starting the cluster');
  await using target = await startTarget(wanted);
  await using floor = await Floor.prepare();
  const figures: Figure[] = [];
  const charts: LineChart[] = [];
  for (const scenario of scenarios) {
    const findings = await scenario({ target, floor, progress, ...settings });
    figures.push(...findings.figures);
    charts.push(...findings.charts);
  }
  progress.step('stopping the cluster');
  const command = `npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  return {
    date: new Date().toISOString(),
    command,
    target: target.name,
    machine: machine(),
    figures,
    charts,
  };
}

function machine(): string {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  return `${all.length} × ${all[0]?.model ?? 'unknown'}, ${memory}, Linux ${release()}, Node ${process.version.slice(1)}`;
}

async function writeCharts(folder: string, charts: readonly LineChart[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const chart of charts) await writeFile(path.join(folder, `${chart.name}.svg`), svgOf(chart));
}

async function writeDocs(run: Run): Promise<void> {
  const page = path.join(DOCS, 'benchmark.md');
  const text = await readFile(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  if (end < begin) throw new Error(`${page} has no place for a run`);
  const charts = run.charts.map(({ name, title }) => `![${title}](benchmark/${name}.svg)\n`).join('\n');
  const head = `\`${run.command}\` on ${run.date.slice(0, 10)}, against ${run.target}: ${run.machine}.`;
  const middle = `\n\n${head}\n\n${markdownOf(run.figures)}\n\n${charts}\n`;
  await writeFile(page, text.slice(0, begin) + middle + text.slice(end));
  await writeCharts(path.join(DOCS, 'benchmark'), run.charts);
}

await main();
