/** Parses the words of a command beside the controller, and lays out its help. */

import { Command, CommanderError } from 'commander';
import { closestMatch } from '../model/text.ts';
import { COMMANDS, type CommandName, LEADING } from './command-table.ts';
import { helpText, runHelpText } from './help.ts';
import { type ParsedCommand, UsageError } from './options.ts';
import { VERSION } from './version.ts';

/** How many words before the command are flags with their values. */
function leadingWords([word = '', ...others]: readonly string[]): number {
  const [flag = '', value] = word.split('=');
  if (!LEADING.includes(flag)) return 0;
  return value === undefined ? 2 + leadingWords(others.slice(1)) : 1 + leadingWords(others);
}

/** The flags of all commands; one that a command does not have is absent. */
export interface CommandFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly reloader?: string;
  readonly output: string;
  readonly file?: readonly string[];
  readonly strict?: true;
  readonly outdated?: true;
  readonly against?: string;
  readonly ignore?: readonly string[];
  readonly exclude?: readonly string[];
  readonly failOn?: string;
  readonly from?: string;
  readonly deployment?: string;
  readonly until?: string;
  readonly content?: string;
}

/** A command that is to be run. */
export interface GivenCommand {
  readonly type: 'command';
  readonly name: CommandName;
  readonly operands: readonly string[];
  readonly flags: CommandFlags;
  /** The words after `--`: flags of the controller, which count in place of those of the installed one. */
  readonly settings: readonly string[];
}

/** The command that is meant where none is given. */
const RUN = 'run';
const HELP_WORDS = ['help', '--help', '-h'];

/**
 * The command that the first words of `argv` name; undefined for the controller. Total: an error is a result.
 * `isAlone`: whether no words mean a person who has to see the help, not a pod.
 */
export function parseCommand(
  argv: readonly string[],
  isPlugin: boolean,
  isAlone: boolean,
): GivenCommand | Exclude<ParsedCommand, { type: 'run' }> | undefined {
  const [first, ...words] = withCommandFirst(argv);
  if (first === undefined) return isPlugin || isAlone ? printed(helpText()) : undefined;
  const text = answerTo(first, words);
  if (text !== undefined) return printed(text);
  if (first === RUN || (first.startsWith('-') && !isPlugin)) return undefined;
  try {
    return given(nameIn(first), words);
  } catch (error) {
    if (error instanceof UsageError)
      return { type: 'usage-error', message: error.message, ...(isCommand(first) && { command: first }) };
    throw error;
  }
}

/** kubectl passes the flags that stand before the command: they go behind it. */
function withCommandFirst(argv: readonly string[]): readonly string[] {
  const at = leadingWords(argv);
  const name = argv[at];
  return isCommand(name) ? [name, ...argv.slice(0, at), ...argv.slice(at + 1)] : argv;
}

/** What the words that are no command of the table print. */
function answerTo(first: string, words: readonly string[]): string | undefined {
  const [name] = words;
  if (HELP_WORDS.includes(first))
    return name === RUN ? runHelpText() : isCommand(name) ? helpOf(name) : helpText();
  return ['version', '--version'].includes(first) ? `${VERSION}\n` : undefined;
}

function printed(text: string): Extract<ParsedCommand, { type: 'print' }> {
  return { type: 'print', text, exitCode: 0 };
}

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}

function nameIn(word: string): CommandName {
  if (isCommand(word)) return word;
  if (word.startsWith('-'))
    throw new UsageError('expected a command that reloader help lists before the flags');
  const nearest = closestMatch(word, Object.keys(COMMANDS));
  // The word itself is not repeated unless it resembles a command: it may be the rest of a token that was not quoted.
  throw new UsageError(
    nearest === undefined
      ? 'expected a flag, or one of the commands that reloader help lists, but argument 1 is neither'
      : `unknown command ${JSON.stringify(word)}: expected ${nearest}`,
  );
}

function given(
  name: CommandName,
  argv: readonly string[],
): GivenCommand | Exclude<ParsedCommand, { type: 'run' }> {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const settings = end === -1 ? [] : argv.slice(end + 1);
  if (own.some((word) => HELP_WORDS.slice(1).includes(word))) return printed(helpOf(name));
  const command = commandOf(name);
  try {
    command.parse([...own], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError)
      throw new UsageError(error.message.replace(/^error: /, '').replace(/\n.*/s, ''));
    throw error;
  }
  return { type: 'command', name, operands: command.args, flags: command.opts<CommandFlags>(), settings };
}

function commandOf(name: CommandName): Command {
  const { argument, flags } = COMMANDS[name];
  const command = new Command(`reloader ${name}`).helpOption(false).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  if (argument !== undefined) command.addArgument(argument);
  for (const flag of flags) command.addOption(flag);
  return command;
}

function helpOf(name: CommandName): string {
  const { summary, examples } = COMMANDS[name];
  const command = commandOf(name).description(`${name} ${summary}.`);
  if (command.options.length > 0) command.usage(`${command.usage()} [-- flags of the reloader]`);
  const lines = examples.map(([line, what]) => `  ${line}\n      ${what}`);
  return `${command.helpInformation()}
Examples:
${lines.join('\n')}

Exit codes: 0 it is answered, 1 it cannot be, 2 there is something to look at (plan, check, migrate),
3 something is not known, 64 the command line is not understood.
`;
}
