/** Shell completion of the commands, written from their table. */

import { COMMAND_ROWS, type CommandRow, type Shell } from './command-table.ts';

/** The script that the shell reads. It completes commands, their flags, and the values of flags that have choices. */
export function completionScript(shell: Shell): string {
  return shell === 'bash' ? bashScript() : shell === 'zsh' ? zshScript() : fishScript();
}

/** A flag in its forms with dashes. */
interface Forms {
  readonly forms: readonly string[];
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly help: string;
}

function formsOf({ flags }: CommandRow): readonly Forms[] {
  return flags.map(({ forms, choices = [], help }) => ({
    forms: forms.split(/[ ,]+/).filter((word) => word.startsWith('-')),
    takesValue: forms.includes('<'),
    choices,
    help,
  }));
}

function bashScript(): string {
  const cases = COMMAND_ROWS.map(([name, row]) => {
    const flags = formsOf(row);
    const values = flags
      .filter(({ choices }) => choices.length > 0)
      .map(({ forms, choices }) => `        ${forms.join('|')}) words="${choices.join(' ')}" ;;`);
    const files = flags.filter(({ forms }) => forms.includes('--file')).flatMap(({ forms }) => forms);
    const ofFiles =
      files.length === 0
        ? []
        : [`        ${files.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    return `    ${name})
      words="${[...(row.words ?? []), ...flags.flatMap(({ forms }) => forms), '--help'].join(' ')}"
      case "$before" in
${[...values, ...ofFiles, '        *) ;;'].join('\n')}
      esac ;;`;
  });
  return `# bash completion of reloader: source <(reloader completion bash)
_reloader() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${COMMAND_ROWS.map(([name]) => name).join(' ')} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _reloader reloader kubectl-reloader
`;
}

function zshScript(): string {
  const commands = COMMAND_ROWS.map(([name, { summary }]) => `    '${name}:${escaped(summary)}'`);
  const cases = COMMAND_ROWS.map(([name, row]) => {
    const specs = formsOf(row).flatMap((flag) => flag.forms.map((form) => zshSpec(form, flag)));
    const word = row.words === undefined ? [] : [`        '1:word:(${row.words.join(' ')})'`];
    return `    ${name})\n      _arguments \\\n${[...specs, ...word, "        '*: :'"].join(' \\\n')} ;;`;
  });
  return `#compdef reloader kubectl-reloader
# zsh completion of reloader: source <(reloader completion zsh)
_reloader() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
compdef _reloader reloader kubectl-reloader
`;
}

function zshSpec(form: string, { forms, takesValue, choices, help }: Forms): string {
  const files = forms.includes('--file') ? '_files' : ' ';
  const values = choices.length > 0 ? `(${choices.join(' ')})` : files;
  return `        '${form}[${escaped(help)}]${takesValue ? `:value:${values}` : ''}'`;
}

function fishScript(): string {
  const commands = COMMAND_ROWS.map(
    ([name, { summary }]) =>
      `complete -c reloader -n __fish_use_subcommand -f -a ${name} -d '${escaped(summary)}'`,
  );
  const flags = COMMAND_ROWS.flatMap(([name, row]) =>
    formsOf(row).map(({ forms, takesValue, choices, help }) => {
      const words = forms.map((form) =>
        form.startsWith('--') ? `-l ${form.slice(2)}` : `-s ${form.slice(1)}`,
      );
      const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
      return `complete -c reloader -n '__fish_seen_subcommand_from ${name}' ${words.join(' ')}${value} -d '${escaped(help)}'`;
    }),
  );
  const words = COMMAND_ROWS.flatMap(([name, row]) =>
    row.words === undefined
      ? []
      : [`complete -c reloader -n '__fish_seen_subcommand_from ${name}' -f -a '${row.words.join(' ')}'`],
  );
  return `# fish completion of reloader: reloader completion fish | source
${[...commands, ...words, ...flags].join('\n')}
`;
}

/** Without what ends a quoted text, or a field of it, in any of the shells. */
function escaped(text: string): string {
  return text.replaceAll(/['[\]:\\]/g, ' ');
}
