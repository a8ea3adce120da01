/** Where the programs of a control plane are, if anywhere. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  ARGO_ROLLOUTS,
  ARGO_ROLLOUTS_CRDS,
  type ArgoRolloutsProgram,
  BUILDS,
  buildKey,
  CONTROL_PLANE,
  type Copies,
  HELM,
  type HelmVersion,
  type Part,
  PROMETHEUS,
  type Program,
  type PrometheusProgram,
  SECRETS_STORE,
  SECRETS_STORE_CRDS,
  STAGES,
} from './recipe.ts';

/** The programs of one control plane. */
export interface Assets {
  readonly folder: string;
  /** kwok's files; none where kwok was not built by us. */
  readonly stages: readonly string[];
  /** Whether Deployments get ReplicaSets and pods, and pods run. */
  readonly hasPods: boolean;
}

/** How to have what is not there. */
export const HOW_TO_HAVE_IT = '`npm run control-plane` builds one (Go, some minutes, once)';

const NEEDED: readonly Program[] = ['etcd', 'kube-apiserver'];
const NEEDED_FOR_PODS: readonly Program[] = ['kube-controller-manager', 'kube-scheduler', 'kwok'];

/**
 * What KUBEBUILDER_ASSETS names, else what was built here; undefined if there is neither.
 *
 * @throws when KUBEBUILDER_ASSETS is set and is no such folder
 */
export function findAssets(env: NodeJS.ProcessEnv = process.env): Assets | undefined {
  const given = env['KUBEBUILDER_ASSETS'];
  const folder = given ?? path.join(BUILDS, buildKey(CONTROL_PLANE));
  const missing = NEEDED.filter((program) => !existsSync(path.join(folder, program)));
  if (missing.length === 0) return assetsIn(folder);
  if (given === undefined) return undefined;
  throw new Error(`KUBEBUILDER_ASSETS=${given} holds no ${missing.join(' and no ')}`);
}

/** The path of a program. */
export function programOf({ folder }: Assets, program: Program): string {
  return path.join(folder, program);
}

/** The path of Helm; undefined if it was not built. */
export function helmOf(version: HelmVersion): string | undefined {
  return builtIn(HELM[version], 'helm');
}

/** The path of Prometheus or its tool; undefined if it was not built. */
export function prometheusOf(program: PrometheusProgram): string | undefined {
  return builtIn(PROMETHEUS, program);
}

/** The path of a program of Argo Rollouts; undefined if it was not built. */
export function argoRolloutsOf(program: ArgoRolloutsProgram): string | undefined {
  return builtIn(ARGO_ROLLOUTS, program);
}

/** The folder of the manifests of Argo Rollouts' kinds; it is there where the programs are. */
export function argoRolloutsKinds(): string {
  return path.join(BUILDS, buildKey(ARGO_ROLLOUTS), ARGO_ROLLOUTS_CRDS.into);
}

/** The folder of the manifests of the Secrets Store CSI driver's kinds; undefined if it is not there. */
export function secretsStoreKinds(): string | undefined {
  return builtIn(SECRETS_STORE, SECRETS_STORE_CRDS.into);
}

/** Where the files stand that are copied into a folder of programs. */
export function copiesIn(folder: string, { into, paths }: Copies): readonly string[] {
  return paths.map((file) => path.join(folder, into, path.basename(file)));
}

function builtIn(part: Part, name: string): string | undefined {
  const built = path.join(BUILDS, buildKey(part), name);
  return existsSync(built) ? built : undefined;
}

function assetsIn(folder: string): Assets {
  const stages = copiesIn(folder, STAGES).filter((file) => existsSync(file));
  const hasPods =
    stages.length === STAGES.paths.length &&
    NEEDED_FOR_PODS.every((program) => existsSync(path.join(folder, program)));
  return { folder, stages, hasPods };
}
