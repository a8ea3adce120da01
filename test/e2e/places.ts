/** Where a fact about the API is tried: a real cluster and the sandbox, with their controllers and the same kubectl. */

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RealCluster } from '../control-plane/cluster.ts';
import { senderTo } from '../control-plane/sender.ts';
import { until } from '../integration/reloader-process.ts';
import { RuleClient } from '../sandbox/api-rules.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { kubeconfig, serve } from '../sandbox/serve.ts';
import { runProgram } from './programs.ts';
import { Stage } from './stage.ts';
import type { WorkloadName } from './workloads.ts';

/** A namespace in one of them. */
export interface Place extends AsyncDisposable {
  /** As the administrator. */
  readonly api: RuleClient;
  /** Runs kubectl in the namespace. `input`: for `-f -`. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<unknown>;
  /** `kubectl rollout undo`, or what the sandbox has for it. */
  readonly undo: (workload: WorkloadName) => Promise<unknown>;
  /** Resolves when `condition` holds. */
  readonly until: (what: string, condition: () => Promise<boolean>) => Promise<void>;
}

/** By name. */
export const PLACES: Readonly<Record<string, (cluster: RealCluster) => Promise<Place>>> = {
  'a real cluster': inCluster,
  'the sandbox': inSandbox,
};

async function inCluster(cluster: RealCluster): Promise<Place> {
  const stage = await Stage.open(cluster);
  const api = new RuleClient(cluster.send, stage.namespace);
  return {
    api,
    kubectl: (args, input = '') => stage.kubectl(args, { input }),
    undo: ({ kind, name }) => stage.kubectl(['rollout', 'undo', `${kind}/${name}`]),
    until: (what, condition) => stage.until(what, condition),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

async function inSandbox({ access }: RealCluster): Promise<Place> {
  const sandbox = createSandbox();
  const served = await serve(sandbox.handle);
  const { send, close } = senderTo({ url: served.url });
  const file = path.join(access.folder, `sandbox-${served.port}`);
  await writeFile(file, kubeconfig(served.url));
  const namespace = 'default';
  return {
    api: new RuleClient(send, namespace),
    kubectl: (args, input = '') =>
      runProgram(access.kubectl, ['--kubeconfig', file, ...args], { input, env: { HOME: access.folder } }),
    // It serves no ControllerRevisions, which kubectl asks for.
    undo: async ({ kind, name }) => sandbox.undo({ kind, namespace, name }),
    until,
    [Symbol.asyncDispose]: async () => {
      close();
      await served.close();
      sandbox.close();
    },
  };
}
