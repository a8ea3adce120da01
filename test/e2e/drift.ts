/**
 * How tools that apply manifests from Git compare: what their next write would make of a workload, against what is there.
 * The tools themselves are not run; what they ask the API server is asked as they ask it.
 */

import { type Json, type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import { fieldsByManager } from './managed-fields.ts';
import type { Stage } from './stage.ts';
import type { WorkloadName } from './workloads.ts';

/** A tool: how it writes and compares. */
export interface Tool {
  /** The command of kubectl that writes as it does. */
  readonly writes: readonly string[];
  /** The one that writes what is not there yet. @default the same */
  readonly creates?: readonly string[];
  /** By its name there: the command that answers what a write would lead to. */
  readonly compares: Readonly<Record<string, readonly string[]>>;
}

const THREE_WAY = ['apply', '--dry-run=server'];

/** The command by which the API server merges what a manager owns. */
function serverSide(manager: string): string[] {
  return ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`];
}

function dryRun(manager: string): string[] {
  return [...serverSide(manager), '--dry-run=server'];
}

/** By name. */
export const TOOLS: Readonly<Record<string, Tool>> = {
  'Argo CD': {
    writes: ['apply', '--field-manager=argocd-controller'],
    compares: { 'three-way diff': THREE_WAY, 'server-side diff': dryRun('argocd-controller') },
  },
  'Argo CD with ServerSideApply=true': {
    writes: serverSide('argocd-controller'),
    compares: { 'three-way diff': THREE_WAY, 'server-side diff': dryRun('argocd-controller') },
  },
  "Flux' kustomize-controller": {
    writes: serverSide('kustomize-controller'),
    compares: { 'dry run': dryRun('kustomize-controller') },
  },
};

/** Argo CD where an application or a workload asks for `Replace=true`. */
export const REPLACING: Tool = {
  creates: ['create', '--field-manager=argocd-controller'],
  writes: ['replace', '--field-manager=argocd-controller'],
  compares: { 'three-way diff': THREE_WAY, 'server-side diff': dryRun('argocd-controller') },
};

/** How Flux' helm-controller looks for drift of what Helm has written. */
export const HELM_DRIFT: readonly string[] = dryRun('helm-controller');

/** The paths below `spec` at which a write of `manifest` by `command` would change the workload. */
export async function driftOf(
  stage: Stage,
  workload: WorkloadName,
  manifest: string,
  command: readonly string[],
): Promise<readonly string[]> {
  const { stdout } = await stage.kubectl([...command, '-o', 'json', '-f', '-'], { input: manifest });
  const predicted = leavesOf(pick(JSON.parse(stdout) as JsonObject, 'spec'), 'spec');
  const live = leavesOf(pick(await stage.live(workload), 'spec'), 'spec');
  const paths = new Set([...predicted.keys(), ...live.keys()]);
  return [...paths].filter((path) => predicted.get(path) !== live.get(path)).sort();
}

/** Those that the field manager does not own: what `managedFieldsManagers` leaves. */
export async function withoutFieldsOf(
  stage: Stage,
  workload: WorkloadName,
  manager: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const owned = fieldsByManager(await stage.live(workload))[manager] ?? [];
  return paths.filter((path) => !owned.includes(path));
}

/** Each value by its path; an item of a list is called by its name, as the API server does in its account of managers. */
function leavesOf(value: Json | undefined, path: string): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[path, JSON.stringify(value)]]);
  const below: readonly [string, Json | undefined][] = Array.isArray(value)
    ? value.map((item: Json, index) => [String(objectOf(item)['name'] ?? index), item])
    : Object.entries(value);
  return new Map(below.flatMap(([name, item]) => [...leavesOf(item, `${path}.${name}`)]));
}
