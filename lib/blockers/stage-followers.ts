/** The workloads that the present content of an object concerns: those that are out of date with it, and those that run it. Pure. */

import { isOfContent } from '../model/digest.ts';
import { keyOf, type ObjectKey } from '../model/object-ref.ts';
import { sequenceIn } from '../model/rollout-plan.ts';
import type { Halt } from '../model/state-entry.ts';
import type { ConfigRecord, WorkloadRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { isOutdatedOn } from '../tracking/edge-policy.ts';
import { haltOf } from '../tracking/halts.ts';

/** One such workload. */
export interface Follower {
  readonly record: WorkloadRecord;
  /** The parts of the object with which it is out of date. */
  readonly outdated: ConfigRecord[];
  /** Those whose present content its live template carries a stamp of, or a patch of ours that is under way. */
  readonly begun: ConfigRecord[];
}

/** By workload. */
export type Followers = ReadonlyMap<ObjectKey, Follower>;

/** The followers of a whole object and of its keys. */
export function followersOf(store: Store, object: ObjectKey): Followers {
  const followers = new Map<ObjectKey, Follower>();
  for (const part of [object, ...store.scopes.of(object).map(keyOf)]) {
    const config = store.configs.get(part);
    if (config !== undefined) addFollowers(store, followers, part, config);
  }
  return followers;
}

function addFollowers(
  store: Store,
  followers: Map<ObjectKey, Follower>,
  part: ObjectKey,
  config: ConfigRecord,
): void {
  for (const [record, edge] of store.edgesOf(part)) {
    const key = keyOf(record.workload.ref);
    const follower = followers.get(key) ?? { record, outdated: [], begun: [] };
    const isWaiting = !isInFlight(record, part, config) && isOutdatedOn(store, record, part, edge);
    if (isWaiting) follower.outdated.push(config);
    else if (isInFlight(record, part, config) || isOfContent(edge.stamp?.digest, config))
      follower.begun.push(config);
    else continue;
    followers.set(key, follower);
  }
}

/** Whether a workload is out of date. */
export function isOpen(followers: Followers): boolean {
  return [...followers.values()].some(({ outdated }) => outdated.length > 0);
}

/** The halt in force of any part that is followed: it holds for the whole object, also once the workload that halted it is gone. */
export function haltAmong(store: Store, followers: Followers): Halt | undefined {
  const parts = [...followers.values()].flatMap(({ outdated, begun }) => [...outdated, ...begun]);
  return [...new Set(parts)].map((config) => haltOf(store, config)).find((halt) => halt !== undefined);
}

/** Whether a patch that brings the present content is under way. */
function isInFlight({ inFlight }: WorkloadRecord, part: ObjectKey, { digest }: ConfigRecord): boolean {
  if (inFlight === undefined || sequenceIn(inFlight, part) === 0) return false;
  return inFlight.versions.get(part)?.digest === digest;
}
