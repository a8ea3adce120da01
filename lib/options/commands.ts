/** Parses the words of a command beside the controller, lays out its help, and completes its words in a shell. */

import { Command, CommanderError } from 'commander';
import { closestMatch } from '../model/text.ts';
import { COMMANDS, type CommandName, LEADING, type Shell } from './command-table.ts';
import { FLAGS, longNamesOf } from './flags.ts';
import { helpText, runHelpText } from './help.ts';
import { type ParsedCommand, UsageError } from './options.ts';
import { VERSION } from './version.ts';

/** The scripts that the shells read. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of reloader: source <(reloader completion bash)
_reloader() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete "\${words[@]}")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _reloader reloader kubectl-reloader
`,
  zsh: `#compdef reloader kubectl-reloader
# zsh completion of reloader: source <(reloader completion zsh)
_reloader() {
  compadd -- \${(f)"$("\${words[1]}" complete "\${(@)words[2,CURRENT]}")"} || _files
}
compdef _reloader reloader kubectl-reloader
`,
  fish: `# fish completion of reloader: reloader completion fish | source
complete -c reloader -a '(reloader complete (commandline -opc)[2..] (commandline -ct))'
`,
};

/** The words that may stand in place of the last one of `argv`; none where a file or a name belongs. */
export function completionsOf(argv: readonly string[]): readonly string[] {
  const at = leadingWords(argv);
  if (at > 0 && at >= argv.length) return [];
  const [name = '', ...words] = argv.slice(at);
  if (words.length === 0) return [...Object.keys(COMMANDS), 'run', 'version', 'help'];
  if (name === 'run') return FLAGS.flatMap(longNamesOf).map((flag) => `--${flag}`);
  if (!Object.hasOwn(COMMANDS, name)) return [];
  const { argument, flags } = COMMANDS[name as CommandName];
  const before = flags.find(({ short, long }) => [short, long].includes(words.at(-2) ?? ''));
  if (before?.required) return before.argChoices ?? [];
  const forms = flags.flatMap(({ short, long }) => [short, long].filter((form) => form !== undefined));
  return [...(argument?.argChoices ?? []), ...forms, '--help'];
}

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

/** What a command line without the controller asks for. */
type Parsed = GivenCommand | Exclude<ParsedCommand, { type: 'run' }>;

/** A command that is to be run. */
export interface GivenCommand {
  readonly type: 'command';
  readonly name: Exclude<CommandName, 'completion'>;
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
): Parsed | undefined {
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
  if (['version', '--version'].includes(first)) return `${VERSION}\n`;
  const completions = (): readonly string[] => completionsOf(words).map((word) => `${word}\n`);
  return first === 'complete' ? completions().join('') : undefined;
}

function printed(text: string): Extract<ParsedCommand, { type: 'print' }> {
  return { type: 'print', text };
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

function given(name: CommandName, argv: readonly string[]): Parsed {
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
  if (name === 'completion') return printed(COMPLETION_SCRIPTS[command.args[0] as Shell]);
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

Exit codes: 0 it is answered, or written, 1 it cannot be, 2 there is something to look at (plan, check,
migrate), 3 something is not known, 64 the command line is not understood.
`;
}
