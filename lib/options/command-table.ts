/** The table of the commands beside the controller: parsing, help and shell completion follow from it. */

/** A flag of a command, as commander writes it. */
export interface CommandFlag {
  readonly forms: string;
  readonly help: string;
  /** The texts that it takes; absent: any. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Whether it may be given several times. */
  readonly isList?: true;
  readonly isRequired?: true;
}

/** One command. */
export interface CommandRow {
  readonly summary: string;
  /** Its operands, as the help shows them. */
  readonly operands?: string;
  /** The texts that the first operand may have; absent: any. */
  readonly words?: readonly string[];
  readonly flags: readonly CommandFlag[];
  /** Three command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The exit codes besides 1 (it cannot answer) and 64 (the command line is not understood). */
  readonly exits: string;
}

const NAMESPACE: CommandFlag = {
  forms: '-n, --namespace <namespace>',
  help: 'the namespace (default: that of the context)',
};
const EVERYWHERE: CommandFlag = { forms: '-A, --all-namespaces', help: 'all namespaces' };
const CLUSTER: readonly CommandFlag[] = [
  NAMESPACE,
  { forms: '--context <name>', help: 'the context of the kubeconfig' },
  { forms: '--kubeconfig <file>', help: 'the kubeconfig (default: as kubectl finds it)' },
  {
    forms: '--reloader <namespace/name>',
    help: 'the Deployment of the reloader whose flags count, or none (default: it is looked for)',
  },
];

function output(...further: readonly string[]): CommandFlag {
  return {
    forms: '-o, --output <format>',
    help: 'the format of the answer',
    choices: ['text', 'json', 'yaml', ...further],
    default: 'text',
  };
}

const FILES: CommandFlag = {
  forms: '-f, --file <file>',
  help: 'a file, a folder, or - for the standard input; repeatable',
  isList: true,
  isRequired: true,
};

/** The shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** One of SHELLS. */
export type Shell = (typeof SHELLS)[number];

/** The name of a command. */
export type CommandName = 'explain' | 'plan' | 'check' | 'graph' | 'migrate' | 'completion';

/** The commands, in the order of the help. */
export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  explain: {
    summary: 'says what a workload follows, and why it is not rolled',
    operands: '<kind/name>',
    flags: [...CLUSTER, { ...EVERYWHERE, help: 'of an object: its followers in all namespaces' }, output()],
    examples: [
      ['reloader explain deployment/web', 'what it follows, what is out of date, what it waits for'],
      ['reloader explain configmap/web -n shop', 'who follows the object, and who mentions it and does not'],
      ['reloader explain deploy/web -o json', 'the same for a script'],
    ],
    exits: '0 it is answered',
  },
  plan: {
    summary: 'says what would be rolled if manifests were applied',
    flags: [
      FILES,
      { forms: '--against <place>', help: 'compare with these manifests, and not with a cluster' },
      ...CLUSTER,
      { ...EVERYWHERE, help: 'also workloads of other namespaces than those of the manifests' },
      output('markdown'),
    ],
    examples: [
      ['reloader plan -f k8s/', 'what applying a folder to the cluster would roll'],
      ['helm template shop | reloader plan -f - -n shop', 'the same of a chart'],
      ['reloader plan -f new/ --against old/ -o markdown', 'two trees, without a cluster'],
    ],
    exits: '0 nothing would be rolled, 2 something would',
  },
  check: {
    summary: 'finds mistakes in manifests, without a cluster',
    flags: [
      FILES,
      { ...NAMESPACE, help: 'the namespace of objects without one (default: default)' },
      { forms: '--strict', help: 'also objects that pods read and no annotation asks for' },
      { forms: '--ignore <rule>', help: 'a rule that does not count; repeatable', isList: true },
      output('sarif'),
    ],
    examples: [
      ['reloader check -f k8s/', 'all manifests of a folder'],
      ['helm template shop | reloader check -f - --strict', 'what a chart renders'],
      ['reloader check -f k8s/ -o sarif > reloader.sarif', 'for a code host'],
    ],
    exits: '0 there is no problem, 2 there are some',
  },
  graph: {
    summary: 'shows who follows what',
    operands: '[kind/name]',
    flags: [
      ...CLUSTER,
      EVERYWHERE,
      { forms: '--outdated', help: 'only what is out of date' },
      output('mermaid', 'dot'),
    ],
    examples: [
      ['reloader graph', 'each object with its followers'],
      ['reloader graph configmap/web -o mermaid', 'the followers of one object, as a picture in Markdown'],
      ['reloader graph -A --outdated -o dot', 'what is out of date, for Graphviz'],
    ],
    exits: '0 it is answered',
  },
  migrate: {
    summary: 'says what taking over from another reloader needs and changes',
    flags: [
      {
        forms: '--from <reloader>',
        help: 'the other reloader',
        choices: ['stakater', 'collaborne'],
        isRequired: true,
      },
      { forms: '--deployment <namespace/name>', help: 'its Deployment (default: it is looked for)' },
      { ...NAMESPACE, help: 'look at this namespace alone (default: all that would be watched)' },
      ...CLUSTER.slice(1, 3),
      output(),
    ],
    examples: [
      ['reloader migrate --from stakater', 'what the one in the cluster is set to, and what would change'],
      ['reloader migrate --from stakater --deployment tools/reloader', 'the same, if there are several'],
      ['reloader migrate --from collaborne -n shop -o json', 'the same of one namespace, for a script'],
    ],
    exits: '0 nothing is left to decide, 2 something is, or is not known',
  },
  completion: {
    summary: 'writes the completion script of a shell',
    operands: '<shell>',
    words: SHELLS,
    flags: [],
    examples: [
      ['reloader completion bash > ~/.local/share/bash-completion/completions/reloader', 'for every bash'],
      ['reloader completion zsh > ~/.zfunc/_reloader', 'for zsh, if ~/.zfunc is in fpath'],
      ['reloader completion fish > ~/.config/fish/completions/reloader.fish', 'for fish'],
    ],
    exits: '0 it is written',
  },
};

/** All commands with their names. */
export const COMMAND_ROWS: readonly (readonly [CommandName, CommandRow])[] = Object.entries(
  COMMANDS,
) as (readonly [CommandName, CommandRow])[];
