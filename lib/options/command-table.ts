/** The table of the commands beside the controller: parsing, help and shell completion follow from it. */

import { Argument, Option } from 'commander';

/** One command. */
export interface CommandRow {
  readonly summary: string;
  readonly argument?: Argument;
  readonly flags: readonly Option[];
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, what: string])[];
}

const CONNECTION = [
  new Option('--context <name>', 'the context of the kubeconfig'),
  new Option('--kubeconfig <file>', 'the kubeconfig (default: as kubectl finds it)'),
];
const CLUSTER = [
  namespace('the namespace (default: that of the context)'),
  ...CONNECTION,
  new Option(
    '--reloader <namespace/name>',
    'the Deployment of the reloader whose flags count, or none (default: it is looked for)',
  ),
];
/** `kind/name` is one word, and `kind name` two. */
const SUBJECT = new Argument('<kind/name...>');
const CONTENT = new Option('--content <token>', 'the token of the content (default: what waits now)');
const FILES = repeatable(
  '-f, --file <file>',
  'a file, a folder (check: with its subfolders), or - for the standard input; repeatable',
).makeOptionMandatory();

function namespace(help: string): Option {
  return new Option('-n, --namespace <namespace>', help);
}

function output(...further: readonly string[]): Option {
  return new Option('-o, --output <format>', 'the format of the answer')
    .choices(['text', 'json', 'yaml', ...further])
    .default('text');
}

function repeatable(forms: string, help: string): Option {
  return new Option(forms, help).argParser<readonly string[]>((text, before = []) => [...before, text]);
}

/** The shells. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** One of SHELLS. */
export type Shell = (typeof SHELLS)[number];

/** The name of a command. */
export type CommandName =
  | ('explain' | 'plan' | 'check' | 'graph')
  | ('hold' | 'release' | 'approve' | 'resume')
  | ('migrate' | 'completion');

/** The commands, in the order of the help. */
export const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  explain: {
    summary: 'says what a workload follows, and why it is not rolled',
    argument: SUBJECT,
    flags: [...CLUSTER, output()],
    examples: [
      ['reloader explain deployment/web', 'what it follows, what is out of date, what it waits for'],
    ],
  },
  plan: {
    summary: 'says which workloads changed objects would roll if manifests were applied',
    flags: [
      FILES,
      new Option('--against <place>', 'compare with these manifests, and not with a cluster'),
      ...CLUSTER,
      output('markdown'),
    ],
    examples: [
      ['reloader plan -f k8s/', 'what applying a folder to the cluster would roll'],
      ['reloader plan -f new/ --against old/', 'two trees, without a cluster'],
    ],
  },
  check: {
    summary:
      'finds mistakes in the annotations and references of manifests, without a cluster; `kubectl apply --dry-run=server` validates the rest',
    flags: [
      FILES,
      namespace('the namespace of objects without one (default: default)'),
      new Option('--strict', 'also objects that pods read and no annotation asks for'),
      repeatable('--ignore <rule>', 'a rule that does not count; repeatable'),
      repeatable('--exclude <glob>', 'files, or a folder, that are not read; repeatable'),
      new Option('--fail-on <level>', 'the least problem for exit code 2')
        .choices(['error', 'warning'])
        .default('warning'),
      output(),
    ],
    examples: [['reloader check -f k8s/', 'all manifests of a folder']],
  },
  graph: {
    summary: 'shows who follows what',
    argument: new Argument('[kind/name...]'),
    flags: [
      ...CLUSTER,
      new Option('-A, --all-namespaces', 'all namespaces'),
      new Option('--outdated', 'only what is out of date'),
      output('mermaid'),
    ],
    examples: [
      ['reloader graph configmap/web -o mermaid', 'the followers of one object, as a picture in Markdown'],
    ],
  },
  hold: action(
    'holds a workload, or the changes of an object',
    [['reloader hold deployment/web', 'nothing rolls it until reloader release deployment/web']],
    new Option('--until <time>', 'until then (default: until reloader release)'),
  ),
  release: action('ends a hold', [
    ['reloader release deployment/web', 'it is rolled for what changed meanwhile'],
  ]),
  approve: action(
    'allows the rollout that a workload waits for',
    [['reloader approve deployment/web', 'for the content that it waits for now, and no other']],
    CONTENT,
  ),
  resume: action(
    'continues the change of an object that a workload halted',
    [['reloader resume configmap/ca', 'the next stage begins']],
    CONTENT,
  ),
  migrate: {
    summary: 'says what taking over from another reloader needs and changes',
    flags: [
      new Option('--from <reloader>', 'required: the other reloader')
        .choices(['stakater', 'collaborne'])
        .makeOptionMandatory(),
      new Option('--deployment <namespace/name>', 'its Deployment (default: it is looked for)'),
      namespace('look at this namespace alone (default: all that would be watched)'),
      ...CONNECTION,
      output(),
    ],
    examples: [
      ['reloader migrate --from stakater', 'what the one in the cluster is set to, and what would change'],
    ],
  },
  completion: {
    summary: 'writes the completion script of a shell',
    argument: new Argument('<shell>').choices(SHELLS),
    flags: [],
    examples: [
      ['reloader completion bash > ~/.local/share/bash-completion/completions/reloader', 'for every bash'],
    ],
  },
};

/** The flags that may stand before the command, each with its value. */
export const LEADING: readonly string[] = ['-n', '--namespace', '--context', '--kubeconfig'];

/** A command that writes one annotation. */
function action(
  summary: string,
  examples: CommandRow['examples'],
  ...further: readonly Option[]
): CommandRow {
  return { summary, argument: SUBJECT, flags: [...CLUSTER, ...further, output()], examples };
}
