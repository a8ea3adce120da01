/** What the new installation would roll at its start: the controller's own comparison with the stamps of the other reloader. */

import { inheritedStampsOf } from '../../annotations/inherited-stamps.ts';
import { ApiError } from '../../kubernetes/api-error.ts';
import type { Send } from '../../kubernetes/transport.ts';
import { describe, namespaceIn, type ObjectKey, workloadRefIn } from '../../model/object-ref.ts';
import { REASONS } from '../../model/reasons.ts';
import { listedText } from '../../model/text.ts';
import type { WorkloadRecord } from '../../store/records.ts';
import { outdatedObjects } from '../../tracking/gate.ts';
import { nameFor } from '../explain/cause.ts';
import { type Observation, untilCompared } from '../observation.ts';

/** One workload that the start would roll. */
export interface StartRollout {
  readonly workload: string;
  readonly namespace: string;
  readonly objects: readonly string[];
  readonly why: string;
}

/** What a start would roll, and what is not known of it. */
export interface TakeOver {
  readonly rollouts: readonly StartRollout[];
  /** Each a sentence. */
  readonly unknown: readonly string[];
}

/** `send`, and the resources that were refused to it. */
export function noting(send: Send): { readonly send: Send; readonly refused: ReadonlySet<string> } {
  const refused = new Set<string>();
  return {
    refused,
    send: async (request) => {
      try {
        const answer = await send(request);
        if (answer.status === 403) refused.add(resourceIn(request.path));
        return answer;
      } catch (error) {
        if (error instanceof ApiError && error.status === 403) refused.add(resourceIn(request.path));
        throw error;
      }
    },
  };
}

/** The plural in the path of a collection. */
function resourceIn(path: string): string {
  return path.split('?', 1)[0]?.split('/').at(-1) ?? '';
}

/** What a start would roll. Resolves once every stamp that can be compared is. */
export async function takeOverOf(observation: Observation, refused: ReadonlySet<string>): Promise<TakeOver> {
  const { store, state, unread } = observation;
  const open = await untilCompared(observation);
  const stamped = [...store.workloads.values()].filter(
    (record) => inheritedStampsOf(record.workload, record.edges.keys()).length > 0,
  );
  const ages = ['replicasets', 'controllerrevisions'].filter((each) => refused.has(each));
  return {
    rollouts: [...store.workloads].flatMap(([key, record]) => rolloutOf(observation, key, record)),
    unknown: [
      ...unread.map(({ what, why }) => `${what}: ${why}`),
      ...(state.is === 'forbidden' ? [`you may not read ${state.what}`] : []),
      ...(ages.length > 0 && stamped.length > 0
        ? [`you may not list ${ages.join(' and ')}, which tell how old pods are: no stamp is compared`]
        : []),
      ...(open.length === 0 ? [] : [`the stamps of ${namesOf(open)} cannot be compared now`]),
    ],
  };
}

function namesOf(records: readonly WorkloadRecord[]): string {
  return listedText(records.map(({ workload }) => `${describe(workload.ref)} in ${workload.ref.namespace}`));
}

function rolloutOf({ store }: Observation, key: ObjectKey, record: WorkloadRecord): readonly StartRollout[] {
  const refs = outdatedObjects(store, record).map(({ ref }) => ref);
  if (refs.length === 0) return [];
  const isMissed = refs.some((ref) => store.persisted.entryOf(ref) === undefined);
  return [
    {
      workload: describe(workloadRefIn(key)),
      namespace: namespaceIn(key),
      objects: refs.map((ref) => nameFor(record, ref)),
      why: REASONS[isMissed ? 'missed-before' : 'changed-while-down'],
    },
  ];
}
