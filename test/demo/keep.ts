/** What can be done with a demo that goes on. */

import { untilAborted } from '../sandbox/abort.ts';
import { endOf, type Stage } from './stage.ts';

/** Says how to play with it, and goes on until `signal` is aborted or the reloader ends. */
export async function keepOpen(stage: Stage, signal: AbortSignal): Promise<void> {
  const { screen, reloader, url } = stage;
  screen.heading('It goes on. In another terminal:');
  screen.print(...INSTRUCTIONS(stage.kubeconfig, url), '');
  screen.say(
    `In a browser: http://127.0.0.1:${reloader.port}/ shows what follows what, which workloads are out of date and why.`,
  );
  screen.say('Ctrl-C ends it and leaves nothing behind. The log:');
  await Promise.race([untilAborted(signal).catch(() => undefined), reloader.ended]);
  if (!signal.aborted) throw new Error(endOf(reloader));
}

const INSTRUCTIONS = (kubeconfig: string, url: string): readonly string[] => [
  `  export KUBECONFIG=${kubeconfig}`,
  '  kubectl get deployments,statefulsets,daemonsets,pods',
  `  kubectl patch configmap web -p '{"data":{"GREETING":"hello again"}}'`,
  '  kubectl get pods --watch -o custom-columns=POD:.metadata.name,IS:.status.phase',
  '  kubectl get events -o custom-columns=OF:.involvedObject.name,REASON:.reason,MESSAGE:.message',
  '  kubectl get configmap reloader-state -o yaml',
  '',
  'The same change without kubectl:',
  '',
  "  curl -X PATCH -H 'Content-Type: application/merge-patch+json' \\",
  `    -d '{"data":{"GREETING":"hello again"}}' \\`,
  `    ${url}/api/v1/namespaces/default/configmaps/web`,
];
