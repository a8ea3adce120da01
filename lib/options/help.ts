/** The texts of --help: one screen, and all flags of the controller by topic. */

import { newCommand } from './command-line.ts';
import { COMMANDS } from './command-table.ts';
import { ALL_FLAGS, type FlagName } from './flags.ts';

/** The flags on the first screen, those that most installations need, in so few words that each has one line. */
const COMMON: readonly (readonly [FlagName, string])[] = [
  ['namespace', 'watch these namespaces'],
  ['all-namespaces', 'watch every namespace'],
  ['namespaces-to-ignore', 'but not these'],
  ['auto-reload-all', 'no annotation is needed'],
  ['reload-strategy', 'env-vars, annotations or evict'],
  ['coalesce-period', 'wait so long after a change (5s)'],
  ['max-concurrent-rollouts', 'workloads in a rollout at a time'],
  ['dry-run', 'only report; write nothing'],
  ['context', 'context of the kubeconfig'],
  ['port', 'status page and metrics (8080)'],
  ['log-level', 'debug, info, warn or error'],
  ['log-format', 'text or json'],
];

const INTRODUCTION = `Rolls workloads when the content of their ConfigMaps and Secrets changes.
A workload asks for it by an annotation in its own metadata:
  reloader.k8s.collaborne.com/auto: "true"      all objects that its pods use
  reloader.k8s.collaborne.com/configmap: "a,b"  these; /secret for Secrets
The annotations of Stakater Reloader work too.`;

const RUN_EPILOGUE = `
Each flag is also a variable: --dry-run is RELOADER_OPT_DRY_RUN. Flags win.
Without --namespace and --all-namespaces, KUBERNETES_NAMESPACE names the
namespaces to watch. If it is not set, the reloader watches the namespace of its
pod or context, or all if a setting is given that only Stakater Reloader has.

Examples:
  reloader run                                 watch the namespace of the pod
  reloader run -A --state-namespace reloader   watch all, with one state
  reloader run -A --port 9090 --auto-reload-all
                                               replace Stakater Reloader

Exit codes: 0 stopped by a signal, 1 it cannot work here, 64 flags, variables or
the kubeconfig are not understood.
`;

/** What `reloader --help` shows: what it is, the commands, the common flags, and where the rest is. */
export function helpText(): string {
  const flags = COMMON.flatMap(([name, help]) =>
    ALL_FLAGS.filter((flag) => flag.name === name).map((flag) => ({ ...flag, help, group: 'Common flags:' })),
  );
  const command = newCommand(() => undefined, flags)
    .usage('[run] [flags]\n       reloader <command> [flags] [-- flags of the reloader]')
    .description(INTRODUCTION)
    .configureHelp({ ...WITHOUT_COMMANDERS_WORDS, subcommandTerm: (each) => each.name() })
    .helpCommand(false);
  for (const [name, { summary }] of Object.entries(COMMANDS)) command.command(name).summary(summary);
  command.command('version').summary('writes the version');
  return `${command.helpInformation()}
Commands read the cluster with your own rights. In a pod, or with any flag,
reloader runs the controller. All its flags by topic: reloader run --help
`;
}

/** What `reloader run --help` shows: every flag, as wide as the terminal, and 80 columns where there is none. */
export function runHelpText(): string {
  const command = newCommand(() => undefined)
    .usage('[run] [flags]')
    .description('Runs the controller. The flags, by topic:')
    .configureHelp({
      ...WITHOUT_COMMANDERS_WORDS,
      formatItem: (term, _width, description, help) => {
        const text = help.boxWrap(description, (help.helpWidth ?? NARROWEST) - DESCRIPTION_INDENT);
        return `  ${term}\n${text.replaceAll(/^/gm, ' '.repeat(DESCRIPTION_INDENT))}`;
      },
    });
  return command.helpInformation() + RUN_EPILOGUE;
}

const NARROWEST = 80;
const DESCRIPTION_INDENT = 8;

/** The table has the defaults in its sentences. */
const WITHOUT_COMMANDERS_WORDS = {
  optionDescription: ({ description }: { readonly description: string }): string => description,
  optionTerm: ({ flags }: { readonly flags: string }): string => flags.replace(' [boolean]', ''),
};
