/** From the words of a command line to the texts given for each flag; what the texts mean is not judged here. */

import { Command, CommanderError, Option } from 'commander';
import { closestMatch } from '../model/text.ts';
import { FLAGS, type Flag, type FlagName } from './flags.ts';
import { UsageError } from './usage-error.ts';

/** The texts given for one flag, and where: `--port`, `RELOADER_OPT_PORT`. */
export interface Given {
  readonly texts: readonly string[];
  readonly source: string;
}

/** What was given, by flag. */
export type GivenFlags = ReadonlyMap<FlagName, Given>;

/**
 * What `argv` (without node and script) gives for each flag; a switch without a value gives `true`.
 *
 * @throws UsageError for an unknown flag, a missing value or an argument that belongs to no flag.
 */
export function readCommandLine(argv: readonly string[]): GivenFlags {
  const command = newCommand();
  const { operands, unknown } = splitWith(command, argv);
  if (unknown[0] !== undefined) throw unknownFlag(unknown[0]);
  if (operands[0] !== undefined) throw strayArgument(argv.indexOf(operands[0]));
  return new Map(FLAGS.flatMap((flag) => givenFor(flag, command, argv)));
}

/** A commander command that knows every flag; it writes nothing and never ends the process. */
export function newCommand(): Command {
  const command = new Command('reloader').usage('[flags]').helpOption(false).exitOverride();
  command.configureOutput({ writeOut: ignore, writeErr: ignore });
  for (const flag of FLAGS) command.addOption(optionOf(flag));
  return command;
}

function optionOf({ name, alias, value, help, group }: Flag): Option {
  const option = new Option(
    `${alias === undefined ? '' : `${alias}, `}--${name} ${value === undefined ? '[boolean]' : `<${value}>`}`,
    help ?? '',
  ).argParser<readonly string[]>((text, before) => [...(before ?? []), text]);
  if (value === undefined) option.preset('true');
  if (group !== undefined) option.helpGroup(group);
  return option.hideHelp(help === undefined);
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

function givenFor(flag: Flag, command: Command, argv: readonly string[]): [FlagName, Given][] {
  const option = command.options.find((candidate) => candidate.long === `--${flag.name}`);
  const texts: unknown = option && command.getOptionValue(option.attributeName());
  return Array.isArray(texts) ? [[flag.name, { texts, source: writtenAs(flag, argv) }]] : [];
}

/** The long name under which the flag was written; its own where both were. */
function writtenAs({ name, alias }: Flag, argv: readonly string[]): string {
  const own = `--${name}`;
  const isWritten = (long: string): boolean =>
    argv.some((word) => word === long || word.startsWith(`${long}=`));
  return alias?.startsWith('--') && isWritten(alias) && !isWritten(own) ? alias : own;
}

function unknownFlag(word: string): UsageError {
  // What follows = may be a secret.
  const [flag = word] = word.split('=');
  const known = FLAGS.flatMap(({ name, alias }) =>
    alias?.startsWith('--') ? [`--${name}`, alias] : [`--${name}`],
  );
  const nearest = closestMatch(flag, known);
  return new UsageError(
    `unknown flag ${JSON.stringify(flag)}: expected ${nearest ?? 'one of those that --help lists'}`,
  );
}

function missingValue(word: string): UsageError {
  const flag = FLAGS.find(({ name, alias }) => word === `--${name}` || word === alias);
  return new UsageError(`${word}: expected a value, as in ${word} <${flag?.value ?? 'value'}>`);
}

/** The argument itself is not repeated: it may be the rest of a token that was not quoted. */
function strayArgument(index: number): UsageError {
  return new UsageError(`expected only flags, but argument ${index + 1} belongs to none; see --help`);
}

function ignore(): void {
  // All texts go through the return value.
}
