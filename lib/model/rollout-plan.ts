/** The plan of one rollout: which stamps one patch puts into a workload's pod template. */

import type { Digest } from './digest.ts';
import type { ObjectKey, WorkloadRef } from './object-ref.ts';
import { formatStamp, type Stamp } from './stamp.ts';
import type { Mark, Workload } from './workload.ts';

/** What a plan is made for: one object that is owed. */
export interface OwedStamp {
  readonly config: ObjectKey;
  readonly stamp: Stamp;
  /** The variable to write. */
  readonly variable: string;
  /** All variables that may hold a stamp of this object; those not written are removed. */
  readonly variables: readonly string[];
}

/** A version of an object that a plan was made on. */
export interface PlannedVersion {
  readonly digest: Digest;
  /** When the content had last changed, on the Timeline. */
  readonly changedAt: number;
}

/** One patch to be. */
export interface RolloutPlan {
  readonly workload: WorkloadRef;
  readonly stamps: readonly OwedStamp[];
  /** Every object that the workload follows and that exists, not only those owed: its pods start anew with all of them. */
  readonly versions: ReadonlyMap<ObjectKey, PlannedVersion>;
  /** The strategic merge patch; refused on any other version of the workload than the one it was made for. */
  readonly body: object;
}

interface EnvPatch {
  readonly name: string;
  readonly value?: string;
  readonly $patch?: 'delete';
}

/**
 * The plan that writes `stamps` into `workload`: each into the container that carries it already, else the first. A name
 * of a container is only written if the template has it, so that no patch can add one.
 */
export function planOf(
  workload: Workload,
  stamps: readonly OwedStamp[],
  versions: ReadonlyMap<ObjectKey, PlannedVersion>,
): RolloutPlan {
  const patches = new Map<string, EnvPatch[]>();
  const add = (container: string, patch: EnvPatch): void => {
    patches.set(container, [...(patches.get(container) ?? []), patch]);
  };
  for (const owed of stamps) {
    const container = containerOf(workload, owed);
    if (container === undefined) continue;
    add(container, { name: owed.variable, value: formatStamp(owed.stamp) });
    for (const mark of othersOf(workload, owed, container)) {
      add(mark.container, { name: mark.variable, $patch: 'delete' });
    }
  }
  const containers = [...patches].map(([name, env]) => ({ name, env }));
  const body = {
    metadata: { resourceVersion: workload.resourceVersion },
    spec: { template: { spec: { containers } } },
  };
  return { workload: workload.ref, stamps, versions, body };
}

/** Whether the live template carries every stamp of the plan: then the patch is in force, whoever sent it. */
export function carries(workload: Workload, plan: RolloutPlan): boolean {
  return plan.stamps.every(({ variable, stamp }) =>
    workload.marks.some((mark) => mark.variable === variable && mark.value === formatStamp(stamp)),
  );
}

function containerOf(workload: Workload, owed: OwedStamp): string | undefined {
  const written = workload.marks.find((mark) => mark.variable === owed.variable);
  const any = written ?? workload.marks.find((mark) => owed.variables.includes(mark.variable));
  return any?.container ?? workload.containers[0];
}

function othersOf(workload: Workload, owed: OwedStamp, container: string): readonly Mark[] {
  return workload.marks.filter(
    (mark) =>
      owed.variables.includes(mark.variable) &&
      !(mark.variable === owed.variable && mark.container === container),
  );
}
