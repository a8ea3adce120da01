/** Reads the texts that the command line and the environment give for each flag. The Reader parses the texts. */

import { Command, CommanderError, Option } from 'commander';
import type { Environment } from '../model/settings.ts';
import { closestMatch } from '../model/text.ts';
import { ALL_FLAGS, type Flag, longNamesOf, VARIABLE_PREFIX, variablesOf } from './flags.ts';
import { UsageError } from './options.ts';

/** The texts for one flag, and their source for error messages: `--port` or `RELOADER_OPT_PORT`. */
export interface Given {
  readonly texts: readonly string[];
  readonly source: string;
}

/** The texts by flag; a flag that is not given has no entry. */
export type GivenFlags = ReadonlyMap<Flag['name'], Given>;

/**
 * The texts that `argv` (without node and script) gives for each flag; a switch without a value gives `true`.
 *
 * @throws UsageError for an unknown flag, a missing value or an argument that belongs to no flag.
 */
export function readCommandLine(argv: readonly string[]): GivenFlags {
  const given = new Map<Flag['name'], Given>();
  const command = newCommand((flag, text) => {
    const texts = [...(given.get(flag.name)?.texts ?? []), text];
    given.set(flag.name, { texts, source: writtenAs(flag, argv) });
  });
  const { operands, unknown } = splitWith(command, argv);
  if (unknown[0] !== undefined) throw unknownFlag(unknown[0]);
  if (operands[0] === undefined) return given;
  // The argument itself is not repeated: it may be the rest of a token that was not quoted.
  const place = argv.indexOf(operands[0]) + 1;
  throw new UsageError(`expected only flags, but argument ${place} belongs to none; see --help`);
}

/**
 * A commander command with all flags, which splits words and lays out the help; it writes nothing and never ends the process.
 * Commander's variables, choices and conflicts are not used: it reads process.env directly and one variable per flag, counts a
 * switch that is off as a conflict, and repeats values in errors, which may be secrets. `take` gets each flag with its text.
 */
export function newCommand(take: (flag: Flag, text: string) => void): Command {
  const command = new Command('reloader').usage('[flags]').helpOption(false).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  for (const flag of ALL_FLAGS) {
    const { name, aliases, value, help, group, alone = value === undefined ? 'true' : undefined } = flag;
    const argument = alone === undefined ? `<${value}>` : `[${value ?? 'boolean'}]`;
    // An option of commander has at most two forms; the help shows the first two.
    const [alias = [], ...others] = aliases;
    for (const forms of [[alias, `--${name}`].flat().join(', '), ...others]) {
      const option = new Option(`${forms} ${argument}`, help).argParser<void>((text) => take(flag, text));
      if (alone !== undefined) option.preset(alone);
      command.addOption(option.helpGroup(group).hideHelp(help === '' || others.includes(forms)));
    }
  }
  return command;
}

function splitWith(command: Command, argv: readonly string[]): { operands: string[]; unknown: string[] } {
  try {
    return command.parseOptions([...argv]);
  } catch (error) {
    // The only possible error here is a last flag without its value.
    if (error instanceof CommanderError) throw missingValue(argv.at(-1) ?? '');
    throw error;
  }
}

/** The long name by which the flag was given, with dashes; its own name if both were given. */
function writtenAs(flag: Flag, argv: readonly string[]): string {
  const isWritten = (name: string): boolean =>
    argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  return `--${longNamesOf(flag).findLast(isWritten) ?? flag.name}`;
}

function unknownFlag(word: string): UsageError {
  // The text after = may be a secret.
  const [flag = word] = word.split('=');
  const nearest = closestMatch(
    flag,
    ALL_FLAGS.flatMap(longNamesOf).map((name) => `--${name}`),
  );
  return new UsageError(
    `unknown flag ${JSON.stringify(flag)}: expected ${nearest ?? 'one of those that --help lists'}`,
  );
}

function missingValue(word: string): UsageError {
  const flag = ALL_FLAGS.find(({ name, aliases }) => [`--${name}`, ...aliases].includes(word));
  return new UsageError(`${word}: expected a value, as in ${word} <${flag?.value ?? 'value'}>`);
}

/** The trimmed text of a variable; empty if it is not set. */
export function textOf(env: Environment, variable: string): string {
  return env[variable]?.trim() ?? '';
}

/**
 * The texts by flag. Of several variables for one flag a list takes all; otherwise the last one wins, in this order: that of
 * another program, that of an alias, that of the flag's own name.
 */
export function readEnvironment(env: Environment): GivenFlags {
  return new Map(
    ALL_FLAGS.flatMap((flag) => {
      const set = [flag.variable ?? '', ...variablesOf(flag)].filter((variable) => textOf(env, variable));
      const source = set.at(-1);
      return source === undefined ? [] : [[flag.name, { texts: set.map((one) => textOf(env, one)), source }]];
    }),
  );
}

/** A warning for each variable that has our prefix and belongs to no flag. */
export function strangeVariables(env: Environment): string[] {
  const ours = ALL_FLAGS.flatMap(variablesOf).map((variable) => variable.slice(VARIABLE_PREFIX.length));
  return Object.keys(env)
    .filter((variable) => variable.startsWith(VARIABLE_PREFIX))
    .map((variable) => variable.slice(VARIABLE_PREFIX.length))
    .filter((name) => !ours.includes(name))
    .sort()
    .map((name) => {
      const nearest = closestMatch(name, ours);
      const suggestion = nearest === undefined ? '' : `; did you mean ${VARIABLE_PREFIX}${nearest}?`;
      return `${VARIABLE_PREFIX}${name} is ignored: no flag has that name${suggestion}`;
    });
}
