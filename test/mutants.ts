/**
 * `npm run mutants [-- --only <word>]`: sabotages lib by one edit at a time, in copies of the tree, and runs the tests that
 * should notice. Ends with 1 if a sabotage survives, no longer fits the source, or a test fails without any.
 * `--by-simulation [--histories N]` tries histories by chance instead of those tests: what survives then is only told.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ALL_MUTANTS, misfits } from './mutants/all.ts';
import { type Found, Places } from './mutants/edit.ts';
import type { Mutant } from './mutants/table.ts';

/** A test that failed, or a file that could not even be run to its end. */
interface Failure {
  readonly test: string;
  readonly isWholeFile: boolean;
}

/** What became of one sabotage. */
interface Verdict {
  readonly mutant: Mutant;
  readonly hasFindings: boolean;
  /** The first test that noticed, or why none is said to have. */
  readonly detail: string;
  readonly seconds: number;
}

const ROOT = path.resolve(import.meta.dirname, '..');
/** All that the tests need besides the dependencies. */
const TREE = ['lib', 'test', 'bin', 'k8s', 'package.json', 'tsconfig.json', 'build.ts'];
/** Far longer than any of the test files takes: a sabotage may make one of them hang. */
const FILE_TIMEOUT_MS = 120_000;
/** A failed test as TAP tells it, what is still to do left out; a test within another comes before the other. */
const FAILED = /^ *not ok \d+ - (?<name>(?:(?! # (?:TODO|SKIP)).)*)$/;
const WORKERS = 2;

/** Far longer than the histories take: a sabotage may make one of them hang. */
const HISTORY_TIMEOUT_MS = 1000;
/** What no history can show: how people are told. */
const BESIDE_THE_RULES = ['lib/telemetry/', 'lib/model/watch-health.ts', 'lib/report/findings.ts'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    'by-simulation': { type: 'boolean', default: false },
    histories: { type: 'string', default: '1000' },
  },
});
const HISTORIES = values['by-simulation'] ? Number(values.histories) : undefined;
process.exitCode = await tryAll(ALL_MUTANTS.filter(({ name }) => name.includes(values.only)));

async function tryAll(named: readonly Mutant[]): Promise<number> {
  const startedAt = performance.now();
  const place = mkdtempSync(path.join(tmpdir(), 'mutants-'));
  try {
    // One copy for all: nobody's edits of this moment get in between.
    const original = copyOf(ROOT, path.join(place, 'original'));
    const places = new Places(original);
    const mutants = named.filter((mutant) => HISTORIES === undefined || !isBesideTheRules(places, mutant));
    const problems = [...misfits(places, mutants), ...(await problemsUnsabotaged(original, mutants))];
    for (const problem of problems) console.error(problem);
    if (mutants.length === 0) console.error(`no sabotage is called '${values.only}'`);
    if (problems.length > 0 || mutants.length === 0) return 1;
    const verdicts = await judgeAll(place, places, mutants);
    return conclude(verdicts, secondsSince(startedAt));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function copyOf(source: string, copy: string): string {
  for (const name of TREE) cpSync(path.join(source, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** A test that fails anyway notices nothing. */
async function problemsUnsabotaged(directory: string, mutants: readonly Mutant[]): Promise<string[]> {
  if (HISTORIES !== undefined) {
    const { hasFindings, detail } = await tryHistories(directory, HISTORIES);
    return hasFindings ? [`without any sabotage, a law is broken ${detail}`] : [];
  }
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  const problems: string[] = [];
  await inParallel(files, async (file) => {
    const failure = await firstFailure(directory, file);
    if (failure !== undefined) problems.push(`${file} fails without any sabotage: ${failure.test}`);
  });
  return problems;
}

function isBesideTheRules(places: Places, { edit }: Mutant): boolean {
  const found = places.find(edit);
  return typeof found !== 'string' && BESIDE_THE_RULES.some((place) => found.file.startsWith(place));
}

async function judgeAll(place: string, places: Places, mutants: readonly Mutant[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  await inParallel(mutants, async (mutant) => {
    const copy = copyOf(places.directory, path.join(place, String(mutants.indexOf(mutant))));
    const verdict = await judge(copy, mutant, places.find(mutant.edit));
    rmSync(copy, { recursive: true, force: true });
    verdicts.push(verdict);
    tell(verdict, `${verdicts.length}/${mutants.length}`);
  });
  return verdicts;
}

async function judge(copy: string, mutant: Mutant, found: Found | string): Promise<Verdict> {
  const startedAt = performance.now();
  const verdict = (hasFindings: boolean, detail: string): Verdict => {
    return { mutant, hasFindings, detail, seconds: secondsSince(startedAt) };
  };
  if (typeof found === 'string') return verdict(false, found);
  writeFileSync(path.join(copy, found.file), found.text);
  if (HISTORIES !== undefined) {
    const { hasFindings, detail } = await tryHistories(copy, HISTORIES);
    return verdict(hasFindings, detail);
  }
  for (const test of mutant.tests) {
    const failure = await firstFailure(copy, test);
    // A file that cannot be run would fail for any nonsense.
    if (failure?.isWholeFile === true) return verdict(false, `${test} could not be run to its end`);
    if (failure !== undefined) return verdict(true, `${path.basename(test)}: ${failure.test}`);
  }
  return verdict(false, `not noticed by ${mutant.tests.join(', ')}`);
}

/** Runs one test file, in one process, until its first failure. */
async function firstFailure(directory: string, file: string): Promise<Failure | undefined> {
  const child = spawn(process.execPath, ['--test-reporter=tap', file], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: FILE_TIMEOUT_MS,
    killSignal: 'SIGKILL', // nothing else ends a process that runs in circles
  });
  const closed = once(child, 'close');
  let failure: Failure | undefined;
  for await (const line of createInterface(child.stdout)) {
    const name = FAILED.exec(line)?.groups?.['name'];
    if (failure !== undefined || name === undefined) continue;
    failure = { test: name.replaceAll('\\#', '#'), isWholeFile: false };
    child.kill('SIGKILL');
  }
  const [code] = await closed;
  return failure ?? (code === 0 ? undefined : { test: 'the file itself', isWholeFile: true });
}

/** Tries histories in one process; what it does not come back from is no notice. */
async function tryHistories(
  directory: string,
  histories: number,
): Promise<{ readonly hasFindings: boolean; readonly detail: string }> {
  const child = spawn(process.execPath, ['test/mutants/try-histories.ts', String(histories)], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: histories * HISTORY_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  let detail = 'the histories could not be run to their end';
  for await (const line of createInterface(child.stdout)) detail = line;
  const [code] = await closed;
  return { hasFindings: code === 1 && detail.startsWith('after '), detail };
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

function tell({ mutant, hasFindings, detail, seconds }: Verdict, progress: string): void {
  const time = `${seconds.toFixed(1)} s`.padStart(7);
  console.log(
    `${progress.padStart(7)} ${time}  ${hasFindings ? '' : 'SURVIVED '}${mutant.name}\n${''.padStart(17)}${detail}`,
  );
}

function conclude(verdicts: readonly Verdict[], seconds: number): number {
  const survivors = verdicts.filter(({ hasFindings }) => !hasFindings);
  const noticed = verdicts.length - survivors.length;
  console.log(`${noticed} of ${verdicts.length} sabotages were noticed, in ${Math.round(seconds)} s`);
  for (const { mutant, detail } of survivors) console.error(`survived: '${mutant.name}' (${detail})`);
  return survivors.length === 0 || HISTORIES !== undefined ? 0 : 1;
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}
