/** The Helm chart, rendered by Helm, without a cluster. */

import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { HOW_TO_HAVE_IT, helmOf } from '../control-plane/assets.ts';
import type { HelmVersion } from '../control-plane/recipe.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { K8S } from './kustomization.ts';
import { isRequired } from './tools.ts';

/** The folder of the chart. */
export const CHART: string = path.join(K8S, 'chart');

/** How the chart is rendered. */
export interface Rendering {
  /** @default web */
  readonly release?: string;
  /** @default tools */
  readonly namespace?: string;
  /** @default 4 */
  readonly helm?: HelmVersion;
  /** @default 1.37.2 */
  readonly kubeVersion?: string;
  /** Groups, versions and kinds that the cluster has beside its own. @default none */
  readonly apiVersions?: readonly string[];
}

/** Values as a values.yaml has them. */
export type Values = JsonObject;

/** The objects that the chart comes to with these values, those of `helm test` among them. @throws what Helm says */
export function render(values: Values = {}, rendering: Rendering = {}): readonly JsonObject[] {
  return parseManifests(run('template', values, rendering), CHART);
}

/** What `helm install` tells its user. @throws what Helm says */
export function notesOf(values: Values = {}, rendering: Rendering = {}): string {
  const text = run('install', values, rendering, '--dry-run=client');
  return text.slice(text.indexOf('NOTES:\n') + 'NOTES:\n'.length);
}

/** What Helm objects to; undefined if nothing. */
export function objectionTo(values: Values, rendering: Rendering = {}): string | undefined {
  try {
    run('template', values, rendering);
    return undefined;
  } catch (error) {
    return String((error as { stderr?: string }).stderr);
  }
}

/** For `skip` of a test: why, or false where Helm is there or has to be. */
export function skipWithoutHelm(version: HelmVersion = 4): string | false {
  return helmOf(version) === undefined && !isRequired() && `no Helm ${version}: ${HOW_TO_HAVE_IT}`;
}

/** What Helm writes. @throws with its complaint as `stderr` */
export function helm(version: HelmVersion, args: readonly string[], input = ''): string {
  const program = helmOf(version);
  if (program === undefined)
    throw new Error(`REQUIRE_TOOLS is set, and there is no Helm ${version}: ${HOW_TO_HAVE_IT}`);
  const stdio = ['pipe', 'pipe', 'pipe'] as const;
  return execFileSync(program, args, { encoding: 'utf8', input, stdio: [...stdio], env: {} });
}

function run(
  verb: 'template' | 'install',
  values: Values,
  rendering: Rendering,
  ...more: readonly string[]
): string {
  const { release = 'web', namespace = 'tools', helm: version = 4 } = rendering;
  const { kubeVersion = '1.37.2', apiVersions = [] } = rendering;
  const capabilities =
    verb === 'template'
      ? ['--kube-version', kubeVersion, ...apiVersions.flatMap((one) => ['--api-versions', one])]
      : [];
  const args = [verb, release, CHART, '--namespace', namespace, '--values', '-', ...capabilities, ...more];
  return helm(version, args, JSON.stringify(values));
}
