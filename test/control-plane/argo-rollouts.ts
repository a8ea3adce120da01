/** Argo Rollouts on a control plane: its kinds, its controller, and the plugin of kubectl for them. */

import { isRequired } from '../install/tools.ts';
import { until } from '../integration/reloader-process.ts';
import { argoRolloutsKinds, argoRolloutsOf } from './assets.ts';
import type { KubectlOptions, RealCluster } from './cluster.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePort } from './free-port.ts';
import { type Running, tailOf } from './processes.ts';
import type { ArgoRolloutsProgram } from './recipe.ts';

const NOT_BUILT = 'Argo Rollouts is not built: npm run control-plane';

/** The controller ends with its control plane. */
export class ArgoRollouts {
  readonly #plane: ControlPlane;
  #controller: Running;

  private constructor(plane: ControlPlane, controller: Running) {
    this.#plane = plane;
    this.#controller = controller;
  }

  /**
   * Installs the kinds and starts the controller; it answers when this resolves.
   *
   * @throws when it is not built
   */
  static async start(plane: ControlPlane): Promise<ArgoRollouts> {
    await plane.kubectl(['create', '-f', argoRolloutsKinds()]);
    const established = [
      '--for=condition=Established',
      '--timeout=60s',
      'customresourcedefinitions',
      '--all',
    ];
    await plane.kubectl(['wait', ...established]);
    return new ArgoRollouts(plane, await controllerOn(plane));
  }

  /** Ends the controller at once: Rollouts stay as they are. */
  async kill(): Promise<void> {
    await this.#controller.kill();
  }

  /** Starts the controller again after `kill`. */
  async startAgain(): Promise<void> {
    this.#controller = await controllerOn(this.#plane);
  }

  /** Runs `kubectl argo rollouts <args>`; resolves with what it prints. */
  kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    return this.#plane.run(builtProgram('kubectl-argo-rollouts'), args, options);
  }
}

/** Why tests with Argo Rollouts are skipped; false: they are not. */
export function skipWithoutArgoRollouts({ access }: RealCluster): string | false {
  if (!access.hasPods) return 'pods are needed';
  return argoRolloutsOf('rollouts-controller') === undefined && !isRequired() && NOT_BUILT;
}

/** A single one: without an election, and without limits to its requests. */
async function controllerOn(plane: ControlPlane): Promise<Running> {
  const port = await freePort();
  const controller = await plane.startBeside(builtProgram('rollouts-controller'), 'argo-rollouts', [
    '--leader-elect=false',
    '--qps=1000',
    '--burst=2000',
    `--healthzPort=${port}`,
    `--metricsport=${await freePort()}`,
  ]);
  await until('the controller of Argo Rollouts answers', async () => {
    if (controller.hasEnded()) throw new Error(`it has ended\n${tailOf(controller)}`);
    try {
      return (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
    } catch {
      return false; // it does not listen yet
    }
  });
  return controller;
}

function builtProgram(program: ArgoRolloutsProgram): string {
  const built = argoRolloutsOf(program);
  if (built === undefined) throw new Error(NOT_BUILT);
  return built;
}
