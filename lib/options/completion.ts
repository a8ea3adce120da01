/** Shell completion: the scripts ask `reloader complete` for the words that may come next. */

import { COMMAND_ROWS, COMMANDS, type CommandName, LEADING, type Shell } from './command-table.ts';
import { FLAGS, longNamesOf } from './flags.ts';

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
  if (words.length === 0) return [...COMMAND_ROWS.map(([command]) => command), 'run', 'version', 'help'];
  if (name === 'run') return FLAGS.flatMap(longNamesOf).map((flag) => `--${flag}`);
  if (!Object.hasOwn(COMMANDS, name)) return [];
  const { argument, flags } = COMMANDS[name as CommandName];
  const before = flags.find(({ short, long }) => [short, long].includes(words.at(-2) ?? ''));
  if (before?.required) return before.argChoices ?? [];
  const forms = flags.flatMap(({ short, long }) => [short, long].filter((form) => form !== undefined));
  return [...(argument?.argChoices ?? []), ...forms, '--help'];
}

/** How many words before the command are flags with their values. */
export function leadingWords([word = '', ...others]: readonly string[]): number {
  const [flag = '', value] = word.split('=');
  if (!LEADING.includes(flag)) return 0;
  return value === undefined ? 2 + leadingWords(others.slice(1)) : 1 + leadingWords(others);
}
