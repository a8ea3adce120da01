/** Where the programs of a control plane are, if anywhere. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  BUILDS,
  buildKey,
  CONTROL_PLANE,
  HELM,
  type HelmVersion,
  type Part,
  PROMETHEUS,
  type Program,
  type PrometheusProgram,
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

/** Where kwok's file of that name stands in a folder of programs. */
export function stageIn(folder: string, stage: string): string {
  return path.join(folder, 'stages', path.basename(stage));
}

function builtIn(part: Part, name: Program): string | undefined {
  const program = path.join(BUILDS, buildKey(part), name);
  return existsSync(program) ? program : undefined;
}

function assetsIn(folder: string): Assets {
  const stages = STAGES.map((stage) => stageIn(folder, stage)).filter((file) => existsSync(file));
  const hasPods =
    stages.length === STAGES.length &&
    NEEDED_FOR_PODS.every((program) => existsSync(path.join(folder, program)));
  return { folder, stages, hasPods };
}
