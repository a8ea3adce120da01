/** The texts of --help: the commands on one screen, and all flags of the controller by topic. */

import { Command } from 'commander';
import { newCommand } from './command-line.ts';
import { COMMANDS } from './command-table.ts';

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

/** What `reloader --help` shows: what it is, the commands, and where the rest is. */
export function helpText(): string {
  const command = new Command('reloader')
    .helpOption(false)
    .usage('[run] [flags]\n       reloader <command> [flags] [-- flags of the reloader]')
    .description(INTRODUCTION)
    .configureHelp({ subcommandTerm: (each) => each.name() })
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
      // The table has the defaults in its sentences.
      optionDescription: ({ description }) => description,
      optionTerm: (option) => option.flags.replace(' [boolean]', ''),
      formatItem: (term, _width, description, help) => {
        const text = help.boxWrap(description, (help.helpWidth ?? NARROWEST) - DESCRIPTION_INDENT);
        return `  ${term}\n${text.replaceAll(/^/gm, ' '.repeat(DESCRIPTION_INDENT))}`;
      },
    });
  return command.helpInformation() + RUN_EPILOGUE;
}

const NARROWEST = 80;
const DESCRIPTION_INDENT = 8;
