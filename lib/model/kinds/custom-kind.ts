/**
 * Kinds that only the settings name: custom resources whose objects have a pod template. Nothing but conventions is known of their
 * controllers, so what is uncertain counts as not rolled out, and costs one rollout more.
 */

import type { ApiResource } from '../object-ref.ts';
import type { RawPodTemplate, RawWorkload } from '../raw-objects.ts';
import { referencesOf } from '../references.ts';
import type { WorkloadKind } from '../workload-kind.ts';
import { PLAIN } from './pods.ts';

/** A kind as the settings name it. */
export interface CustomKind extends ApiResource {
  /** The path of the pod template in the spec. */
  readonly templatePath: readonly string[];
}

/** The name of such a kind: `<plural>.<group>`, which kubectl takes too. */
function customNameOf({ group, resource }: Pick<CustomKind, 'group' | 'resource'>): string {
  return `${resource}.${group}`;
}

/** Whether only the settings name the kind. */
export function isCustom(row: WorkloadKind): boolean {
  return row.kind === customNameOf(row);
}

/** The row of a kind that only the settings name. */
export function customKind(entry: CustomKind): WorkloadKind {
  return {
    ...PLAIN,
    ...entry,
    kind: customNameOf(entry),
    isOptional: true,
    isTemplate,
    // Without the field, or with a hash in it, nothing is known to be observed.
    isObserved: ({ metadata, status }) => Number(status?.observedGeneration) >= (metadata.generation ?? 0),
    hold: () => undefined,
    rolledOut: (raw) => (conditionOf(raw, 'Ready') ?? conditionOf(raw, 'Available')) === 'True',
    revision: () => undefined,
  };
}

/** No schema is known: the status may have any form. */
function conditionOf({ status }: RawWorkload, wanted: string): string | undefined {
  const conditions: unknown = status?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  return conditions.find((condition) => condition?.type === wanted)?.status;
}

/** Whether the object can be read as a pod template: its schema may be another one. */
function isTemplate(found: RawPodTemplate): boolean {
  try {
    const { annotations = {} } = found.metadata ?? {};
    const { containers = [], initContainers = [], volumes = [] } = found.spec ?? {};
    const lists = [containers, initContainers, volumes];
    referencesOf(found, true);
    return (
      Object.values(annotations).every((value) => typeof value === 'string') &&
      lists.every((list) => Array.isArray(list) && list.every(({ name }) => typeof name === 'string')) &&
      containers.every(({ env = [] }) => env.every(({ name }) => typeof name === 'string'))
    );
  } catch {
    return false; // a list is none, or null stands for an object
  }
}
