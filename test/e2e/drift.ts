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

/** A workload as it is, and as a write would make it. */
export interface Comparison {
  readonly live: JsonObject;
  readonly predicted: JsonObject;
}

/** What a write of `manifest` by `command` would make of the workload. */
export async function compare(
  stage: Stage,
  workload: WorkloadName,
  manifest: string,
  command: readonly string[],
): Promise<Comparison> {
  const { stdout } = await stage.kubectl([...command, '-o', 'json', '-f', '-'], { input: manifest });
  return { live: await stage.live(workload), predicted: JSON.parse(stdout) as JsonObject };
}

/** The paths below `spec` at which the write would change the workload. */
export function driftIn({ live, predicted }: Comparison): readonly string[] {
  const after = leavesOf(pick(predicted, 'spec'), 'spec');
  const before = leavesOf(pick(live, 'spec'), 'spec');
  const paths = new Set([...after.keys(), ...before.keys()]);
  return [...paths].filter((path) => after.get(path) !== before.get(path)).sort();
}

/** Those that the field manager does not own: what `managedFieldsManagers` leaves. */
export function withoutFieldsOf(
  manager: string,
  { live }: Comparison,
  paths: readonly string[],
): readonly string[] {
  const owned = fieldsByManager(live)[manager] ?? [];
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
