/** From the words of a command line to the texts given for each flag. Their meaning is the matter of the reader. */

import { Command, CommanderError, Option } from 'commander';
import { closestMatch } from '../model/text.ts';
import { ALL_FLAGS, type Flag, longNamesOf } from './flags.ts';
import { UsageError } from './options.ts';

/** The texts given for one flag, and where: `--port`, `RELOADER_OPT_PORT`. */
export interface Given {
  readonly texts: readonly string[];
  readonly source: string;
}

/** The given texts, by flag. */
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
 * A commander command that knows every flag; it writes nothing and never ends the process. It splits the words and lays
 * out the help. Its variables, choices and conflicts are not used: it reads the variables of the process itself and one
 * for a flag, takes a switch that is off for one half of a conflict, and repeats values, which may be secrets.
 */
export function newCommand(take: (flag: Flag, text: string) => void): Command {
  const command = new Command('reloader').usage('[flags]').helpOption(false).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  for (const flag of ALL_FLAGS) {
    const { name, alias, value, help, group } = flag;
    const forms = alias === undefined ? `--${name}` : `${alias}, --${name}`;
    const option = new Option(`${forms} ${value === undefined ? '[boolean]' : `<${value}>`}`, help);
    option.argParser<void>((text) => take(flag, text));
    if (value === undefined) option.preset('true');
    command.addOption(option.helpGroup(group).hideHelp(help === ''));
  }
  return command;
}

function splitWith(command: Command, argv: readonly string[]): { operands: string[]; unknown: string[] } {
  try {
    return command.parseOptions([...argv]);
  } catch (error) {
    // The only complaint at this stage is a flag at the end whose value is missing.
    if (error instanceof CommanderError) throw missingValue(argv.at(-1) ?? '');
    throw error;
  }
}

/** The long name under which the flag was written; its own where both were. */
function writtenAs(flag: Flag, argv: readonly string[]): string {
  const isWritten = (name: string): boolean =>
    argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  return `--${longNamesOf(flag).findLast(isWritten) ?? flag.name}`;
}

function unknownFlag(word: string): UsageError {
  // The text behind = may be a secret.
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
  const flag = ALL_FLAGS.find(({ name, alias }) => word === `--${name}` || word === alias);
  return new UsageError(`${word}: expected a value, as in ${word} <${flag?.value ?? 'value'}>`);
}
