/** Runs a command beside the controller to its end. */

import { ConnectionError, type Environment } from '../model/settings.ts';
import type { GivenCommand } from '../options/commands.ts';
import { UNKNOWN_EXIT_CODE } from '../options/options.ts';
import { runApprove, runHold, runRelease, runResume } from './actions.ts';
import { CommandError, exitCodeOf } from './connect.ts';
import { runExplain } from './explain/explain.ts';
import { runGraph } from './graph/graph.ts';
import { runCheck } from './manifests/check.ts';
import { runPlan } from './manifests/plan.ts';
import { runMigrate } from './migrate/migration.ts';
import { formatted, type Terminal, terminalOf } from './terminal.ts';

/** What a command gets. */
export interface CommandContext extends Omit<GivenCommand, 'type' | 'name'> {
  readonly env: Environment;
  readonly terminal: Terminal;
}

/** What a command answers. */
export interface Answered {
  readonly answer: object;
  /** The answer for people, or in a format that only this command has. */
  readonly text: () => string;
  /** What the exit code depends on and is not known. */
  readonly unknown: readonly string[];
  /** The exit code if all of that is known. @default 0 */
  readonly code?: number;
}

/** What lasts longer says so, again and again. */
const SLOW_MS = 2_000;

const RUNS: Readonly<Record<GivenCommand['name'], (context: CommandContext) => Promise<Answered>>> = {
  explain: runExplain,
  check: runCheck,
  plan: runPlan,
  graph: runGraph,
  migrate: runMigrate,
  hold: runHold,
  release: runRelease,
  approve: runApprove,
  resume: runResume,
};

/** The exit code: that of the command, or of the error why it cannot answer. */
export async function runCommand(
  { name, operands, flags, settings }: GivenCommand,
  env: Environment,
): Promise<number> {
  const own = terminalOf(env);
  // A program that reads the standard error finds nothing there but an error.
  const isForPrograms = ['json', 'yaml'].includes(flags.output);
  const terminal = isForPrograms ? { ...own, note: () => undefined } : own;
  const progress = setInterval(() => terminal.note('reading …'), SLOW_MS);
  try {
    const context = { operands, flags, settings, env, terminal };
    const { answer, text, unknown, code = 0 } = await RUNS[name](context);
    await terminal.write(formatted(flags.output, answer, text));
    return unknown.length > 0 ? UNKNOWN_EXIT_CODE : code;
  } catch (thrown) {
    if (!(thrown instanceof CommandError || thrown instanceof ConnectionError)) throw thrown;
    const code = thrown instanceof ConnectionError ? 'usage' : thrown.code;
    const error = { code, message: thrown.message };
    own.note(formatted(flags.output, { error }, () => `reloader ${name}: ${error.message}`).trimEnd());
    return exitCodeOf(code);
  } finally {
    clearInterval(progress);
  }
}
