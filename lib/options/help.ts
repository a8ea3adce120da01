/** The text of --help. */

import { newCommand } from './command-line.ts';
import { commandsSummary } from './commands.ts';

const INTRODUCTION = `Watches ConfigMaps and Secrets and rolls the workloads that follow them when their content changes.
A Deployment, StatefulSet or DaemonSet says in its annotations for what it is rolled:
  reloader.k8s.collaborne.com/configmap: "names"
  reloader.k8s.collaborne.com/secret: "names"
  reloader.k8s.collaborne.com/auto: "true"         all that its pods refer to
The annotations of Stakater Reloader are read too.`;

const EPILOGUE = `
Each flag is also a variable: --dry-run is RELOADER_OPT_DRY_RUN. Flags win. KUBERNETES_NAMESPACE names namespaces
to watch if neither --namespace nor --all-namespaces is given; without it, the pod's own or the context's is watched,
or all where settings are given that only Stakater Reloader has.

Commands, each with --help; they read the cluster with your own rights:
${commandsSummary()}

Examples:
  reloader                                       watch the pod's own namespace
  reloader --namespace web,api                   watch two namespaces
  reloader -A --state-namespace reloader         watch all, keep the state in one place
  reloader --coalesce-period 10s --coalesce-max-wait 2m
  reloader --dry-run --context staging           say what would be rolled, write nothing
  reloader -A --port 9090 --auto-reload-all      take the place of Stakater Reloader

Exit codes: 0 stopped by a signal, 1 it cannot work here, 64 flags, variables or kubeconfig are not understood.
`;

/** The whole text, at most 110 columns wide. */
export function helpText(): string {
  const command = newCommand(() => undefined)
    .description(INTRODUCTION)
    .configureHelp({
      helpWidth: 110,
      optionDescription: ({ description }) => description,
      optionTerm: ({ flags }) => flags.replace(' [boolean]', ''),
    });
  return command.helpInformation() + EPILOGUE;
}
